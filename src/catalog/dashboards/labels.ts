// Labels, and which resource wears which. Names are unique in their organization, whatever their
// case; a label that is deleted vanishes from every resource.

import { UserError } from '../../errors.js'
import { type CatalogContext, requireResource } from '../base/context.js'
import { type CatalogRecord, foldedName, Records, recordOf } from '../base/records.js'

export interface LabelBody {
  readonly properties: Readonly<Record<string, string>>
}

export type Label = CatalogRecord<LabelBody>

export class Labels {
  readonly records: Records<LabelBody>
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
    this.records = new Records(context, {
      kind: 'label',
      noun: 'label',
      uniqueName: foldedName,
    })
  }

  async create(orgId: string, name: string, properties: LabelBody['properties']): Promise<Label> {
    return this.records.create({ orgId, name: checkedName(name), body: { properties } })
  }

  /** An empty property value removes that key. */
  async update(
    id: string,
    change: {
      readonly name?: string | undefined
      readonly properties?: LabelBody['properties'] | undefined
    },
  ): Promise<Label> {
    const before = await this.records.require(id)
    const merged = { ...before.body.properties, ...change.properties }
    const kept = Object.entries(merged).filter(([, value]) => value !== '')
    const name = change.name === undefined ? undefined : checkedName(change.name)
    return this.records.update(id, { name, body: { properties: Object.fromEntries(kept) } })
  }

  async delete(id: string): Promise<boolean> {
    await this.#context.db.deleteFrom('label_mappings').where('label_id', '=', id).execute()
    return this.records.delete(id)
  }

  async ofResource(resourceId: string): Promise<Label[]> {
    return (await this.ofResources([resourceId])).get(resourceId) ?? []
  }

  /** For lists: the labels of many resources with one question. */
  async ofResources(resourceIds: readonly string[]): Promise<Map<string, Label[]>> {
    const labels = new Map<string, Label[]>()
    if (resourceIds.length === 0) return labels
    const { db } = this.#context
    const rows = await db
      .selectFrom('label_mappings')
      .innerJoin('records', 'records.id', 'label_mappings.label_id')
      .selectAll()
      .where('resource_id', 'in', [...resourceIds])
      .execute()
    for (const row of rows) {
      const worn = labels.get(row.resource_id) ?? []
      worn.push(recordOf<LabelBody>(row))
      labels.set(row.resource_id, worn)
    }
    for (const list of labels.values()) list.sort((a, b) => (a.name < b.name ? -1 : 1))
    return labels
  }

  /**
   * In a transaction. The label of another organization is as if it did not exist: whoever puts it
   * on a resource of their own would read it there.
   */
  async attach(resourceId: string, labelId: string): Promise<Label> {
    const label = await this.records.require(labelId)
    if (label.orgId !== (await requireResource(this.#context, resourceId))) {
      throw new UserError('not found', 'label not found')
    }
    if (await this.#isAttached(resourceId, labelId)) {
      const text = 'Cannot add label, label already exists on resource'
      throw new UserError('conflict', text)
    }
    const row = { resource_id: resourceId, label_id: labelId }
    await this.#context.db.insertInto('label_mappings').values(row).execute()
    return label
  }

  async detach(resourceId: string, labelId: string): Promise<void> {
    if (!(await this.#isAttached(resourceId, labelId))) {
      throw new UserError('not found', 'label not found')
    }
    await this.#context.db
      .deleteFrom('label_mappings')
      .where('resource_id', '=', resourceId)
      .where('label_id', '=', labelId)
      .execute()
  }

  async #isAttached(resourceId: string, labelId: string): Promise<boolean> {
    const found = await this.#context.db
      .selectFrom('label_mappings')
      .selectAll()
      .where('resource_id', '=', resourceId)
      .where('label_id', '=', labelId)
      .executeTakeFirst()
    return found !== undefined
  }
}

function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new UserError('invalid', 'label name is required')
  return trimmed
}
