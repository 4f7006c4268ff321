// Admin tokens of v3: tokens with a name that may do everything, beside the one that came with the installation. In the
// cluster variant they are its own; in the managed one they are authorizations of an operator. Only their hashes are
// kept: each is shown once, when it is made.

import { isOperator, operatorPermissions, type Permission } from '../../access/permissions.js'
import { hashToken, newToken } from '../../access/tokens.js'
import type { Token, TokenInput } from '../../catalog/accounts/tokens.js'
import { UserError } from '../../errors.js'
import type { ServiceParts } from '../base/parts.js'

/** The name of the one that came with the installation. */
const firstName = '_admin'

/** As it is kept, where the program made it. */
export const firstDescription = 'first token'

/** Of the one that came with the installation, in either variant: the program's own, or the first user's. */
function isFirst({ description }: Pick<Token, 'description'>): boolean {
  return description === firstDescription || description.endsWith("'s Token")
}

/** Whose they are. The cluster has no users. */
export interface AdminPlace {
  readonly orgId: string
  readonly userId: string | undefined
}

export class AdminTokens {
  readonly #parts: Pick<ServiceParts, 'catalog' | 'random' | 'config'>
  readonly #place: AdminPlace
  readonly #orgId: string

  constructor(parts: Pick<ServiceParts, 'catalog' | 'random' | 'config'>, place: AdminPlace) {
    this.#parts = parts
    this.#place = place
    this.#orgId = place.orgId
  }

  async list(): Promise<Token[]> {
    const all = await this.#parts.catalog.tokens.list({ orgId: this.#orgId })
    return all.filter(isAdmin)
  }

  async create(name: string): Promise<{ readonly record: Token; readonly token: string }> {
    const { catalog, random } = this.#parts
    const token = newToken(random)
    const record = await catalog.inTransaction(async ({ tokens }) => {
      const all = await tokens.list({ orgId: this.#orgId })
      const isTaken = all.some(({ description }) => description === name)
      // Not for those that are given out later.
      if (isTaken || name === firstName || isFirst({ description: name })) {
        throw new UserError('conflict', `token name already exists, ${name}`, 409)
      }
      return tokens.create(this.#input(token, name))
    })
    return { record, token }
  }

  /** A new one in the place of the one that came with the installation, which is good for nothing from then on. */
  async regenerate(): Promise<{ readonly record: Token; readonly token: string }> {
    const { catalog, random, config } = this.#parts
    if (config.adminToken !== undefined) {
      throw new UserError(
        'conflict',
        'the admin token is set by --admin-token: change it there',
        409,
      )
    }
    const token = newToken(random)
    const record = await catalog.inTransaction(async ({ tokens }) => {
      const all = await tokens.list({ orgId: this.#orgId })
      // In the order they were made.
      const first = all.find((one) => isFirst(one) && isAdmin(one))
      if (first !== undefined) await tokens.delete(first.id)
      const { description = firstDescription, userId = this.#place.userId } = first ?? {}
      return tokens.create({ ...this.#input(token, description), userId })
    })
    return { record, token }
  }

  #input(token: string, description: string): TokenInput {
    return {
      tokenHash: hashToken(token),
      orgId: this.#orgId,
      userId: this.#place.userId,
      creatorId: this.#place.userId,
      description,
      permissions: operatorPermissions(),
    }
  }

  /** undefined: there is none of that name or id. */
  async revoke(nameOrId: string): Promise<Token | undefined> {
    const found = (await this.list()).find(
      ({ id, description }) => id === nameOrId || description === nameOrId,
    )
    if (found !== undefined) await this.#parts.catalog.tokens.delete(found.id)
    return found
  }
}

function isAdmin({ permissions }: Token): boolean {
  return isOperator(permissions as readonly Permission[])
}
