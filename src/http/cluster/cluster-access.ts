// Who may manage the databases and tokens
// of the cluster variant.

import type { FastifyInstance } from 'fastify'
import { isOperator } from '../../access/permissions.js'
import { UserError } from '../../errors.js'
import { identify } from '../base/credentials.js'
import type { Services } from '../base/services.js'

/** Every route of the scope is for the admin token alone, asked before any body is read. */
export function requireOperator(scope: FastifyInstance, services: Services): void {
  scope.addHook('onRequest', async (request) => {
    const identity = await identify(services, request)
    if (isOperator(identity.permissions)) return
    throw new UserError('unauthorized', 'only the admin token may manage databases and tokens')
  })
}
