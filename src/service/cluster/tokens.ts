// Database tokens of the cluster variant: given out, listed and revoked by whoever runs it. A token
// is shown once, when it is made.

import { everyDatabase, signDatabaseToken } from '../../access/database-tokens.js'
import type { DatabaseToken, DatabaseTokenBody } from '../../catalog/accounts/database-tokens.js'
import { limits } from '../../config.js'
import { assert, UserError } from '../../errors.js'
import type { ServiceParts } from '../base/parts.js'
import { homeOrganization } from './home-organization.js'

type TokenParts = Pick<ServiceParts, 'catalog' | 'clock' | 'homeOrgId' | 'databaseTokenKey'>

export interface NewToken {
  readonly name: string
  readonly permissions: DatabaseTokenBody['permissions']
  /** Seconds since 1970; undefined: for ever. */
  readonly expiresAtSeconds: number | undefined
}

export class ClusterTokens {
  readonly #parts: TokenParts
  readonly #orgId: string

  constructor(parts: TokenParts) {
    this.#parts = parts
    this.#orgId = homeOrganization(parts)
  }

  get nowSeconds(): number {
    return Number(this.#parts.clock.now() / 1_000_000_000n)
  }

  list(): Promise<DatabaseToken[]> {
    return this.#parts.catalog.databaseTokens.list(this.#orgId)
  }

  async create(
    asked: NewToken,
  ): Promise<{ readonly record: DatabaseToken; readonly token: string }> {
    const { catalog, databaseTokenKey: key } = this.#parts
    const { name, permissions, expiresAtSeconds } = asked
    assert(key !== undefined, 'the cluster variant has a key for its tokens')
    return catalog.inTransaction(async (inside) => {
      for (const { database } of permissions) {
        const isKnown =
          database === everyDatabase || (await inside.buckets.findByName(this.#orgId, database))
        if (!isKnown) throw new UserError('not found', `database not found: ${database}`)
      }
      const body = { permissions, ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }) }
      const record = await inside.databaseTokens.create(this.#orgId, name, body)
      const issuedAtSeconds = this.nowSeconds
      const claims = { id: record.id, issuedAtSeconds, expiresAtSeconds, permissions }
      const token = await signDatabaseToken(key, claims)
      if (token.length > limits.tokenBytesMax) {
        const rule = `the token would have more than ${limits.tokenBytesMax} bytes`
        throw new UserError('invalid', `too many databases for one token: ${rule}`)
      }
      return { record, token }
    })
  }

  /** What a token may do is written in it, and stays. */
  rename(
    choose: (tokens: readonly DatabaseToken[]) => DatabaseToken,
    name: string,
  ): Promise<DatabaseToken> {
    return this.#parts.catalog.inTransaction(async ({ databaseTokens }) => {
      const tokens = await databaseTokens.list(this.#orgId)
      return databaseTokens.rename(choose(tokens).id, name)
    })
  }

  revoke(choose: (tokens: readonly DatabaseToken[]) => DatabaseToken): Promise<DatabaseToken> {
    return this.#parts.catalog.inTransaction(async ({ databaseTokens }) => {
      const tokens = await databaseTokens.list(this.#orgId)
      return databaseTokens.revoke(choose(tokens).id)
    })
  }
}
