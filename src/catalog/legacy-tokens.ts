// Legacy authorizations: v1 user names with passwords, each good for what its permissions say. The
// password arrives hashed; before one was set the name opens nothing.

import { UserError } from '../errors.js'
import { type CatalogContext, timestamp } from './context.js'
import { newId } from './ids.js'
import type { LegacyTokenRow } from './tables.js'
import type { Token, TokenChange, TokenFilter, TokenInput } from './tokens.js'

export interface LegacyToken extends Token {
  readonly orgId: string
  readonly username: string
}

export interface LegacyTokenInput extends Omit<TokenInput, 'tokenHash' | 'orgId'> {
  readonly orgId: string
  readonly username: string
}

export class LegacyTokens {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async create(input: LegacyTokenInput): Promise<LegacyToken> {
    const { username } = input
    if (username === '') {
      throw new UserError('invalid', 'token required for v1 user authorization type')
    }
    if (username.includes(':')) {
      throw new UserError('invalid', 'a v1 user name has no colon')
    }
    if (input.permissions.length === 0) {
      throw new UserError('invalid', 'authorization must include permissions')
    }
    if ((await this.#findRow('username', username)) !== undefined) {
      throw new UserError('conflict', 'token already exists')
    }
    const now = timestamp(this.#context)
    const row: LegacyTokenRow = {
      id: newId(this.#context.random),
      username,
      password_hash: null,
      org_id: input.orgId,
      user_id: input.userId ?? null,
      creator_id: input.creatorId ?? null,
      description: input.description,
      status: input.status ?? 'active',
      permissions: JSON.stringify(input.permissions),
      created_at: now,
      updated_at: now,
    }
    await this.#context.db.insertInto('legacy_tokens').values(row).execute()
    this.#context.changed({ kind: 'tokens-changed' })
    return legacyTokenOf(row)
  }

  async findById(id: string): Promise<LegacyToken | undefined> {
    const row = await this.#findRow('id', id)
    return row === undefined ? undefined : legacyTokenOf(row)
  }

  /** With the password's hash, for whoever checks a credential. */
  async findLogin(
    username: string,
  ): Promise<{ token: LegacyToken; passwordHash: string } | undefined> {
    const row = await this.#findRow('username', username)
    if (row === undefined || row.password_hash === null) return undefined
    return { token: legacyTokenOf(row), passwordHash: row.password_hash }
  }

  async list(filter: TokenFilter & { readonly username?: string | undefined }) {
    let query = this.#context.db.selectFrom('legacy_tokens').selectAll()
    if (filter.id !== undefined) query = query.where('id', '=', filter.id)
    if (filter.orgId !== undefined) query = query.where('org_id', '=', filter.orgId)
    if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId)
    if (filter.username !== undefined) query = query.where('username', '=', filter.username)
    const rows = await query.orderBy('created_at').orderBy('id').execute()
    return rows.map(legacyTokenOf)
  }

  async update(id: string, change: TokenChange): Promise<LegacyToken> {
    const before = await this.findById(id)
    if (before === undefined) throw new UserError('not found', 'authorization not found')
    const status = change.status ?? before.status
    const description = change.description ?? before.description
    await this.#set(id, { status, description })
    return { ...before, status, description, updatedAt: timestamp(this.#context) }
  }

  async setPassword(id: string, passwordHash: string): Promise<void> {
    await this.#set(id, { password_hash: passwordHash })
  }

  async delete(id: string): Promise<void> {
    await this.#context.db.deleteFrom('legacy_tokens').where('id', '=', id).execute()
    this.#context.changed({ kind: 'tokens-changed' })
  }

  async #set(id: string, values: Partial<LegacyTokenRow>): Promise<void> {
    const update = this.#context.db.updateTable('legacy_tokens')
    const updated_at = timestamp(this.#context)
    await update
      .set({ ...values, updated_at })
      .where('id', '=', id)
      .execute()
    this.#context.changed({ kind: 'tokens-changed' })
  }

  #findRow(column: 'id' | 'username', value: string): Promise<LegacyTokenRow | undefined> {
    const query = this.#context.db.selectFrom('legacy_tokens').selectAll()
    return query.where(column, '=', value).executeTakeFirst()
  }
}

function legacyTokenOf(row: LegacyTokenRow): LegacyToken {
  return {
    id: row.id,
    username: row.username,
    orgId: row.org_id,
    userId: row.user_id ?? undefined,
    creatorId: row.creator_id ?? undefined,
    description: row.description,
    status: row.status === 'inactive' ? 'inactive' : 'active',
    permissions: JSON.parse(row.permissions),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
