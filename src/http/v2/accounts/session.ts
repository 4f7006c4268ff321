// `/api/v2/signin` and `/api/v2/signout`: sessions of users, carried by a cookie that scripts cannot
// read and that other sites' pages cannot send. The key is shown to the browser once; only its hash
// is kept.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashToken, newToken } from '../../../access/tokens.js'
import { sessionNsMax } from '../../../catalog/accounts/sessions.js'
import { UserError } from '../../../errors.js'
import { findByPassword, requireActive } from '../../../service/base/identities.js'
import {
  basicCredential,
  requireSameOrigin,
  sessionCookie,
  sessionKey,
} from '../../base/credentials.js'
import type { Services } from '../../base/services.js'

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
    const { basePath } = config
    reply.header('set-cookie', cookie(request, basePath, key, clock.now() + sessionNsMax))
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
    reply.header('set-cookie', cookie(request, config.basePath, '', 0n))
    return reply.code(204).send()
  })
}

/** The browser forgets it with the longest a session can last; the catalog ends it earlier. */
function cookie(request: FastifyRequest, basePath: string, key: string, expiresNs: bigint): string {
  const expires = new Date(Number(expiresNs / 1_000_000n)).toUTCString()
  const attributes = [`Path=${basePath}/api/`, `Expires=${expires}`, 'HttpOnly', 'SameSite=Strict']
  if (isEncrypted(request)) attributes.push('Secure')
  return `${sessionCookie}=${key}; ${attributes.join('; ')}`
}

/** Also where a proxy decrypts. Who makes that header up only loses their own cookie. */
function isEncrypted({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || headers['x-forwarded-proto'] === 'https'
}
