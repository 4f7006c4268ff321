// What Flight refuses, with the status codes that clients branch on.

import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { install } from '../api/harness.js'
import {
  command,
  descriptor,
  FlightClient,
  field,
  jsonTicket,
  message,
  numberField,
  rowsOf,
} from './flight-client.js'
import { placeOf, startNs, writeLines } from './places.js'

const good = { database: 'b', sql_query: 'SELECT temp FROM home', query_type: 'influxql' }

test('tickets', async () => {
  const { host, token } = await placeOf('cluster')
  const client = new FlightClient(host, { authorization: `Bearer ${token}` })
  const refused = async (ticket: Buffer) => {
    const { code, details } = await client.refusal('DoGet', ticket)
    return `${status[code]}: ${details}`
  }
  const { database: _, ...nowhere } = good
  expect(await refused(field(1, 'no ticket'))).toMatch(/^INVALID_ARGUMENT: Invalid ticket/)
  expect(await refused(field(1, ''))).toMatch(/^INVALID_ARGUMENT: Invalid ticket/)
  expect(await refused(field(1, '{"database":'))).toMatch(/^INVALID_ARGUMENT: Invalid ticket/)
  expect(await refused(Buffer.from([0x0a, 0xff]))).toMatch(/^INVALID_ARGUMENT: /)
  expect(await refused(jsonTicket(nowhere))).toMatch(/^INVALID_ARGUMENT: Invalid ticket.*database/)
  expect(await refused(jsonTicket({ ...good, params: { a: [1] } }))).toMatch(/parameter a must be/)
  expect(await refused(jsonTicket({ ...good, query_type: 'flux' }))).toBe(
    "INVALID_ARGUMENT: Unknown query type. Expected 'sql' or 'influxql', got flux",
  )
  expect(await refused(jsonTicket({ ...good, database: 'x' }))).toBe(
    "NOT_FOUND: Database 'x' not found",
  )
  expect(await refused(jsonTicket({ ...good, sql_query: 'SELEC' }))).toMatch(
    /^INVALID_ARGUMENT: error parsing query: found SELEC/,
  )
  expect(await refused(jsonTicket({ ...good, sql_query: 'DROP MEASUREMENT home' }))).toMatch(
    /^UNIMPLEMENTED: only SELECT, SHOW and EXPLAIN/,
  )
  expect(
    await refused(jsonTicket({ ...good, sql_query: 'SHOW DATABASES; SHOW DATABASES' })),
  ).toMatch(/^UNIMPLEMENTED: a query must be one statement/)
  const sql = { ...good, query_type: 'sql' }
  expect(await refused(jsonTicket({ ...sql, sql_query: 'SELECT nope FROM home' }))).toMatch(
    /^INVALID_ARGUMENT: Error while planning query/,
  )
  expect(await refused(jsonTicket({ ...sql, sql_query: 'DROP TABLE home' }))).toMatch(
    /^(INVALID_ARGUMENT|UNIMPLEMENTED): /,
  )
  expect(rowsOf(await client.doGet(jsonTicket(good)))).toHaveLength(3)
})

test('tickets as messages: ReadInfo, bare and in an Any', async () => {
  const { host, token } = await placeOf('managed')
  const client = new FlightClient(host, { authorization: `Token ${token}` })
  const info = (text: string, ...more: Buffer[]) =>
    message(field(1, 'b'), field(2, text), numberField(3, 2), ...more)
  const bare = field(1, info('SELECT temp FROM home'))
  expect(rowsOf(await client.doGet(bare))).toHaveLength(3)
  const type = 'type.googleapis.com/influxdata.iox.querier.v1.ReadInfo'
  const parameter = field(6, message(field(1, 'room'), field(7, 'Bath')))
  const content = info('SELECT temp FROM home WHERE room = $room', parameter)
  const any = field(1, message(field(1, type), field(2, content)))
  expect(rowsOf(await client.doGet(any)).map(({ temp }) => temp)).toEqual([19])
})

test('whole numbers in parameters stay exact', async () => {
  const { host, token } = await placeOf('cluster')
  const client = new FlightClient(host, { authorization: `Bearer ${token}` })
  const text = 'SELECT temp FROM home WHERE time = $at'
  const json = JSON.stringify({ ...good, sql_query: text, params: { at: 0 } })
  const ticket = field(1, json.replace('"at":0', '"at":1700000000000000003'))
  expect(rowsOf(await client.doGet(ticket)).map(({ temp }) => temp)).toEqual([19])
})

test('credentials', async () => {
  const place = await install()
  await place.write('home temp=1')
  const tasks = { type: 'tasks', orgID: place.orgId } as const
  const other = await place.addToken([{ action: 'read', resource: tasks }])
  const resource = { type: 'buckets', id: place.bucketId, orgID: place.orgId } as const
  const reader = await place.addToken([{ action: 'read', resource }])
  const writer = await place.addToken([{ action: 'write', resource }])
  const codeWith = async (authorization: string | undefined) => {
    const headers = authorization === undefined ? {} : { authorization }
    const client = new FlightClient(place.url, headers)
    try {
      return (await client.doGet(jsonTicket(good))).numRows
    } catch (error) {
      return status[(error as { code: status }).code]
    }
  }
  expect(await codeWith(undefined)).toBe('UNAUTHENTICATED')
  expect(await codeWith('Bearer wrong')).toBe('UNAUTHENTICATED')
  expect(await codeWith('Nonsense')).toBe('UNAUTHENTICATED')
  expect(await codeWith(`Bearer ${other}`)).toBe('PERMISSION_DENIED')
  expect(await codeWith(`Bearer ${writer}`)).toBe('PERMISSION_DENIED')
  expect(await codeWith(`Bearer ${reader}`)).toBe(1)
  expect(await codeWith(`Token ${reader}`)).toBe(1)
  expect(await codeWith(`Basic ${Buffer.from(`x:${reader}`).toString('base64')}`)).toBe(1)
})

test('headers and commands of Flight SQL', async () => {
  const { host, token } = await placeOf('cluster')
  const authorization = `Bearer ${token}`
  const ask = async (headers: Record<string, string>, bytes: Buffer, method = 'GetFlightInfo') => {
    const client = new FlightClient(host, { authorization, ...headers })
    const { code, details } = await client.refusal(method, bytes)
    return `${status[code]}: ${details}`
  }
  const catalogs = descriptor(command('CommandGetCatalogs'))
  expect(await ask({}, catalogs)).toBe("INVALID_ARGUMENT: no 'database' header in request")
  expect(await ask({ database: 'b', bucket: 'c' }, catalogs)).toBe(
    'INVALID_ARGUMENT: More than one headers are found in request: ["database", "bucket"]. ' +
      'Please include only one of them',
  )
  const database = { 'iox-namespace-name': 'b' }
  expect(await ask({ database: 'x' }, descriptor(command('CommandGetTables')))).toBe(
    "NOT_FOUND: Database 'x' not found",
  )
  const create = command('ActionCreatePreparedStatementRequest', field(1, 'SELECT 1'))
  expect(await ask(database, descriptor(create))).toBe(
    'INVALID_ARGUMENT: ActionCreatePreparedStatementRequest cannot be used with GetFlightInfo',
  )
  expect(await ask(database, descriptor(command('CommandStatementUpdate', field(1, 'x'))))).toBe(
    'UNIMPLEMENTED: CommandStatementUpdate is not supported',
  )
  expect(await ask(database, descriptor(Buffer.from('nonsense')))).toMatch(/^INVALID_ARGUMENT: /)
  expect(await ask(database, message(numberField(1, 1), field(3, 'path')))).toMatch(
    /^INVALID_ARGUMENT: only descriptors with a command/,
  )
  const action = message(field(1, 'BeginTransaction'))
  expect(await ask(database, action, 'DoAction')).toMatch(/^UNIMPLEMENTED: /)
  expect(await ask(database, Buffer.alloc(0), 'ListFlights')).toMatch(/^UNIMPLEMENTED: /)
})

test('limits are told as exhausted', async () => {
  const { host, token } = await placeOf('managed', { queryPointsMax: 2 })
  const client = new FlightClient(host, { authorization: `Bearer ${token}` })
  const { code, details } = await client.refusal('DoGet', jsonTicket(good))
  expect(`${status[code]}: ${details}`).toMatch(/^RESOURCE_EXHAUSTED: max-select-point limit/)
})

test('a process that only takes writes is not there for queries', async () => {
  const { host, token } = await placeOf('cluster', { role: 'ingest' })
  const client = new FlightClient(host, { authorization: `Bearer ${token}`, database: 'b' })
  const calls: readonly [string, Buffer][] = [
    ['DoGet', jsonTicket(good)],
    ['DoGet', jsonTicket({ ...good, query_type: 'sql' })],
    ['GetFlightInfo', descriptor(command('CommandStatementQuery', field(1, 'SELECT 1')))],
    ['GetFlightInfo', descriptor(command('CommandGetTables'))],
    ['GetFlightInfo', descriptor(command('CommandGetSqlInfo'))],
  ]
  for (const [method, request] of calls) {
    const { code, details } = await client.refusal(method, request)
    expect(`${status[code]}: ${details}`).toMatch(/^UNAVAILABLE: this process only takes writes/)
  }
})

test('as many queries as may run', async () => {
  const place = await placeOf('cluster', { queryConcurrentMax: 1 })
  const lines = Array.from({ length: 100_000 }, (_, i) => `many f=${i} ${startNs + BigInt(i)}`)
  await writeLines(place, lines)
  const client = new FlightClient(place.host, { authorization: `Bearer ${place.token}` })
  const wide = `SELECT ${Array.from({ length: 60 }, (_, i) => `f AS f${i}`).join(', ')} FROM many`
  const first = client.stream('DoGet', jsonTicket({ ...good, sql_query: wide }))
  first.on('error', () => undefined)
  await new Promise((resolve) => first.once('data', resolve))
  first.pause()
  const { code, details } = await client.refusal('DoGet', jsonTicket(good))
  expect(`${status[code]}: ${details}`).toMatch(/^RESOURCE_EXHAUSTED: max-concurrent-queries/)
  first.cancel()
})

test('headers that are sent several times', async () => {
  const { host, token } = await placeOf('cluster')
  const authorization = `Bearer ${token}`
  const query = command('CommandStatementQuery', field(1, 'SELECT temp FROM home'))
  const same = new FlightClient(host, { authorization, database: ['b', 'b', 'b'] })
  expect(rowsOf(await same.ask(query))).toHaveLength(3)
  const other = new FlightClient(host, { authorization, database: ['b', 'x'] })
  const { code, details } = await other.refusal('GetFlightInfo', descriptor(query))
  expect([status[code], details]).toEqual(['NOT_FOUND', "Database 'b, x' not found"])
})
