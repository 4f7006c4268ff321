// `/api/v2/authorizations`: API tokens. A token's text is shown by the request that makes it and
// never again; its permissions, organization and user are fixed from then on.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Action } from '../../access/permissions.js'
import { hashToken, newToken } from '../../access/tokens.js'
import { parseId } from '../../catalog/ids.js'
import type { Token } from '../../catalog/tokens.js'
import { UserError } from '../../errors.js'
import { identify } from '../credentials.js'
import { parameter } from '../parameters.js'
import type { Services } from '../services.js'
import { AuthorizationPrinter, redacted } from './authorization-json.js'
import {
  AuthorizationCreate,
  AuthorizationUpdate,
  grantToken,
  mayAccessToken,
  organizationFilter,
  requireListing,
  requireTokenAccess,
  userFilter,
} from './authorization-requests.js'
import { guardedRoutes } from './resource-access.js'

type IdParams = { Params: { id: string } }

const path = '/api/v2/authorizations'

export function authorizationRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    listRoute(scope, services)
    createRoute(scope, services)
    singleRoutes(scope, services)
  })
}

function printer(services: Services): AuthorizationPrinter {
  return new AuthorizationPrinter(services.catalog, path)
}

function listRoute(scope: FastifyInstance, services: Services): void {
  scope.get(path, async (request) => {
    const identity = await identify(services, request)
    requireListing(identity)
    const { catalog } = services
    const org = await organizationFilter(services, identity, request)
    const userId = await userFilter(services, request)
    const token = parameter(request, 'token')
    const id = parameter(request, 'id')
    const filter = {
      orgId: org?.id,
      userId: userId ?? undefined,
      tokenHash: token === undefined ? undefined : hashToken(token),
      id: id === undefined ? undefined : parseId(id),
    }
    const found = userId === null ? [] : await catalog.tokens.list(filter)
    const shown: object[] = []
    const print = printer(services)
    for (const candidate of found) {
      if (!(await mayAccessToken(catalog, identity, 'read', candidate))) continue
      shown.push(await print.json(candidate, redacted))
    }
    return { links: { self: path }, authorizations: shown }
  })
}

function createRoute(scope: FastifyInstance, services: Services): void {
  const schema = { body: AuthorizationCreate }
  scope.post<{ Body: AuthorizationCreate }>(path, { schema }, async (request, reply) => {
    const identity = await identify(services, request)
    const granted = await grantToken(services, identity, request.body)
    const text = newToken(services.random)
    const tokenHash = hashToken(text)
    const token = await services.catalog.inTransaction((inside) =>
      inside.tokens.create({ ...granted, tokenHash }),
    )
    return reply.code(201).send(await printer(services).json(token, text))
  })
}

function singleRoutes(scope: FastifyInstance, services: Services): void {
  const { tokens } = services.catalog
  const find = async (request: FastifyRequest<IdParams>, action: Action): Promise<Token> => {
    const identity = await identify(services, request)
    const token = await tokens.findById(parseId(request.params.id))
    if (token === undefined) throw new UserError('not found', 'authorization not found')
    await requireTokenAccess(services.catalog, identity, action, token)
    return token
  }

  scope.get<IdParams>(`${path}/:id`, async (request) =>
    printer(services).json(await find(request, 'read'), redacted),
  )

  scope.patch<IdParams & { Body: AuthorizationUpdate }>(
    `${path}/:id`,
    { schema: { body: AuthorizationUpdate } },
    async (request) => {
      const { id } = await find(request, 'write')
      const { status, description } = request.body
      return printer(services).json(await tokens.update(id, { status, description }), redacted)
    },
  )

  scope.delete<IdParams>(`${path}/:id`, async (request, reply) => {
    const { id } = await find(request, 'write')
    await tokens.delete(id)
    return reply.code(204).send()
  })
}
