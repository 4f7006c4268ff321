// Authorizations as they are shown: with the names of what their ids stand for, where these still
// exist. A token's own text is never among it, except in the answer that made it.

import type { Token, TokenPermission } from '../../../catalog/accounts/tokens.js'
import type { Catalog } from '../../../catalog/catalog.js'

/** Looks every name up once for as many authorizations as it shows. */
export class AuthorizationPrinter {
  readonly #catalog: Catalog
  readonly #path: string
  readonly #names = new Map<string, Promise<string | undefined>>()

  constructor(catalog: Catalog, path: string) {
    this.#catalog = catalog
    this.#path = path
  }

  /** `lastUsedAt` is our own, and absent where it was never used. */
  async json(token: Token, text: string, lastUsedAt: string | undefined): Promise<object> {
    const { id, orgId, userId, description, status, createdAt, updatedAt } = token
    const user = userId === undefined ? {} : { user: `/api/v2/users/${userId}` }
    return {
      id,
      token: text,
      status,
      description,
      orgID: orgId,
      org: await this.#name('orgs', orgId),
      userID: userId,
      user: await this.#name('users', userId),
      permissions: await Promise.all(token.permissions.map((p) => this.#permission(p))),
      links: { self: `${this.#path}/${id}`, ...user },
      createdAt,
      updatedAt,
      ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    }
  }

  async #permission({ action, resource }: TokenPermission): Promise<object> {
    const name = await this.#name(resource.type, resource.id, resource.orgID)
    const org = await this.#name('orgs', resource.orgID)
    return {
      action,
      resource: {
        ...resource,
        ...(name === undefined ? {} : { name }),
        ...(org === undefined ? {} : { org }),
      },
    }
  }

  /** `orgId`: where it must be to be named. A permission may hold the id of anything. */
  #name(type: string, id: string | undefined, orgId?: string): Promise<string | undefined> {
    if (id === undefined) return Promise.resolve(undefined)
    const key = `${type}/${id}/${orgId}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const found = this.#find(type, id, orgId)
    this.#names.set(key, found)
    return found
  }

  async #find(type: string, id: string, orgId: string | undefined): Promise<string | undefined> {
    const { organizations, users, buckets } = this.#catalog
    if (type === 'orgs') return (await organizations.findById(id))?.name
    if (type === 'users') return (await users.findById(id))?.name
    const bucket = type === 'buckets' ? await buckets.findById(id) : undefined
    return orgId === undefined || bucket?.orgId === orgId ? bucket?.name : undefined
  }
}
