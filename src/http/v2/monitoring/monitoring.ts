// The routes that checks, notification endpoints and notification rules have alike: lists in pages,
// whole definitions put, name, description and status patched.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CatalogRecord } from '../../../catalog/base/records.js'
import type { Catalog } from '../../../catalog/catalog.js'
import { type SmallChange, smallChange } from '../../../catalog/monitoring/monitoring.js'
import type { ParentOfTask } from '../../../catalog/tasks/tasks.js'
import { UserError } from '../../../errors.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { pageLinks, pageOf } from '../../base/paging.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type Definition, definitionRoutes } from '../resources/definitions.js'
import {
  type IdParams,
  type OrganizationNames,
  Resource,
  type ResourceKind,
} from '../resources/resource-access.js'

export interface MonitoringKind<Body, Request extends OrganizationNames>
  extends ResourceKind<Body>,
    Definition<Body, Request> {
  update(inside: Catalog, id: string, change: SmallChange): Promise<CatalogRecord<Body>>
  /** Undefined: the whole list. */
  filter?(request: FastifyRequest): Promise<((record: CatalogRecord<Body>) => boolean) | undefined>
  /** Routes of its own. */
  more?(scope: FastifyInstance, resource: Resource<Body>): void
  /** The query as Flux, where the resource has one. */
  query?(record: CatalogRecord<Body>): string | Promise<string>
}

export function monitoringRoutes<Body, Request extends OrganizationNames>(
  app: FastifyInstance,
  services: Services,
  kind: MonitoringKind<Body, Request>,
): void {
  const { catalog } = services
  const resource = new Resource(services, kind)
  const { path, plural } = resource

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

    scope.patch<IdParams & { Body: SmallChange }>(
      `${path}/:id`,
      { schema: { body: smallChange } },
      async (request) => {
        const { record } = await resource.require(request, 'write')
        const { name, description, status } = request.body
        const change = { name, description, status }
        return resource.show(
          await catalog.inTransaction((inside) => kind.update(inside, record.id, change)),
        )
      },
    )
    kind.more?.(scope, resource)
    if (kind.query !== undefined) queryRoute(scope, resource, kind.query)
    definitionRoutes(scope, services, resource, kind, { hasMembers: true })
  })
}

function queryRoute<Body>(
  scope: FastifyInstance,
  resource: Resource<Body>,
  query: (record: CatalogRecord<Body>) => string | Promise<string>,
): void {
  scope.get<IdParams>(`${resource.path}/:id/query`, async (request) => {
    const { record } = await resource.require(request, 'read')
    return { flux: await query(record) }
  })
}

/** What an answer tells about the task that a check or a rule has. */
export async function taskFields(services: Services, parent: ParentOfTask): Promise<object> {
  const task = await services.catalog.tasks.ofParent(parent)
  if (task === undefined) return {}
  const state = await services.catalog.tasks.states.of(task.id)
  const { latestCompleted, latestScheduled, lastRunStatus, lastRunError } = state
  return { taskID: task.id, latestCompleted, latestScheduled, lastRunStatus, lastRunError }
}

/** `blocked` lists kinds, separated by commas. */
export function requireAllowedType(blocked: string, type: string | undefined, noun: string): void {
  const kinds = blocked.split(',').map((kind) => kind.trim())
  if (type === undefined || !kinds.includes(type)) return
  throw new UserError('forbidden', `${noun} of type ${type} is not allowed`)
}
