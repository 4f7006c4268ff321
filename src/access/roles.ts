// What a user who signed in may do: everything that memberships and tokens give them, and their own
// user. The one place where roles become permissions.

import { type Permission, resourceTypes } from './permissions.js'

export interface RoleOnResource {
  /** The plural as paths have it: `orgs`, `buckets`, ... */
  readonly resourceType: string
  readonly resourceId: string
  readonly role: 'member' | 'owner'
}

export function userPermissions(
  userId: string,
  roles: readonly RoleOnResource[],
  permissionsOfTokens: readonly (readonly Permission[])[],
): Permission[] {
  const own: Permission[] = [
    { action: 'read', resource: { type: 'users', id: userId } },
    { action: 'write', resource: { type: 'users', id: userId } },
  ]
  return [...own, ...roles.flatMap(rolePermissions), ...permissionsOfTokens.flat()]
}

/** An owner reads and writes, a member reads; of an organization that is everything in it. */
function rolePermissions({ resourceType, resourceId, role }: RoleOnResource): Permission[] {
  const actions = role === 'owner' ? (['read', 'write'] as const) : (['read'] as const)
  if (resourceType === 'orgs') {
    const types = resourceTypes.filter((type) => type !== 'instance')
    return types.flatMap((type) => {
      const resource = type === 'orgs' ? { type, id: resourceId } : { type, orgID: resourceId }
      return actions.map((action) => ({ action, resource }))
    })
  }
  const type = resourceTypes.find((known) => known === resourceType)
  if (type === undefined) return []
  return actions.map((action) => ({ action, resource: { type, id: resourceId } }))
}
