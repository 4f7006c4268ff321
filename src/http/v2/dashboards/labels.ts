// `/api/v2/labels`: the labels of an organization. Which resource wears which is said below each
// resource, in `sub-resources.ts`.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Label, LabelBody } from '../../../catalog/dashboards/labels.js'
import { UserError } from '../../../errors.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import { type IdParams, Resource } from '../resources/resource-access.js'
import { labelJson } from '../resources/sub-resources.js'

const Properties = Type.Record(Type.String(), Type.String())

const LabelCreate = Type.Object({
  orgID: Type.Optional(Type.String({ description: 'required' })),
  name: Type.Optional(Type.String({ description: 'required' })),
  properties: Type.Optional(Properties),
})

type LabelCreate = Static<typeof LabelCreate>

const LabelUpdate = Type.Object({
  name: Type.Optional(Type.String()),
  properties: Type.Optional(Properties),
})

type LabelUpdate = Static<typeof LabelUpdate>

const path = '/api/v2/labels'

export function labelsRoutes(app: FastifyInstance, services: Services): void {
  const resource = new Resource<LabelBody>(services, {
    plural: 'labels',
    type: 'labels',
    records: services.catalog.labels.records,
    json: labelJson,
  })
  guardedRoutes(app, services, (scope) => {
    collectionRoutes(scope, services, resource)
    labelRoute(scope, services, resource)
  })
}

function collectionRoutes(
  app: FastifyInstance,
  services: Services,
  resource: Resource<LabelBody>,
): void {
  app.get(path, async (request) => {
    const { identity, org } = await resource.organization(request)
    const found = await resource.list(identity, org)
    return { labels: found.map(labelJson), links: { self: path } }
  })

  const schema = { body: LabelCreate }
  app.post<{ Body: LabelCreate }>(path, { schema }, async (request, reply) => {
    const { orgID, name, properties } = request.body
    if (name === undefined) throw new UserError('invalid', 'label name is required')
    if (orgID === undefined || orgID === '') throw new UserError('invalid', 'orgID is required')
    const { org } = await resource.organizationToCreateIn(request, { orgID })
    const made = await services.catalog.inTransaction((inside) =>
      inside.labels.create(org.id, name, properties ?? {}),
    )
    return reply.code(201).send(labelAnswer(made))
  })
}

function labelRoute(app: FastifyInstance, services: Services, resource: Resource<LabelBody>): void {
  const { catalog } = services

  app.get<IdParams>(`${path}/:id`, async (request) => {
    const { record } = await resource.require(request, 'read')
    return labelAnswer(record)
  })

  const schema = { body: LabelUpdate }
  app.patch<IdParams & { Body: LabelUpdate }>(`${path}/:id`, { schema }, async (request) => {
    const { record } = await resource.require(request, 'write')
    const { name, properties } = request.body
    const change = { name, properties: properties ?? {} }
    return labelAnswer(
      await catalog.inTransaction((inside) => inside.labels.update(record.id, change)),
    )
  })

  app.delete<IdParams>(`${path}/:id`, async (request, reply) => {
    const { record } = await resource.require(request, 'write')
    await catalog.inTransaction((inside) => inside.labels.delete(record.id))
    return reply.code(204).send()
  })
}

function labelAnswer(label: Label): object {
  return { label: labelJson(label), links: { self: `${path}/${label.id}` } }
}
