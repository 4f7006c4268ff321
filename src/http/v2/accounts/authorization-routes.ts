// The routes that authorizations and legacy authorizations share: listing those that the caller may
// see, making one, showing, changing and deleting one. What a token is known by, and what of that is
// shown, is said by the kind.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Action } from '../../../access/permissions.js'
import type { Token, TokenChange, TokenFilter } from '../../../catalog/accounts/tokens.js'
import { parseId } from '../../../catalog/base/ids.js'
import { UserError } from '../../../errors.js'
import { identify } from '../../base/credentials.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { AuthorizationPrinter } from './authorization-json.js'
import {
  AuthorizationCreate,
  AuthorizationUpdate,
  type GrantedToken,
  grantToken,
  mayAccessToken,
  organizationFilter,
  requireListing,
  requireTokenAccess,
  userFilter,
} from './authorization-requests.js'

export interface AuthorizationKind<Shown extends Token> {
  readonly path: string
  readonly tokens: {
    findById(id: string): Promise<Shown | undefined>
    update(id: string, change: TokenChange): Promise<Shown>
    delete(id: string): Promise<void>
  }
  /** The query parameter that asks for one by its id. */
  readonly idParameter: string
  /** `text` is the query's `token`. */
  list(filter: TokenFilter, text: string | undefined): Promise<Shown[]>
  /** Answers with what stands as `token` in the answer to this request alone. */
  create(granted: GrantedToken, body: AuthorizationCreate): Promise<{ made: Shown; text: string }>
  /** What stands as `token` everywhere else. */
  text(token: Shown): string
}

export type IdParams = { Params: { id: string } }

type Find<Shown> = (request: FastifyRequest<IdParams>, action: Action) => Promise<Shown>

/** Answers with how further routes find what their path names. */
export function tokenRoutes<Shown extends Token>(
  scope: FastifyInstance,
  services: Services,
  kind: AuthorizationKind<Shown>,
): Find<Shown> {
  listRoute(scope, services, kind)
  createRoute(scope, services, kind)
  const find: Find<Shown> = async (request, action) => {
    const identity = await identify(services, request)
    const token = await kind.tokens.findById(parseId(request.params.id))
    if (token === undefined) throw new UserError('not found', 'authorization not found')
    await requireTokenAccess(services.catalog, identity, action, token)
    return token
  }
  singleRoutes(scope, services, kind, find)
  return find
}

function listRoute<Shown extends Token>(
  scope: FastifyInstance,
  services: Services,
  kind: AuthorizationKind<Shown>,
): void {
  const { catalog, lastUses } = services
  const { path } = kind
  scope.get(path, async (request) => {
    const identity = await identify(services, request)
    requireListing(identity)
    const org = await organizationFilter(services, identity, request)
    const userId = await userFilter(services, request)
    const id = parameter(request, kind.idParameter)
    const filter = {
      orgId: org?.id,
      userId: userId ?? undefined,
      id: id === undefined ? undefined : parseId(id),
    }
    const found = userId === null ? [] : await kind.list(filter, parameter(request, 'token'))
    const visible: Shown[] = []
    for (const candidate of found) {
      if (await mayAccessToken(catalog, identity, 'read', candidate)) visible.push(candidate)
    }
    const shown: object[] = []
    const print = new AuthorizationPrinter(catalog, path)
    const uses = await lastUses.of(visible.map((token) => token.id))
    for (const token of visible) {
      shown.push(await print.json(token, kind.text(token), uses.get(token.id)))
    }
    return { links: { self: path }, authorizations: shown }
  })
}

function createRoute<Shown extends Token>(
  scope: FastifyInstance,
  services: Services,
  kind: AuthorizationKind<Shown>,
): void {
  const { path } = kind
  const schema = { body: AuthorizationCreate }
  scope.post<{ Body: AuthorizationCreate }>(path, { schema }, async (request, reply) => {
    const identity = await identify(services, request)
    const granted = await grantToken(services, identity, request.body)
    const { made, text } = await kind.create(granted, request.body)
    const print = new AuthorizationPrinter(services.catalog, path)
    return reply.code(201).send(await print.json(made, text, undefined))
  })
}

function singleRoutes<Shown extends Token>(
  scope: FastifyInstance,
  services: Services,
  kind: AuthorizationKind<Shown>,
  find: Find<Shown>,
): void {
  const path = `${kind.path}/:id`
  const { catalog, lastUses } = services
  const show = async (token: Shown) => {
    const uses = await lastUses.of([token.id])
    const print = new AuthorizationPrinter(catalog, kind.path)
    return print.json(token, kind.text(token), uses.get(token.id))
  }

  scope.get<IdParams>(path, async (request) => show(await find(request, 'read')))

  scope.patch<IdParams & { Body: AuthorizationUpdate }>(
    path,
    { schema: { body: AuthorizationUpdate } },
    async (request) => {
      const { id } = await find(request, 'write')
      const { status, description } = request.body
      return show(await kind.tokens.update(id, { status, description }))
    },
  )

  scope.delete<IdParams>(path, async (request, reply) => {
    const { id } = await find(request, 'write')
    await kind.tokens.delete(id)
    return reply.code(204).send()
  })
}
