// Users: names unique across the installation. Their passwords arrive here already hashed; what a
// user may do is written in memberships and tokens. With a user go their memberships and sessions,
// and the tokens that they made or that are scoped to them stop.

import { UserError } from '../../errors.js'
import { type CatalogContext, timestamp } from '../base/context.js'
import { newId } from '../base/ids.js'
import { cutPage, type Page } from '../base/page.js'
import type { UserRow } from '../base/tables.js'
import { Memberships } from './memberships.js'
import { Sessions } from './sessions.js'
import type { Token } from './tokens.js'

export interface User {
  readonly id: string
  readonly name: string
  readonly status: 'active' | 'inactive'
}

export interface UserInput {
  readonly name: string
  readonly passwordHash: string | undefined
  readonly status?: User['status'] | undefined
}

export class Users {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async create(input: UserInput): Promise<User> {
    const name = await this.#checkedName(input.name, undefined)
    const now = timestamp(this.#context)
    const row: UserRow = {
      id: newId(this.#context.random),
      name,
      status: input.status ?? 'active',
      password_hash: input.passwordHash ?? null,
      created_at: now,
      updated_at: now,
    }
    await this.#context.db.insertInto('users').values(row).execute()
    return userOf(row)
  }

  async findById(id: string): Promise<User | undefined> {
    const row = await this.#row('id', id)
    return row === undefined ? undefined : userOf(row)
  }

  /** The user, or the error that the interface promises. */
  async require(id: string): Promise<User> {
    const found = await this.findById(id)
    if (found === undefined) throw new UserError('not found', 'user not found')
    return found
  }

  async findByName(name: string): Promise<User | undefined> {
    const row = await this.#row('name', name)
    return row === undefined ? undefined : userOf(row)
  }

  /** With the password's hash, for whoever checks a password. */
  async findLogin(
    name: string,
  ): Promise<{ user: User; passwordHash: string | undefined } | undefined> {
    const row = await this.#row('name', name)
    if (row === undefined) return undefined
    return { user: userOf(row), passwordHash: row.password_hash ?? undefined }
  }

  /** `ids` undefined: any. */
  async list(
    where: { readonly ids?: readonly string[] | undefined; readonly name?: string | undefined },
    page: Page,
  ): Promise<User[]> {
    // Only SQLite has lists of nothing.
    if (where.ids?.length === 0) return []
    let query = this.#context.db.selectFrom('users').selectAll()
    if (where.ids !== undefined) query = query.where('id', 'in', where.ids)
    if (where.name !== undefined) query = query.where('name', '=', where.name)
    const after = page.after === undefined ? undefined : await this.#row('id', page.after)
    const rows = await cutPage(query, page, after).execute()
    return rows.map(userOf)
  }

  async update(
    id: string,
    change: { readonly name?: string | undefined; readonly status?: User['status'] | undefined },
  ): Promise<User> {
    const before = await this.require(id)
    const name =
      change.name === undefined ? before.name : await this.#checkedName(change.name, before.id)
    const status = change.status ?? before.status
    await this.#set(id, { name, status })
    return { id, name, status }
  }

  /** In a transaction. Whoever signed in with the old password is out. */
  async setPassword(id: string, passwordHash: string): Promise<void> {
    await this.#set(id, { password_hash: passwordHash })
    await new Sessions(this.#context).endAllOf(id)
  }

  /** In a transaction. The last user stays: without one the set-up would be open to anybody. */
  async delete(id: string): Promise<void> {
    await this.require(id)
    const { db } = this.#context
    const others = db.selectFrom('users').select('id').where('id', '!=', id)
    if ((await others.executeTakeFirst()) === undefined) {
      throw new UserError('unprocessable entity', 'the last user cannot be deleted')
    }
    await new Memberships(this.#context).removeUser(id)
    await new Sessions(this.#context).endAllOf(id)
    const stopped = { status: 'inactive', updated_at: timestamp(this.#context) }
    for (const table of ['tokens', 'legacy_tokens'] as const) {
      await db
        .updateTable(table)
        .set(stopped)
        .where(({ or, eb }) => or([eb('user_id', '=', id), eb('creator_id', '=', id)]))
        .execute()
    }
    await db.deleteFrom('users').where('id', '=', id).execute()
  }

  /** Whether a token works, as far as it and its users go. */
  async standingOf(token: Token): Promise<'active' | 'inactive' | 'user-inactive'> {
    if (token.status === 'inactive') return 'inactive'
    const { userId, creatorId } = token
    const user = userId === undefined ? undefined : await this.findById(userId)
    if (userId !== undefined && user === undefined) return 'inactive'
    const creator = creatorId === undefined ? undefined : await this.findById(creatorId)
    if (creatorId !== undefined && creator === undefined) return 'inactive'
    return user?.status === 'inactive' ? 'user-inactive' : 'active'
  }

  async exists(): Promise<boolean> {
    const row = await this.#context.db.selectFrom('users').select('id').limit(1).executeTakeFirst()
    return row !== undefined
  }

  async #checkedName(given: string, except: string | undefined): Promise<string> {
    const name = given.trim()
    if (name === '') throw new UserError('invalid', 'user name is empty')
    const known = await this.findByName(name)
    if (known === undefined || known.id === except) return name
    throw new UserError('conflict', `user with name ${name} already exists`)
  }

  async #set(id: string, values: Partial<UserRow>): Promise<void> {
    const updated_at = timestamp(this.#context)
    const update = this.#context.db.updateTable('users').set({ ...values, updated_at })
    await update.where('id', '=', id).execute()
  }

  #row(column: 'id' | 'name', value: string): Promise<UserRow | undefined> {
    const query = this.#context.db.selectFrom('users').selectAll()
    return query.where(column, '=', value).executeTakeFirst()
  }
}

function userOf(row: UserRow): User {
  const status = row.status === 'inactive' ? 'inactive' : 'active'
  return { id: row.id, name: row.name, status }
}
