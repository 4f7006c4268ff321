// Records: what most resources are to the catalog. A record has an id, an organization, a name and
// a body that only its own resource file understands; this file keeps, lists and pages them, and
// guards names that must be unique. Resources with queries of their own have tables of their own.

import { UserError } from '../../errors.js'
import { type CatalogContext, requireOrganization, timestamp } from './context.js'
import { newId } from './ids.js'
import { cutPage, type Page, wholeList } from './page.js'
import type { RecordRow } from './tables.js'
import type { StoredKind } from './versions.js'

export interface CatalogRecord<Body> {
  readonly id: string
  readonly orgId: string
  /** What the record belongs to inside its organization (a bucket, a dashboard); often nothing. */
  readonly parentId: string
  readonly ownerId: string | undefined
  readonly name: string
  readonly body: Body
  readonly createdAt: string
  readonly updatedAt: string
}

export interface RecordInput<Body> {
  readonly orgId: string
  readonly parentId?: string
  readonly ownerId?: string | undefined
  readonly name: string
  readonly body: Body
}

export interface RecordKind {
  readonly kind: StoredKind
  /** As messages call it. */
  readonly noun: string
  /** How a name is compared with others of the same organization and parent; absent: not at all. */
  readonly uniqueName?: (name: string) => string
}

/** For names that differ only by case and surrounding blanks. */
export function foldedName(name: string): string {
  return name.trim().toLowerCase()
}

export function exactName(name: string): string {
  return name
}

export class Records<Body> {
  readonly #context: CatalogContext
  readonly #kind: RecordKind

  constructor(context: CatalogContext, kind: RecordKind) {
    this.#context = context
    this.#kind = kind
  }

  async create(input: RecordInput<Body>): Promise<CatalogRecord<Body>> {
    await this.#checkName(input.orgId, input.parentId ?? '', input.name, undefined)
    await requireOrganization(this.#context, input.orgId)
    const now = timestamp(this.#context)
    const row: RecordRow = {
      id: newId(this.#context.random),
      kind: this.#kind.kind,
      org_id: input.orgId,
      parent_id: input.parentId ?? '',
      owner_id: input.ownerId ?? null,
      name: input.name,
      unique_name: this.#kind.uniqueName?.(input.name) ?? null,
      body: JSON.stringify(input.body),
      created_at: now,
      updated_at: now,
    }
    await this.#context.db.insertInto('records').values(row).execute()
    return recordOf(row)
  }

  async findById(id: string): Promise<CatalogRecord<Body> | undefined> {
    const row = await this.#row(id)
    return row === undefined ? undefined : recordOf(row)
  }

  /** The record, or the error that the interface promises. */
  async require(id: string): Promise<CatalogRecord<Body>> {
    const found = await this.findById(id)
    if (found === undefined) throw new UserError('not found', `${this.#kind.noun} not found`)
    return found
  }

  async findByName(
    orgId: string,
    name: string,
    parentId = '',
  ): Promise<CatalogRecord<Body> | undefined> {
    const row = await this.#select()
      .where('org_id', '=', orgId)
      .where('parent_id', '=', parentId)
      .where('name', '=', name)
      .executeTakeFirst()
    return row === undefined ? undefined : recordOf(row)
  }

  /** `orgId` undefined: of every organization. */
  async list(
    where: {
      readonly orgId?: string | undefined
      readonly parentId?: string
      readonly name?: string | undefined
    },
    page: Page = wholeList,
  ): Promise<CatalogRecord<Body>[]> {
    let query = this.#select()
    if (where.orgId !== undefined) query = query.where('org_id', '=', where.orgId)
    if (where.parentId !== undefined) query = query.where('parent_id', '=', where.parentId)
    if (where.name !== undefined) query = query.where('name', '=', where.name)
    const after = page.after === undefined ? undefined : await this.#row(page.after)
    const rows = await cutPage(query, page, after).execute()
    return rows.map((row) => recordOf<Body>(row))
  }

  /** `parentId` absent: of every parent. */
  async count(orgId: string, parentId?: string): Promise<number> {
    let query = this.#context.db
      .selectFrom('records')
      .where('kind', '=', this.#kind.kind)
      .where('org_id', '=', orgId)
    if (parentId !== undefined) query = query.where('parent_id', '=', parentId)
    const { count } = await query
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  async update(
    id: string,
    change: {
      readonly name?: string | undefined
      readonly body?: Body | undefined
      readonly ownerId?: string | undefined
    },
  ): Promise<CatalogRecord<Body>> {
    const before = await this.require(id)
    const name = change.name ?? before.name
    await this.#checkName(before.orgId, before.parentId, name, id)
    await this.#context.db
      .updateTable('records')
      .set({
        name,
        owner_id: change.ownerId ?? before.ownerId ?? null,
        unique_name: this.#kind.uniqueName?.(name) ?? null,
        body: JSON.stringify(change.body ?? before.body),
        updated_at: timestamp(this.#context),
      })
      .where('id', '=', id)
      .execute()
    return this.require(id)
  }

  /** False where there was none. */
  async delete(id: string): Promise<boolean> {
    if ((await this.#row(id)) === undefined) return false
    const { db } = this.#context
    await db.deleteFrom('label_mappings').where('resource_id', '=', id).execute()
    await db.deleteFrom('memberships').where('resource_id', '=', id).execute()
    await db.deleteFrom('records').where('id', '=', id).execute()
    return true
  }

  #select() {
    return this.#context.db.selectFrom('records').selectAll().where('kind', '=', this.#kind.kind)
  }

  #row(id: string): Promise<RecordRow | undefined> {
    return this.#select().where('id', '=', id).executeTakeFirst()
  }

  /** The table's own constraint stands behind this: of two at once, one fails there. */
  async #checkName(
    orgId: string,
    parentId: string,
    name: string,
    except: string | undefined,
  ): Promise<void> {
    const unique = this.#kind.uniqueName?.(name)
    if (unique === undefined) return
    const row = await this.#select()
      .where('org_id', '=', orgId)
      .where('parent_id', '=', parentId)
      .where('unique_name', '=', unique)
      .executeTakeFirst()
    if (row === undefined || row.id === except) return
    throw new UserError('conflict', `${this.#kind.noun} with name ${name} already exists`)
  }
}

export function recordOf<Body>(row: RecordRow): CatalogRecord<Body> {
  return {
    id: row.id,
    orgId: row.org_id,
    parentId: row.parent_id,
    ownerId: row.owner_id ?? undefined,
    name: row.name,
    body: JSON.parse(row.body),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
