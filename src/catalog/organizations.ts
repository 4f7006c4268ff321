// Organizations: the owners of everything else. Each is born with the two system buckets that tasks
// and checks write to.

import { UserError } from '../errors.js'
import { Buckets } from './buckets.js'
import { type CatalogContext, timestamp } from './context.js'
import { isId, newId } from './ids.js'
import type { OrganizationRow } from './tables.js'

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
    const name = input.name.trim()
    if (name === '') throw new UserError('invalid', 'organization name is empty')
    if ((await this.findByName(name)) !== undefined) {
      throw new UserError('conflict', `organization with name ${name} already exists`)
    }
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
    this.#context.changed({ kind: 'organizations-changed' })
    return organizationOf(row)
  }

  async findById(id: string): Promise<Organization | undefined> {
    const query = this.#context.db.selectFrom('organizations').selectAll().where('id', '=', id)
    const row = await query.executeTakeFirst()
    return row === undefined ? undefined : organizationOf(row)
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
