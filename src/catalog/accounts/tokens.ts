// Tokens (authorizations): who may do what. Only a token's hash arrives here: the catalog can tell
// whether a token is known, and nobody who reads the catalog can use one.

import type { CatalogContext } from '../base/context.js'
import type { TokenRow } from '../base/tables.js'
import {
  type SharedTokenInput,
  type Token,
  type TokenFilter,
  TokenTable,
  tokenOf,
} from './token-table.js'

export type { Token, TokenChange, TokenFilter, TokenPermission } from './token-table.js'

export interface TokenInput extends SharedTokenInput {
  readonly tokenHash: string
}

export class Tokens extends TokenTable<TokenRow, Token> {
  constructor(context: CatalogContext) {
    super(context, 'tokens', 'token_hash')
  }

  async create({ tokenHash, ...input }: TokenInput): Promise<Token> {
    return this.make(input, { token_hash: tokenHash })
  }

  async findByHash(tokenHash: string): Promise<Token | undefined> {
    const row = await this.findKnown(tokenHash)
    return row === undefined ? undefined : tokenOf(row)
  }

  async list(filter: TokenFilter & { readonly tokenHash?: string | undefined }): Promise<Token[]> {
    return this.listKnown(filter, filter.tokenHash)
  }

  async setStatus(id: string, status: Token['status']): Promise<void> {
    await this.update(id, { status })
  }

  async exists(): Promise<boolean> {
    const query = this.context.db.selectFrom('tokens').select('id')
    return (await query.limit(1).executeTakeFirst()) !== undefined
  }

  protected override ofRow(row: TokenRow): Token {
    return tokenOf(row)
  }
}
