// What statements read of the store, seen by a store that takes notes, beyond what EXPLAIN tells of it
// (corpus/sql/reads.test). And what stops them: limits of points and memory, and being stopped.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserError } from '../../src/errors.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import type { ReadRequest, Store } from '../../src/store/store.js'
import {
  ask,
  batches,
  noLimits,
  openTestStore,
  testBucket,
  testScope,
  writeLines,
} from './run-sql.js'

let engine: Engine
let reads: ReadRequest[] = []
let store: Store

beforeAll(async () => {
  engine = await openTestStore()
  store = new Proxy(engine, {
    get(target, name) {
      if (name === 'read') {
        return (request: ReadRequest, signal: AbortSignal) => {
          reads.push(request)
          return target.read(request, signal)
        }
      }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
})

afterAll(() => engine.close())

async function readsOf(text: string): Promise<ReadRequest[]> {
  reads = []
  await ask(text, testScope({ store, answersDirectly: false }))
  return reads
}

test('only the fields that are named are read, and rows without them too', async () => {
  const [one] = await readsOf('SELECT time, temp FROM home')
  expect(one).toMatchObject({ fields: ['temp'], everyRow: true })
  const [none] = await readsOf('SELECT median(extract(hour FROM time)) AS m FROM home')
  expect(none).toMatchObject({ fields: [], everyRow: true })
  const [compared] = await readsOf('SELECT temp FROM home WHERE temp > 22')
  expect(compared).toMatchObject({ fields: ['temp'], everyRow: false })
})

test('what cannot match reads nothing', async () => {
  const text = "SELECT temp FROM home WHERE time > now() AND time < '2020-01-01'"
  expect(await readsOf(text)).toEqual([])
})

test('aggregates by tag and bin are computed by the store', async () => {
  const [read] = await readsOf(
    `SELECT date_bin(INTERVAL '1 hour', time) AS t, room, avg(temp) FROM home
      WHERE time >= '2022-01-01T08:00:00Z' GROUP BY t, room`,
  )
  expect(read.window).toEqual({
    everyNs: 3_600_000_000_000n,
    offsetNs: 0n,
    refusesOverflow: true,
    aggregates: [
      { field: 'temp', function: 'sum' },
      { field: 'temp', function: 'count' },
      { field: '', function: 'rows' },
    ],
  })
})

test('rows are counted by the store', async () => {
  const [read] = await readsOf('SELECT room, count(*) AS n, max(temp) AS m FROM home GROUP BY room')
  expect(read.window?.aggregates).toEqual([
    { field: '', function: 'rows' },
    { field: 'temp', function: 'max' },
  ])
})

test('EXPLAIN tells the plan, and with ANALYZE how many rows there were', async () => {
  const scope = testScope({ store, answersDirectly: false })
  const plan = (await ask("EXPLAIN SELECT temp FROM home WHERE room = 'Kitchen'", scope)).join('\n')
  expect(plan).toContain('home: columns=[room, temp, time]')
  expect(plan).toContain('physical_plan | ')
  expect(plan).toMatch(/^estimate \| about \d+ values, .*, answered by an engine of SQL$/m)
  const analysis = await ask('EXPLAIN ANALYZE SELECT temp FROM home', scope)
  expect(analysis.join('\n')).toContain('6 rows')
})

test('roles of columns are told', async () => {
  const scope = testScope({ store })
  const [all] = await batches("SELECT * FROM home WHERE room = 'Kitchen'", scope)
  expect(all).toMatchObject({
    name: 'home',
    columnRoles: ['field', 'field', 'tag', 'field', 'time'],
  })
  const [some] = await batches('SELECT time, room, temp * 2 FROM home', scope)
  expect(some.columnRoles).toEqual(['time', 'tag', undefined])
})

test('moments far apart come in several batches', async () => {
  const lines = Array.from({ length: 40 }, (_, i) => `far x=${i} ${BigInt(i) * 10n ** 16n}`)
  await writeLines(engine, testBucket, lines.join('\n'))
  const found = await batches('SELECT time, x FROM far ORDER BY time', testScope({ store }))
  expect(found.length).toBeGreaterThan(1)
  expect((await ask('SELECT x FROM far ORDER BY time', testScope({ store }))).length).toBe(41)
  const [, ...rows] = await ask(
    'SELECT epoch_ns(time) AS e, time FROM far ORDER BY time',
    testScope({ store }),
  )
  expect(rows[39]).toBe(`${39n * 10n ** 16n} | 1982-05-11T21:20:00Z`)
})

test('points and memory are limited', async () => {
  const few = testScope({ store, limits: { ...noLimits, pointsMax: 3 } })
  await expect(ask('SELECT * FROM home', few)).rejects.toMatchObject({
    code: 'invalid',
    message: 'max-select-point limit exceeed: (6/3)',
  })
  const limits = { ...noLimits, memoryBytesMax: 20_000_000 }
  const small = testScope({ store, limits })
  const text = 'SELECT count(*) FROM (SELECT a.range FROM range(20000000) a ORDER BY random())'
  await expect(ask(text, small)).rejects.toThrow(/^query memory limit exceeded/)
  expect(await ask('SELECT 1 AS a', small)).toEqual(['a', '1'])
  const bins = testScope({ store, limits: { ...noLimits, bucketsMax: 100 } })
  const gaps = `SELECT date_bin_gapfill(INTERVAL '1 second', time) AS t, avg(temp) FROM home
    WHERE time >= '2022-01-01' AND time < '2022-01-02' GROUP BY t`
  await expect(ask(gaps, bins)).rejects.toThrow('max-select-buckets limit exceeded: (86400/100)')
})

test('texts that grow past what DuckDB counts are stopped', async () => {
  const tenfold = Array(10).fill('s').join(' || ')
  let table = '(SELECT CAST(range AS VARCHAR) AS s FROM range(3000))'
  for (let depth = 0; depth < 5; depth++) table = `(SELECT ${tenfold} AS s FROM ${table})`
  const limits = { ...noLimits, memoryBytesMax: 64_000_000 }
  const running = ask(`SELECT max(length(s)) FROM ${table}`, testScope({ store, limits }))
  await expect(running).rejects.toThrow(/^query memory limit exceeded/)
})

test('a statement that is stopped ends with the reason', async () => {
  const controller = new AbortController()
  const reason = new UserError('invalid', 'query-timeout limit exceeded')
  const text = 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b'
  const running = ask(text, testScope({ store }), controller.signal)
  setTimeout(() => controller.abort(reason), 100)
  await expect(running).rejects.toBe(reason)
  expect(await ask('SELECT 1 AS a', testScope({ store }))).toEqual(['a', '1'])
})
