// Who is a member or an owner of what. A user has at most one role on a resource; what a role
// allows is said where permissions are made, not here.

import { UserError } from '../../errors.js'
import { type CatalogContext, requireResource } from '../base/context.js'

export type Role = 'member' | 'owner'

export interface Membership {
  readonly resourceType: string
  readonly resourceId: string
  readonly userId: string
  readonly role: Role
}

export class Memberships {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** In a transaction. */
  async add(membership: Membership): Promise<void> {
    const { resourceType, resourceId, userId, role } = membership
    await requireResource(this.#context, resourceId)
    const known = await this.ofResource(resourceId)
    if (known.some((m) => m.userId === userId)) {
      throw new UserError('conflict', `user ${userId} is already a member or owner`)
    }
    await this.#context.db
      .insertInto('memberships')
      .values({ resource_type: resourceType, resource_id: resourceId, user_id: userId, role })
      .execute()
  }

  async remove(resourceId: string, userId: string, role: Role): Promise<void> {
    const known = await this.ofResource(resourceId)
    if (!known.some((m) => m.userId === userId && m.role === role)) {
      throw new UserError('not found', 'user to resource mapping not found')
    }
    await this.#context.db
      .deleteFrom('memberships')
      .where('resource_id', '=', resourceId)
      .where('user_id', '=', userId)
      .execute()
  }

  async removeUser(userId: string): Promise<void> {
    await this.#context.db.deleteFrom('memberships').where('user_id', '=', userId).execute()
  }

  async ofResource(resourceId: string): Promise<Membership[]> {
    return this.#list('resource_id', resourceId)
  }

  async ofUser(userId: string): Promise<Membership[]> {
    return this.#list('user_id', userId)
  }

  async #list(column: 'resource_id' | 'user_id', id: string): Promise<Membership[]> {
    const rows = await this.#context.db
      .selectFrom('memberships')
      .selectAll()
      .where(column, '=', id)
      .orderBy('user_id')
      .execute()
    return rows.map((row) => ({
      resourceType: row.resource_type,
      resourceId: row.resource_id,
      userId: row.user_id,
      role: row.role === 'owner' ? 'owner' : 'member',
    }))
  }
}
