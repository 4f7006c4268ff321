// Whoever may come to an endpoint, besides the tokens that are cut to its needs: people with roles, who signed in; the
// operator; tokens that read or write everything, or one other bucket; a v1 user; a token for a database; and what was
// good once. What each may do is said here from the needs of a row, not asked of the code that is tested.

import { expect } from 'vitest'
import { Passwords } from '../../src/access/passwords.js'
import { operatorPermissions, type Permission } from '../../src/access/permissions.js'
import { hashToken } from '../../src/access/tokens.js'
import { sessionCookie } from '../../src/http/base/session-cookie.js'
import { type Clock, systemClock } from '../../src/platform/clock.js'
import { seededRandom } from '../../src/platform/random.js'
import { everythingIn, isV1, isV3, permissionOf } from './access-requests.js'
import type { Row } from './access-table.js'
import { type Installation, send } from './harness.js'

export interface Caller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the credential itself is taken at this endpoint. */
  isGood(row: Row): boolean
  mayDo(row: Row): boolean
  /** Where the credential is not taken. */
  readonly refusedWith: number
}

/** The machine's clock, a while ago when it is told so. */
export class ShiftedClock implements Clock {
  backNs = 0n

  now(): bigint {
    return systemClock.now() - this.backNs
  }
}

const always = () => true
const never = () => false
const dayNs = 86_400_000_000_000n

/** Cookies are not read elsewhere; programs write points, not pages. */
const takesCookies = (row: Row) =>
  row.endpoint.includes(' /api/') && row.endpoint !== 'POST /api/v3/write_lp' && !isV1(row)
/** `/api/v3/configure` is a resource like those of v2. Flight gives a v1 user what `/query` gives him. */
const takesBasic = (row: Row) => isV1(row) || isV3(row) || row.endpoint === 'DoGet'
const isAboutB = ({ query = '', body = '', isAboutB = false }: Row) =>
  isAboutB || /db=b\b|\{bucket\}|"b"|"b\\"/.test(query + JSON.stringify(body))

interface Kind {
  readonly isGood?: (row: Row) => boolean
  /** Which needs it has; a row whose needs it has all lets it in. */
  readonly has: RegExp
  /** Beyond the needs. */
  readonly only?: (row: Row) => boolean
  readonly refusedWith?: number
}

function callerOf(name: string, headers: Caller['headers'], kind: Kind): Caller {
  const { isGood = always, has, only = always, refusedWith = 401 } = kind
  return {
    name,
    headers,
    isGood,
    refusedWith,
    mayDo(row) {
      if (row.needs === 'open') return true
      if (row.needs === 'session' || !isGood(row)) return false
      if (row.needs === 'token') return true
      return row.needs.split(' ').every((need) => has.test(need)) && only(row)
    },
  }
}

/** Of the organization, and not of one user or of all organizations. */
const reads = /^read-\w+$/
const writes = /^write-\w+$/
const anything = /^(?:read|write)-\w+$/
const nothing = /^$/

export async function makeCallers(
  place: Installation,
  area: string,
  clock: ShiftedClock,
): Promise<Caller[]> {
  const people = new People(place, area)
  const member = await people.withRole('member')
  const owner = await people.withRole('owner')
  const gone = await people.withRole('owner')
  const { tokens, users } = place.server.catalog
  const everything = everythingIn(place.orgId)
  clock.backNs = dayNs
  const ended = await people.session(owner)
  clock.backNs = 0n
  const inactive = await people.token(everything, gone)
  await users.update(gone, { status: 'inactive' })
  const cookies: Kind = { isGood: takesCookies, has: anything }
  const bad: Kind = { isGood: never, has: nothing }
  const of = (action: Permission['action']) => everything.filter((one) => one.action === action)
  const elsewhere = ['read', 'write'].map((action) =>
    permissionOf(`${action}-buckets-0123456789abcdef`, place.orgId),
  )
  const revoked = await people.token(everything)
  await expectTaken(place, revoked)
  await revoke(place, await tokens.findByHash(hashToken(revoked)))
  return [
    callerOf('somebody whose session has ended', ended, bad),
    callerOf('a token that was revoked', tokenHeader(revoked), bad),
    callerOf('the token of an inactive user', tokenHeader(inactive), { ...bad, refusedWith: 403 }),
    callerOf('a member', await people.session(member), { ...cookies, has: reads }),
    callerOf('an owner', await people.session(owner), cookies),
    callerOf('the operator', tokenHeader(await people.token(operatorPermissions())), { has: /./ }),
    callerOf('a token that reads', tokenHeader(await people.token(of('read'))), { has: reads }),
    callerOf('a token that writes', tokenHeader(await people.token(of('write'))), { has: writes }),
    callerOf('a token for another bucket', tokenHeader(await people.token(elsewhere)), {
      has: nothing,
    }),
    callerOf('a v1 user', await people.login(), {
      isGood: takesBasic,
      has: /^(?:read|write)-buckets$/,
      only: isAboutB,
    }),
    callerOf('a token for one database', tokenHeader(await people.databaseToken()), {
      has: /^read-buckets$/,
      only: isAboutB,
    }),
  ]
}

const tokenHeader = (token: string) => ({ authorization: `Token ${token}` })

/** It was good before, and is remembered as such. */
async function expectTaken({ url }: Installation, token: string): Promise<void> {
  expect((await send(`${url}/api/v2/flags`, { token })).status).toBe(200)
}

async function revoke({ url, token }: Installation, found: { id: string } | undefined) {
  const target = `${url}/api/v2/authorizations/${found?.id}`
  expect((await send(target, { method: 'DELETE', token })).status).toBe(204)
}

const password = 'of a v1 user'
const passwordHash = new Passwords(seededRandom(1), 10).hash(password)

class People {
  readonly #place: Installation
  readonly #area: string
  #count = 0

  constructor(place: Installation, area: string) {
    this.#place = place
    this.#area = area
  }

  get #next(): string {
    return `${this.#area}-${this.#count++}`
  }

  async withRole(role: 'member' | 'owner'): Promise<string> {
    const { catalog } = this.#place.server
    const { id } = await catalog.users.create({ name: this.#next, passwordHash: undefined })
    const resourceId = this.#place.orgId
    await catalog.memberships.add({ userId: id, resourceType: 'orgs', resourceId, role })
    return id
  }

  async session(userId: string): Promise<Readonly<Record<string, string>>> {
    const key = `key-${this.#next}`
    await this.#place.server.catalog.sessions.create(hashToken(key), userId)
    return { cookie: `${sessionCookie}=${key}` }
  }

  async token(permissions: readonly Permission[], userId?: string): Promise<string> {
    const text = `caller-${this.#next}`
    const { orgId, server } = this.#place
    const shared = { orgId, userId, description: '', permissions }
    await server.catalog.tokens.create({ tokenHash: hashToken(text), ...shared })
    return text
  }

  /** For the bucket `b`, with a password. */
  async login(): Promise<Readonly<Record<string, string>>> {
    const { orgId, bucketId, server } = this.#place
    const username = `login-${this.#next}`
    const permissions = ['read', 'write'].map((action) =>
      permissionOf(`${action}-buckets-${bucketId}`, orgId),
    )
    const { legacyTokens } = server.catalog
    const shared = { orgId, userId: undefined, description: '', permissions }
    const { id } = await legacyTokens.create({ username, ...shared })
    await legacyTokens.setPassword(id, await passwordHash)
    const pair = Buffer.from(`${username}:${password}`).toString('base64')
    return { authorization: `Basic ${pair}` }
  }

  /** Reads the database `b`. */
  async databaseToken(): Promise<string> {
    const { url, orgId } = this.#place
    const permissions = [{ resource_type: 'db', resource_names: ['b'], actions: ['read'] }]
    const body = JSON.stringify({ token_name: this.#next, permissions })
    const target = `${url}/api/v3/configure/token?orgID=${orgId}`
    const token = await this.token(operatorPermissions())
    const answer = await send(target, { method: 'POST', token, body })
    expect(answer.status, answer.text).toBe(201)
    return answer.json.token
  }
}
