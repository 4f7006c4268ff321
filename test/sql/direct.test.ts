// Queries that need no engine give what DuckDB gives, over points with holes, missing tags and moments centuries apart;
// and what looks like them and is more goes to DuckDB.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { streamOf } from '../../src/platform/pull-stream.js'
import { seededRandom } from '../../src/platform/random.js'
import { SqlLanguage } from '../../src/sql/sql.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import {
  ask,
  batches,
  linesOf,
  noLimits,
  openTestStore,
  testBucket,
  testScope,
  writeLines,
} from './run-sql.js'

const start = 1_641_024_000_000_000_000n
const withoutEngines = new SqlLanguage()
let store: Engine

beforeAll(async () => {
  const random = seededRandom(7)
  const lines: string[] = []
  for (let i = 0; i < 600; i++) {
    const host = random.below(4)
    const fields = [
      ...(random.below(3) > 0 ? [`a=${random.below(1000) / 8}`] : []),
      ...(random.below(3) > 0 ? [`b=${random.below(100) - 50}i`] : []),
      ...(random.below(3) > 0 ? [`c="x${random.below(5)}"`] : []),
      ...(random.below(3) > 0 ? [`u=${random.below(100)}u`] : []),
      ...(random.below(3) > 0 ? [`ok=${random.below(2) === 1}`] : []),
    ]
    if (fields.length === 0) fields.push('Only=9007199254740993i')
    const tags = `m${host === 3 ? '' : `,Host=h${host}`},rack=r${i % 7}`
    // No two points at one time: their order would be anybody's.
    lines.push(`${tags} ${fields.join(',')} ${start + BigInt(i) * 61_000_000_007n}`)
  }
  for (let i = 0; i < 20; i++) lines.push(`far,s=s${i % 3} x=${i} ${BigInt(i) * 10n ** 16n}`)
  store = await openTestStore(lines.join('\n'))
})

afterAll(async () => {
  expect(withoutEngines.enginePool.pids).toEqual([])
  await store.close()
  await withoutEngines.close()
})

const where = [
  '',
  "WHERE time >= '2022-01-01T09:10:30Z' AND time < '2022-01-01 12:00:00.5'",
  "WHERE time > now() - INTERVAL '2 hours' AND rack = 'r1'",
  "WHERE time BETWEEN '2022-01-01T09:00:00Z' AND '2022-01-01T10:00:00Z' AND \"Host\" <> 'h1'",
  "WHERE \"Host\" IN ('h0', 'h2') AND rack NOT IN ('r0', 'r1')",
  'WHERE "Host" IS NULL AND a > 20.5',
  "WHERE (rack = 'r2' OR b >= -10) AND m.a != 3",
  "WHERE c = 'x1' OR c != 'x2'",
  "WHERE rack = 'none'",
  'WHERE a / 2 + b > 10 AND (b % 3 = 0 OR NOT ok)',
  "WHERE time > '2030-01-01' AND time < '2029-01-01'",
]
const rows = [
  'SELECT * FROM m # ORDER BY time',
  'SELECT time, a AS "A", "Host" FROM m # ORDER BY time DESC LIMIT 7 OFFSET 3',
  'SELECT rack, u, c FROM m # ORDER BY u DESC, c ASC NULLS FIRST, time LIMIT 50',
  'SELECT a, b, ok, "Only" FROM iox.m # ORDER BY "Host" DESC NULLS LAST, m.a, time',
  'SELECT b FROM public.iox.m AS m # ORDER BY 1, time LIMIT 0',
  `SELECT time, a / b AS q, b / 7 AS w, b % 7 AS r, a % 3 AS p, -a AS n, -b AS i, a * 1.5 + b AS s, b - 2 * (b + 1) AS e
    FROM m # ORDER BY time`,
  `SELECT round(a), round(a, 1) AS r1, floor(a) AS f, ceil(-a) AS c, abs(b) AS ab, b::double / 4 AS d,
    CAST(b AS DOUBLE) AS x, coalesce(a, b, 0) AS co, a > b AS gt, ok = ok AS same FROM m # ORDER BY time`,
  `SELECT CASE WHEN a > 50 THEN 1 WHEN b < 0 THEN b ELSE 0 END AS k, CASE WHEN ok THEN a END AS o,
    a IS NULL AS nn, a BETWEEN 10 AND 60.5 AS bt FROM m # ORDER BY a * b DESC NULLS LAST, time LIMIT 40`,
]
const groups = [
  'SELECT avg(a), sum(a) AS s, sum(b), min(u), max(b), count(c), count(ok), count(m."Only") FROM m #',
  'SELECT "Host", rack, mean(a) AS v, count(b) AS n FROM m # GROUP BY "Host", rack ORDER BY "Host", rack',
  `SELECT date_bin(INTERVAL '1 hour', time) AS t, avg(b) AS v, max(a) FROM m # GROUP BY t ORDER BY t`,
  `SELECT date_bin(INTERVAL '7 minutes', time, '2022-01-01T00:03:00Z') AS t, "Host", count(a) AS n
    FROM m # GROUP BY 1, "Host" ORDER BY n DESC, t, 2 LIMIT 20`,
  `SELECT rack, selector_last(a, time)['value'] AS v, selector_last(a, time)['time'] AS vt,
    selector_first(c, time)['value'] AS f, selector_max(b, time)['value'] AS x FROM m # GROUP BY rack ORDER BY rack`,
  'SELECT count(*) FROM m #',
  'SELECT max(time), min(time) AS f FROM m #',
  `SELECT rack, "Host", max(time) AS l, min(time) AS f, count(*) AS n, avg(a) AS v FROM m # GROUP BY rack, "Host"
    ORDER BY l DESC, f, rack, 2`,
  `SELECT date_bin(INTERVAL '1 hour', time) AS t, max(m.time) AS l FROM m # GROUP BY t ORDER BY t`,
  `SELECT rack, date_bin(INTERVAL '1 hour', time) AS t, count(*) AS n, count(*) - count(a) AS missing, avg(b) AS v
    FROM m # GROUP BY rack, t HAVING count(*) > 2 ORDER BY n DESC, rack, t`,
  'SELECT DISTINCT rack FROM m # ORDER BY rack DESC LIMIT 5',
  `SELECT DISTINCT rack AS r, "Host", date_bin(INTERVAL '1 hour', time) AS t FROM m # ORDER BY t, 2, r`,
  'SELECT "Host" FROM m # GROUP BY "Host", rack ORDER BY "Host", rack',
  'SELECT DISTINCT "Host" AS h FROM m # ORDER BY h NULLS FIRST',
  'SELECT rack FROM m # GROUP BY rack ORDER BY 1 LIMIT 3 OFFSET 1',
  'SELECT count(DISTINCT rack), count(DISTINCT m.rack) AS n FROM m #',
  'SELECT count(DISTINCT "Host") AS n FROM m # LIMIT 2',
]
/** What the store cannot be told of single rows is not for groups. */
const computedGroups = [
  `SELECT rack, round(avg(a), 2) AS v, max(b) - min(b) AS w, count(a) * 2 AS n FROM m # GROUP BY rack
    HAVING count(a) > 5 AND max(b) > 0 ORDER BY avg(a) / 2 DESC, rack`,
  'SELECT sum(a) / count(a) AS v, coalesce(max(b), 0) AS x FROM m #',
]

describe.each(where)('%s', (condition) => {
  const isOfRows = condition.includes('a / 2')
  test.each([...rows, ...(isOfRows ? [] : [...groups, ...computedGroups])])('%s', async (text) => {
    const asked = text.replace('#', condition)
    const inEngine = await batches(asked, testScope({ store, answersDirectly: false }))
    const direct = await batches(asked, testScope({ store }), undefined, withoutEngines)
    const shapeOf = ([{ columnNames, columns, columnRoles, name }]: typeof direct) => ({
      columnNames,
      types: columns.map(({ type }) => type),
      columnRoles,
      name,
    })
    expect(shapeOf(direct)).toEqual(shapeOf(inEngine))
    expect(linesOf(direct)).toEqual(linesOf(inEngine))
  })
})

test('rows without an order come as the store has them, cut where it is enough', async () => {
  const texts = [
    'SELECT * FROM m',
    'SELECT a, time FROM m LIMIT 10 OFFSET 5',
    'SELECT a FROM m LIMIT 0',
    'SELECT "Host", rack, count(a) AS n, selector_last(b, time)[\'time\'] AS t FROM m GROUP BY "Host", rack',
    "SELECT date_bin(INTERVAL '1 hour', time) AS t, count(*) AS n FROM m GROUP BY t",
    'SELECT rack, max(a) AS v FROM m GROUP BY rack LIMIT 3 OFFSET 1',
  ]
  for (const text of texts) {
    const direct = await ask(text, testScope({ store }), undefined, withoutEngines)
    const inEngine = await ask(text, testScope({ store, answersDirectly: false }))
    expect(direct.length).toBe(inEngine.length)
    if (!text.includes('LIMIT')) expect(direct.sort()).toEqual(inEngine.sort())
  }
})

test('of many rows only those are kept that can be shown', async () => {
  const random = seededRandom(8)
  // The last are the greatest, so that they must take the place of those that were kept.
  const lines = Array.from({ length: 120_000 }, (_, i) => {
    const value = Math.floor(i / 20) + random.below(50)
    return `many,host=h${i % 3} v=${value},s="${value % 7}" ${start + BigInt(i)}`
  })
  await writeLines(store, testBucket, lines.join('\n'))
  for (const text of [
    'SELECT v, time, host FROM many ORDER BY v DESC, time LIMIT 20 OFFSET 5',
    'SELECT s, v, time FROM many WHERE v < 4000 ORDER BY s, v DESC, time DESC LIMIT 10000',
    'SELECT * FROM many WHERE v * 2 > 500 ORDER BY time DESC LIMIT 300',
    'SELECT * FROM many ORDER BY time DESC LIMIT 30000',
  ]) {
    const direct = await ask(text, testScope({ store }), undefined, withoutEngines)
    expect(direct).toEqual(await ask(text, testScope({ store, answersDirectly: false })))
  }
})

test('the first rows by time of many series are looked for where they are', async () => {
  // Half of the rows lack b, and the newest of all do: more must be read then.
  const lines = Array.from({ length: 12_000 }, (_, i) => {
    const b = i % 2 === 0 && i < 11_000 ? `,b=${i % 100}i` : ''
    return `crowd,host=h${i % 1000},rack=r${i % 3} a=${i}${b} ${start + BigInt(i) * 1_000_000_007n}`
  })
  await writeLines(store, testBucket, lines.join('\n'))
  let rowCount = 0
  const counting = new Proxy<Engine>(store, {
    get(engine, name) {
      const member = engine[name as keyof Engine] as unknown
      if (name === 'read')
        return (...asked: Parameters<Engine['read']>) => streamOf(counted(engine.read(...asked)))
      return typeof member === 'function' ? member.bind(engine) : member
    },
  })
  async function* counted(read: ReturnType<Engine['read']>) {
    for await (const batch of read) {
      if (batch.fields.length > 0) rowCount += batch.rowCount
      yield batch
    }
  }
  for (const [text, rowsMax] of [
    ['SELECT * FROM crowd ORDER BY time DESC LIMIT 20', 20],
    ['SELECT time, host, a FROM crowd ORDER BY time LIMIT 20 OFFSET 7', 27],
    ["SELECT a, time FROM crowd WHERE rack = 'r1' ORDER BY time DESC LIMIT 50", 50],
    ["SELECT a FROM crowd WHERE time < '2022-01-01T10:00:00Z' ORDER BY time DESC LIMIT 9", 9],
    ['SELECT time, b FROM crowd WHERE b IS NOT NULL ORDER BY time DESC LIMIT 30', 12_000],
    ['SELECT time, b FROM crowd WHERE b = 98 ORDER BY time LIMIT 100', 120],
    ['SELECT time, b FROM crowd WHERE b = 98 ORDER BY time DESC LIMIT 1000', 120],
    ['SELECT time FROM crowd ORDER BY time DESC LIMIT 0', 0],
    ['SELECT a, time FROM crowd WHERE a < 0 ORDER BY time DESC LIMIT 10', 0],
  ] as const) {
    rowCount = 0
    const found = await ask(text, testScope({ store: counting }), undefined, withoutEngines)
    expect(found, text).toEqual(await ask(text, testScope({ store, answersDirectly: false })))
    expect(rowCount, text).toBeLessThanOrEqual(rowsMax)
  }
})

test('moments far apart', async () => {
  for (const text of [
    'SELECT time, x FROM far ORDER BY time DESC',
    'SELECT time, s FROM far ORDER BY x',
    'SELECT s, max(time) AS l, min(time) AS f FROM far GROUP BY s ORDER BY s',
  ]) {
    const direct = await ask(text, testScope({ store }), undefined, withoutEngines)
    expect(direct).toEqual(await ask(text, testScope({ store, answersDirectly: false })))
  }
})

test('a tag alone is asked of the index, as long as every row counts', async () => {
  const day = 86_400_000_000_000n
  const lines = Array.from({ length: 40 }, (_, i) => {
    const tags = i % 8 === 0 ? '' : `,host=h${i % 5},zone=z${i % 3}`
    return `tags${tags} ${i % 2 === 0 ? 'a' : 'b'}=${i} ${start + BigInt(i % 4) * day}`
  })
  await writeLines(store, testBucket, lines.join('\n'))
  let readCount = 0
  const counting = new Proxy<Engine>(store, {
    get(engine, name) {
      if (name === 'read') readCount++
      const member = engine[name as keyof Engine] as unknown
      return typeof member === 'function' ? member.bind(engine) : member
    },
  })
  const texts = [
    'SELECT DISTINCT host FROM tags # ORDER BY host',
    'SELECT count(DISTINCT host) AS n FROM tags #',
    'SELECT DISTINCT zone FROM tags # ORDER BY zone DESC LIMIT 2',
    'SELECT DISTINCT zone AS z FROM tags # ORDER BY 1 NULLS FIRST LIMIT 3 OFFSET 1',
  ]
  const expectSame = async (condition: string, reads: number) => {
    readCount = 0
    for (const text of texts.map((each) => each.replace('#', condition))) {
      const found = await ask(text, testScope({ store: counting }), undefined, withoutEngines)
      expect(found, text).toEqual(await ask(text, testScope({ store, answersDirectly: false })))
    }
    expect(readCount, condition).toBe(reads * texts.length)
  }
  await expectSame('', 0)
  await expectSame("WHERE zone = 'z1'", 0)
  await expectSame("WHERE time >= '2022-01-01T08:00:00Z' AND time < '2022-01-05'", 0)
  await expectSame("WHERE time >= '2022-01-01T08:00:01Z'", 1)
  await expectSame("WHERE time < '2022-01-02'", 1)
  await expectSame('WHERE a > 3', 1)
  const predicate = { kind: 'tag', tag: 'host', op: '=', value: 'h2' } as const
  await store.delete({ bucket: testBucket, measurement: 'tags', range: allTime, predicate })
  await expectSame('', 0)
  const range = { start, stop: start + 1n }
  await store.delete({ bucket: testBucket, measurement: 'tags', range })
  await expectSame("WHERE zone != 'z0'", 0)
  await store.delete({ bucket: testBucket, measurement: 'tags', range: allTime })
  await writeLines(store, testBucket, `tags,zone=z9 a=1 ${start}`)
  await expectSame('', 0)
})

test('limits hold', async () => {
  const few = testScope({ store, limits: { ...noLimits, pointsMax: 3 } })
  await expect(ask('SELECT * FROM m', few, undefined, withoutEngines)).rejects.toThrow(
    /^max-select-point limit exceeed/,
  )
  const small = testScope({ store, limits: { ...noLimits, memoryBytesMax: 2000 } })
  const text = 'SELECT * FROM m ORDER BY a'
  await expect(ask(text, small, undefined, withoutEngines)).rejects.toThrow(
    /^query memory limit exceeded/,
  )
  await expect(ask('SELECT a FROM nothing', few, undefined, withoutEngines)).rejects.toMatchObject({
    code: 'not found',
  })
  const aborted = AbortSignal.abort(new Error('enough'))
  await expect(ask(text, testScope({ store }), aborted, withoutEngines)).rejects.toThrow('enough')
})

test('EXPLAIN tells how', async () => {
  const text = 'EXPLAIN SELECT rack, avg(a) AS v FROM m GROUP BY rack ORDER BY v LIMIT 3'
  const plan = (await ask(text, testScope({ store }), undefined, withoutEngines)).join('\n')
  expect(plan).toContain('store_reads | m: columns=[rack, v]')
  expect(plan).toContain('physical_plan | StoreRows, gathered, order by 1 keys, at most 3 rows')
  expect(plan).toMatch(/^estimate \| about \d+ values, .* answered by the store alone$/m)
  const rows = 'EXPLAIN SELECT rack, a FROM m'
  const told = (await ask(rows, testScope({ store }), undefined, withoutEngines)).join('\n')
  expect(told).toMatch(/^estimate \| about [1-9]\d* values, \d+ bytes of blocks, not shared/m)
  const nothing = "EXPLAIN SELECT a FROM m WHERE time > '2022-01-01' AND time < '2021-01-01'"
  const empty = (await ask(nothing, testScope({ store }), undefined, withoutEngines)).join('\n')
  expect(empty).toContain('estimate | about 0 values, 0 bytes of blocks, not shared')
  const counted = 'EXPLAIN SELECT count(DISTINCT rack) AS n FROM m'
  const steps = (await ask(counted, testScope({ store }), undefined, withoutEngines)).join('\n')
  expect(steps).toContain('values of rack by the index if all rows count')
})

const others = [
  'SELECT "Only" * 2 AS v FROM m ORDER BY time',
  'SELECT "Only" * 2000000 AS v FROM m ORDER BY time',
  'SELECT a + u AS v FROM m ORDER BY time LIMIT 9',
  'SELECT 1 + 1 AS v FROM m LIMIT 1',
  'SELECT DISTINCT a FROM m ORDER BY a',
  'SELECT DISTINCT ON (rack) rack FROM m ORDER BY rack',
  'SELECT DISTINCT count(a) AS n FROM m GROUP BY rack ORDER BY n',
  'SELECT DISTINCT rack FROM m ORDER BY time',
  'SELECT count(*) FILTER (WHERE a > 5) AS n FROM m',
  'SELECT a, a FROM m ORDER BY time LIMIT 2',
  'SELECT max(a) AS v FROM m HAVING max(a) > 60000',
  "SELECT a AS time FROM m WHERE rack = 'r1' ORDER BY time LIMIT 3",
  "SELECT max(c) AS v FROM m WHERE rack LIKE 'r%'",
  "SELECT a FROM m WHERE time = '2022-02-30T00:00:00Z'",
  'SELECT nothing FROM m',
  'SELECT a FROM m WHERE a + 1 > 5 AND time + 1 > 5 ORDER BY time',
  'SELECT sum(c) FROM m',
  'SELECT count(DISTINCT rack) + 1 AS n FROM m',
  'SELECT count(DISTINCT rack) AS n, count(*) AS r FROM m',
  'SELECT count(DISTINCT rack) AS n, count(DISTINCT "Host") AS h FROM m',
  'SELECT "Host", count(DISTINCT rack) AS n FROM m GROUP BY "Host" ORDER BY 1',
  'SELECT count(DISTINCT rack) AS n FROM m HAVING count(DISTINCT rack) > 1',
  'SELECT count(DISTINCT a) AS n, count(DISTINCT time) AS t FROM m',
  'SELECT max(DISTINCT rack) AS n FROM m',
  'SELECT count(DISTINCT rack) AS n FROM m ORDER BY n',
]

test.each(others)('not by the store alone: %s', async (text) => {
  const [here, there] = await Promise.allSettled(
    [testScope({ store }), testScope({ store, answersDirectly: false })].map((scope) =>
      ask(text, scope),
    ),
  )
  expect(here).toEqual(there)
})
