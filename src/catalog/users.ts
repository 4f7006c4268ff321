// Users: names unique across the installation. Their passwords arrive here already hashed; what a
// user may do is not written here but in tokens.

import { UserError } from '../errors.js'
import { type CatalogContext, timestamp } from './context.js'
import { newId } from './ids.js'
import type { UserRow } from './tables.js'

export interface User {
  readonly id: string
  readonly name: string
  readonly status: 'active' | 'inactive'
}

export class Users {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async create(input: { name: string; passwordHash: string | undefined }): Promise<User> {
    const name = input.name.trim()
    if (name === '') throw new UserError('invalid', 'user name is empty')
    if ((await this.findByName(name)) !== undefined) {
      throw new UserError('conflict', `user with name ${name} already exists`)
    }
    const now = timestamp(this.#context)
    const row: UserRow = {
      id: newId(this.#context.random),
      name,
      status: 'active',
      password_hash: input.passwordHash ?? null,
      created_at: now,
      updated_at: now,
    }
    await this.#context.db.insertInto('users').values(row).execute()
    return userOf(row)
  }

  async findByName(name: string): Promise<User | undefined> {
    const query = this.#context.db.selectFrom('users').selectAll().where('name', '=', name)
    const row = await query.executeTakeFirst()
    return row === undefined ? undefined : userOf(row)
  }

  async exists(): Promise<boolean> {
    const row = await this.#context.db.selectFrom('users').select('id').limit(1).executeTakeFirst()
    return row !== undefined
  }
}

function userOf(row: UserRow): User {
  const status = row.status === 'inactive' ? 'inactive' : 'active'
  return { id: row.id, name: row.name, status }
}
