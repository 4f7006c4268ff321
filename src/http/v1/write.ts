// `POST /write`: line protocol by database and retention policy. In the managed variant DBRP
// mappings lead to the bucket; in the cluster variant the database is the bucket, and is made when
// it is missing and the token may.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../access/authenticator.js'
import { allows } from '../../access/permissions.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { assert, UserError } from '../../errors.js'
import { identifyV1 } from '../credentials.js'
import { parameter, v1Precision } from '../parameters.js'
import type { RateLimits } from '../rate-limits.js'
import type { Services } from '../services.js'
import { writeBody, writeFailure } from '../write.js'
import { clusterDatabaseName } from './databases-naming.js'

type FindBucket = (
  services: Services,
  identity: Identity,
  database: string,
  policy: string | undefined,
) => Promise<Bucket>

/** `rates` undefined: organizations have no limits, as in the cluster variant. */
export function v1WriteRoute(
  app: FastifyInstance,
  services: Services,
  find: FindBucket,
  rates?: RateLimits,
): void {
  app.post('/write', async (request, reply) => {
    const identity = await identifyV1(services, request)
    const precision = v1Precision(request)
    const database = requireDatabase(services, request)
    const bucket = await find(services, identity, database, parameter(request, 'rp'))
    const { id, orgId } = bucket
    if (!allows(identity.permissions, { action: 'write', type: 'buckets', id, orgID: orgId })) {
      throw notAuthorized(database)
    }
    const admitted = (await rates?.forWrite(bucket)) ?? services
    const form = services.config.variant === 'cluster' ? 'cluster' : 'v1'
    const failure = writeFailure(await writeBody(admitted, request, bucket, precision), form)
    if (failure !== undefined) throw failure
    return reply.code(204).send()
  })
}

function requireDatabase({ config }: Services, request: FastifyRequest): string {
  const database = parameter(request, 'db')
  if (database !== undefined) return database
  const isCluster = config.variant === 'cluster'
  throw new UserError('invalid', isCluster ? 'no db destination provided' : 'database is required')
}

function notAuthorized(database: string): UserError {
  const message = `user is not authorized to write to database "${database}"`
  return new UserError('unauthorized', message)
}

export async function findManagedDatabase(
  services: Services,
  identity: Identity,
  database: string,
  policy: string | undefined,
): Promise<Bucket> {
  return services.targets.managedDatabase(identity, database, policy)
}

/** Retention of a database that a write made: 3 days. */
const madeRetentionSeconds = 3 * 86_400

export async function findOrMakeClusterDatabase(
  services: Services,
  identity: Identity,
  database: string,
  policy: string | undefined,
): Promise<Bucket> {
  const { homeOrgId, targets, catalog } = services
  assert(homeOrgId !== undefined, 'the cluster variant has a home organization')
  const name = clusterDatabaseName(database, policy)
  const known = await targets.clusterDatabase(homeOrgId, name)
  if (known !== undefined) return known
  if (!allows(identity.permissions, { action: 'write', type: 'buckets', orgID: homeOrgId })) {
    throw notAuthorized(database)
  }
  return catalog.inTransaction(async (inside) => {
    // Another write may have made it in the meantime.
    const made = await inside.buckets.findByName(homeOrgId, name)
    if (made !== undefined) return made
    const retentionSeconds = madeRetentionSeconds
    return inside.buckets.create({ orgId: homeOrgId, name, retentionSeconds })
  })
}
