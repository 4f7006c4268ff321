// `/api/v2/authorizations`: API tokens. A token's text is shown by the request that makes it and
// never again; its permissions, organization and user are fixed from then on.

import type { FastifyInstance } from 'fastify'
import { hashToken, newToken } from '../../../access/tokens.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import { tokenRoutes } from './authorization-routes.js'

const redacted = 'redacted'

export function authorizationRoutes(app: FastifyInstance, services: Services): void {
  const { catalog, random } = services
  const { tokens } = catalog
  guardedRoutes(app, services, (scope) => {
    tokenRoutes(scope, services, {
      path: '/api/v2/authorizations',
      tokens,
      idParameter: 'id',
      list(filter, text) {
        const tokenHash = text === undefined ? undefined : hashToken(text)
        return tokens.list({ ...filter, tokenHash })
      },
      async create(granted, { tokenHash: known }) {
        const text = known === undefined ? newToken(random) : redacted
        const tokenHash = known ?? hashToken(text)
        const made = await catalog.inTransaction((inside) =>
          inside.tokens.create({ ...granted, tokenHash }),
        )
        return { made, text }
      },
      text: () => redacted,
    })
  })
}
