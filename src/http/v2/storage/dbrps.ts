// `/api/v2/dbrps`: mappings from v1 databases and retention policies to buckets. Who may write to a
// bucket may map to it; who may read it sees its mappings. Buckets that nobody mapped show a virtual
// mapping, which follows their name.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import { type Action, allows, type Demand } from '../../../access/permissions.js'
import type { Organization } from '../../../catalog/accounts/organizations.js'
import { isId } from '../../../catalog/base/ids.js'
import type { Dbrp } from '../../../catalog/storage/dbrps.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { flag, parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import type { IdParams } from '../resources/resource-access.js'
import { dbrpJson } from '../resources/resources.js'

const DbrpCreate = Type.Object({
  bucketID: Type.String(),
  database: Type.String(),
  retention_policy: Type.String(),
  org: Type.Optional(Type.String()),
  orgID: Type.Optional(Type.String()),
  default: Type.Optional(Type.Boolean()),
})

type DbrpCreate = Static<typeof DbrpCreate>

const DbrpUpdate = Type.Object({
  default: Type.Optional(Type.Boolean()),
  retention_policy: Type.Optional(Type.String()),
})

type DbrpUpdate = Static<typeof DbrpUpdate>

const path = '/api/v2/dbrps'

export function dbrpRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    createRoute(scope, services)
    listRoute(scope, services)
    mappingRoutes(scope, services)
  })
}

function createRoute(app: FastifyInstance, services: Services): void {
  const schema = { body: DbrpCreate }
  app.post<{ Body: DbrpCreate }>(path, { schema }, async (request, reply) => {
    const identity = await identify(services, request)
    const { body } = request
    const org = await services.targets.organizationToManage(identity, {
      org: body.org,
      orgID: body.orgID,
    })
    const bucketId = requireId('bucket', body.bucketID)
    const bucket = await services.catalog.buckets.findById(bucketId)
    if (bucket === undefined || bucket.orgId !== org.id) {
      throw new UserError('not found', `bucket "${bucketId}" not found`)
    }
    requirePermission(identity, bucketDemand('write', { bucketId, orgId: org.id }))
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
}

function listRoute(app: FastifyInstance, services: Services): void {
  app.get(path, async (request) => {
    const { identity, org } = await namedOrganization(services, request)
    const bucketID = parameter(request, 'bucketID')
    const id = parameter(request, 'id')
    if (id !== undefined) requireId('DBRP', id)
    const found = await services.catalog.dbrps.listAll(org.id, {
      bucketId: bucketID === undefined ? undefined : requireId('bucket', bucketID),
      database: parameter(request, 'db'),
      retentionPolicy: parameter(request, 'rp'),
      isDefault: flag(request, 'default', 'invalid default parameter'),
    })
    const visible = found.filter(
      (dbrp) =>
        (id === undefined || id === dbrp.id) &&
        allows(identity.permissions, bucketDemand('read', dbrp)),
    )
    return { content: visible.map(dbrpJson), links: { self: path } }
  })
}

function mappingRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services

  app.get<IdParams>(`${path}/:id`, async (request) => {
    const dbrp = await findMapping(services, request, 'read')
    if (dbrp === undefined) throw new UserError('not found', 'unable to find DBRP')
    return { content: dbrpJson(dbrp) }
  })

  const schema = { body: DbrpUpdate }
  app.patch<IdParams & { Body: DbrpUpdate }>(`${path}/:id`, { schema }, async (request) => {
    const before = await findMapping(services, request, 'write')
    if (before === undefined) throw new UserError('not found', 'unable to find DBRP')
    const change = {
      isDefault: request.body.default,
      retentionPolicy: request.body.retention_policy,
    }
    const changed = await catalog.inTransaction(async (inside) => {
      // Found again: another request may have moved the default in the meantime.
      const current = await inside.dbrps.find(before.orgId, before.id)
      if (current === undefined) throw new UserError('not found', 'unable to find DBRP')
      return inside.dbrps.update(current, change)
    })
    return { content: dbrpJson(changed) }
  })

  app.delete<IdParams>(`${path}/:id`, async (request, reply) => {
    const known = await findMapping(services, request, 'write')
    await catalog.inTransaction(async (inside) => {
      const current = known && (await inside.dbrps.find(known.orgId, known.id))
      if (current !== undefined) await inside.dbrps.delete(current)
    })
    return reply.code(204).send()
  })
}

/** The mapping that the path names; undefined where there is none. */
async function findMapping(
  services: Services,
  request: FastifyRequest<IdParams>,
  action: Action,
): Promise<Dbrp | undefined> {
  const { identity, org } = await namedOrganization(services, request)
  const found = await services.catalog.dbrps.find(org.id, requireId('DBRP', request.params.id))
  if (found !== undefined) requirePermission(identity, bucketDemand(action, found))
  return found
}

async function namedOrganization(
  services: Services,
  request: FastifyRequest,
): Promise<{ identity: Identity; org: Organization }> {
  const identity = await identify(services, request)
  const named = { org: parameter(request, 'org'), orgID: parameter(request, 'orgID') }
  return { identity, org: await services.targets.organizationToManage(identity, named) }
}

function bucketDemand(
  action: Action,
  mapped: { readonly bucketId: string; readonly orgId: string },
): Demand {
  return { action, type: 'buckets', id: mapped.bucketId, orgID: mapped.orgId }
}

function requireId(what: 'bucket' | 'DBRP', text: string): string {
  if (!isId(text)) throw new UserError('invalid', `invalid ${what} ID "${text}"`)
  return text
}
