// Tokens (authorizations): who may do what. Only a token's hash arrives here: the catalog can tell
// whether a token is known, and nobody who reads the catalog can use one.

import { UserError } from '../errors.js'
import { type CatalogContext, requireOrganization, timestamp } from './context.js'
import { newId } from './ids.js'
import type { TokenRow } from './tables.js'

/** As the permission check reads them; the catalog only keeps them. */
export interface TokenPermission<ResourceType extends string = string> {
  readonly action: 'read' | 'write'
  readonly resource: {
    readonly type: ResourceType
    readonly id?: string | undefined
    readonly orgID?: string | undefined
  }
}

export interface Token {
  readonly id: string
  readonly orgId: string | undefined
  /** Whom it is scoped to. */
  readonly userId: string | undefined
  /** Who made it. The deletion of either user stops it. */
  readonly creatorId: string | undefined
  readonly description: string
  readonly status: 'active' | 'inactive'
  readonly permissions: readonly TokenPermission[]
  readonly createdAt: string
  readonly updatedAt: string
}

export interface TokenInput {
  readonly tokenHash: string
  readonly orgId: string | undefined
  readonly userId: string | undefined
  readonly creatorId?: string | undefined
  readonly description: string
  readonly status?: Token['status'] | undefined
  readonly permissions: readonly TokenPermission[]
}

export interface TokenFilter {
  readonly id?: string | undefined
  readonly orgId?: string | undefined
  readonly userId?: string | undefined
}

export interface TokenChange {
  readonly status?: Token['status'] | undefined
  readonly description?: string | undefined
}

export class Tokens {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async create(input: TokenInput): Promise<Token> {
    if (input.permissions.length === 0) {
      throw new UserError('invalid', 'authorization must include permissions')
    }
    if ((await this.findByHash(input.tokenHash)) !== undefined) {
      throw new UserError('conflict', 'token already exists')
    }
    if (input.orgId !== undefined) await requireOrganization(this.#context, input.orgId)
    const now = timestamp(this.#context)
    const row: TokenRow = {
      id: newId(this.#context.random),
      token_hash: input.tokenHash,
      org_id: input.orgId ?? null,
      user_id: input.userId ?? null,
      creator_id: input.creatorId ?? null,
      description: input.description,
      status: input.status ?? 'active',
      permissions: JSON.stringify(input.permissions),
      created_at: now,
      updated_at: now,
    }
    await this.#context.db.insertInto('tokens').values(row).execute()
    this.#context.changed({ kind: 'tokens-changed' })
    return tokenOf(row)
  }

  async findByHash(tokenHash: string): Promise<Token | undefined> {
    const query = this.#context.db.selectFrom('tokens').selectAll()
    const row = await query.where('token_hash', '=', tokenHash).executeTakeFirst()
    return row === undefined ? undefined : tokenOf(row)
  }

  async findById(id: string): Promise<Token | undefined> {
    const query = this.#context.db.selectFrom('tokens').selectAll().where('id', '=', id)
    const row = await query.executeTakeFirst()
    return row === undefined ? undefined : tokenOf(row)
  }

  async list(filter: TokenFilter & { readonly tokenHash?: string | undefined }): Promise<Token[]> {
    let query = this.#context.db.selectFrom('tokens').selectAll()
    if (filter.id !== undefined) query = query.where('id', '=', filter.id)
    if (filter.orgId !== undefined) query = query.where('org_id', '=', filter.orgId)
    if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId)
    if (filter.tokenHash !== undefined) query = query.where('token_hash', '=', filter.tokenHash)
    const rows = await query.orderBy('created_at').orderBy('id').execute()
    return rows.map(tokenOf)
  }

  async setStatus(id: string, status: Token['status']): Promise<void> {
    await this.update(id, { status })
  }

  async update(id: string, change: TokenChange): Promise<Token> {
    const before = await this.findById(id)
    if (before === undefined) throw new UserError('not found', 'authorization not found')
    const status = change.status ?? before.status
    const description = change.description ?? before.description
    const updatedAt = timestamp(this.#context)
    await this.#context.db
      .updateTable('tokens')
      .set({ status, description, updated_at: updatedAt })
      .where('id', '=', id)
      .execute()
    this.#context.changed({ kind: 'tokens-changed' })
    return { ...before, status, description, updatedAt }
  }

  async delete(id: string): Promise<void> {
    await this.#context.db.deleteFrom('tokens').where('id', '=', id).execute()
    this.#context.changed({ kind: 'tokens-changed' })
  }

  async exists(): Promise<boolean> {
    const query = this.#context.db.selectFrom('tokens').select('id')
    return (await query.limit(1).executeTakeFirst()) !== undefined
  }
}

function tokenOf(row: TokenRow): Token {
  return {
    id: row.id,
    orgId: row.org_id ?? undefined,
    userId: row.user_id ?? undefined,
    creatorId: row.creator_id ?? undefined,
    description: row.description,
    status: row.status === 'inactive' ? 'inactive' : 'active',
    permissions: JSON.parse(row.permissions),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
