// `/api/v2/scrapers`: targets with metrics in Prometheus' text form that are asked every so often. Who makes one must
// be allowed to write to its bucket.

import type { FastifyInstance } from 'fastify'
import { parseId } from '../../../catalog/base/ids.js'
import {
  type Scraper,
  type ScraperBody,
  type ScraperInput,
  scraperFields,
} from '../../../catalog/neighbours/scrapers.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type IdParams, linksOf, Resource, usualRoutes } from '../resources/resource-access.js'

export function scraperRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const resource = new Resource<ScraperBody>(services, {
    plural: 'scrapers',
    type: 'scrapers',
    records: catalog.scrapers.records,
    json: (scraper) => scraperJson(services, scraper),
  })
  const { path } = resource
  const schema = { body: scraperFields }
  type Request = { Body: ScraperInput }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const id = parameter(request, 'id')
      const found = await resource.list(identity, org, {
        name: parameter(request, 'name'),
        keep: id === undefined ? undefined : (scraper) => scraper.id === id,
      })
      return { configurations: await resource.showAll(found), links: { self: path } }
    })

    scope.post<Request>(path, { schema }, async (request, reply) => {
      const { body } = request
      const { identity, org } = await resource.organizationToCreateIn(request, body)
      if (body.bucketID === undefined) throw new UserError('invalid', 'bucketID is missing')
      const bucket = await catalog.buckets.findById(parseId(body.bucketID))
      if (bucket === undefined || bucket.orgId !== org.id) {
        throw new UserError('not found', `bucket "${body.bucketID}" not found`)
      }
      const { id, orgId: orgID } = bucket
      requirePermission(identity, { action: 'write', type: 'buckets', id, orgID })
      const made = await catalog.inTransaction((inside) =>
        inside.scrapers.create(org.id, identity.userId, body),
      )
      return reply.code(201).send(await resource.show(made))
    })

    scope.patch<IdParams & Request>(`${path}/:id`, { schema }, async (request) => {
      const { record } = await resource.require(request, 'write')
      const changed = await catalog.inTransaction((inside) =>
        inside.scrapers.update(record.id, request.body),
      )
      return resource.show(changed)
    })

    usualRoutes(scope, services, resource, {
      hasMembers: true,
      remove: ({ id }) => catalog.inTransaction((inside) => inside.scrapers.records.delete(id)),
    })
  })
}

async function scraperJson({ catalog }: Services, scraper: Scraper): Promise<object> {
  const { id, orgId, name, parentId, body } = scraper
  const org = await catalog.organizations.findById(orgId)
  const bucket = await catalog.buckets.findById(parentId)
  return {
    id,
    orgID: orgId,
    org: org?.name,
    name,
    type: 'prometheus',
    url: body.url,
    bucketID: parentId,
    bucket: bucket?.name,
    allowInsecure: body.allowInsecure,
    intervalSeconds: body.intervalSeconds,
    links: linksOf(`/api/v2/scrapers/${id}`, ['labels', 'members', 'owners'], {
      organization: `/api/v2/orgs/${orgId}`,
      bucket: `/api/v2/buckets/${parentId}`,
    }),
  }
}
