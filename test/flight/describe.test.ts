// What is told of an answer before it is fetched is what the answer then is: the schema in FlightInfo, in
// GetSchema and of a prepared statement, held against the one in front of the rows, byte by byte. And answers
// without rows, whose columns are told all the same.

import { expect, test, vi } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import { adminToken, start } from '../api/harness.js'
import {
  command,
  descriptor,
  FlightClient,
  field,
  fieldsOf,
  first,
  jsonTicket,
  message,
} from './flight-client.js'
import { homeLines, startNs, writeLines } from './places.js'

const statements = [
  'SELECT 1',
  'SELECT 1 AS a, 2.5 AS b, true AS c, NULL AS d',
  "SELECT 'text' AS t, now() AS n, TIMESTAMP '2023-11-14T00:00:00Z' AS at",
  'SELECT * FROM home',
  'SELECT * FROM home WHERE false',
  'SELECT * FROM home ORDER BY time LIMIT 0',
  'SELECT time, room, temp, co, ok, note FROM home ORDER BY time',
  'SELECT room AS r, temp * 2 AS twice, co / 2 AS half, co + 1 AS more FROM home',
  'SELECT u, u + 1 AS v FROM other',
  'SELECT DISTINCT room FROM home',
  'SELECT count(*) FROM home',
  'SELECT count(*) AS n, sum(co), avg(temp) AS mean, min(time), max(note) FROM home',
  'SELECT room, avg(temp) FROM home GROUP BY room ORDER BY room',
  "SELECT date_bin(INTERVAL '1 minute', time) AS minute, room, max(temp) AS top FROM home GROUP BY 1, 2",
  `SELECT date_bin_gapfill(INTERVAL '10 seconds', time) AS t, interpolate(avg(temp)) AS v FROM home
    WHERE time >= '2023-11-14T22:13:00Z' AND time < '2023-11-14T22:15:00Z' GROUP BY 1`,
  "SELECT selector_last(temp, time)['value'] AS v, selector_last(temp, time)['time'] AS at FROM home",
  "SELECT tz(time, 'Europe/Berlin') AS local FROM home",
  'SELECT h.temp, o.u FROM home h JOIN other o ON h.time >= o.time',
  'WITH warm AS (SELECT room, temp FROM home WHERE temp > 20) SELECT * FROM warm',
  'SELECT temp FROM home UNION ALL SELECT u FROM other',
  'SELECT room, row_number() OVER (PARTITION BY room ORDER BY time) AS n, lag(temp) OVER () FROM home',
  'SELECT CASE WHEN temp > 20 THEN 1 ELSE 0 END AS warm, temp::BIGINT AS whole FROM home',
  "SELECT room ~ 'K.*' AS k, length(room), upper(room), room || '!' FROM home",
  'SELECT a.n FROM (SELECT count(*) AS n FROM home) a',
  'SELECT table_name FROM information_schema.tables',
  "SELECT * FROM information_schema.columns WHERE table_name = 'home'",
  'SHOW TABLES',
  'SHOW COLUMNS FROM home',
  'DESCRIBE home',
  'EXPLAIN SELECT * FROM home',
  "SELECT 1 AS one WHERE 'a' = 'b'",
]

const statement = (text: string) => command('CommandStatementQuery', field(1, text))

async function placeWithClient() {
  const clock = new ManualClock(startNs + 100_000_000_000n)
  const { url, store } = await start({ variant: 'cluster', adminToken, clock })
  const lines = [...homeLines, `other u=3u ${startNs}`]
  await writeLines({ host: url, token: adminToken }, lines)
  const headers = { authorization: `Bearer ${adminToken}`, database: 'b' }
  return { client: new FlightClient(url, headers), store }
}

async function clientOf(): Promise<FlightClient> {
  return (await placeWithClient()).client
}

/** The schema that stands in front of the rows, with the mark and the length that messages put before it. */
async function sentSchema(client: FlightClient, ticket: Buffer): Promise<string> {
  const [head] = await client.all('DoGet', ticket)
  const header = first(head, 2)
  const prefix = Buffer.alloc(8)
  prefix.writeUInt32LE(0xffffffff, 0)
  prefix.writeUInt32LE(header.length, 4)
  return Buffer.concat([prefix, header]).toString('latin1')
}

test('SQL', async () => {
  const { client, store } = await placeWithClient()
  const read = vi.spyOn(store, 'read')
  const wrong: string[] = []
  for (const text of statements) {
    const asked = descriptor(statement(text))
    const info = await client.unary('GetFlightInfo', asked)
    const ticket = first(fieldsOf(info).get(3)?.[0] ?? Buffer.alloc(0), 1)
    const create = command('ActionCreatePreparedStatementRequest', field(1, text))
    const action = message(field(1, 'CreatePreparedStatement'), field(2, create))
    const [prepared] = await client.all('DoAction', action)
    const told = {
      info: first(info, 1),
      schema: first(await client.unary('GetSchema', asked), 1),
      prepared: first(first(first(prepared, 1), 2), 2),
    }
    expect([text, read.mock.calls]).toEqual([text, []])
    const sent = await sentSchema(client, ticket)
    read.mockClear()
    for (const [where, bytes] of Object.entries(told)) {
      if (bytes.toString('latin1') !== sent) wrong.push(`${where}: ${text}`)
    }
  }
  expect(wrong).toEqual([])
})

test.each([
  ["SELECT temp, co / 2 AS half FROM home WHERE room = 'x' GROUP BY room", 'room temp half'],
  ['SELECT temp FROM nothing', 'temp'],
  ["SELECT count(temp) FROM home WHERE room = 'x' GROUP BY *", 'room count'],
])('InfluxQL without rows: %s', async (text, columns) => {
  const client = await clientOf()
  const ticket = jsonTicket({ database: 'b', sql_query: text, query_type: 'influxql' })
  const { schema, numRows } = await client.doGet(ticket)
  expect(numRows).toBe(0)
  expect(schema.names).toEqual(['iox::measurement', 'time', ...columns.split(' ')])
})

test.each([
  ['SHOW MEASUREMENTS WITH MEASUREMENT = x', 'name'],
  ['SHOW TAG KEYS FROM x', 'tagKey'],
  ['SHOW TAG VALUES FROM x WITH KEY = y', 'key value'],
  ['SHOW FIELD KEYS FROM x', 'fieldKey fieldType'],
  ['SHOW SERIES FROM x', 'key'],
])('InfluxQL without rows: %s', async (text, columns) => {
  const client = await clientOf()
  const ticket = jsonTicket({ database: 'b', sql_query: text, query_type: 'influxql' })
  const { schema, numRows } = await client.doGet(ticket)
  expect(numRows).toBe(0)
  expect(schema.names).toEqual(['iox::measurement', ...columns.split(' ')])
})
