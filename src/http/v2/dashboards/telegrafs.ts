// `/api/v2/telegrafs`: configurations of agents. An agent fetches its own as TOML; who asks for
// JSON gets the record around it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Telegraf,
  type TelegrafBody,
  type TelegrafInput,
  telegrafFields,
} from '../../../catalog/dashboards/telegrafs.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import { type Definition, definitionRoutes } from '../resources/definitions.js'
import { linksOf, optionalPageOf, Resource } from '../resources/resource-access.js'

export function telegrafRoutes(app: FastifyInstance, services: Services): void {
  const resource = new Resource(services, {
    plural: 'telegrafs',
    type: 'telegrafs',
    records: services.catalog.telegrafs.records,
    json: telegrafJson,
  })
  const { path } = resource
  const definition: Definition<TelegrafBody, TelegrafInput> = {
    schema: telegrafFields,
    create: (inside, orgId, ownerId, body) => inside.telegrafs.create(orgId, ownerId, body),
    replace: (inside, id, body) => inside.telegrafs.replace(id, body),
    remove: (inside, id) => inside.telegrafs.records.delete(id),
  }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const found = await resource.list(identity, org, { page: optionalPageOf(request) })
      return { configurations: await resource.showAll(found), links: { self: path } }
    })

    definitionRoutes(scope, services, resource, definition, {
      hasMembers: true,
      show: showTelegraf,
    })
  })
}

/** As TOML unless another form is asked for: that is what an agent expects without asking. */
function showTelegraf(
  telegraf: Telegraf,
  labels: readonly object[],
  request: FastifyRequest,
  reply: FastifyReply,
): unknown {
  const accept = request.headers.accept ?? ''
  if (accept.includes('application/json')) return telegrafJson(telegraf, labels)
  if (accept.includes('application/octet-stream')) {
    const name = telegraf.name.replace(/[^\w.-]+/g, '_') || 'telegraf'
    reply.header('content-disposition', `attachment; filename="${name}.toml"`)
    return reply.type('application/octet-stream').send(telegraf.body.config)
  }
  return reply.type('application/toml; charset=utf-8').send(telegraf.body.config)
}

function telegrafJson(telegraf: Telegraf, labels: readonly object[]): object {
  const { id, orgId, name, body } = telegraf
  return {
    id,
    orgID: orgId,
    name,
    description: body.description,
    config: body.config,
    metadata: { buckets: body.buckets },
    labels,
    links: linksOf(`/api/v2/telegrafs/${id}`, ['labels', 'members', 'owners']),
  }
}
