// Tokens as v3 clients manage them where they are authorizations of an organization: for databases, which are buckets
// there, listed and revoked by name or id. Admin tokens are in `admin-tokens.ts`; the cluster's own are in
// `cluster/tokens.ts`.

import { everyDatabase } from '../../access/database-tokens.js'
import type { Permission } from '../../access/permissions.js'
import { hashToken, newToken } from '../../access/tokens.js'
import type { DatabaseTokenBody } from '../../catalog/accounts/database-tokens.js'
import type { Token } from '../../catalog/accounts/tokens.js'
import { wholeList } from '../../catalog/base/page.js'
import { UserError } from '../../errors.js'
import type { ServiceParts } from '../base/parts.js'
import type { AdminPlace } from './admin-tokens.js'

type GrantedDatabases = DatabaseTokenBody['permissions']

export class OrganizationTokens {
  readonly #parts: Pick<ServiceParts, 'catalog' | 'random'>
  readonly #place: AdminPlace

  constructor(parts: Pick<ServiceParts, 'catalog' | 'random'>, place: AdminPlace) {
    this.#parts = parts
    this.#place = place
  }

  list(): Promise<Token[]> {
    return this.#parts.catalog.tokens.list({ orgId: this.#place.orgId })
  }

  /** By id. */
  async databaseNames(): Promise<ReadonlyMap<string, string>> {
    const filter = { orgId: this.#place.orgId, userBuckets: 'all', systemBuckets: true } as const
    const buckets = await this.#parts.catalog.buckets.list(filter, wholeList)
    return new Map(buckets.map(({ id, name }) => [id, name]))
  }

  async create(name: string, granted: GrantedDatabases): Promise<{ record: Token; token: string }> {
    const { catalog, random } = this.#parts
    const { orgId, userId } = this.#place
    const token = newToken(random)
    const record = await catalog.inTransaction(async ({ tokens, buckets }) => {
      const all = await tokens.list({ orgId })
      if (name !== '' && all.some(({ description }) => description === name)) {
        throw new UserError('conflict', `token name already exists, ${name}`, 409)
      }
      const permissions: Permission[] = []
      for (const { database, actions } of granted) {
        const isEvery = database === everyDatabase
        const id = isEvery ? undefined : (await buckets.find(orgId, database))?.id
        if (!isEvery && id === undefined) {
          throw new UserError('not found', `database not found: ${database}`)
        }
        for (const action of actions) {
          permissions.push({ action, resource: { type: 'buckets', id, orgID: orgId } })
        }
      }
      const shared = { orgId, userId, creatorId: userId, description: name, permissions }
      return tokens.create({ tokenHash: hashToken(token), ...shared })
    })
    return { record, token }
  }

  revoke(nameOrId: string): Promise<Token> {
    return this.#parts.catalog.inTransaction(async ({ tokens }) => {
      const all = await tokens.list({ orgId: this.#place.orgId })
      const named = all.filter(({ description }) => description === nameOrId)
      const found = all.find(({ id }) => id === nameOrId) ?? named[0]
      if (found === undefined) throw new UserError('not found', `token not found: ${nameOrId}`)
      if (found.id !== nameOrId && named.length > 1) {
        const rule = `${named.length} tokens are called "${nameOrId}"`
        throw new UserError('invalid', `${rule}: give the id of one`)
      }
      await tokens.delete(found.id)
      return found
    })
  }
}
