// Who a task is when it runs: its owner, with the rights that the owner has at that moment, kept to the organization of
// the task. Checks and notification rules run in the same way. Cached until users, tokens or memberships change: a
// thousand tasks of one owner ask for the same.

import type { Identity } from '../../access/authenticator.js'
import { confined, type Permission } from '../../access/permissions.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Task } from '../../catalog/tasks/tasks.js'
import { UserError } from '../../errors.js'
import type { CacheFigures } from '../../platform/lru-cache.js'
import { permissionsOfUser } from './identities.js'
import type { ServiceParts } from './parts.js'
import { VersionedCache } from './versioned-cache.js'

export class TaskIdentities {
  readonly #catalog: Catalog
  /** By owner and organization. */
  readonly #permissions: VersionedCache<readonly Permission[]>

  constructor({ catalog }: Pick<ServiceParts, 'catalog'>) {
    this.#catalog = catalog
    this.#permissions = new VersionedCache(
      catalog,
      ['users', 'tokens', 'memberships', 'organizations'],
      { sizeOf: (permissions) => permissionBytes * (permissions.length + 1) },
    )
  }

  /** Throws where the owner is gone or may not do anything any more. */
  async of(task: Pick<Task, 'orgId' | 'ownerId' | 'body'>): Promise<Identity> {
    const { orgId, ownerId: userId, body } = task
    if (userId === undefined) {
      if (body.permissions === undefined) throw ownerGone()
      const permissions = within(body.permissions as readonly Permission[], orgId)
      return { tokenId: undefined, orgId, userId, permissions }
    }
    const permissions = await this.#permissions.find(`${userId} ${orgId}`, () =>
      this.#permissionsOf(userId, orgId),
    )
    return { tokenId: undefined, orgId, userId, permissions }
  }

  figures(): CacheFigures {
    return this.#permissions.figures()
  }

  async #permissionsOf(userId: string, orgId: string): Promise<readonly Permission[]> {
    const user = await this.#catalog.users.findById(userId)
    if (user === undefined) throw ownerGone()
    if (user.status === 'inactive') {
      throw new UserError('forbidden', `task owner ${user.name} is inactive`)
    }
    return within(await permissionsOfUser(this.#catalog, userId), orgId)
  }
}

/** Of one in the cache, roughly. */
const permissionBytes = 200

function ownerGone(): UserError {
  return new UserError('forbidden', 'task owner is gone: set a new one')
}

/** Nothing of what somebody may do elsewhere. */
function within(permissions: readonly Permission[], orgId: string): Permission[] {
  return permissions.flatMap((permission) => {
    const { type, orgID, id } = permission.resource
    if (orgID !== undefined && orgID !== orgId) return []
    if (type === 'orgs' && id !== undefined && id !== orgId) return []
    if (type === 'users') return []
    return [confined(permission, orgId)]
  })
}
