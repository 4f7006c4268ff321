// `/api/v2/sources`: servers to ask for data. The first of every list is this server itself: it
// cannot be changed, and it is the only one that is asked. No connection is made to the others: an
// address that anybody may enter would reach into the network that this server stands in.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows } from '../../../access/permissions.js'
import {
  type Source,
  type SourceBody,
  type SourceInput,
  sourceFields,
} from '../../../catalog/dashboards/sources.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import { type IdParams, linksOf, Resource } from '../resources/resource-access.js'
import { bucketJson } from '../resources/resources.js'

/** This server, in every organization. */
const selfId = '0000000000000001'

export function sourceRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const resource = new Resource(services, {
    plural: 'sources',
    type: 'sources',
    records: catalog.sources.records,
    json: sourceJson,
  })
  const { path } = resource
  const schema = { body: sourceFields }
  type Request = { Body: SourceInput }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const found = await resource.list(identity, org)
      const sources = [selfJson(org.id), ...(await resource.showAll(found))]
      return { sources, links: { self: path } }
    })

    scope.post<Request>(path, { schema }, async (request, reply) => {
      const { org } = await resource.organizationToCreateIn(request, request.body)
      const made = await catalog.inTransaction((inside) =>
        inside.sources.create(org.id, request.body),
      )
      return reply.code(201).send(sourceJson(made))
    })

    scope.get<IdParams>(`${path}/:id`, async (request) => {
      const orgId = await selfOrganization(resource, request)
      if (orgId !== undefined) return selfJson(orgId)
      const { record } = await resource.require(request, 'read')
      return sourceJson(record)
    })

    scope.patch<IdParams & Request>(`${path}/:id`, { schema }, async (request) => {
      refuseSelf(request.params.id)
      const { record } = await resource.require(request, 'write')
      return sourceJson(
        await catalog.inTransaction((inside) => inside.sources.update(record.id, request.body)),
      )
    })

    scope.delete<IdParams>(`${path}/:id`, async (request, reply) => {
      refuseSelf(request.params.id)
      const { record } = await resource.require(request, 'write')
      await catalog.inTransaction((inside) => inside.sources.delete(record.id))
      return reply.code(204).send()
    })
    selfRoutes(scope, services, resource)
  })
}

function selfRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<SourceBody>,
): void {
  const path = `${resource.path}/:id`

  scope.get<IdParams>(`${path}/health`, async (request) => {
    const orgId = await selfOrganization(resource, request)
    if (orgId === undefined) return refuseOther(resource, request, 'the health')
    return { name: 'sources', status: 'pass', message: 'source is healthy', checks: [] }
  })

  scope.get<IdParams>(`${path}/buckets`, async (request) => {
    const orgId = await selfOrganization(resource, request)
    if (orgId === undefined) return refuseOther(resource, request, 'the list of buckets')
    const { permissions } = await identify(services, request)
    const buckets = (await services.catalog.buckets.all()).filter(
      (bucket) =>
        bucket.orgId === orgId &&
        allows(permissions, { action: 'read', type: 'buckets', id: bucket.id, orgID: orgId }),
    )
    return { buckets: buckets.map((bucket) => bucketJson(bucket)) }
  })
}

/** Undefined where the path names another source. */
async function selfOrganization(
  resource: Resource<SourceBody>,
  request: FastifyRequest<IdParams>,
): Promise<string | undefined> {
  if (request.params.id !== selfId) return undefined
  const { identity, org } = await resource.organization(request)
  requirePermission(identity, resource.demand('read', { orgId: org.id }))
  return org.id
}

async function refuseOther(
  resource: Resource<SourceBody>,
  request: FastifyRequest<IdParams>,
  what: string,
): Promise<never> {
  await resource.require(request, 'read')
  const reason = `${what} of the source is unknown: this server does not connect to others`
  throw new UserError('unprocessable entity', reason)
}

function refuseSelf(id: string): void {
  if (id !== selfId) return
  throw new UserError('forbidden', 'the source that is this server cannot be changed')
}

const below = ['query', 'health', 'buckets']

function selfJson(orgId: string): object {
  return {
    id: selfId,
    orgID: orgId,
    default: true,
    name: 'autogen',
    type: 'self',
    languages: ['flux', 'influxql'],
    links: linksOf(`/api/v2/sources/${selfId}`, below),
  }
}

function sourceJson(source: Source): object {
  const { id, orgId, name, body } = source
  const { type = 'v2', default: isDefault = false, ...fields } = body
  return {
    id,
    orgID: orgId,
    default: isDefault,
    name,
    type,
    ...fields,
    languages: type === 'v1' ? ['influxql'] : ['flux', 'influxql'],
    links: linksOf(`/api/v2/sources/${id}`, below),
  }
}
