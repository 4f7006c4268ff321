// `/private/legacy/authorizations` and `/legacy/authorizations`: v1 user names with passwords. The
// name stands where other authorizations have their token; the password is set on its own and never
// shown.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashPassword } from '../../access/passwords.js'
import type { Action } from '../../access/permissions.js'
import { parseId } from '../../catalog/ids.js'
import type { LegacyToken } from '../../catalog/legacy-tokens.js'
import { UserError } from '../../errors.js'
import { identify } from '../credentials.js'
import { parameter } from '../parameters.js'
import type { Services } from '../services.js'
import { AuthorizationPrinter } from './authorization-json.js'
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

const PasswordReset = Type.Object({ password: Type.String() })

type IdParams = { Params: { id: string } }

export function legacyAuthorizationRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    for (const path of ['/private/legacy/authorizations', '/legacy/authorizations']) {
      listRoute(scope, services, path)
      createRoute(scope, services, path)
      singleRoutes(scope, services, path)
    }
  })
}

function listRoute(scope: FastifyInstance, services: Services, path: string): void {
  scope.get(path, async (request) => {
    const identity = await identify(services, request)
    requireListing(identity)
    const { catalog } = services
    const org = await organizationFilter(services, identity, request)
    const userId = await userFilter(services, request)
    const id = parameter(request, 'authID')
    const filter = {
      orgId: org?.id,
      userId: userId ?? undefined,
      username: parameter(request, 'token'),
      id: id === undefined ? undefined : parseId(id),
    }
    const found = userId === null ? [] : await catalog.legacyTokens.list(filter)
    const shown: object[] = []
    const print = new AuthorizationPrinter(catalog, path)
    for (const candidate of found) {
      if (!(await mayAccessToken(catalog, identity, 'read', candidate))) continue
      shown.push(await print.json(candidate, candidate.username))
    }
    return { links: { self: path }, authorizations: shown }
  })
}

function createRoute(scope: FastifyInstance, services: Services, path: string): void {
  const schema = { body: AuthorizationCreate }
  scope.post<{ Body: AuthorizationCreate }>(path, { schema }, async (request, reply) => {
    const identity = await identify(services, request)
    const { catalog } = services
    const granted = await grantToken(services, identity, request.body)
    const username = request.body.token ?? ''
    const made = await catalog.inTransaction((inside) =>
      inside.legacyTokens.create({ ...granted, username }),
    )
    const print = new AuthorizationPrinter(catalog, path)
    return reply.code(201).send(await print.json(made, made.username))
  })
}

function singleRoutes(scope: FastifyInstance, services: Services, path: string): void {
  const { catalog, random } = services
  const { legacyTokens } = catalog
  const find = async (request: FastifyRequest<IdParams>, action: Action): Promise<LegacyToken> => {
    const identity = await identify(services, request)
    const token = await legacyTokens.findById(parseId(request.params.id))
    if (token === undefined) throw new UserError('not found', 'authorization not found')
    await requireTokenAccess(catalog, identity, action, token)
    return token
  }
  const show = (token: LegacyToken) =>
    new AuthorizationPrinter(catalog, path).json(token, token.username)

  scope.get<IdParams>(`${path}/:id`, async (request) => show(await find(request, 'read')))

  scope.patch<IdParams & { Body: AuthorizationUpdate }>(
    `${path}/:id`,
    { schema: { body: AuthorizationUpdate } },
    async (request) => {
      const { id } = await find(request, 'write')
      const { status, description } = request.body
      return show(await legacyTokens.update(id, { status, description }))
    },
  )

  scope.delete<IdParams>(`${path}/:id`, async (request, reply) => {
    const { id } = await find(request, 'write')
    await legacyTokens.delete(id)
    return reply.code(204).send()
  })

  scope.post<IdParams & { Body: Static<typeof PasswordReset> }>(
    `${path}/:id/password`,
    { schema: { body: PasswordReset } },
    async (request, reply) => {
      const { id } = await find(request, 'write')
      await legacyTokens.setPassword(id, await hashPassword(request.body.password, random))
      return reply.code(204).send()
    },
  )
}
