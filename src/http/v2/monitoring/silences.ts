// `/api/v2/silences`: for how long statuses with certain tags are not told. Whoever may change notification rules may
// silence them.

import type { FastifyInstance } from 'fastify'
import {
  type Silence,
  type SilenceBody,
  type SilenceInput,
  silenceFields,
  stateOf,
} from '../../../catalog/monitoring/silences.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { pageLinks, pageOf } from '../../base/paging.js'
import type { Services } from '../../base/services.js'
import { definitionRoutes } from '../resources/definitions.js'
import { linksOf, Resource } from '../resources/resource-access.js'

export function silenceRoutes(app: FastifyInstance, services: Services): void {
  const resource = new Resource<SilenceBody>(services, {
    plural: 'silences',
    type: 'notificationRules',
    records: services.catalog.silences.records,
    json: (silence) => silenceJson(services, silence),
  })
  guardedRoutes(app, services, (scope) => {
    scope.get(resource.path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const page = pageOf(request)
      const found = await resource.list(identity, org, { page })
      const links = pageLinks(resource.path, page, found.length, { orgID: org.id })
      return { silences: await resource.showAll(found), links }
    })
    definitionRoutes<SilenceBody, SilenceInput>(
      scope,
      services,
      resource,
      {
        schema: silenceFields,
        create: (inside, orgId, ownerId, input) => inside.silences.create(orgId, ownerId, input),
        replace: (inside, id, input) => inside.silences.replace(id, input),
        remove: (inside, id) => inside.silences.delete(id),
      },
      { hasMembers: false },
    )
  })
}

function silenceJson({ clock }: Services, silence: Silence): object {
  const { id, orgId, ownerId, body, createdAt, updatedAt } = silence
  const status = stateOf(body, Number(clock.now() / 1_000_000n))
  const links = linksOf(`/api/v2/silences/${id}`, [])
  return { id, orgID: orgId, ownerID: ownerId, ...body, status, createdAt, updatedAt, links }
}
