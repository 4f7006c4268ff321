// `/private/legacy/authorizations` and `/legacy/authorizations`: v1 user names with passwords. The
// name stands where other authorizations have their token; the password is set on its own and never
// shown.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { LegacyToken } from '../../../catalog/accounts/legacy-tokens.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import { type AuthorizationKind, type IdParams, tokenRoutes } from './authorization-routes.js'

const PasswordReset = Type.Object({ password: Type.String() })

export function legacyAuthorizationRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    for (const path of ['/private/legacy/authorizations', '/legacy/authorizations']) {
      legacyRoutes(scope, services, path)
    }
  })
}

function legacyRoutes(scope: FastifyInstance, services: Services, path: string): void {
  const { catalog } = services
  const { legacyTokens } = catalog
  const kind: AuthorizationKind<LegacyToken> = {
    path,
    tokens: legacyTokens,
    idParameter: 'authID',
    list: (filter, username) => legacyTokens.list({ ...filter, username }),
    async create(granted, { token: username = '' }) {
      const made = await catalog.inTransaction((inside) =>
        inside.legacyTokens.create({ ...granted, username }),
      )
      return { made, text: made.username }
    },
    text: ({ username }) => username,
  }
  const find = tokenRoutes(scope, services, kind)

  scope.post<IdParams & { Body: Static<typeof PasswordReset> }>(
    `${path}/:id/password`,
    { schema: { body: PasswordReset } },
    async (request, reply) => {
      const { id } = await find(request, 'write')
      await legacyTokens.setPassword(id, await services.passwords.hash(request.body.password))
      return reply.code(204).send()
    },
  )
}
