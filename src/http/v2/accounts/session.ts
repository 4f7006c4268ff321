// `/api/v2/signin` and `/api/v2/signout`: sessions of users, carried by a cookie that scripts cannot
// read and that other sites' pages cannot send. The key is shown to the browser once; only its hash
// is kept.

import type { FastifyInstance } from 'fastify'
import { hashToken, newToken } from '../../../access/tokens.js'
import { sessionNsMax } from '../../../catalog/accounts/sessions.js'
import { UserError } from '../../../errors.js'
import { findByPassword, requireActive } from '../../../service/base/identities.js'
import { basicCredential, requireSameOrigin, sessionKey } from '../../base/credentials.js'
import type { Services } from '../../base/services.js'
import { sessionCookieText } from '../../base/session-cookie.js'

export function sessionRoutes(app: FastifyInstance, services: Services): void {
  const { catalog, clock, random, config } = services

  app.post('/api/v2/signin', async (request, reply) => {
    requireSameOrigin(request)
    const basic = basicCredential(request)
    const user = basic === undefined ? undefined : await findByPassword(services, basic)
    if (user === undefined) throw new UserError('unauthorized', 'unauthorized access')
    requireActive(user)
    const key = newToken(random)
    await catalog.sessions.create(hashToken(key), user.id)
    // The browser forgets it with the longest a session can last; the catalog ends it earlier.
    const expires = clock.now() + sessionNsMax
    reply.header('set-cookie', sessionCookieText(request, config.basePath, key, expires))
    return reply.code(204).send()
  })

  app.post('/api/v2/signout', async (request, reply) => {
    requireSameOrigin(request)
    const key = sessionKey(request)
    const userId = key === undefined ? undefined : await catalog.sessions.use(hashToken(key))
    if (key === undefined || userId === undefined) {
      throw new UserError('unauthorized', 'unauthorized access')
    }
    await catalog.sessions.end(hashToken(key))
    reply.header('set-cookie', sessionCookieText(request, config.basePath, '', 0n))
    return reply.code(204).send()
  })
}
