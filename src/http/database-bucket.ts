// Which bucket a database is, for those that name one thing only: the v3 endpoints and Flight. In the
// cluster variant it is the database of that name or id; in the managed variant the bucket of that
// name or id in the asker's organization, or the one that a DBRP mapping leads to. Checks what the
// asker may do, and whether this process does such work.

import type { Identity } from '../access/authenticator.js'
import { type Action, allows } from '../access/permissions.js'
import type { Bucket } from '../catalog/storage/buckets.js'
import { assert, UserError } from '../errors.js'
import { requireRole } from './cluster-role.js'
import type { Services } from './services.js'

/** Throws `not found`, `unauthorized` where the token may not, `unavailable` where the process does not. */
export async function databaseBucket(
  services: Services,
  identity: Identity,
  database: string,
  action: Action,
): Promise<Bucket> {
  requireRole(services.config, action)
  const bucket = await findDatabase(services, identity, database)
  if (bucket === undefined) throw new UserError('not found', `database not found: ${database}`)
  const { id, orgId } = bucket
  if (!allows(identity.permissions, { action, type: 'buckets', id, orgID: orgId })) {
    const verb = action === 'read' ? 'read from' : 'write to'
    throw new UserError('unauthorized', `not authorized to ${verb} database "${database}"`)
  }
  return bucket
}

async function findDatabase(
  services: Services,
  identity: Identity,
  database: string,
): Promise<Bucket | undefined> {
  const { config, homeOrgId, targets } = services
  if (config.variant === 'cluster') {
    assert(homeOrgId !== undefined, 'the cluster variant has a home organization')
    return targets.clusterDatabase(homeOrgId, database)
  }
  const inOwn = { org: undefined, orgID: undefined, bucketID: undefined, bucket: database }
  return (
    (await ifFound(targets.managedBucket(identity, inOwn))) ??
    (await ifFound(targets.managedDatabase(identity, database, undefined)))
  )
}

async function ifFound(looking: Promise<Bucket>): Promise<Bucket | undefined> {
  try {
    return await looking
  } catch (error) {
    if (error instanceof UserError && error.code === 'not found') return undefined
    throw error
  }
}
