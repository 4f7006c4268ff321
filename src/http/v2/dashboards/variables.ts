// `/api/v2/variables`: the variables of an organization. The list is not cut into pages unless a
// part of it is asked for.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type {
  Variable,
  VariableBody,
  VariableInput,
} from '../../../catalog/dashboards/variables.js'
import type { Services } from '../../base/services.js'
import { type Definition, definitionRoutes } from '../resources/definitions.js'
import {
  guardedRoutes,
  type IdParams,
  linksOf,
  optionalPageOf,
  Resource,
} from '../resources/resource-access.js'

const VariableRequest = Type.Object({
  orgID: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  selected: Type.Optional(Type.Array(Type.String())),
  sort_order: Type.Optional(Type.Integer()),
  arguments: Type.Optional(
    Type.Object({ type: Type.String(), values: Type.Optional(Type.Unknown()) }),
  ),
})

type VariableRequest = Static<typeof VariableRequest>

export function variableRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const resource = new Resource(services, {
    plural: 'variables',
    type: 'variables',
    records: catalog.variables.records,
    json: variableJson,
  })
  const { path } = resource
  const definition: Definition<VariableBody, VariableRequest> = {
    schema: VariableRequest,
    create: (inside, orgId, _ownerId, body) => inside.variables.create(orgId, inputOf(body)),
    replace: (inside, id, body) => inside.variables.replace(id, inputOf(body)),
    remove: (inside, id) => inside.variables.records.delete(id),
  }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const found = await resource.list(identity, org, { page: optionalPageOf(request) })
      return { variables: await resource.showAll(found), links: { self: path } }
    })

    scope.patch<IdParams & { Body: VariableRequest }>(
      `${path}/:id`,
      { schema: { body: VariableRequest } },
      async (request) => {
        const { record } = await resource.require(request, 'write')
        const changed = await catalog.inTransaction((inside) =>
          inside.variables.update(record.id, inputOf(request.body)),
        )
        return resource.show(changed)
      },
    )
    definitionRoutes(scope, services, resource, definition, { hasMembers: false })
  })
}

function inputOf(body: VariableRequest): VariableInput {
  const { name, description, selected } = body
  return { name, description, selected, sortOrder: body.sort_order, arguments: body.arguments }
}

function variableJson(variable: Variable, labels: readonly object[]): object {
  const { id, orgId, name, body, createdAt, updatedAt } = variable
  const self = `/api/v2/variables/${id}`
  return {
    id,
    orgID: orgId,
    name,
    description: body.description,
    selected: body.selected,
    sort_order: body.sortOrder,
    arguments: body.arguments,
    createdAt,
    updatedAt,
    labels,
    links: linksOf(self, ['labels'], { org: `/api/v2/orgs/${orgId}` }),
  }
}
