// Who sends a request, and whether they may do what it asks. Each function either answers or throws
// the error that the interface promises.

import type { FastifyRequest } from 'fastify'
import type { Identity } from '../access/authenticator.js'
import { parseCredential } from '../access/credentials.js'
import { allows, type Demand, demandText } from '../access/permissions.js'
import { UserError } from '../errors.js'
import { parameter } from './parameters.js'
import type { Services } from './services.js'

/** `/api/v2`: `Token` or `Bearer`. */
export async function identify(services: Services, request: FastifyRequest): Promise<Identity> {
  const { authorization } = request.headers
  const credential = parseCredential({ authorization, acceptsBasic: false })
  const identity = await services.authenticator.authenticate(credential)
  if (identity === undefined) throw new UserError('unauthorized', 'unauthorized access')
  return identity
}

/**
 * v1 paths: also `Basic`, and `u` and `p` in the query string. The texts are those that v1 clients
 * look for.
 */
export async function identifyV1(services: Services, request: FastifyRequest): Promise<Identity> {
  const credential = parseCredential({
    authorization: request.headers.authorization,
    username: parameter(request, 'u'),
    password: parameter(request, 'p'),
    acceptsBasic: true,
  })
  if (credential.kind === 'none' || credential.kind === 'malformed') {
    if (credential.kind === 'none' && services.config.variant === 'cluster') {
      throw new UserError('forbidden', 'no token was sent and a token is required')
    }
    throw new UserError('unauthorized', 'unable to parse authentication credentials')
  }
  const identity = await services.authenticator.authenticate(credential)
  if (identity === undefined) throw new UserError('unauthorized', 'authorization failed')
  return identity
}

export function requirePermission(identity: Identity, demand: Demand): void {
  if (allows(identity.permissions, demand)) return
  throw new UserError('unauthorized', `${demandText(demand)} is unauthorized`)
}
