// The routes that checks, notification endpoints and notification rules have alike: lists in pages,
// whole definitions put, name, description and status patched.

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Catalog } from '../../catalog/catalog.js'
import type { SmallChange } from '../../catalog/monitoring.js'
import type { CatalogRecord } from '../../catalog/records.js'
import { UserError } from '../../errors.js'
import { pageLinks, pageOf } from '../paging.js'
import { parameter } from '../parameters.js'
import type { Services } from '../services.js'
import {
  guardedRoutes,
  type IdParams,
  type OrganizationNames,
  Resource,
  type ResourceKind,
  usualRoutes,
} from './resource-access.js'

const SmallUpdate = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
})

/** `Request` is the body's type, checked by `schema`. The functions work inside a transaction. */
export interface MonitoringKind<Body, Request extends OrganizationNames>
  extends ResourceKind<Body> {
  readonly schema: TSchema
  create(
    inside: Catalog,
    orgId: string,
    ownerId: string | undefined,
    request: Request,
  ): Promise<CatalogRecord<Body>>
  replace(inside: Catalog, id: string, request: Request): Promise<CatalogRecord<Body>>
  update(inside: Catalog, id: string, change: SmallChange): Promise<CatalogRecord<Body>>
  remove(inside: Catalog, id: string): Promise<unknown>
  /** Undefined: the whole list. */
  filter?(request: FastifyRequest): Promise<((record: CatalogRecord<Body>) => boolean) | undefined>
  /** The query as Flux, where the resource has one. */
  query?(record: CatalogRecord<Body>): string
}

export function monitoringRoutes<Body, Request extends OrganizationNames>(
  app: FastifyInstance,
  services: Services,
  kind: MonitoringKind<Body, Request>,
): void {
  const { catalog } = services
  const resource = new Resource(services, kind)
  const { path, plural } = resource
  const schema = { body: kind.schema }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const page = pageOf(request)
      const keep = await kind.filter?.(request)
      const found = await resource.list(identity, org, { page, keep })
      const filters = { org: parameter(request, 'org'), orgID: parameter(request, 'orgID') }
      const links = pageLinks(path, page, found.length, filters)
      return { [plural]: await resource.showAll(found), links }
    })

    scope.post(path, { schema }, async (request, reply) => {
      const body = request.body as Request
      const { identity, org } = await resource.organizationToCreateIn(request, body)
      const made = await catalog.inTransaction((inside) =>
        kind.create(inside, org.id, identity.userId, body),
      )
      return reply.code(201).send(await resource.show(made))
    })

    scope.put<IdParams>(`${path}/:id`, { schema }, async (request) => {
      const { record } = await resource.require(request, 'write')
      const body = request.body as Request
      const changed = await catalog.inTransaction((inside) => kind.replace(inside, record.id, body))
      return resource.show(changed)
    })

    scope.patch<IdParams & { Body: Static<typeof SmallUpdate> }>(
      `${path}/:id`,
      { schema: { body: SmallUpdate } },
      async (request) => {
        const { record } = await resource.require(request, 'write')
        const { name, description, status } = request.body
        const change = { name, description, status }
        return resource.show(
          await catalog.inTransaction((inside) => kind.update(inside, record.id, change)),
        )
      },
    )
    if (kind.query !== undefined) queryRoute(scope, resource, kind.query)
    usualRoutes(scope, services, resource, {
      remove: ({ id }) => catalog.inTransaction((inside) => kind.remove(inside, id)),
      hasMembers: true,
    })
  })
}

function queryRoute<Body>(
  scope: FastifyInstance,
  resource: Resource<Body>,
  query: (record: CatalogRecord<Body>) => string,
): void {
  scope.get<IdParams>(`${resource.path}/:id/query`, async (request) => {
    const { record } = await resource.require(request, 'read')
    return { flux: query(record) }
  })
}

/** `blocked` lists kinds, separated by commas. */
export function requireAllowedType(blocked: string, type: string | undefined, noun: string): void {
  const kinds = blocked.split(',').map((kind) => kind.trim())
  if (type === undefined || !kinds.includes(type)) return
  throw new UserError('forbidden', `${noun} of type ${type} is not allowed`)
}
