// Admin tokens of the cluster variant: tokens with a name that may do everything, beside the one that came with the
// installation. Only their hashes are kept: each is shown once, when it is made.

import { operatorPermissions } from '../../access/permissions.js'
import { hashToken, newToken } from '../../access/tokens.js'
import type { Token, TokenInput } from '../../catalog/accounts/tokens.js'
import { UserError } from '../../errors.js'
import type { ServiceParts } from '../base/parts.js'
import { homeOrganization } from './home-organization.js'

/** The name of the one that came with the installation. */
const firstName = '_admin'

/** As it is kept, where the program made it. */
export const firstDescription = 'first token'

/** Not for those that are given out later. */
const reserved: ReadonlySet<string> = new Set([firstName, firstDescription])

export class AdminTokens {
  readonly #parts: Pick<ServiceParts, 'catalog' | 'random' | 'config'>
  readonly #orgId: string

  constructor(parts: Pick<ServiceParts, 'catalog' | 'random' | 'config' | 'homeOrgId'>) {
    this.#parts = parts
    this.#orgId = homeOrganization(parts)
  }

  list(): Promise<Token[]> {
    return this.#parts.catalog.tokens.list({ orgId: this.#orgId })
  }

  async create(name: string): Promise<{ readonly record: Token; readonly token: string }> {
    const { catalog, random } = this.#parts
    const token = newToken(random)
    const record = await catalog.inTransaction(async ({ tokens }) => {
      const all = await tokens.list({ orgId: this.#orgId })
      if (reserved.has(name) || all.some(({ description }) => description === name)) {
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
      for (const { id, description } of all) {
        if (description === firstDescription) await tokens.delete(id)
      }
      return tokens.create(this.#input(token, firstDescription))
    })
    return { record, token }
  }

  #input(token: string, description: string): TokenInput {
    return {
      tokenHash: hashToken(token),
      orgId: this.#orgId,
      userId: undefined,
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
