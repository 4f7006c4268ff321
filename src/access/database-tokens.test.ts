// Signing and reading database tokens: what goes in comes out, and nothing that was signed otherwise,
// or says something else than it should, gets in.

import { CompactSign } from 'jose'
import { expect, it } from 'vitest'
import {
  type DatabaseTokenClaims,
  databaseTokenKeyBytes,
  readDatabaseToken,
  signDatabaseToken,
} from './database-tokens.js'

const key = new Uint8Array(databaseTokenKeyBytes).fill(7)
const otherKey = new Uint8Array(databaseTokenKeyBytes).fill(8)

const claims: DatabaseTokenClaims = {
  id: '0123456789abcdef',
  issuedAtSeconds: 1_700_000_000,
  expiresAtSeconds: 1_700_000_060,
  permissions: [
    { database: 'dätabase "d"', actions: ['read', 'write'] },
    { database: '*', actions: ['read'] },
  ],
}

it('reads what it signed', async () => {
  expect(await readDatabaseToken(key, await signDatabaseToken(key, claims))).toEqual(claims)
  const endless = { ...claims, expiresAtSeconds: undefined }
  expect(await readDatabaseToken(key, await signDatabaseToken(key, endless))).toEqual(endless)
})

it('reads nothing that another key signed', async () => {
  const token = await signDatabaseToken(key, claims)
  expect(await readDatabaseToken(otherKey, token)).toBeUndefined()
})

async function signed(payload: unknown, alg = 'HS256'): Promise<string> {
  const bytes = new TextEncoder().encode(
    typeof payload === 'string' ? payload : JSON.stringify(payload),
  )
  const long = new Uint8Array(64).fill(7)
  return new CompactSign(bytes).setProtectedHeader({ alg }).sign(alg === 'HS256' ? key : long)
}

const good = { iss: 'millrace', jti: 'a', iat: 1, permissions: [] }

it('takes its own claims in every shape that it knows', async () => {
  expect(await readDatabaseToken(key, await signed(good))).toMatchObject({ id: 'a' })
})

it.each([
  { ...good, iss: 'somebody' },
  { ...good, jti: 1 },
  { ...good, iat: '1' },
  { ...good, exp: 'never' },
  { ...good, permissions: {} },
  { ...good, permissions: [null] },
  { ...good, permissions: [{ database: 'd' }] },
  { ...good, permissions: [{ database: 'd', actions: ['admin'] }] },
  [],
  null,
  'no JSON',
])('takes no %j', async (payload) => {
  expect(await readDatabaseToken(key, await signed(payload))).toBeUndefined()
})

it('takes no other algorithm, and no text that is no token', async () => {
  const long = new Uint8Array(64).fill(7)
  expect(await readDatabaseToken(long, await signed(good, 'HS512'))).toBeUndefined()
  for (const text of ['', 'a', 'a.b', 'a.b.c', 'a.b.c.d', '..', ' . . ']) {
    expect(await readDatabaseToken(key, text)).toBeUndefined()
  }
})
