// Which bucket a database is, for those that name one thing only: the v3 endpoints and Flight. In the
// cluster variant it is the database of that name or id; in the managed variant the bucket of that
// name or id in the caller's organization, or the one that a DBRP mapping leads to. Checks what the
// caller may do, and whether this process does such work.

import type { Identity } from '../../access/authenticator.js'
import { type Action, allows } from '../../access/permissions.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'
import type { ServiceParts } from '../base/parts.js'
import { requireRole } from '../base/role.js'
import type { Targets } from './targets.js'

type DatabaseParts = Pick<ServiceParts, 'config'> & { readonly targets: Targets }

/** Throws `not found`, `unauthorized` where the token may not, `unavailable` where the process does not. */
export async function databaseBucket(
  parts: DatabaseParts,
  identity: Identity,
  database: string,
  action: Action,
): Promise<Bucket> {
  requireRole(parts.config, action)
  const bucket = await findDatabase(parts, identity, database)
  if (bucket === undefined) throw new UserError('not found', `database not found: ${database}`)
  const { id, orgId } = bucket
  if (!allows(identity.permissions, { action, type: 'buckets', id, orgID: orgId })) {
    const verb = action === 'read' ? 'read from' : 'write to'
    throw new UserError('unauthorized', `not authorized to ${verb} database "${database}"`)
  }
  return bucket
}

async function findDatabase(
  parts: DatabaseParts,
  identity: Identity,
  database: string,
): Promise<Bucket | undefined> {
  const { config, targets } = parts
  if (config.variant === 'cluster') return targets.clusterDatabase(database)
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
