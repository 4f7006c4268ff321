// `/api/v2/dashboards`: dashboards as a whole. Their cells and views have routes of their own in
// `cells.ts`.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseId } from '../../../catalog/base/ids.js'
import { type Page, wholeList } from '../../../catalog/base/page.js'
import {
  type Dashboard,
  type DashboardInput,
  dashboardFields,
} from '../../../catalog/dashboards/dashboards.js'
import { UserError } from '../../../errors.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { pageLinks, pageOf } from '../../base/paging.js'
import { flag, parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import {
  type IdParams,
  linksOf,
  parameterValues,
  Resource,
  usualRoutes,
} from '../resources/resource-access.js'
import { cellJson, cellRoutes } from './cells.js'

type Ordering = (a: Dashboard, b: Dashboard) => number

const orderings: Readonly<Record<string, Ordering | undefined>> = {
  ID: (a, b) => (a.id < b.id ? -1 : 1),
  CreatedAt: (a, b) => (a.createdAt < b.createdAt ? -1 : 1),
  UpdatedAt: (a, b) => (a.updatedAt < b.updatedAt ? -1 : 1),
}

export function dashboardRoutes(app: FastifyInstance, services: Services): void {
  const { dashboards } = services.catalog
  const resource = new Resource(services, {
    plural: 'dashboards',
    type: 'dashboards',
    records: dashboards.records,
    json: (dashboard, labels) => dashboardJson(dashboard, labels, false),
  })
  const { path } = resource
  const schema = { body: dashboardFields }
  type Request = { Body: DashboardInput }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const page = dashboardPage(request)
      const keep = await dashboardFilter(services, request)
      const sortBy = parameter(request, 'sortBy')
      const compare = ordering(sortBy, page)
      const found = await resource.list(identity, org, { page, keep, compare })
      const links = pageLinks(path, page, found.length, {
        org: parameter(request, 'org'),
        orgID: parameter(request, 'orgID'),
        owner: parameter(request, 'owner'),
        sortBy,
      })
      return { dashboards: await resource.showAll(found), links }
    })

    scope.post<Request>(path, { schema }, async (request, reply) => {
      const { identity, org } = await resource.organizationToCreateIn(request, request.body)
      const made = await services.catalog.inTransaction(async (inside) => {
        await inside.limits.requireRoom(org.id, 'dashboard', inside.dashboards.records)
        return inside.dashboards.create(org.id, identity.userId, request.body)
      })
      return reply.code(201).send(await resource.show(made))
    })

    scope.patch<IdParams & Request>(`${path}/:id`, { schema }, async (request) => {
      const { record } = await resource.require(request, 'write')
      const changed = await services.catalog.inTransaction((inside) =>
        inside.dashboards.update(record.id, request.body),
      )
      return resource.show(changed)
    })

    usualRoutes(scope, services, resource, {
      remove: ({ id }) =>
        services.catalog.inTransaction((inside) => inside.dashboards.records.delete(id)),
      hasMembers: true,
      show: (record, labels, request) => {
        const hasProperties = parameterValues(request, 'include').includes('properties')
        return dashboardJson(record, labels, hasProperties)
      },
    })
    cellRoutes(scope, services, resource)
  })
}

/** Unlike elsewhere a limit of -1 stands for the whole list. */
function dashboardPage(request: FastifyRequest): Page {
  if (parameter(request, 'limit') !== '-1') return pageOf(request)
  return { ...wholeList, descending: flag(request, 'descending') ?? false }
}

function ordering(sortBy: string | undefined, page: Page): Ordering | undefined {
  if (sortBy === undefined) return undefined
  const compare = Object.hasOwn(orderings, sortBy) ? orderings[sortBy] : undefined
  if (compare === undefined) throw new UserError('invalid', 'sortBy is invalid')
  return page.descending ? (a, b) => compare(b, a) : compare
}

/** Ids win over an owner. */
async function dashboardFilter(
  services: Services,
  request: FastifyRequest,
): Promise<((dashboard: Dashboard) => boolean) | undefined> {
  const ids = parameterValues(request, 'id').map(parseId)
  if (ids.length > 0) return (dashboard) => ids.includes(dashboard.id)
  const owner = parameter(request, 'owner')
  if (owner === undefined) return undefined
  const memberships = await services.catalog.memberships.ofUser(parseId(owner))
  const owned = new Set(memberships.filter((m) => m.role === 'owner').map((m) => m.resourceId))
  return (dashboard) => dashboard.ownerId === owner || owned.has(dashboard.id)
}

function dashboardJson(
  dashboard: Dashboard,
  labels: readonly object[],
  hasProperties: boolean,
): object {
  const { id, orgId, name, body, createdAt, updatedAt } = dashboard
  const org = `/api/v2/orgs/${orgId}`
  return {
    id,
    orgID: orgId,
    name,
    description: body.description,
    meta: { createdAt, updatedAt },
    cells: body.cells.map((cell) => cellJson(id, cell, hasProperties)),
    labels,
    links: linksOf(`/api/v2/dashboards/${id}`, ['cells', 'members', 'owners', 'labels'], { org }),
  }
}
