// Authentication: what is remembered, what is forgotten and when, the token given at start, and
// how passwords and tokens are made.

import { expect, it } from 'vitest'
import { ManualClock } from '../platform/clock.js'
import { seededRandom } from '../platform/random.js'
import { Authenticator, type Identity, type Standing } from './authenticator.js'
import { Passwords } from './passwords.js'
import { hashMovedToken, hashToken, newToken } from './tokens.js'

const identity = (tokenId: string | undefined): Identity => ({
  tokenId,
  orgId: undefined,
  userId: undefined,
  permissions: [],
})

/** Checking one costs as little as it may. */
const passwords = new Passwords(seededRandom(3), 10)

function setUp(known: Map<string, Standing>, cacheBytesMax = 10_000) {
  const asked: string[] = []
  const authenticator = new Authenticator({
    lookup: async (hash) => {
      asked.push(hash)
      return known.get(hash)
    },
    clock: new ManualClock(0n),
    admin: { token: 'admin', identity: identity(undefined) },
    passwords,
    cacheBytesMax,
    tokenBytesMax: 100,
  })
  const check = (token: string) => authenticator.authenticate({ kind: 'token', token })
  return { asked, authenticator, check }
}

it('asks once for a token and again after a change', async () => {
  const known = new Map<string, Identity | 'inactive'>([[hashToken('a'), identity('1')]])
  const { asked, authenticator, check } = setUp(known)
  expect((await check('a'))?.tokenId).toBe('1')
  expect((await check('a'))?.tokenId).toBe('1')
  expect(asked).toHaveLength(1)
  known.set(hashToken('a'), 'inactive')
  authenticator.forget()
  expect(await check('a')).toBeUndefined()
  expect(asked).toHaveLength(2)
})

it('tells at once of a token that it remembers, and of nothing else', async () => {
  const { authenticator, check } = setUp(new Map([[hashToken('a'), identity('1')]]))
  const remembered = (token: string) => authenticator.cached({ kind: 'token', token })
  expect(remembered('a')).toBeUndefined()
  await check('a')
  expect(remembered('a')?.tokenId).toBe('1')
  expect(remembered('b')).toBeUndefined()
  expect(authenticator.cached({ kind: 'none' })).toBeUndefined()
  authenticator.forget()
  expect(remembered('a')).toBeUndefined()
})

it('notes which tokens were used, remembered or not', async () => {
  const known = new Map<string, Standing>([
    [hashToken('a'), identity('1')],
    [hashToken('b'), identity('2')],
    [hashToken('c'), 'inactive'],
  ])
  const { authenticator, check } = setUp(known)
  for (const token of ['a', 'b', 'c', 'd', 'admin']) await check(token)
  expect([...authenticator.takeUsed()]).toEqual(['1', '2'])
  expect(authenticator.takeUsed().size).toBe(0)
  authenticator.cached({ kind: 'token', token: 'a' })
  expect([...authenticator.takeUsed()]).toEqual(['1'])
})

it('does not tell of a token that has ended', async () => {
  const clock = new ManualClock(10n)
  const authenticator = new Authenticator({
    lookup: async () => ({ ...identity('1'), expiresAt: 20n }),
    clock,
    passwords,
    cacheBytesMax: 10_000,
    tokenBytesMax: 100,
  })
  const credential = { kind: 'token', token: 'a' } as const
  await authenticator.authenticate(credential)
  expect(authenticator.cached(credential)?.tokenId).toBe('1')
  clock.set(20n)
  expect(authenticator.cached(credential)).toBeUndefined()
})

it('does not remember an answer that a change overtook', async () => {
  const known = new Map<string, Identity | 'inactive'>([[hashToken('a'), identity('1')]])
  const { authenticator, check } = setUp(known)
  const underWay = check('a')
  authenticator.forget()
  known.clear()
  await underWay
  expect(await check('a')).toBeUndefined()
})

it('reads tokens that the lookup does not know, and remembers them until they end', async () => {
  const clock = new ManualClock(10n)
  const read: string[] = []
  const authenticator = new Authenticator({
    lookup: async (hash) => (hash === hashToken('known') ? identity('known') : undefined),
    readToken: async (token) => {
      read.push(token)
      return token === 'signed' ? { ...identity('signed'), expiresAt: 20n } : undefined
    },
    clock,
    passwords,
    cacheBytesMax: 10_000,
    tokenBytesMax: 100,
  })
  const check = (token: string) => authenticator.authenticate({ kind: 'token', token })
  expect((await check('known'))?.tokenId).toBe('known')
  expect(await check('other')).toBeUndefined()
  expect((await check('signed'))?.tokenId).toBe('signed')
  expect((await check('signed'))?.tokenId).toBe('signed')
  expect(read).toEqual(['other', 'signed'])
  clock.set(19n)
  expect((await check('signed'))?.tokenId).toBe('signed')
  clock.set(20n)
  expect(await check('signed')).toBeUndefined()
  authenticator.forget()
  expect(await check('signed')).toBeUndefined()
})

it('knows tokens that are kept by the longer hash of where they came from', async () => {
  const { asked, check } = setUp(new Map([[hashMovedToken('old'), identity('moved')]]))
  expect((await check('old'))?.tokenId).toBe('moved')
  expect((await check('old'))?.tokenId).toBe('moved')
  expect(asked).toEqual([hashToken('old'), hashMovedToken('old')])
  expect(await check('other')).toBeUndefined()
})

it('remembers only so many', async () => {
  const tokens = ['a', 'b', 'c']
  const known = new Map(tokens.map((token) => [hashToken(token), identity(token)]))
  const { asked, check } = setUp(known, 1100)
  for (const token of tokens) await check(token)
  await check('c')
  expect(asked).toHaveLength(3)
  await check('a')
  expect(asked).toHaveLength(4)
})

it('knows the admin token, unless its record is inactive', async () => {
  expect(await setUp(new Map()).check('admin')).toEqual(identity(undefined))
  const known = new Map<string, Identity | 'inactive'>([[hashToken('admin'), 'inactive']])
  expect(await setUp(known).check('admin')).toBeUndefined()
})

it('does not look up what cannot be a token', async () => {
  const { asked, authenticator, check } = setUp(new Map())
  expect(await check('x'.repeat(101))).toBeUndefined()
  expect(await authenticator.authenticate({ kind: 'none' })).toBeUndefined()
  expect(await authenticator.authenticate({ kind: 'malformed' })).toBeUndefined()
  expect(asked).toEqual([])
})

it('hashes passwords with a salt and checks them', async () => {
  const passwords = new Passwords(seededRandom(1), 15)
  const first = await passwords.hash('password')
  const second = await passwords.hash('password')
  expect(first).not.toBe(second)
  expect(first).toMatch(/^scrypt\$15\$8\$1\$/)
  expect(await passwords.verify('password', first)).toBe(true)
  expect(await passwords.verify('passwort', first)).toBe(false)
  expect(await passwords.verify('password', 'nonsense')).toBe(false)
  await expect(passwords.hash('short')).rejects.toThrow('between 8 and 72')
  // The cost may change: what was hashed before stays good.
  expect(await new Passwords(seededRandom(1), 10).verify('password', first)).toBe(true)
})

it('makes tokens of 88 characters', () => {
  expect(newToken(seededRandom(2))).toMatch(/^[A-Za-z0-9_-]{86}==$/)
})

it('checks a name and password once, and again after a change', async () => {
  const passwordHash = await passwords.hash('password')
  const asked: string[] = []
  const authenticator = new Authenticator({
    lookup: async () => undefined,
    lookupLogin: async (username) => {
      asked.push(username)
      return username === 'ada' ? { passwordHash, standing: async () => identity('1') } : undefined
    },
    clock: new ManualClock(0n),
    passwords,
    cacheBytesMax: 10_000,
    tokenBytesMax: 100,
  })
  const check = (username: string, password: string) =>
    authenticator.authenticate({ kind: 'password', username, password })
  expect((await check('ada', 'password'))?.tokenId).toBe('1')
  expect((await check('ada', 'password'))?.tokenId).toBe('1')
  expect(asked).toEqual(['ada'])
  expect(await check('ada', 'wrong')).toBeUndefined()
  expect(await check('eve', 'password')).toBeUndefined()
  expect(await check('ada', 'x'.repeat(100))).toBeUndefined()
  authenticator.forget()
  const parts = await authenticator.authenticate({ kind: 'token', token: 'ada:password' })
  expect(parts?.tokenId).toBe('1')
  expect(asked).toEqual(['ada', 'ada', 'eve', 'ada'])
})

it('tells that a user is inactive', async () => {
  const { check } = setUp(new Map([[hashToken('a'), 'user-inactive']]))
  await expect(check('a')).rejects.toThrow('User is inactive')
})

it('hashes only so many passwords at once', async () => {
  const stored = await passwords.hash('password')
  const checks = Array.from({ length: 54 }, () => passwords.verify('password', stored))
  const results = await Promise.allSettled(checks)
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(2)
  expect(refused[0]).toMatchObject({ reason: { message: 'too many passwords are being checked' } })
  expect(await passwords.verify('password', stored)).toBe(true)
})

it('does the same work for a name that nobody bears', async () => {
  const authenticator = new Authenticator({
    lookup: async () => undefined,
    lookupLogin: async () => undefined,
    clock: new ManualClock(0n),
    passwords,
    cacheBytesMax: 10_000,
    tokenBytesMax: 100,
  })
  const guesses = Array.from({ length: 54 }, (_, i) =>
    authenticator.authenticate({ kind: 'password', username: `nobody ${i}`, password: 'p' }),
  )
  // As many as are refused of passwords that are checked: the others were checked too.
  const refused = (await Promise.allSettled(guesses)).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(2)
})
