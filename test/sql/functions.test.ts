// What statements answer over a small store: functions of the v3 products, names, windows, joins, tables
// about tables. Every case is run as usual, without aggregates that the store computes and with tables that are
// kept, from memory and from segments; and its columns are the same when nothing is run.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ResultBatch } from '../../src/query/language.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import { ask, batches, openTestStore, sql, testScope } from './run-sql.js'

const range = "time >= '2022-01-01T08:00:00Z' AND time < '2022-01-01T10:00:00Z'"

const cases: readonly (readonly [string, readonly string[]])[] = [
  [
    "SELECT * FROM home WHERE room = 'Kitchen' ORDER BY time",
    [
      'co | hum | room | temp | time',
      '0 | 35.9 | Kitchen | 21 | 2022-01-01T08:00:00Z',
      '0 | 36.2 | Kitchen | 23 | 2022-01-01T09:00:00Z',
      '1 | 36.1 | Kitchen | 22.7 | 2022-01-01T10:00:00Z',
    ],
  ],
  [
    'SELECT room, count(*), count(temp), sum(co), min(temp), max(hum) FROM home GROUP BY room ORDER BY room',
    [
      'room | count(*) | count(home.temp) | sum(home.co) | min(home.temp) | max(home.hum)',
      'Kitchen | 3 | 3 | 1 | 21 | 36.2',
      'Living Room | 3 | 2 | 3 | 21.1 | 36',
    ],
  ],
  // A bin with points but without a temperature is a row.
  [
    `SELECT date_bin(INTERVAL '2 hours', time) AS t, room, avg(temp) AS a, count(temp) AS n FROM home
      WHERE time >= '2022-01-01T08:00:00Z' AND time < now() GROUP BY t, room ORDER BY room, t`,
    [
      't | room | a | n',
      '2022-01-01T08:00:00Z | Kitchen | 22 | 2',
      '2022-01-01T10:00:00Z | Kitchen | 22.7 | 1',
      '2022-01-01T08:00:00Z | Living Room | 21.25 | 2',
      '2022-01-01T10:00:00Z | Living Room | null | 0',
    ],
  ],
  [
    `SELECT date_bin(INTERVAL '1 hour', time, '2022-01-01T00:30:00Z') AS t, max(temp) AS m
      FROM home GROUP BY 1 ORDER BY 1`,
    [
      't | m',
      '2022-01-01T07:30:00Z | 21.1',
      '2022-01-01T08:30:00Z | 23',
      '2022-01-01T09:30:00Z | 22.7',
    ],
  ],
  [
    "SELECT date_bin(INTERVAL '1 month', time) AS t, max(temp) AS m FROM home GROUP BY t",
    ['t | m', '2022-01-01T00:00:00Z | 23'],
  ],
  [
    `SELECT date_bin_gapfill(INTERVAL '30 minutes', time) AS t, room, avg(temp) AS a, locf(avg(temp)) AS l,
      interpolate(avg(temp)) AS i FROM home WHERE ${range} GROUP BY 1, room ORDER BY room, t`,
    [
      't | room | a | l | i',
      '2022-01-01T08:00:00Z | Kitchen | 21 | 21 | 21',
      '2022-01-01T08:30:00Z | Kitchen | null | 21 | 22',
      '2022-01-01T09:00:00Z | Kitchen | 23 | 23 | 23',
      '2022-01-01T09:30:00Z | Kitchen | null | 23 | null',
      '2022-01-01T08:00:00Z | Living Room | 21.1 | 21.1 | 21.1',
      '2022-01-01T08:30:00Z | Living Room | null | 21.1 | 21.25',
      '2022-01-01T09:00:00Z | Living Room | 21.4 | 21.4 | 21.4',
      '2022-01-01T09:30:00Z | Living Room | null | 21.4 | null',
    ],
  ],
  [
    `SELECT date_bin_gapfill(INTERVAL '1 hour', time) AS t, coalesce(locf(max(temp)), 0) + 1 AS x FROM home
      WHERE time >= '2022-01-01T07:00:00Z' AND time <= '2022-01-01T11:00:00Z' GROUP BY t ORDER BY t DESC LIMIT 3`,
    [
      't | x',
      '2022-01-01T11:00:00Z | 23.7',
      '2022-01-01T10:00:00Z | 23.7',
      '2022-01-01T09:00:00Z | 24',
    ],
  ],
  [
    `SELECT selector_first(temp, time)['value'], selector_last(temp, time)['time'] AS lt,
      selector_max(temp, time)['time'] AS mt, selector_min(co, time)['time'] AS nt FROM home`,
    [
      'selector_first(home.temp,home.time)[value] | lt | mt | nt',
      '21 | 2022-01-01T10:00:00Z | 2022-01-01T09:00:00Z | 2022-01-01T08:00:00Z',
    ],
  ],
  [
    `SELECT to_timestamp('2022-01-01T00:00:00Z') AS a, to_timestamp(1641024000) AS b, from_unixtime(5) AS c,
      to_timestamp_nanos(1641024000123456789) AS e`,
    [
      'a | b | c | e',
      '2022-01-01T00:00:00Z | 2022-01-01T08:00:00Z | 1970-01-01T00:00:05Z | 2022-01-01T08:00:00.123456789Z',
    ],
  ],
  [
    'SELECT to_timestamp_millis(1641024000123) AS d, to_timestamp_micros(1641024000123456) AS u',
    ['d | u', '2022-01-01T08:00:00.123000000Z | 2022-01-01T08:00:00.123456000Z'],
  ],
  [
    `SELECT now() AS n, current_date AS d, date_part('hour', now()) AS h, extract(minute FROM now()) AS m,
      now() - INTERVAL '90 minutes' AS b`,
    [
      'n | d | h | m | b',
      '2022-01-01T11:00:00Z | 2022-01-01T00:00:00Z | 11 | 0 | 2022-01-01T09:30:00Z',
    ],
  ],
  [
    "SELECT date_trunc('day', now()) AS t, tz(now(), 'Europe/Berlin') AS z",
    ['t | z', '2022-01-01T00:00:00Z | 2022-01-01T11:00:00Z'],
  ],
  // A column's name is the column's, whatever else is called so.
  [
    `SELECT date_bin(INTERVAL '2 hours', time) AS time, max(temp) AS m FROM home WHERE room = 'Kitchen'
      GROUP BY time ORDER BY m`,
    [
      'time | m',
      '2022-01-01T08:00:00Z | 21',
      '2022-01-01T10:00:00Z | 22.7',
      '2022-01-01T08:00:00Z | 23',
    ],
  ],
  [
    `SELECT date_bin_wallclock(INTERVAL '1 day', tz(time, 'America/New_York')) AS t, count(*) AS n
      FROM home GROUP BY t`,
    ['t | n', '2022-01-01T05:00:00Z | 6'],
  ],
  [
    `SELECT regexp_like('abc', 'B', 'i') AS a, regexp_match('foo123', '([a-z]+)(\\d+)') AS b,
      regexp_replace('abc', '(b)', '<$1>') AS c, 'abc' ~ 'b' AS d, 'abc' !~* 'B' AS e, 'abc' SIMILAR TO 'ab' AS f`,
    ['a | b | c | d | e | f', "true | ['foo', '123'] | a<b>c | true | false | false"],
  ],
  [
    'SELECT approx_distinct(room) AS d, approx_median(temp) AS m, approx_percentile_cont(temp, 0.5) AS p FROM home',
    ['d | m | p', '2 | 21.4 | 21.4'],
  ],
  [
    'SELECT arrow_typeof(time) AS t, arrow_typeof(temp) AS f, arrow_typeof(co) AS i FROM home LIMIT 1',
    ['t | f | i', 'Timestamp(Nanosecond, None) | Float64 | Int64'],
  ],
  [
    'SELECT 7 / 2 AS a, -7 / 2 AS b, 7.0 / 2 AS c, 6 ^ 3 AS d',
    ['a | b | c | d', '3 | -3 | 3.5 | 5'],
  ],
  [
    'SELECT "Temp", temp, "Host", host FROM "Mixed" ORDER BY "Temp"',
    ['Temp | temp | Host | host', '1 | 2 | A | b', '3 | null | A | null'],
  ],
  [
    'SELECT TIME, note FROM "Mixed" ORDER BY time LIMIT 1',
    ['time | note', '2022-01-01T08:00:00.123456789Z | a text that is longer than twelve bytes'],
  ],
  [
    'SELECT big, n, ok FROM "Mixed" WHERE ok',
    ['big | n | ok', '9007199254740993 | 18446744073709551615 | true'],
  ],
  [
    `SELECT iox.home.temp FROM public.iox.home WHERE public.iox.home.room ~ '^Kit' ORDER BY time LIMIT 1`,
    ['temp', '21'],
  ],
  [
    `WITH best AS (SELECT room, max(temp) AS m FROM home GROUP BY room)
      SELECT best.room, h.time FROM best JOIN home h ON best.room = h.room AND best.m = h.temp ORDER BY 1`,
    ['room | time', 'Kitchen | 2022-01-01T09:00:00Z', 'Living Room | 2022-01-01T09:00:00Z'],
  ],
  [
    `SELECT room, lag(temp) OVER (PARTITION BY room ORDER BY time) AS p FROM home WHERE room = 'Kitchen' ORDER BY time`,
    ['room | p', 'Kitchen | null', 'Kitchen | 21', 'Kitchen | 23'],
  ],
  ["SELECT count(*) FROM home WHERE room IN ('Kitchen', 'x') AND temp > 21", ['count(*)', '2']],
  ["SELECT room FROM home WHERE room = 'nowhere'", ['room']],
  [
    'SELECT room, avg(temp) AS a FROM home GROUP BY room HAVING avg(temp) > 22 ORDER BY a',
    ['room | a', 'Kitchen | 22.233333333333334'],
  ],
  ['SELECT temp FROM home ORDER BY temp DESC LIMIT 2', ['temp', 'null', '23']],
  ["VALUES (1, 'a'), (2, NULL)", ['col0 | col1', '1 | a', '2 | null']],
  [
    "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' ORDER BY 2",
    ['table_schema | table_name', 'iox | Mixed', 'iox | home'],
  ],
  [
    "SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'home' LIMIT 3",
    [
      'column_name | data_type | is_nullable',
      'co | Int64 | YES',
      'hum | Float64 | YES',
      'room | Dictionary(Int32, Utf8) | YES',
    ],
  ],
  [
    'DESCRIBE iox."Mixed"',
    [
      'column_name | data_type | is_nullable',
      'Host | Dictionary(Int32, Utf8) | YES',
      'Temp | Float64 | YES',
      'big | Int64 | YES',
      'host | Dictionary(Int32, Utf8) | YES',
      'n | UInt64 | YES',
      'note | Utf8 | YES',
      'ok | Boolean | YES',
      'temp | Float64 | YES',
      'time | Timestamp(Nanosecond, None) | NO',
    ],
  ],
]

describe.each(['memory', 'segments'])('from %s', (place) => {
  let store: Engine

  beforeAll(async () => {
    store = await openTestStore()
    if (place === 'segments') await store.flush()
  })

  afterAll(() => store.close())

  test.each(cases)('%s', async (text, expected) => {
    expect(await ask(text, testScope({ store }))).toEqual(expected)
    expect(await ask(text, testScope({ store, pushesAggregates: false }))).toEqual(expected)
    expect(await ask(text, testScope({ store, streamsTables: false }))).toEqual(expected)
  })

  test.each(cases)('columns of %s', async (text) => {
    const scope = testScope({ store })
    const [answer] = await batches(text, scope)
    const described = await sql.prepare(text).describe!(scope, new AbortController().signal)
    expect(columnsOf(described!)).toEqual(columnsOf(answer))
    expect(described!.rowCount).toBe(0)
  })

  test('parameters are values', async () => {
    const params = new Map<string, unknown>([
      ['room', "Kitchen' OR '1'='1"],
      ['low', 22.5],
      ['count', 2],
      ['big', 9007199254740993n],
      ['none', null],
      ['yes', true],
    ])
    const scope = testScope({ store })
    const askWith = (asked: string) => ask(asked, scope, undefined, undefined, params)
    expect(await askWith('SELECT count(*) AS n FROM home WHERE room = $room')).toEqual(['n', '0'])
    const text = 'SELECT temp FROM home WHERE temp > $low ORDER BY temp LIMIT $count'
    expect(await askWith(text)).toEqual(['temp', '22.7', '23'])
    expect(await askWith('SELECT $big AS b, $none AS n, $yes AS y')).toEqual([
      'b | n | y',
      '9007199254740993 | null | true',
    ])
    expect(await askWith("SELECT '$room' AS s, $$a'b$$ AS d -- $gone")).toEqual([
      's | d',
      "$room | a'b",
    ])
  })

  test('SHOW and EXPLAIN', async () => {
    const scope = testScope({ store })
    const tables = await ask('SHOW TABLES', scope)
    expect(tables).toContain('public | iox | home | BASE TABLE')
    expect((await ask('SHOW COLUMNS FROM home', scope))[1]).toBe(
      'public | iox | home | co | Int64 | YES',
    )
    const builder =
      'SELECT table_name FROM information_schema.tables WHERE table_schema = database()'
    expect(await ask(`${builder} ORDER BY table_name`, scope)).toContain('home')
    const plan = await ask("EXPLAIN SELECT temp FROM home WHERE room = 'Kitchen'", scope)
    expect(plan.join('\n')).toContain('home: columns=[room, temp, time]')
    const analysis = await ask('EXPLAIN ANALYZE SELECT temp FROM home', scope)
    expect(analysis.join('\n')).toContain('6 rows')
  })
})

function columnsOf({ columnNames, columns, columnRoles }: ResultBatch) {
  return { columnNames, types: columns.map(({ type }) => type), columnRoles }
}
