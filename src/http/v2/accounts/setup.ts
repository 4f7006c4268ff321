// `/api/v2/setup`: whether the installation waits for its first user, and making it. Needs no
// credential: it works only once, and the token that it returns is shown only here. Below it,
// operators make further users with an organization of their own.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { operatorPermissions } from '../../../access/permissions.js'
import { userPermissions } from '../../../access/roles.js'
import { hashToken, newToken } from '../../../access/tokens.js'
import { limitsFields } from '../../../catalog/accounts/limits.js'
import {
  isSetupAllowed,
  type SetupInput,
  type SetupResult,
  setup,
  setupUser,
} from '../../../catalog/setup.js'
import { limits } from '../../../config.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import type { Services } from '../../base/services.js'
import {
  authorizationJson,
  bucketJson,
  organizationJson,
  userJson,
} from '../resources/resources.js'
import { type LimitsUpdate, limitsChange } from './limits.js'

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
  limit: Type.Optional(Type.Unsafe<LimitsUpdate>(limitsFields)),
})

type OnboardingRequest = Static<typeof OnboardingRequest>

export function setupRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  app.get('/api/v2/setup', async () => ({ allowed: await isSetupAllowed(catalog) }))

  const schema = { body: OnboardingRequest }
  app.post<{ Body: OnboardingRequest }>('/api/v2/setup', { schema }, async (request, reply) => {
    const { body } = request
    const token = chooseToken(body.token) ?? services.config.adminToken ?? newToken(services.random)
    // Asked before the password is hashed, so that strangers cannot make a finished installation
    // work.
    if (!(await isSetupAllowed(catalog))) {
      throw new UserError('conflict', 'onboarding has already been completed')
    }
    const input = await setupInput(services, body, token)
    const made = await setup(catalog, { ...input, permissions: operatorPermissions() })
    return reply.code(201).send(setupJson(made, token))
  })

  // Further users are made by an operator; they own their organization and run nothing else.
  app.post<{ Body: OnboardingRequest }>(
    '/api/v2/setup/user',
    {
      onRequest: async (request) => {
        const identity = await identify(services, request)
        requirePermission(identity, { action: 'write', type: 'users' })
        requirePermission(identity, { action: 'write', type: 'orgs' })
      },
      schema,
    },
    async (request, reply) => {
      const { userId } = await identify(services, request)
      const token = chooseToken(request.body.token) ?? newToken(services.random)
      const input = await setupInput(services, request.body, token)
      const made = await setupUser(catalog, input, userId, (user, org) =>
        userPermissions(user, [{ resourceType: 'orgs', resourceId: org, role: 'owner' }], []),
      )
      return reply.code(201).send(setupJson(made, token))
    },
  )
}

async function setupInput(
  services: Services,
  body: OnboardingRequest,
  token: string,
): Promise<Omit<SetupInput, 'permissions'>> {
  const password = body.password ?? ''
  return {
    username: body.username ?? '',
    org: body.org ?? '',
    bucket: body.bucket ?? '',
    passwordHash: password === '' ? undefined : await services.passwords.hash(password),
    retentionSeconds: retentionSeconds(body),
    tokenHash: hashToken(token),
    limits: body.limit === undefined ? undefined : limitsChange(body.limit),
  }
}

function setupJson(made: SetupResult, token: string): object {
  const names = { org: made.org.name, user: made.user.name }
  return {
    user: userJson(made.user),
    bucket: bucketJson(made.bucket),
    org: organizationJson(made.org),
    auth: authorizationJson(made.token, token, names),
  }
}

/** The request's own; undefined where it has none. */
function chooseToken(requested: string | undefined): string | undefined {
  if (requested === undefined || requested === '') return undefined
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
