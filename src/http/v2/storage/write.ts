// `POST /api/v2/write`: line protocol into a bucket (managed) or a database (cluster). The two
// variants differ in how they find it; everything after that is shared with v1.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import type { Bucket } from '../../../catalog/storage/buckets.js'
import { assert, UserError } from '../../../errors.js'
import { identify, requirePermission } from '../../credentials.js'
import { parameter, v2Precision } from '../../parameters.js'
import type { RateLimits } from '../../rate-limits.js'
import type { Services } from '../../services.js'
import { writeBody, writeFailure } from '../../write.js'

type FindBucket = (
  services: Services,
  identity: Identity,
  request: FastifyRequest,
) => Promise<Bucket>

/** `rates` undefined: organizations have no limits, as in the cluster variant. */
export function v2WriteRoute(
  app: FastifyInstance,
  services: Services,
  find: FindBucket,
  rates?: RateLimits,
): void {
  app.post('/api/v2/write', async (request, reply) => {
    const identity = await identify(services, request)
    const precision = v2Precision(request)
    const bucket = await find(services, identity, request)
    const demand = { action: 'write', type: 'buckets', id: bucket.id, orgID: bucket.orgId } as const
    requirePermission(identity, demand)
    const admitted = (await rates?.forWrite(bucket)) ?? services
    const form = services.config.variant === 'cluster' ? 'cluster' : 'v2'
    const failure = writeFailure(await writeBody(admitted, request, bucket, precision), form)
    if (failure !== undefined) throw failure
    return reply.code(204).send()
  })
}

export async function findManagedBucket(
  services: Services,
  identity: Identity,
  request: FastifyRequest,
): Promise<Bucket> {
  return services.targets.managedBucket(identity, {
    org: parameter(request, 'org'),
    orgID: parameter(request, 'orgID'),
    bucket: parameter(request, 'bucket'),
    bucketID: parameter(request, 'bucketID'),
  })
}

/** `org` and `orgID` play no part: the token alone decides. */
export async function findClusterBucket(
  services: Services,
  _identity: Identity,
  request: FastifyRequest,
): Promise<Bucket> {
  const name = parameter(request, 'bucket') ?? parameter(request, 'bucketID')
  if (name === undefined) throw new UserError('invalid', 'missing bucket: no database was named')
  assert(services.homeOrgId !== undefined, 'the cluster variant has a home organization')
  const bucket = await services.targets.clusterDatabase(services.homeOrgId, name)
  if (bucket === undefined) throw new UserError('not found', `database not found: "${name}"`)
  return bucket
}
