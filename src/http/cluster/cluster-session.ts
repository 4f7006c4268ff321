// `/api/v2/signin`, `/api/v2/signout` and `/api/v2/me` of the cluster variant, for the web UI: whoever has a token
// signs in with it. There are no users, so the cookie carries the token itself: it ends with the token, on every node,
// and nothing has to be kept for it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseCredential } from '../../access/credentials.js'
import { isOperator } from '../../access/permissions.js'
import { sessionNsMax } from '../../catalog/accounts/sessions.js'
import { UserError } from '../../errors.js'
import { identityOf } from '../../service/base/identities.js'
import { identify, requireSameOrigin } from '../base/credentials.js'
import type { Services } from '../base/services.js'
import { sessionCookieText } from '../base/session-cookie.js'

/** Browsers keep cookies of up to 4 KB, name and attributes included. */
const cookieTokenBytesMax = 3500

export function clusterSessionRoutes(app: FastifyInstance, services: Services): void {
  const { clock, config } = services

  app.post('/api/v2/signin', async (request, reply) => {
    requireSameOrigin(request)
    const token = tokenOf(request)
    await identityOf(services, { kind: 'token', token, address: request.ip }, refusal)
    if (token.length > cookieTokenBytesMax || !/^[!-~]+$/.test(token) || /[",;\\]/.test(token)) {
      throw new UserError('invalid', 'this token is too long to sign in with')
    }
    const expires = clock.now() + sessionNsMax
    reply.header('set-cookie', sessionCookieText(request, config.basePath, token, expires))
    return reply.code(204).send()
  })

  app.post('/api/v2/signout', async (request, reply) => {
    await identify(services, request)
    reply.header('set-cookie', sessionCookieText(request, config.basePath, '', 0n))
    return reply.code(204).send()
  })

  app.get('/api/v2/me', async (request) => {
    const { permissions } = await identify(services, request)
    return { name: isOperator(permissions) ? 'admin' : 'database token', permissions }
  })
}

const refusal = 'unauthorized access'

function tokenOf(request: FastifyRequest): string {
  const { authorization } = request.headers
  const credential = parseCredential({ authorization, acceptsBasic: false, address: request.ip })
  if (credential.kind !== 'token') throw new UserError('unauthorized', refusal)
  return credential.token
}
