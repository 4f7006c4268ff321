// Every endpoint with every kind of credential: none, malformed, inactive, revoked, ended, of another organization,
// without the permission, for another bucket, of members, owners and operators, of v1 users and for one database, and
// the right one. The endpoints come from the API document, so that a route nobody said a word about fails here. One
// server for all; each area has an organization of its own, so that what it removes nobody else misses.

import { type ServiceError, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { hashToken } from '../../src/access/tokens.js'
import { sessionCookie } from '../../src/http/base/session-cookie.js'
import { FlightClient, jsonTicket } from '../flight/flight-client.js'
import { type Caller, makeCallers, ShiftedClock } from './access-callers.js'
import {
  everythingIn,
  type Ids,
  isV1,
  isV3,
  permissionOf,
  requestOf,
  withIds,
} from './access-requests.js'
import { areas, type Row } from './access-table.js'
import { makeEverything } from './everything.js'
import {
  type Answer,
  adminToken,
  type Installation,
  installation,
  installOn,
  launch,
  type SendOptions,
  send,
} from './harness.js'

const timeout = 300_000

interface Place extends Installation {
  readonly ids: Ids
  readonly otherOrgId: string
}

const clock = new ShiftedClock()
let first: Installation
let otherOrgId: string

beforeAll(async () => {
  // A run that is asked for stays as it is, to be called off.
  first = await installOn(await launch({ adminToken, noTasks: true, clock }))
  otherOrgId = (await first.server.catalog.organizations.create({ name: 'other' })).id
  // Loading the whole service takes its time where others run beside.
}, 60_000)

afterAll(() => first.server.close())

async function makePlace(area: string): Promise<Place> {
  const { server, token } = first
  const { id: orgId } = await server.catalog.organizations.create({ name: `of ${area}` })
  const body = JSON.stringify({ orgID: orgId, name: 'b', retentionRules: [] })
  const bucket = await send(`${server.url}/api/v2/buckets`, { method: 'POST', token, body })
  const place = installation(server, token, orgId, bucket.json.id)
  const made = await makeEverything(place, area)
  const me = (await server.catalog.users.findByName('u'))?.id ?? ''
  const role = { resourceType: 'orgs', resourceId: orgId, role: 'owner' } as const
  await server.catalog.memberships.add({ userId: me, ...role })
  const own = { org: orgId, orgs: orgId, bucket: place.bucketId, me }
  return { ...place, ids: { ...made, ...own }, otherOrgId }
}

type Call = (headers?: Readonly<Record<string, string>>, change?: SendOptions) => Promise<Answer>

function callerOf(place: Place, area: string, row: Row): Call {
  const { method, target, body } = requestOf(area, row, { path: place.ids })
  return (headers = {}, change = {}) =>
    send(`${place.url}${target}`, { method, headers, ...body, ...change })
}

const tokenOf = (token: string) => ({ authorization: `Token ${token}` })

async function addToken(
  { server, ids, orgId }: Place,
  permissions: readonly Permission[],
  options: { readonly orgId?: string; readonly status?: 'inactive' } = {},
): Promise<string> {
  const text = `token-${tokenNumber++}`
  await server.catalog.tokens.create({
    tokenHash: hashToken(text),
    userId: ids.me,
    description: '',
    permissions,
    orgId,
    ...options,
  })
  return text
}

let tokenNumber = 0

const malformed = ['', 'Token', 'Token ', 'token x', 'Digest x', 'Token wrong', 'Bearer wrong']

async function expectOpen(place: Place, row: Row, call: Call): Promise<void> {
  const inactive = await addToken(place, everythingIn(place.orgId), { status: 'inactive' })
  for (const authorization of [undefined, ...malformed, `Token ${inactive}`]) {
    const answer = await call(authorization === undefined ? {} : { authorization })
    expect(answer.status, `${row.endpoint} with ${authorization}`).toBe(row.status)
  }
}

/** Nothing, nonsense and what was switched off get in nowhere, and learn nothing. */
async function expectCredentialAsked(place: Place, row: Row, call: Call): Promise<void> {
  const good = await goodPermissions(place, row)
  const inactive = await addToken(place, good, { status: 'inactive' })
  const attempts = [undefined, ...malformed, `Token ${inactive}`]
  for (const authorization of attempts) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const answer = await call(headers)
    const what = `${row.endpoint} with ${authorization}`
    expect(answer.status, what).toBe(401)
    if (isV1(row)) {
      expect(Object.keys(answer.json), what).toEqual(['error', 'code', 'message'])
      expect(answer.json.message, what).toBe(answer.json.error)
      expect(answer.headers['www-authenticate'], what).toBe('Basic realm="InfluxDB"')
      continue
    }
    const said = { code: 'unauthorized', message: 'unauthorized access' }
    expect(answer.json, what).toEqual(isV3(row) ? v3Refusal(authorization) : said)
    expect(answer.headers['www-authenticate'], what).toBe('Token')
  }
  // Strangers do not learn what a good body looks like.
  if (row.body !== undefined) {
    expect((await call({}, { body: 'nonsense' })).status, `${row.endpoint} blindly`).toBe(401)
  }
  if (!row.endpoint.startsWith('GET ')) return
  expect((await call({}, { method: 'HEAD' })).status, `HEAD of ${row.endpoint}`).toBe(401)
}

/** v3 endpoints take credentials in all the forms that v1 paths do, and say which part is wrong. */
function v3Refusal(authorization: string | undefined): object {
  const isReadable = authorization !== undefined && /^(Token|Bearer) \S/.test(authorization)
  const text = isReadable ? 'authorization failed' : 'unable to parse authentication credentials'
  return { error: text, data: null }
}

function goodPermissions(place: Place, row: Row): Permission[] {
  const names = row.needs === 'token' || row.needs === 'session' ? ['read-scrapers'] : needsOf(row)
  return names.map((name) => permissionOf(withIds(name, place.ids), place.orgId))
}

function needsOf(row: Row): string[] {
  return row.needs.split(' ')
}

async function expectStrangerKeptOut(place: Place, row: Row, call: Call): Promise<void> {
  const { otherOrgId: orgId, ids } = place
  // Permissions that name no organization are good for the token's own only.
  const unbound = everythingIn(orgId)
    .map(({ action, resource: { type } }): Permission => ({ action, resource: { type } }))
    .filter(({ resource: { type } }) => type !== 'orgs' && type !== 'users')
  const permissions = [...everythingIn(orgId), ...unbound]
  const answer = await call(tokenOf(await addToken(place, permissions, { orgId })))
  // An organization that is named must own the token; without, a refusal is like any other.
  const namesOrganization = JSON.stringify([row.query, row.body]).includes('{org}')
  const usual = namesOrganization ? 400 : 401
  const expected = row.stranger ?? usual
  const what = `${row.endpoint} from elsewhere: ${answer.text}`
  if (expected === 'sees nothing') return expectNothing(answer, ids, what)
  expect(answer.status, what).toBe(expected)
  if (isV3(row)) expect(answer.json, what).toEqual({ error: expect.any(String), data: null })
}

/** None of the things that were made, by their ids. */
function expectNothing(answer: Answer, ids: Ids, what: string) {
  expect(answer.status, what).toBe(200)
  for (const id of Object.values(ids)) expect(answer.text, what).not.toContain(id)
}

/** All of the organization's permissions do not make up for the one that is needed. */
async function expectEachNeeded(place: Place, row: Row, call: Call): Promise<void> {
  // Permissions of tokens that nobody owns name the bucket.
  const { org: _org, orgs: _orgs, me: _me, bucket: _bucket, ...things } = place.ids
  const good = goodPermissions(place, row)
  for (const missing of good) {
    const { action, resource } = missing
    const rest = [...everythingIn(place.orgId), ...good].filter(
      (other) => other.action !== action || other.resource.type !== resource.type,
    )
    const answer = await call(tokenOf(await addToken(place, rest)))
    const what = `${row.endpoint} without ${action}-${resource.type}: ${answer.text}`
    if (row.lacking === 'sees nothing') expectNothing(answer, things, what)
    else expectRefusal(answer, row, missing, what)

    const elsewhere = { action, resource: { type: resource.type, id: '0123456789abcdef' } }
    const other = await call(tokenOf(await addToken(place, [...rest, elsewhere])))
    const isList = row.endpoint.startsWith('GET ') && !row.endpoint.includes('{id}')
    // Who may see one of a kind gets a list with that one, if it is there.
    if (isList && other.status === 200) expectNothing(other, things, what)
    else expectRefusal(other, row, missing, what)
  }
}

function expectRefusal(answer: Answer, row: Row, missing: Permission, what: string): void {
  expect(answer.status, what).toBe(401)
  const { code, message } = answer.json
  if (row.refusal !== undefined) {
    const { refusal: text } = row
    if (isV3(row)) expect(answer.json, what).toEqual({ error: text, data: null })
    else {
      const error = isV1(row) ? { error: text } : {}
      expect(answer.json, what).toEqual({ ...error, code: 'unauthorized', message: text })
    }
    return
  }
  const { action, resource } = missing
  const permission = `${action}:(orgs/[0-9a-f]{16}/)?${resource.type}(/[0-9a-f]{16})?`
  const pattern = `^${row.refusedWhile ?? ''}${permission} is unauthorized$`
  expect(code, what).toBe('unauthorized')
  expect(message, what).toMatch(new RegExp(pattern))
}

/** Played after the refusals: had one of them taken effect, this would find nothing to do. */
async function expectLetIn(place: Place, row: Row, call: Call): Promise<void> {
  const before = await stateOf(place, row, call)
  expect(before, `${row.endpoint} finds it in place`).not.toBe(404)
  const answer = await call(tokenOf(await addToken(place, goodPermissions(place, row))))
  expect(answer.status, `${row.endpoint} with what it needs: ${answer.text}`).toBe(row.status)
  const after = await stateOf(place, row, call)
  if (after !== undefined) expect(after, `${row.endpoint} took it away`).toBe(404)
}

/** Of what a DELETE is about, where it can be read; undefined for other methods. */
async function stateOf({ token }: Place, row: Row, call: Call): Promise<number | undefined> {
  if (!/^DELETE \S+\/\{id\}$/.test(row.endpoint)) return undefined
  return (await call(tokenOf(token), { method: 'GET' })).status
}

async function expectSession(place: Place, row: Row, call: Call): Promise<void> {
  const token = await addToken(place, everythingIn(place.orgId))
  expect((await call(tokenOf(token))).status, `${row.endpoint} with a token`).toBe(401)
  await place.server.catalog.sessions.create(hashToken('key'), place.ids.me)
  const withKey = (key: string) => call({ cookie: `${sessionCookie}=${key}` })
  expect((await withKey('wrong')).status, row.endpoint).toBe(401)
  expect((await withKey('key')).status, row.endpoint).toBe(row.status)
}

/** Whoever may not, before anybody who may: had one of them had an effect, the next would notice. */
async function expectCallersRefused(
  { ids }: Place,
  row: Row,
  call: Call,
  callers: readonly Caller[],
): Promise<void> {
  const { org: _org, orgs: _orgs, me: _me, bucket: _bucket, ...things } = ids
  for (const caller of callers) {
    if (caller.mayDo(row)) continue
    const answer = await call(caller.headers)
    const what = `${row.endpoint} by ${caller.name}: ${answer.text}`
    if (caller.isGood(row) && answer.status === 200) {
      // What lists nothing to them may still answer.
      expect(row.lacking ?? row.stranger ?? 'refused', what).toBe('sees nothing')
      expectNothing(answer, things, what)
    } else expect(refusalsOf(row, caller), what).toContain(answer.status)
  }
}

/** Routes for passwords ask for the old one, of a user: who sends another, or is no user, is told so. */
function refusalsOf(row: Row, caller: Caller): number[] {
  const usual = caller.isGood(row) ? 401 : caller.refusedWith
  return row.endpoint.endsWith('/password') ? [usual, 403, 404] : [usual]
}

/** After the one whose answer is compared: the second to delete something finds nothing, but is not refused. */
async function expectCallersLetIn(row: Row, call: Call, callers: readonly Caller[]): Promise<void> {
  // Their own organization: nobody is left.
  if (row.endpoint === 'DELETE /api/v2/orgs/{id}') return
  for (const caller of callers) {
    if (!caller.mayDo(row)) continue
    const answer = await call(caller.headers)
    const what = `${row.endpoint} by ${caller.name}: ${answer.text}`
    if (row.needs === 'open') expect(answer.status, what).toBe(row.status)
    else expect([401, 403, 500], what).not.toContain(answer.status)
  }
}

it.each(Object.keys(areas))('lets in whom it should: %s', { timeout }, async (area) => {
  const place = await makePlace(area)
  const callers = await makeCallers(place, area, clock)
  for (const row of areas[area]) {
    const call = callerOf(place, area, row)
    if (row.needs === 'open') {
      await expectOpen(place, row, call)
      await expectCallersLetIn(row, call, callers)
      continue
    }
    await expectCredentialAsked(place, row, call)
    if (row.needs === 'session') {
      await expectSession(place, row, call)
      continue
    }
    await expectCallersRefused(place, row, call, callers)
    if (row.needs !== 'token') {
      await expectStrangerKeptOut(place, row, call)
      await expectEachNeeded(place, row, call)
    }
    await expectLetIn(place, row, call)
    await expectCallersLetIn(row, call, callers)
  }
})

const overFlight: Row = { endpoint: 'DoGet', needs: 'read-buckets', status: 200, isAboutB: true }

/** The rows that came, or the name of the status. */
async function flightAnswer(url: string, headers: Readonly<Record<string, string>>) {
  const ticket = { database: 'b', sql_query: 'SELECT f FROM m', query_type: 'influxql' }
  try {
    return (await new FlightClient(url, headers).doGet(jsonTicket(ticket))).numRows
  } catch (error) {
    return status[(error as ServiceError).code]
  }
}

it('lets the same in over Flight', { timeout }, async () => {
  const place = await makePlace('flight')
  const { url } = place
  const token = await addToken(place, everythingIn(place.orgId))
  const target = `${url}/api/v2/write?orgID=${place.orgId}&bucketID=${place.bucketId}`
  expect((await send(target, { method: 'POST', token, body: 'm f=1 1' })).status).toBe(204)
  const callers = await makeCallers(place, 'flight', clock)
  expect(callers.length).toBeGreaterThan(10)
  for (const caller of callers) {
    const refused = caller.isGood(overFlight) || caller.refusedWith === 403
    const otherwise = refused ? 'PERMISSION_DENIED' : 'UNAUTHENTICATED'
    const expected = caller.mayDo(overFlight) ? 1 : otherwise
    expect(await flightAnswer(url, caller.headers), caller.name).toBe(expected)
  }
  expect(await flightAnswer(url, {})).toBe('UNAUTHENTICATED')
  for (const authorization of malformed) {
    expect(await flightAnswer(url, { authorization }), authorization).toBe('UNAUTHENTICATED')
  }
  // The database is looked for where the token belongs.
  const stranger = await addToken(place, everythingIn(otherOrgId), { orgId: otherOrgId })
  expect(await flightAnswer(url, tokenOf(stranger))).toBe('NOT_FOUND')
})

it('has a row for every endpoint, and none for what is not there', async () => {
  const { json } = await send(`${first.url}/api/v2/swagger.json`)
  const served = Object.entries<Record<string, unknown>>(json.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const listed = Object.values(areas).flatMap((rows) => rows.map(({ endpoint }) => endpoint))
  expect(listed.sort()).toEqual(served.sort())
})
