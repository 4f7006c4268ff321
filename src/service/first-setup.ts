// The first user, organization, bucket and token of an installation, where whoever starts the service says so: made
// before anybody is let in, so that nobody can be faster, and nobody finds a server that is not set up yet. Users of v1
// are made in the same transaction: one that failed in between is made again by the next start.

import { operatorPermissions } from '../access/permissions.js'
import { hashToken, newToken } from '../access/tokens.js'
import { isSetupAllowed, setup } from '../catalog/setup.js'
import type { FirstSetup, FirstUser } from './base/first-setup-request.js'
import { adminPermissions, grantedPermissions, makeUser } from './databases/users.js'
import type { Service } from './service.js'

/** False where somebody has set the installation up before. */
export async function applyFirstSetup(service: Service, wanted: FirstSetup): Promise<boolean> {
  const { catalog, config, random, passwords } = service
  if (!(await isSetupAllowed(catalog))) return false
  const { username, org, bucket, retentionSeconds } = wanted
  const input = {
    username,
    org,
    bucket,
    retentionSeconds,
    passwordHash: await passwords.hash(wanted.password),
    tokenHash: hashToken(wanted.token ?? config.adminToken ?? newToken(random)),
    permissions: operatorPermissions(),
  }
  // Hashing takes long: not while the catalog is locked.
  const users: { user: FirstUser; passwordHash: string }[] = []
  for (const user of wanted.users ?? []) {
    users.push({ user, passwordHash: await passwords.hashAny(user.password) })
  }
  await setup(catalog, input, async (inside, made) => {
    const orgId = made.org.id
    for (const { user, passwordHash } of users) {
      const { name, isAdmin, privilege } = user
      const permissions = isAdmin
        ? adminPermissions(orgId)
        : grantedPermissions(made.bucket.id, orgId, privilege)
      await makeUser(inside, { orgId, userId: made.user.id, name, passwordHash, permissions })
    }
  })
  return true
}
