// What a token may do where: every grant, on each of two databases, at every endpoint that reads or writes,
// over HTTP and over Flight, by every scheme; and what a token that is no good may do anywhere.

import { status } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import {
  command,
  descriptor,
  FlightClient,
  field,
  jsonTicket,
  message,
} from '../flight/flight-client.js'
import { adminToken, send } from './client.js'
import {
  type Cluster,
  cluster,
  type Scheme,
  schemes,
  sendWith,
  type Verb,
  withCredential,
} from './cluster-client.js'

/** Sends one request; undefined: without a credential. Answers a status, or the code of gRPC by its name. */
type Ask = (
  here: Cluster,
  db: string,
  credential?: { readonly scheme: Scheme; readonly token: string },
) => Promise<number | string>

interface Endpoint {
  readonly name: string
  readonly verb: Verb
  readonly takes: readonly Scheme[]
  readonly success: number | string
  /** To a credential that is good, and not for this; to one that is not, and to none. */
  readonly refusals: {
    readonly denied: number | string
    readonly bad: number | string
    readonly none: number | string
  }
  readonly ask: Ask
}

const query = encodeURIComponent('select f from m')

function overHttp(
  name: string,
  verb: Verb,
  success: number,
  request: (db: string) => { target: string; method?: string; body?: string },
  { takes = schemes, none = 401 } = {},
): Endpoint {
  return {
    name,
    verb,
    takes,
    success,
    refusals: { denied: 401, bad: 401, none },
    ask: async (here, db, credential) => {
      const { target, ...options } = request(db)
      const url = here.url + target
      if (credential === undefined) return (await send(url, options)).status
      return (await sendWith(url, credential.scheme, credential.token, options)).status
    },
  }
}

function overFlight(
  name: string,
  converse: (client: FlightClient, db: string) => Promise<unknown>,
): Endpoint {
  return {
    name: `Flight: ${name}`,
    verb: 'read',
    takes: ['Bearer', 'Token', 'Basic'],
    success: 'OK',
    refusals: {
      denied: 'PERMISSION_DENIED',
      bad: 'UNAUTHENTICATED',
      none: 'UNAUTHENTICATED',
    },
    ask: async (here, db, credential) => {
      const { scheme = 'query string', token = '' } = credential ?? {}
      const { headers } = withCredential(here.url, scheme, token)
      const client = new FlightClient(here.url, { ...headers, database: db })
      try {
        await converse(client, db)
        return 'OK'
      } catch (error) {
        return status[(error as { code: status }).code]
      }
    },
  }
}

const statement = (text: string) => command('CommandStatementQuery', field(1, text))
const ticket = (db: string, type: string) =>
  jsonTicket({ database: db, sql_query: 'SELECT f FROM m', query_type: type })
const sqlText = 'SELECT f FROM m'

const endpoints: readonly Endpoint[] = [
  overHttp(
    'v1 write',
    'write',
    204,
    (db) => ({ target: `/write?db=${db}`, method: 'POST', body: 'm f=1' }),
    { none: 403 },
  ),
  overHttp(
    'v2 write',
    'write',
    204,
    (db) => ({ target: `/api/v2/write?bucket=${db}`, method: 'POST', body: 'm f=1' }),
    { takes: ['Bearer', 'Token'] },
  ),
  overHttp('v3 write', 'write', 204, (db) => ({
    target: `/api/v3/write_lp?db=${db}`,
    method: 'POST',
    body: 'm f=1',
  })),
  ...['GET', 'POST'].flatMap((method) => [
    overHttp(`${method} query`, 'read', 200, (db) => ({
      target: `/query?db=${db}&q=${query}`,
      method,
    })),
    ...['sql', 'influxql'].map((language) =>
      overHttp(`${method} query_${language}`, 'read', 200, (db) => ({
        target: `/api/v3/query_${language}?db=${db}&q=${query}`,
        method,
      })),
    ),
  ]),
  overHttp('export', 'read', 200, (db) => ({ target: `/debug/export?bucket=${db}` }), {
    takes: ['Bearer', 'Token'],
  }),
  overFlight('ticket for SQL', (client, db) => client.doGet(ticket(db, 'sql'))),
  overFlight('ticket for InfluxQL', (client, db) => client.doGet(ticket(db, 'influxql'))),
  overFlight('statement', (client) => client.ask(statement(sqlText))),
  overFlight('GetSchema', (client) => client.unary('GetSchema', descriptor(statement(sqlText)))),
  overFlight('GetCatalogs', (client) => client.ask(command('CommandGetCatalogs'))),
  overFlight('GetSqlInfo', (client) => client.ask(command('CommandGetSqlInfo'))),
  overFlight('GetTables', (client) => client.ask(command('CommandGetTables'))),
  overFlight('prepared statement', (client) => {
    const create = command('ActionCreatePreparedStatementRequest', field(1, sqlText))
    const action = message(field(1, 'CreatePreparedStatement'), field(2, create))
    return client.all('DoAction', action)
  }),
]

const grants: readonly { names: readonly string[]; actions: readonly Verb[] }[] = [
  { names: ['a'], actions: ['read'] },
  { names: ['a'], actions: ['write'] },
  { names: ['a'], actions: ['read', 'write'] },
  { names: ['a', 'b'], actions: ['read'] },
  { names: ['*'], actions: ['write'] },
  { names: ['*'], actions: ['read', 'write'] },
]

/** Two databases with the same point. */
async function place(clock?: ManualClock): Promise<Cluster> {
  const here = await cluster(clock === undefined ? {} : { clock })
  for (const db of ['a', 'b']) {
    await here.makeDatabase(db)
    const options = { method: 'POST', token: adminToken, body: 'm f=1' }
    expect((await send(`${here.url}/write?db=${db}`, options)).status).toBe(204)
  }
  return here
}

describe.each(grants)('a token for $names to $actions', ({ names, actions }) => {
  it('does that and nothing else, by every scheme', { timeout: 60_000 }, async () => {
    const here = await place()
    const { token } = await here.giveToken(names, actions)
    const wrong: string[] = []
    for (const { name, verb, takes, success, refusals, ask } of endpoints) {
      for (const db of ['a', 'b']) {
        const isFor = names.includes('*') || names.includes(db)
        const isAllowed = isFor && actions.includes(verb)
        for (const scheme of schemes) {
          const known = isAllowed ? success : refusals.denied
          const expected = takes.includes(scheme) ? known : refusals.bad
          const came = await ask(here, db, { scheme, token })
          if (came !== expected) wrong.push(`${name} ${db} ${scheme}: ${came}, not ${expected}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it('manages nothing', async () => {
    const here = await cluster()
    for (const db of ['a', 'b']) await here.makeDatabase(db)
    const { token, id } = await here.giveToken(names, actions)
    const body = '{"db":"c"}'
    for (const [method, path] of [
      ['GET', 'database'],
      ['POST', 'database'],
      ['PUT', 'database'],
      ['DELETE', 'database?db=a'],
      ['DELETE', 'database/retention_period?db=a'],
      ['GET', 'token'],
      ['POST', 'token'],
      ['DELETE', `token?id=${id}`],
    ]) {
      const url = `${here.url}/api/v3/configure/${path}`
      const refused = await send(url, { method, token, ...(method === 'GET' ? {} : { body }) })
      expect([method, path, refused.status]).toEqual([method, path, 401])
      expect(refused.json.code).toBe('unauthorized')
      expect((await send(url, { method })).status).toBe(401)
    }
    expect(
      (await here.server.catalog.buckets.all()).filter(({ type }) => type === 'user'),
    ).toHaveLength(2)
  })
})

it('a token that is no good does nothing anywhere', { timeout: 60_000 }, async () => {
  const start = 1_700_000_000_000_000_000n
  const clock = new ManualClock(start)
  const here = await place(clock)
  const all = ['read', 'write'] as const
  const revoked = await here.giveToken(['*'], all)
  const ended = await here.giveToken(['*'], all, { expiry_secs: 60 })
  const good = await here.giveToken(['*'], all)
  const attempts: Readonly<Record<string, string>> = {
    revoked: revoked.token,
    ended: ended.token,
    changed: `${good.token.slice(0, -4)}AAAA`,
    garbage: 'garbage',
    'like a JWT': 'eyJhbGciOiJub25lIn0.e30.',
  }
  // Seen and remembered before they go bad.
  for (const { ask } of endpoints) {
    for (const { token } of [revoked, ended]) await ask(here, 'a', { scheme: 'Bearer', token })
  }
  await here.revoke(revoked.id)
  clock.set(start + 60_000_000_000n)
  const wrong: string[] = []
  for (const { name, takes, success, refusals, ask } of endpoints) {
    for (const [what, token] of Object.entries(attempts)) {
      for (const scheme of takes) {
        const came = await ask(here, 'a', { scheme, token })
        if (came !== refusals.bad) wrong.push(`${name} ${what} ${scheme}: ${came}`)
      }
    }
    const bare = await ask(here, 'a')
    if (bare !== refusals.none) wrong.push(`${name} without a token: ${bare}`)
    const known = await ask(here, 'a', { scheme: 'Bearer', token: good.token })
    if (known !== success) wrong.push(`${name} with a good token: ${known}`)
  }
  expect(wrong).toEqual([])
})
