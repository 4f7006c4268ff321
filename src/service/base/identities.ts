// Who asks, and whether they may: tokens, v1 logins, passwords and sessions become identities here, where the catalog
// and the rules of access meet. How a credential is carried (headers, cookies, parameters) is the transport's business.

import type { Identity, Standing } from '../../access/authenticator.js'
import type { Credential } from '../../access/credentials.js'
import type { Guess } from '../../access/guess-throttle.js'
import {
  allows,
  type Demand,
  demandText,
  isOperator,
  type Permission,
  permissionsWithin,
} from '../../access/permissions.js'
import { userPermissions } from '../../access/roles.js'
import { hashToken } from '../../access/tokens.js'
import type { Token } from '../../catalog/accounts/tokens.js'
import type { User } from '../../catalog/accounts/users.js'
import type { Catalog } from '../../catalog/catalog.js'
import { UserError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import type { ServiceParts } from './parts.js'

/** Of a credential. Without a promise where it is cached, as it is for nearly every request. */
export function identityOf(
  { authenticator }: Pick<ServiceParts, 'authenticator'>,
  credential: Credential,
  refusal: string,
): MaybePromise<Identity> {
  return (
    authenticator.cached(credential) ??
    authenticator.authenticate(credential).then((identity) => {
      if (identity === undefined) throw new UserError('unauthorized', refusal)
      return identity
    })
  )
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

export function isSession(identity: Identity): boolean {
  return identity.tokenId === undefined && identity.userId !== undefined
}

/** Whose session has this key. Throws where it has ended, or its user may not sign in. */
export async function sessionIdentity(catalog: Catalog, key: string): Promise<Identity> {
  const userId = await catalog.sessions.use(hashToken(key))
  const user = userId === undefined ? undefined : await catalog.users.findById(userId)
  if (user === undefined) throw new UserError('unauthorized', 'unauthorized access')
  requireActive(user)
  const { roles, tokens, permissions } = await grantsOf(catalog, user.id)
  // Who has only one organization works there without naming it.
  const orgIds = new Set([
    ...roles.map((role) => (role.resourceType === 'orgs' ? role.resourceId : undefined)),
    ...tokens.map((token) => token.orgId),
  ])
  const [first] = orgIds
  const orgId = orgIds.size === 1 && !isOperator(permissions) ? first : undefined
  return { tokenId: undefined, orgId, userId: user.id, permissions }
}

/** All that memberships and tokens give a user. */
export async function permissionsOfUser(
  catalog: Catalog,
  userId: string,
): Promise<readonly Permission[]> {
  return (await grantsOf(catalog, userId)).permissions
}

async function grantsOf(catalog: Catalog, userId: string) {
  const roles = await catalog.memberships.ofUser(userId)
  const tokens = await catalog.tokens.list({ userId })
  const active = []
  for (const token of tokens) {
    if ((await catalog.users.standingOf(token)) === 'active') active.push(tokenPermissions(token))
  }
  return { roles, tokens, permissions: userPermissions(userId, roles, active) }
}

export function requireActive(user: User): void {
  if (user.status === 'inactive') throw new UserError('forbidden', 'User is inactive')
}

/** The user with this name and password; undefined where either is wrong. Throws BusyError after too many guesses. */
export function findByPassword(
  {
    catalog,
    authenticator,
    passwords,
  }: Pick<ServiceParts, 'catalog' | 'authenticator' | 'passwords'>,
  guess: Guess,
): Promise<User | undefined> {
  return authenticator.signIns.check(guess, async () => {
    const login = await catalog.users.findLogin(guess.username)
    return (await passwords.verifyLogin(guess.password, login?.passwordHash))
      ? login?.user
      : undefined
  })
}
