// `/api/v2/stacks`: what templates made, kept together. Stacks have no permission type of their
// own: whoever may read or change the organization may do so with its stacks.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { isId, parseId } from '../../../catalog/base/ids.js'
import {
  lastEvent,
  type Stack,
  type StackEvent,
  type StackResource,
} from '../../../catalog/dashboards/stacks.js'
import {
  removeStackResources,
  templateKinds,
  templateVersion,
} from '../../../catalog/templates/templates.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type IdParams, parameterValues, Resource } from '../resources/resource-access.js'

const StackCreate = Type.Object({
  orgID: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  urls: Type.Optional(Type.Array(Type.String())),
})

const StackUpdate = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  templateURLs: Type.Optional(Type.Array(Type.String())),
  additionalResources: Type.Optional(
    Type.Array(
      Type.Object({
        resourceID: Type.String(),
        kind: Type.String(),
        templateMetaName: Type.Optional(Type.String()),
      }),
    ),
  ),
})

export function stackResourceAccess(services: Services): Resource<Stack['body']> {
  return new Resource(services, {
    plural: 'stacks',
    type: 'orgs',
    isOfOrganization: true,
    records: services.catalog.stacks.records,
    json: stackJson,
  })
}

export function stackRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const resource = stackResourceAccess(services)
  const { path } = resource

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const given = parameter(request, 'orgID')
      if (given !== undefined && !isId(given)) {
        throw new UserError('invalid', `organization id[${JSON.stringify(given)}] is invalid`)
      }
      const { identity, org } = await resource.organization(request)
      const names = parameterValues(request, 'name')
      const ids = parameterValues(request, 'stackID').map(parseId)
      const isWanted = ({ id, name }: Stack) => names.includes(name) || ids.includes(id)
      const keep = names.length + ids.length === 0 ? undefined : isWanted
      const found = await resource.list(identity, org, { keep })
      return { stacks: await resource.showAll(found), links: { self: path } }
    })

    scope.post<{ Body: Static<typeof StackCreate> }>(
      path,
      { schema: { body: StackCreate } },
      async (request, reply) => {
        const { org } = await resource.organizationToCreateIn(request, request.body)
        await requireStacks(services, org.id)
        const { name = '', description = '', urls = [] } = request.body
        const made = await catalog.stacks.create(org.id, { name, description, urls })
        return reply.code(201).send(stackJson(made))
      },
    )
    stackRecordRoutes(scope, services, resource)
  })
}

function stackRecordRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<Stack['body']>,
): void {
  const path = `${resource.path}/:id`
  const { catalog } = services

  scope.get<IdParams>(path, async (request) => {
    const { record } = await resource.require(request, 'read')
    return stackJson(record)
  })

  scope.patch<IdParams & { Body: Static<typeof StackUpdate> }>(
    path,
    { schema: { body: StackUpdate } },
    async (request) => {
      const { record } = await resource.require(request, 'write')
      const { body } = request
      const added = (body.additionalResources ?? []).map(resourceOf)
      const changed = await catalog.inTransaction(async (inside) => {
        const event = lastEvent(await inside.stacks.records.require(record.id))
        return inside.stacks.add(record.id, 'update', {
          name: body.name ?? event.name,
          description: body.description ?? event.description,
          urls: body.templateURLs ?? event.urls,
          resources: [...event.resources, ...added],
        })
      })
      return stackJson(changed)
    },
  )

  // One that does not exist is as good as deleted.
  scope.delete<IdParams>(path, async (request, reply) => {
    const identity = await identify(services, request)
    const stack = await catalog.stacks.records.findById(parseId(request.params.id))
    if (stack === undefined) return reply.code(204).send()
    resource.requireAccess(identity, 'write', stack)
    requireWriteOfAll(identity, stack)
    await catalog.inTransaction(async (inside) => {
      await removeStackResources(inside, stack.orgId, lastEvent(stack).resources)
      await inside.stacks.records.delete(stack.id)
    })
    return reply.code(204).send()
  })

  scope.post<IdParams>(`${path}/uninstall`, async (request) => {
    const { identity, record } = await resource.require(request, 'write')
    requireWriteOfAll(identity, record)
    const changed = await catalog.inTransaction(async (inside) => {
      await removeStackResources(inside, record.orgId, lastEvent(record).resources)
      return inside.stacks.add(record.id, 'uninstall', { resources: [] })
    })
    return stackJson(changed)
  })
}

/** Applying a template makes a stack too. */
export async function requireStacks(services: Services, orgId: string): Promise<void> {
  const { stack } = await services.catalog.limits.of(orgId)
  if (!stack.enabled) throw new UserError('forbidden', 'stacks are not enabled')
}

/** A stack lends nobody a permission for what it holds. */
function requireWriteOfAll(identity: Parameters<typeof requirePermission>[0], stack: Stack): void {
  for (const { kind, resourceId } of lastEvent(stack).resources) {
    const type = templateKinds.find((candidate) => candidate.kind === kind)?.type
    if (type === undefined) continue
    requirePermission(identity, { action: 'write', type, id: resourceId, orgID: stack.orgId })
  }
}

function resourceOf(given: {
  resourceID: string
  kind: string
  templateMetaName?: string
}): StackResource {
  const resourceId = parseId(given.resourceID)
  const metaName = given.templateMetaName ?? `resource-${resourceId}`
  return { kind: given.kind, resourceId, metaName, associations: [] }
}

function stackJson(stack: Stack): object {
  const { id, orgId, body, createdAt, updatedAt } = stack
  const latest = eventJson(lastEvent(stack))
  const events = body.events.map(eventJson)
  return { id, orgID: orgId, ...latest, createdAt, updatedAt, events }
}

function eventJson(event: StackEvent): object {
  const { eventType, name, description, sources, urls, updatedAt } = event
  const resources = event.resources.map(({ kind, resourceId, metaName, associations }) => {
    const type = templateKinds.find((candidate) => candidate.kind === kind)?.type
    const links = { self: `/api/v2/${type}/${resourceId}` }
    return {
      apiVersion: templateVersion,
      kind,
      resourceID: resourceId,
      templateMetaName: metaName,
      associations,
      links,
    }
  })
  return { eventType, name, description, sources, urls, resources, updatedAt }
}
