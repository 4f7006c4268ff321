// `/api/v2/setup`: whether the installation waits for its first user, and making it. Needs no
// credential: it works only once, and the token that it returns is shown only here.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { hashPassword } from '../../access/passwords.js'
import { operatorPermissions } from '../../access/permissions.js'
import { hashToken, newToken } from '../../access/tokens.js'
import { isSetupAllowed, setup } from '../../catalog/setup.js'
import { limits } from '../../config.js'
import { UserError } from '../../errors.js'
import type { Services } from '../services.js'
import { authorizationJson, bucketJson, organizationJson, userJson } from './resources.js'

// What is required is checked by the catalog: all missing names belong in one message, with status
// 422.
const OnboardingRequest = Type.Object({
  username: Type.Optional(Type.String({ description: 'required' })),
  org: Type.Optional(Type.String({ description: 'required' })),
  bucket: Type.Optional(Type.String({ description: 'required' })),
  password: Type.Optional(Type.String()),
  token: Type.Optional(Type.String({ maxLength: limits.tokenBytesMax })),
  retentionPeriodSeconds: Type.Optional(Type.Integer()),
  retentionPeriodHrs: Type.Optional(Type.Integer({ deprecated: true })),
  limit: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

type OnboardingRequest = Static<typeof OnboardingRequest>

export function setupRoutes(app: FastifyInstance, services: Services): void {
  app.get('/api/v2/setup', async () => ({ allowed: await isSetupAllowed(services.catalog) }))

  const schema = { body: OnboardingRequest }
  app.post<{ Body: OnboardingRequest }>('/api/v2/setup', { schema }, async (request, reply) => {
    const { body } = request
    const token = chooseToken(services, body.token)
    // Asked before the password is hashed, so that strangers cannot make a finished installation
    // work.
    if (!(await isSetupAllowed(services.catalog))) {
      throw new UserError('conflict', 'onboarding has already been completed')
    }
    const password = body.password ?? ''
    const made = await setup(services.catalog, {
      username: body.username ?? '',
      org: body.org ?? '',
      bucket: body.bucket ?? '',
      passwordHash: password === '' ? undefined : await hashPassword(password, services.random),
      retentionSeconds: retentionSeconds(body),
      tokenHash: hashToken(token),
      permissions: operatorPermissions(),
    })
    const names = { org: made.org.name, user: made.user.name }
    return reply.code(201).send({
      user: userJson(made.user),
      bucket: bucketJson(made.bucket),
      org: organizationJson(made.org),
      auth: authorizationJson(made.token, token, names),
    })
  })
}

/** The request's own, or the one given at start, or a new one. */
function chooseToken(services: Services, requested: string | undefined): string {
  if (requested === undefined || requested === '') {
    return services.config.adminToken ?? newToken(services.random)
  }
  if (!/^[\x21-\x7e]+$/.test(requested)) {
    throw new UserError('invalid', 'a token is made of printable characters without spaces')
  }
  return requested
}

function retentionSeconds(body: OnboardingRequest): number | undefined {
  const { retentionPeriodSeconds, retentionPeriodHrs } = body
  if (retentionPeriodSeconds !== undefined) return retentionPeriodSeconds
  return retentionPeriodHrs === undefined ? undefined : retentionPeriodHrs * 3600
}
