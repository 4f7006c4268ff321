// `/api/v2/remotes`: other servers that points are handed on to, by replications. Tokens go in and never come
// out; a remote that a replication needs stays.

import type { FastifyInstance } from 'fastify'
import {
  type Remote,
  type RemoteBody,
  type RemoteInput,
  remoteFields,
} from '../../../catalog/neighbours/remotes.js'
import { UserError } from '../../../errors.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type IdParams, Resource } from '../resources/resource-access.js'

export function remoteRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const resource = new Resource<RemoteBody>(services, {
    plural: 'remotes',
    type: 'remotes',
    records: catalog.remotes.records,
    json: remoteJson,
  })
  const { path } = resource
  const schema = { body: remoteFields }
  type Request = { Body: RemoteInput }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const { identity, org } = await resource.organization(request)
      const url = parameter(request, 'remoteURL')
      const found = await resource.list(identity, org, {
        name: parameter(request, 'name'),
        keep: url === undefined ? undefined : (remote) => remote.body.remoteURL === url,
      })
      return { remotes: found.map(remoteJson), links: { self: path } }
    })

    scope.post<Request>(path, { schema }, async (request, reply) => {
      const { identity, org } = await resource.organizationToCreateIn(request, request.body)
      const made = await catalog.inTransaction((inside) =>
        inside.remotes.create(org.id, identity.userId, request.body),
      )
      return reply.code(201).send(remoteJson(made))
    })

    scope.get<IdParams>(`${path}/:id`, async (request) => {
      const { record } = await resource.require(request, 'read')
      return remoteJson(record)
    })

    scope.patch<IdParams & Request>(`${path}/:id`, { schema }, async (request) => {
      const { record } = await resource.require(request, 'write')
      const changed = await catalog.inTransaction((inside) =>
        inside.remotes.update(record.id, request.body),
      )
      return remoteJson(changed)
    })

    scope.delete<IdParams>(`${path}/:id`, async (request, reply) => {
      const { record } = await resource.require(request, 'write')
      await catalog.inTransaction(async (inside) => {
        const all = await inside.replications.records.list({ orgId: record.orgId })
        const user = all.find(({ body }) => body.remoteID === record.id)
        if (user !== undefined) {
          throw new UserError('conflict', `replication "${user.name}" still uses this remote`)
        }
        await inside.remotes.delete(record.id)
      })
      return reply.code(204).send()
    })
  })
}

function remoteJson({ id, orgId, name, body }: Remote): object {
  const { description, remoteURL, remoteOrgID, allowInsecureTLS } = body
  return { id, orgID: orgId, name, description, remoteURL, remoteOrgID, allowInsecureTLS }
}
