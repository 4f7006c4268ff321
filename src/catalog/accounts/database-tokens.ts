// Database tokens of the cluster variant as the catalog keeps them: which were given out, for what,
// and which were revoked; and the key that they are signed with. The tokens themselves are kept
// nowhere. Revoked ones stay, so that a list shows what happened to them.

import { UserError } from '../../errors.js'
import { type CatalogContext, timestamp } from '../base/context.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'

export interface DatabaseTokenBody {
  readonly permissions: readonly {
    readonly database: string
    readonly actions: readonly ('read' | 'write')[]
  }[]
  /** Seconds since 1970; absent: does not end. */
  readonly expiresAtSeconds?: number | undefined
  readonly revokedAt?: string | undefined
}

/** Its name is what whoever made it calls it; several may have the same. */
export type DatabaseToken = CatalogRecord<DatabaseTokenBody>

const keyName = 'database-tokens'

export class DatabaseTokens {
  readonly #context: CatalogContext
  readonly #tokens: Records<DatabaseTokenBody>
  readonly #keys: Records<{ readonly base64: string }>

  constructor(context: CatalogContext) {
    this.#context = context
    this.#tokens = new Records(context, { kind: 'database-token', noun: 'token' })
    const uniqueName = exactName
    this.#keys = new Records(context, { kind: 'signing-key', noun: 'signing key', uniqueName })
  }

  /** In a transaction. Made when it is first asked for. */
  async key(orgId: string, keyBytes: number): Promise<Uint8Array> {
    const known = await this.#keys.findByName(orgId, keyName)
    if (known !== undefined) return Buffer.from(known.body.base64, 'base64')
    const key = this.#context.random.bytes(keyBytes)
    const base64 = Buffer.from(key).toString('base64')
    await this.#keys.create({ orgId, name: keyName, body: { base64 } })
    return key
  }

  async create(orgId: string, name: string, body: DatabaseTokenBody): Promise<DatabaseToken> {
    return this.#tokens.create({ orgId, name, body })
  }

  async findById(id: string): Promise<DatabaseToken | undefined> {
    return this.#tokens.findById(id)
  }

  /** In the order they were made. */
  async list(orgId: string): Promise<DatabaseToken[]> {
    return this.#tokens.list({ orgId })
  }

  async rename(id: string, name: string): Promise<DatabaseToken> {
    return this.#tokens.update(id, { name })
  }

  /** In a transaction. Revoking again changes nothing. */
  async revoke(id: string): Promise<DatabaseToken> {
    const token = await this.#tokens.findById(id)
    if (token === undefined) throw new UserError('not found', 'token not found')
    if (token.body.revokedAt !== undefined) return token
    const body = { ...token.body, revokedAt: timestamp(this.#context) }
    const revoked = await this.#tokens.update(id, { body })
    return revoked
  }
}
