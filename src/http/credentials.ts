// Who sends a request, and whether they may do what it asks. Tokens, v1 logins and sessions become
// identities here, where the catalog and the rules of access meet. Each function either answers or
// throws the error that the interface promises.

import type { FastifyRequest } from 'fastify'
import type { Identity, Standing } from '../access/authenticator.js'
import { type Credential, parseCredential } from '../access/credentials.js'
import { verifyNothing, verifyPassword } from '../access/passwords.js'
import {
  allows,
  type Demand,
  demandText,
  isOperator,
  type Permission,
  permissionsWithin,
} from '../access/permissions.js'
import { userPermissions } from '../access/roles.js'
import { hashToken } from '../access/tokens.js'
import type { Token } from '../catalog/accounts/tokens.js'
import type { User } from '../catalog/accounts/users.js'
import type { Catalog } from '../catalog/catalog.js'
import { UserError } from '../errors.js'
import { parameter } from './parameters.js'
import type { Services } from './services.js'

/** `/api/v2`: `Token` or `Bearer`, and below `/api/` the cookie of a session. */
export async function identify(services: Services, request: FastifyRequest): Promise<Identity> {
  const { authorization } = request.headers
  const key = authorization === undefined ? sessionKey(request) : undefined
  if (key !== undefined) return identifySession(services, request, key)
  const credential = parseCredential({ authorization, acceptsBasic: false })
  const { authenticator } = services
  const identity =
    authenticator.remembered(credential) ?? (await authenticator.authenticate(credential))
  if (identity === undefined) throw new UserError('unauthorized', 'unauthorized access')
  return identity
}

/**
 * v1 paths: also `Basic`, and `u` and `p` in the query string. The texts are those that v1 clients
 * look for. `missing`: how a cluster answers where nothing was sent. A remembered token is answered at once.
 */
export function identifyV1(
  services: Services,
  request: FastifyRequest,
  missing: 'forbidden' | 'unauthorized' = 'forbidden',
): Identity | Promise<Identity> {
  const credential = v1Credential(request)
  if (credential.kind === 'none' || credential.kind === 'malformed') {
    const isCluster = services.config.variant === 'cluster'
    if (credential.kind === 'none' && isCluster && missing === 'forbidden') {
      throw new UserError('forbidden', 'no token was sent and a token is required')
    }
    throw new UserError('unauthorized', 'unable to parse authentication credentials')
  }
  return services.authenticator.remembered(credential) ?? authenticateV1(services, credential)
}

async function authenticateV1(services: Services, credential: Credential): Promise<Identity> {
  const identity = await services.authenticator.authenticate(credential)
  if (identity === undefined) throw new UserError('unauthorized', 'authorization failed')
  return identity
}

export function v1Credential(request: Pick<FastifyRequest, 'headers' | 'query'>): Credential {
  return parseCredential({
    authorization: request.headers.authorization,
    username: parameter(request, 'u'),
    password: parameter(request, 'p'),
    acceptsBasic: true,
  })
}

export function requirePermission(identity: Identity, demand: Demand): void {
  if (allows(identity.permissions, demand)) return
  throw new UserError('unauthorized', `${demandText(demand)} is unauthorized`)
}

/** Whom a token stands for, if it and its users are in good standing. */
export async function standingOf(catalog: Catalog, token: Token): Promise<Standing> {
  const standing = await catalog.users.standingOf(token)
  if (standing !== 'active') return standing
  const { id, orgId, userId } = token
  return { tokenId: id, orgId, userId, permissions: tokenPermissions(token) }
}

function tokenPermissions(token: Token): readonly Permission[] {
  return permissionsWithin(token.permissions as readonly Permission[], token.orgId)
}

export const sessionCookie = 'influxdb-oss-session'

/** The key that a request's cookie carries. Other paths never get the cookie, and take none. */
export function sessionKey(request: FastifyRequest): string | undefined {
  if (!request.url.startsWith('/api/')) return undefined
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== sessionCookie) continue
    const value = pair.slice(equals + 1).trim()
    if (value !== '') return value
  }
  return undefined
}

export function isSession(identity: Identity): boolean {
  return identity.tokenId === undefined && identity.userId !== undefined
}

async function identifySession(
  services: Services,
  request: FastifyRequest,
  key: string,
): Promise<Identity> {
  const { catalog } = services
  const userId = await catalog.sessions.use(hashToken(key))
  const user = userId === undefined ? undefined : await catalog.users.findById(userId)
  if (user === undefined) throw new UserError('unauthorized', 'unauthorized access')
  requireActive(user)
  requireSameOrigin(request)
  const roles = await catalog.memberships.ofUser(user.id)
  const tokens = await catalog.tokens.list({ userId: user.id })
  const active = []
  for (const token of tokens) {
    if ((await catalog.users.standingOf(token)) === 'active') active.push(tokenPermissions(token))
  }
  const permissions = userPermissions(user.id, roles, active)
  // Who has only one organization works there without naming it.
  const orgIds = new Set([
    ...roles.map((role) => (role.resourceType === 'orgs' ? role.resourceId : undefined)),
    ...tokens.map((token) => token.orgId),
  ])
  const [first] = orgIds
  const orgId = orgIds.size === 1 && !isOperator(permissions) ? first : undefined
  return { tokenId: undefined, orgId, userId: user.id, permissions }
}

export function requireActive(user: User): void {
  if (user.status === 'inactive') throw new UserError('forbidden', 'User is inactive')
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Browsers send cookies with requests that other pages make, so a request that changes something
 * must come from our own. Programs send neither header, and keep their cookies to themselves.
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (safeMethods.has(request.method)) return
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isSameSite = site === undefined || site === 'same-origin' || site === 'none'
  const isSameOrigin = origin === undefined || hostOf(origin) === host
  if (isSameSite && isSameOrigin) return
  throw new UserError('forbidden', 'a session cannot be used from another origin')
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

/** The name and password of `Basic`, where the request carries them. */
export function basicCredential(
  request: FastifyRequest,
): Extract<Credential, { kind: 'password' }> | undefined {
  const { authorization } = request.headers
  const credential = parseCredential({ authorization, acceptsBasic: true })
  return credential.kind === 'password' ? credential : undefined
}

/** The user with this name and password; undefined where either is wrong. */
export async function findByPassword(
  catalog: Catalog,
  credential: { readonly username: string; readonly password: string },
): Promise<User | undefined> {
  const { username, password } = credential
  const login = await catalog.users.findLogin(username)
  const isRight =
    login?.passwordHash === undefined
      ? await verifyNothing(password)
      : await verifyPassword(password, login.passwordHash)
  return isRight ? login?.user : undefined
}
