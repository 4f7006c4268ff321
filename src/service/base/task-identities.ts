// Who a task is when it runs: its owner, with the rights that the owner has at that moment, kept to the organization of
// the task. Checks and notification rules run in the same way.

import type { Identity } from '../../access/authenticator.js'
import { confined, type Permission } from '../../access/permissions.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Task } from '../../catalog/tasks/tasks.js'
import { UserError } from '../../errors.js'
import { permissionsOfUser } from './identities.js'

/** Throws where the owner is gone or may not do anything any more. */
export async function taskIdentity(
  catalog: Catalog,
  task: Pick<Task, 'orgId' | 'ownerId' | 'body'>,
): Promise<Identity> {
  const { orgId, ownerId: userId, body } = task
  if (userId === undefined) {
    if (body.permissions === undefined) throw ownerGone()
    const permissions = within(body.permissions as readonly Permission[], orgId)
    return { tokenId: undefined, orgId, userId, permissions }
  }
  const user = await catalog.users.findById(userId)
  if (user === undefined) throw ownerGone()
  if (user.status === 'inactive') {
    throw new UserError('forbidden', `task owner ${user.name} is inactive`)
  }
  const permissions = within(await permissionsOfUser(catalog, userId), orgId)
  return { tokenId: undefined, orgId, userId, permissions }
}

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
