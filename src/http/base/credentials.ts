// How requests carry credentials, and what is asked of those that come from browsers. Each function either answers with
// an identity or throws the error that the interface promises.

import type { IncomingHttpHeaders } from 'node:http'
import type { Identity } from '../../access/authenticator.js'
import { type Credential, parseCredential } from '../../access/credentials.js'
import { UserError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { identityOf, sessionIdentity } from '../../service/base/identities.js'
import { type ParameterRequest, parameter } from './parameters.js'
import type { Services } from './services.js'
import { sessionCookie } from './session-cookie.js'

/** Fastify's requests, and those of the data plane. */
export interface CredentialRequest extends ParameterRequest {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly url: string
  /** Of the other end of the connection: a proxy's, where there is one. */
  readonly ip: string | undefined
}

/** `/api/v2`: `Token` or `Bearer`, and below `/api/` the cookie of a session, which wins over any other scheme. */
export async function identify(services: Services, request: CredentialRequest): Promise<Identity> {
  const { authorization } = request.headers
  const credential = parseCredential({ authorization, acceptsBasic: false, address: request.ip })
  const key = credential.kind === 'token' ? undefined : sessionKey(request)
  if (key !== undefined) return ofSession(services, request, key)
  return identityOf(services, credential, 'unauthorized access')
}

/** `/api/v3` queries: as v1 identifies, and the cookie of a session where nothing else was sent. */
export function identifyV3(services: Services, request: CredentialRequest): MaybePromise<Identity> {
  const key = v1Credential(request).kind === 'none' ? sessionKey(request) : undefined
  if (key !== undefined) return ofSession(services, request, key)
  return identifyV1(services, request, 'unauthorized')
}

async function ofSession(
  services: Services,
  request: CredentialRequest,
  key: string,
): Promise<Identity> {
  const isCluster = services.config.variant === 'cluster'
  const identity = isCluster
    ? await identityOf(services, { kind: 'token', token: key }, 'unauthorized access')
    : await sessionIdentity(services.catalog, key)
  requireSameOrigin(request)
  return identity
}

/**
 * v1 paths: also `Basic`, and `u` and `p` in the query string. The texts are those that v1 clients
 * look for. `missing`: how a cluster answers where nothing was sent. Without a promise where the token is cached.
 */
export function identifyV1(
  services: Services,
  request: CredentialRequest,
  missing: 'forbidden' | 'unauthorized' = 'forbidden',
): MaybePromise<Identity> {
  const credential = v1Credential(request)
  if (credential.kind === 'none' || credential.kind === 'malformed') {
    const isCluster = services.config.variant === 'cluster'
    if (credential.kind === 'none' && isCluster && missing === 'forbidden') {
      throw new UserError('forbidden', 'no token was sent and a token is required')
    }
    throw new UserError('unauthorized', 'unable to parse authentication credentials')
  }
  return identityOf(services, credential, 'authorization failed')
}

function v1Credential(request: CredentialRequest): Credential {
  return parseCredential({
    authorization: request.headers.authorization,
    username: parameter(request, 'u'),
    password: parameter(request, 'p'),
    acceptsBasic: true,
    address: request.ip,
  })
}

/** The key that a request's cookie carries. Other paths never get the cookie, and take none. */
export function sessionKey(
  request: Pick<CredentialRequest, 'url' | 'headers'>,
): string | undefined {
  if (!request.url.startsWith('/api/')) return undefined
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== sessionCookie) continue
    // Some cookie jars put quotes around what holds more than letters and digits.
    const value = pair
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1')
    if (value !== '') return value
  }
  return undefined
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Browsers send cookies with requests that other pages make, so a request that changes something
 * must come from our own. Programs send neither header, and keep their cookies to themselves.
 */
export function requireSameOrigin(request: Pick<CredentialRequest, 'method' | 'headers'>): void {
  if (safeMethods.has(request.method)) return
  const { origin, host, 'sec-fetch-site': site } = request.headers
  // Pages cannot set this header, and proxies that rewrite `Host` leave it as it is.
  if (site === 'same-origin' || site === 'none') return
  if (site === undefined && (origin === undefined || hostOf(origin) === host)) return
  throw new UserError('forbidden', 'a session cannot be used from another origin')
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

/** The name and password of `Basic`, where the request carries them. */
export function basicCredential(
  request: Pick<CredentialRequest, 'headers' | 'ip'>,
): Extract<Credential, { kind: 'password' }> | undefined {
  const { authorization } = request.headers
  const credential = parseCredential({ authorization, acceptsBasic: true, address: request.ip })
  return credential.kind === 'password' ? credential : undefined
}
