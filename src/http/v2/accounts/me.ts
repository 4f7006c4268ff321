// `/api/v2/me`: the user behind the credential, and the change of their own password. A token that
// is bound to no user has no such user.

import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { allowedIds, type Permission } from '../../../access/permissions.js'
import { UserError } from '../../../errors.js'
import { isSession, requirePermission } from '../../../service/base/identities.js'
import { basicCredential, identify } from '../../base/credentials.js'
import type { Services } from '../../base/services.js'
import { userJson } from '../resources/resources.js'
import { PasswordReset, requireOldPassword, setPassword, wrongPassword } from './users.js'

export function meRoutes(app: FastifyInstance, services: Services): void {
  app.get('/api/v2/me', async (request) => {
    const { userId, permissions } = await identify(services, request)
    const user = await services.catalog.users.require(requireUser(userId))
    // For interfaces that show only what their user may do, and where.
    return { ...userJson(user), permissions, orgs: await organizationsOf(services, permissions) }
  })

  app.put<{ Body: Static<typeof PasswordReset> }>(
    '/api/v2/me/password',
    {
      onRequest: async (request) => {
        if (basicCredential(request) === undefined) await identify(services, request)
      },
      schema: { body: PasswordReset },
    },
    async (request, reply) => {
      const basic = basicCredential(request)
      let userId: string
      if (basic !== undefined) {
        userId = (await requireOldPassword(services, request, basic, undefined)).id
      } else {
        const identity = await identify(services, request)
        if (isSession(identity)) throw wrongPassword()
        userId = requireUser(identity.userId)
        // Else whoever finds a token that may only read could take over its user's account.
        requirePermission(identity, { action: 'write', type: 'users', id: userId })
      }
      await setPassword(services, userId, request.body.password)
      return reply.code(204).send()
    },
  )
}

/** As many as a list of organizations gives by itself at most: who runs the installation sees all there are. */
const organizationsMax = 100

async function organizationsOf(
  { catalog }: Services,
  permissions: readonly Permission[],
): Promise<object[]> {
  const ids = allowedIds(permissions, 'read', 'orgs')
  const page = { offset: 0, limit: organizationsMax, descending: false }
  const found = await catalog.organizations.list(ids === 'all' ? undefined : ids, page)
  return found.map(({ id, name }) => ({ id, name }))
}

function requireUser(userId: string | undefined): string {
  if (userId === undefined) throw new UserError('not found', 'user not found')
  return userId
}
