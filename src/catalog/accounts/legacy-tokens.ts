// Legacy authorizations: v1 user names with passwords, each good for what its permissions say. The
// password arrives hashed; before one was set the name opens nothing.

import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import type { LegacyTokenRow } from '../base/tables.js'
import {
  type SharedTokenInput,
  type Token,
  type TokenFilter,
  type TokenPermission,
  TokenTable,
  tokenOf,
} from './token-table.js'

export interface LegacyToken extends Token {
  readonly orgId: string
  readonly username: string
}

export interface LegacyTokenInput extends SharedTokenInput {
  readonly orgId: string
  readonly username: string
}

export class LegacyTokens extends TokenTable<LegacyTokenRow, LegacyToken> {
  constructor(context: CatalogContext) {
    super(context, 'legacy_tokens', 'username')
  }

  async create({ username, ...input }: LegacyTokenInput): Promise<LegacyToken> {
    if (username === '') {
      throw new UserError('invalid', 'token required for v1 user authorization type')
    }
    if (username.includes(':')) {
      throw new UserError('invalid', 'a v1 user name has no colon')
    }
    return this.make(input, { username, password_hash: null })
  }

  /** With the password's hash, for whoever checks a credential. */
  async findLogin(
    username: string,
  ): Promise<{ token: LegacyToken; passwordHash: string } | undefined> {
    const row = await this.findKnown(username)
    if (row === undefined || row.password_hash === null) return undefined
    return { token: this.ofRow(row), passwordHash: row.password_hash }
  }

  async list(
    filter: TokenFilter & { readonly username?: string | undefined },
  ): Promise<LegacyToken[]> {
    return this.listKnown(filter, filter.username)
  }

  async setPassword(id: string, passwordHash: string): Promise<void> {
    await this.set(id, { password_hash: passwordHash })
  }

  /** Of a token they are fixed; those of a v1 user are granted and revoked. */
  async setPermissions(id: string, permissions: readonly TokenPermission[]): Promise<void> {
    await this.set(id, { permissions: JSON.stringify(permissions) })
  }

  protected override ofRow(row: LegacyTokenRow): LegacyToken {
    return { ...tokenOf(row), username: row.username, orgId: row.org_id }
  }
}
