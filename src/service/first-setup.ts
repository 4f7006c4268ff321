// The first user, organization, bucket and token of an installation, where whoever starts the service says so: made
// before anybody is let in, so that nobody can be faster, and nobody finds a server that is not set up yet.

import type { Identity } from '../access/authenticator.js'
import { hashPassword } from '../access/passwords.js'
import { operatorPermissions } from '../access/permissions.js'
import { hashToken, newToken } from '../access/tokens.js'
import { isSetupAllowed, setup } from '../catalog/setup.js'
import { assert } from '../errors.js'
import type { FirstSetup, FirstUser } from './base/first-setup-request.js'
import { standingOf } from './base/identities.js'
import { CatalogDatabases } from './databases/databases.js'
import type { Service } from './service.js'

/** False where somebody has set the installation up before. */
export async function applyFirstSetup(service: Service, wanted: FirstSetup): Promise<boolean> {
  const { catalog, config, random } = service
  if (!(await isSetupAllowed(catalog))) return false
  const { username, org, bucket, retentionSeconds } = wanted
  const made = await setup(catalog, {
    username,
    org,
    bucket,
    retentionSeconds,
    passwordHash: await hashPassword(wanted.password, random),
    tokenHash: hashToken(wanted.token ?? config.adminToken ?? newToken(random)),
    permissions: operatorPermissions(),
  })
  const identity = await standingOf(catalog, made.token)
  assert(typeof identity === 'object', 'a token that was just made is active')
  for (const user of wanted.users ?? []) await makeUser(service, identity, bucket, user)
  return true
}

async function makeUser(
  service: Service,
  identity: Identity,
  database: string,
  { name, password, isAdmin, privilege }: FirstUser,
): Promise<void> {
  const databases = new CatalogDatabases(service, identity)
  await databases.createUser(name, password, isAdmin)
  if (privilege !== undefined) await databases.grant(name, database, privilege)
}
