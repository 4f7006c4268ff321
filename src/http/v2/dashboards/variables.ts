// `/api/v2/variables`: the variables of an organization. The list is not cut into pages unless a
// part of it is asked for.

import type { FastifyInstance } from 'fastify'
import {
  type Variable,
  type VariableBody,
  type VariableInput,
  variableFields,
} from '../../../catalog/dashboards/variables.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import { type Definition, definitionRoutes } from '../resources/definitions.js'
import {
  type IdParams,
  optionalPageOf,
  Resource,
  recordJson,
} from '../resources/resource-access.js'

export function variableRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const resource = new Resource(services, {
    plural: 'variables',
    type: 'variables',
    records: catalog.variables.records,
    json: variableJson,
  })
  const { path } = resource
  const definition: Definition<VariableBody, VariableInput> = {
    schema: variableFields,
    create: (inside, orgId, _ownerId, body) => inside.variables.create(orgId, body),
    replace: (inside, id, body) => inside.variables.replace(id, body),
    remove: (inside, id) => inside.variables.records.delete(id),
  }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const found = await resource.list(identity, org, { page: optionalPageOf(request) })
      return { variables: await resource.showAll(found), links: { self: path } }
    })

    scope.patch<IdParams & { Body: VariableInput }>(
      `${path}/:id`,
      { schema: { body: variableFields } },
      async (request) => {
        const { record } = await resource.require(request, 'write')
        const changed = await catalog.inTransaction((inside) =>
          inside.variables.update(record.id, request.body),
        )
        return resource.show(changed)
      },
    )
    definitionRoutes(scope, services, resource, definition, { hasMembers: false })
  })
}

function variableJson(variable: Variable, labels: readonly object[]): object {
  const { sortOrder: sort_order, ...fields } = variable.body
  const org = `/api/v2/orgs/${variable.orgId}`
  return recordJson('variables', variable, labels, { ...fields, sort_order }, ['labels'], { org })
}
