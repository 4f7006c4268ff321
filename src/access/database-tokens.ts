// Database tokens of the cluster variant: JSON web tokens, signed with HS256 by a key that only the
// service has. A token says itself which databases it is for, what it may do there and when it ends;
// whether it was revoked is known by its id, and judged elsewhere.
//
//   { "iss": "millrace", "jti": id, "iat": seconds, "exp": seconds or absent,
//     "permissions": [ { "database": name or "*", "actions": ["read", "write"] }, ... ] }

import { CompactSign, compactVerify } from 'jose'
import type { Action } from './permissions.js'

export interface DatabasePermission {
  /** A name; `*` stands for every database, also those that are not made yet. */
  readonly database: string
  readonly actions: readonly Action[]
}

export interface DatabaseTokenClaims {
  readonly id: string
  readonly issuedAtSeconds: number
  /** undefined: does not end. */
  readonly expiresAtSeconds: number | undefined
  readonly permissions: readonly DatabasePermission[]
}

export const everyDatabase = '*'

/** Bytes of a new key: as many as the hash gives. */
export const databaseTokenKeyBytes = 32

const issuer = 'millrace'
const algorithm = 'HS256'

export async function signDatabaseToken(
  key: Uint8Array,
  claims: DatabaseTokenClaims,
): Promise<string> {
  const { id, issuedAtSeconds, expiresAtSeconds, permissions } = claims
  const payload = {
    iss: issuer,
    jti: id,
    iat: issuedAtSeconds,
    ...(expiresAtSeconds === undefined ? {} : { exp: expiresAtSeconds }),
    permissions,
  }
  const bytes = new TextEncoder().encode(JSON.stringify(payload))
  return new CompactSign(bytes).setProtectedHeader({ alg: algorithm, typ: 'JWT' }).sign(key)
}

/** What a token says that was signed here; undefined for every other text. Does not look at the time. */
export async function readDatabaseToken(
  key: Uint8Array,
  token: string,
): Promise<DatabaseTokenClaims | undefined> {
  if (!isWebToken(token)) return undefined
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] })
    return claimsOf(JSON.parse(new TextDecoder().decode(payload)))
  } catch {
    // A wrong signature, another algorithm, no JSON: nothing of ours.
    return undefined
  }
}

function isWebToken(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}

/** Signed here, but perhaps by another version of this program. */
function claimsOf(payload: unknown): DatabaseTokenClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined
  const { iss, jti, iat, exp, permissions } = payload as Record<string, unknown>
  if (iss !== issuer || typeof jti !== 'string' || typeof iat !== 'number') return undefined
  if (exp !== undefined && typeof exp !== 'number') return undefined
  if (!Array.isArray(permissions) || !permissions.every(isPermission)) return undefined
  return { id: jti, issuedAtSeconds: iat, expiresAtSeconds: exp, permissions }
}

function isPermission(value: unknown): value is DatabasePermission {
  if (typeof value !== 'object' || value === null) return false
  const { database, actions } = value as Record<string, unknown>
  const isAction = (action: unknown) => action === 'read' || action === 'write'
  return typeof database === 'string' && Array.isArray(actions) && actions.every(isAction)
}
