// `/api/v2/dbrps`: mappings from v1 databases and retention policies to buckets. Who may write to a
// bucket may map to it; who may read it sees its mappings.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows } from '../../access/permissions.js'
import { isId } from '../../catalog/ids.js'
import { UserError } from '../../errors.js'
import { identify, requirePermission } from '../credentials.js'
import { parameter } from '../parameters.js'
import type { Services } from '../services.js'
import { dbrpJson } from './resources.js'

const DbrpCreate = Type.Object({
  bucketID: Type.String(),
  database: Type.String(),
  retention_policy: Type.String(),
  org: Type.Optional(Type.String()),
  orgID: Type.Optional(Type.String()),
  default: Type.Optional(Type.Boolean()),
})

type DbrpCreate = Static<typeof DbrpCreate>

export function dbrpRoutes(app: FastifyInstance, services: Services): void {
  const schema = { body: DbrpCreate }
  app.post<{ Body: DbrpCreate }>('/api/v2/dbrps', { schema }, async (request, reply) => {
    const identity = await identify(services, request)
    const { body } = request
    const org = await services.targets.organization(identity, { org: body.org, orgID: body.orgID })
    const bucketId = requireBucketId(body.bucketID)
    const bucket = await services.catalog.buckets.findById(bucketId)
    if (bucket === undefined || bucket.orgId !== org.id) {
      throw new UserError('not found', `bucket "${bucketId}" not found`)
    }
    requirePermission(identity, { action: 'write', type: 'buckets', id: bucketId, orgID: org.id })
    const dbrp = await services.catalog.inTransaction((inside) =>
      inside.dbrps.create({
        orgId: org.id,
        bucketId,
        database: body.database,
        retentionPolicy: body.retention_policy,
        isDefault: body.default ?? false,
      }),
    )
    return reply.code(201).send(dbrpJson(dbrp))
  })

  app.get('/api/v2/dbrps', async (request) => {
    const identity = await identify(services, request)
    const named = { org: parameter(request, 'org'), orgID: parameter(request, 'orgID') }
    const org = await services.targets.organization(identity, named)
    const bucketID = parameter(request, 'bucketID')
    const found = await services.catalog.dbrps.list(org.id, {
      bucketId: bucketID === undefined ? undefined : requireBucketId(bucketID),
      database: parameter(request, 'db'),
      retentionPolicy: parameter(request, 'rp'),
      isDefault: defaultParameter(request),
    })
    const id = parameter(request, 'id')
    const visible = found.filter((dbrp) => {
      const demand = { action: 'read', type: 'buckets', id: dbrp.bucketId, orgID: org.id } as const
      return (id === undefined || id === dbrp.id) && allows(identity.permissions, demand)
    })
    return { content: visible.map(dbrpJson) }
  })
}

function requireBucketId(text: string): string {
  if (!isId(text)) throw new UserError('invalid', `invalid bucket ID "${text}"`)
  return text
}

function defaultParameter(request: FastifyRequest): boolean | undefined {
  const text = parameter(request, 'default')
  if (text === undefined) return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw new UserError('invalid', 'invalid default parameter')
}
