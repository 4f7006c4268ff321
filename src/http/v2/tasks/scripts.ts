// `/api/v2/scripts`: invokable scripts as definitions, and which parameters they take. They are run
// elsewhere (`script-invocation.ts`).

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseId } from '../../../catalog/base/ids.js'
import { type Page, wholeList } from '../../../catalog/base/page.js'
import type { Script, ScriptBody } from '../../../catalog/tasks/scripts.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { pageOf } from '../../base/paging.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type IdParams, Resource } from '../resources/resource-access.js'

const ScriptCreate = Type.Object({
  orgID: Type.Optional(Type.String()),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  script: Type.String(),
  language: Type.Union([Type.Literal('flux'), Type.Literal('sql'), Type.Literal('influxql')]),
})

const ScriptUpdate = Type.Union([
  Type.Object({
    description: Type.Optional(Type.String()),
    script: Type.Optional(Type.String()),
  }),
  Type.Null(),
])

const scriptPageLimits = { limitDefault: 100, limitMax: 500 }

export function scriptResource(services: Services): Resource<ScriptBody> {
  const { catalog } = services
  return new Resource(services, {
    plural: 'scripts',
    type: 'functions',
    records: {
      require: (id) => catalog.scripts.require(id),
      list: (where, page) => catalog.scripts.records.list(where, page),
    },
    json: scriptJson,
  })
}

export function scriptRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const resource = scriptResource(services)
  const { path } = resource

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const listing = { page: scriptPage(request), name: parameter(request, 'name') }
      const scripts = await resource.showAll(await resource.list(identity, org, listing))
      return { scripts, links: { self: path } }
    })

    scope.post<{ Body: Static<typeof ScriptCreate> }>(
      path,
      { schema: { body: ScriptCreate } },
      async (request, reply) => {
        const { org } = await resource.organizationToCreateIn(request, request.body)
        const { name, description = '', script, language } = request.body
        const body = { description, script, language }
        const made = await catalog.inTransaction((inside) =>
          inside.scripts.create(org.id, name, body),
        )
        return reply.code(201).send(await resource.show(made))
      },
    )
    scriptRecordRoutes(scope, services, resource)
  })
}

function scriptRecordRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<ScriptBody>,
): void {
  const path = `${resource.path}/:id`
  const { catalog } = services

  scope.get<IdParams>(path, async (request) => {
    const { record } = await resource.require(request, 'read')
    return resource.show(record)
  })

  scope.patch<IdParams & { Body: Static<typeof ScriptUpdate> | undefined }>(
    path,
    { schema: { body: ScriptUpdate } },
    async (request) => {
      const { record } = await resource.require(request, 'write')
      const { description, script } = request.body ?? {}
      if (description === undefined && script === undefined) return resource.show(record)
      const changed = await catalog.inTransaction((inside) =>
        inside.scripts.update(record.id, { description, script }),
      )
      return resource.show(changed)
    },
  )

  // One that does not exist is as good as deleted.
  scope.delete<IdParams>(path, async (request, reply) => {
    const identity = await identify(services, request)
    const record = await catalog.scripts.records.findById(parseId(request.params.id))
    if (record !== undefined) {
      resource.requireAccess(identity, 'write', record)
      await catalog.inTransaction((inside) => inside.scripts.records.delete(record.id))
    }
    return reply.code(204).send()
  })

  scope.get<IdParams>(`${path}/params`, async (request) => {
    const { record } = await resource.require(request, 'read')
    const names = await catalog.scripts.parameters(record)
    const { script, language } = record.body
    const types =
      language === 'flux' ? (await services.languages.flux()).parameterTypes(script) : new Map()
    return { params: Object.fromEntries(names.map((name) => [name, types.get(name) ?? 'any'])) }
  })
}

/** Unlike elsewhere a limit of 0 is allowed, and means that none was given. */
function scriptPage(request: FastifyRequest): Page {
  if (parameter(request, 'limit') !== '0') return pageOf(request, scriptPageLimits)
  return { ...wholeList, limit: scriptPageLimits.limitDefault }
}

function scriptJson(script: Script): object {
  const { id, orgId, name, body, createdAt, updatedAt } = script
  const { description, language } = body
  return {
    id,
    orgID: orgId,
    name,
    description,
    script: body.script,
    language,
    createdAt,
    updatedAt,
  }
}
