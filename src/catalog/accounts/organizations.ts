// Organizations: the owners of everything else. Each is born with the two system buckets that tasks
// and checks write to; with it goes everything that it owns.

import { UserError } from '../../errors.js'
import { type CatalogContext, timestamp } from '../base/context.js'
import { isId, newId } from '../base/ids.js'
import { cutPage, type Page } from '../base/page.js'
import type { OrganizationRow } from '../base/tables.js'
import { Buckets } from '../storage/buckets.js'

export interface Organization {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly status: 'active' | 'inactive'
  readonly createdAt: string
  readonly updatedAt: string
}

const secondsPerDay = 86_400

export class Organizations {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** In a transaction: the organization and its system buckets belong together. */
  async create(input: { name: string; description?: string }): Promise<Organization> {
    const name = await this.#checkedName(input.name, undefined)
    const now = timestamp(this.#context)
    const row: OrganizationRow = {
      id: newId(this.#context.random),
      name,
      description: input.description ?? '',
      status: 'active',
      created_at: now,
      updated_at: now,
    }
    await this.#context.db.insertInto('organizations').values(row).execute()
    const buckets = new Buckets(this.#context)
    await buckets.createSystem(row.id, '_tasks', 3 * secondsPerDay, 'System bucket for task logs')
    const monitoring = 'System bucket for monitoring logs'
    await buckets.createSystem(row.id, '_monitoring', 7 * secondsPerDay, monitoring)
    return organizationOf(row)
  }

  async findById(id: string): Promise<Organization | undefined> {
    const row = await this.#row(id)
    return row === undefined ? undefined : organizationOf(row)
  }

  /** The organization, or the error that the interface promises. */
  async require(id: string): Promise<Organization> {
    const found = await this.findById(id)
    if (found === undefined) throw new UserError('not found', 'organization not found')
    return found
  }

  /** `ids` undefined: any. */
  async list(ids: readonly string[] | undefined, page: Page): Promise<Organization[]> {
    // Only SQLite has lists of nothing.
    if (ids?.length === 0) return []
    let query = this.#context.db.selectFrom('organizations').selectAll()
    if (ids !== undefined) query = query.where('id', 'in', ids)
    const after = page.after === undefined ? undefined : await this.#row(page.after)
    const rows = await cutPage(query, page, after).execute()
    return rows.map(organizationOf)
  }

  async update(
    id: string,
    change: { readonly name?: string | undefined; readonly description?: string | undefined },
  ): Promise<Organization> {
    const before = await this.require(id)
    const name =
      change.name === undefined ? before.name : await this.#checkedName(change.name, before.id)
    const description = change.description ?? before.description
    const updated_at = timestamp(this.#context)
    const update = this.#context.db.updateTable('organizations')
    await update.set({ name, description, updated_at }).where('id', '=', id).execute()
    return this.require(id)
  }

  /** In a transaction. */
  async delete(id: string): Promise<void> {
    await this.require(id)
    const { db } = this.#context
    const buckets = new Buckets(this.#context)
    for (const bucket of await buckets.all()) {
      if (bucket.orgId === id) await buckets.delete(bucket.id)
    }
    const records = db.selectFrom('records').select('id').where('org_id', '=', id)
    await db.deleteFrom('label_mappings').where('resource_id', 'in', records).execute()
    await db.deleteFrom('label_mappings').where('label_id', 'in', records).execute()
    await db.deleteFrom('memberships').where('resource_id', 'in', records).execute()
    await db.deleteFrom('memberships').where('resource_id', '=', id).execute()
    await db.deleteFrom('task_states').where('task_id', 'in', records).execute()
    await db.deleteFrom('task_runs').where('org_id', '=', id).execute()
    await db.deleteFrom('backfills').where('org_id', '=', id).execute()
    await db.deleteFrom('rule_states').where('rule_id', 'in', records).execute()
    await db.deleteFrom('outbox').where('org_id', '=', id).execute()
    const resources = ['records', 'dbrps', 'tokens', 'legacy_tokens', 'secrets'] as const
    const owned = [...resources, 'limits', 'usage_hours', 'rate_credits'] as const
    for (const table of owned) await db.deleteFrom(table).where('org_id', '=', id).execute()
    await db.deleteFrom('organizations').where('id', '=', id).execute()
  }

  async findByName(name: string): Promise<Organization | undefined> {
    const query = this.#context.db.selectFrom('organizations').selectAll().where('name', '=', name)
    const row = await query.executeTakeFirst()
    return row === undefined ? undefined : organizationOf(row)
  }

  /** As the `org` parameter is read: first as an id, then as a name. */
  async find(idOrName: string): Promise<Organization | undefined> {
    const byId = isId(idOrName) ? await this.findById(idOrName) : undefined
    return byId ?? this.findByName(idOrName)
  }

  /** The oldest one: where a credential that is bound to no organization works. */
  async findFirst(): Promise<Organization | undefined> {
    const query = this.#context.db.selectFrom('organizations').selectAll()
    const row = await query.orderBy('created_at').orderBy('id').limit(1).executeTakeFirst()
    return row === undefined ? undefined : organizationOf(row)
  }

  async #checkedName(given: string, except: string | undefined): Promise<string> {
    const name = given.trim()
    if (name === '') throw new UserError('invalid', 'organization name is empty')
    const known = await this.findByName(name)
    if (known === undefined || known.id === except) return name
    throw new UserError('conflict', `organization with name ${name} already exists`)
  }

  #row(id: string): Promise<OrganizationRow | undefined> {
    const query = this.#context.db.selectFrom('organizations').selectAll()
    return query.where('id', '=', id).executeTakeFirst()
  }
}

function organizationOf(row: OrganizationRow): Organization {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    status: row.status === 'inactive' ? 'inactive' : 'active',
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
