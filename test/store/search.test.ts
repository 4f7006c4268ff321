// Searches by value: row groups are passed over by their statistics, and other columns are decoded
// only where a row passes. Every answer is held against a look at every row.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { EngineWorld } from './engine-states.js'
import { parsePredicate } from './predicate-text.js'
import { printRow, readRows } from './read-rows.js'

const bucket = '00000000000000b1'
const request = { bucket, measurement: 'm', range: allTime }
const rowCount = 9000
let world: EngineWorld

interface Point {
  readonly host: string
  readonly time: number
  /** Rises with time: most row groups cannot hold a value that is asked for. */
  readonly level: number
  readonly temperature: number
  /** Only in the second half. */
  readonly note: string | undefined
}

function pointsOf(host: string): Point[] {
  return Array.from({ length: rowCount }, (_, time) => ({
    host,
    time,
    level: Math.floor(time / 10) + (host === 'b' ? 5000 : 0),
    temperature: ((time * 37) % 1000) / 10,
    note: time < rowCount / 2 ? undefined : `n${time % 50}`,
  }))
}

const points = [...pointsOf('a'), ...pointsOf('b')]

function print({ host, time, level, temperature, note }: Point): string {
  const text = note === undefined ? '' : `note="${note}",`
  return `m,host=${host} level=${level}i,${text}temperature=${temperature} ${time}`
}

beforeEach(async () => {
  world = await EngineWorld.open({ compactionSegments: 1000 })
  const { batch } = world
    .parser(bucket)
    .parse(Buffer.from(points.map(print).join('\n')), { precision: 'ns', now: 0n })
  await world.engine.write(bucket, batch)
  await world.engine.flush()
})

afterEach(() => world.close())

const cases: readonly [string, (point: Point) => boolean][] = [
  ['$level = 300i', (p) => p.level === 300],
  ['$level = 300', (p) => p.level === 300],
  ['$level != 300i and $level < 302', (p) => p.level !== 300 && p.level < 302],
  ['$level < 3i', (p) => p.level < 3],
  ['$level <= 3i', (p) => p.level <= 3],
  ['$level > 5898i', (p) => p.level > 5898],
  ['$level >= 5898.5', (p) => p.level >= 5898.5],
  ['$level > 5899i', () => false],
  ['$level = 9223372036854775807i', () => false],
  ['not ($level < 5898i)', (p) => p.level >= 5898],
  ['$level < 2i or $temperature > 99.8', (p) => p.level < 2 || p.temperature > 99.8],
  ['$level > 5800i and $temperature < 0.5', (p) => p.level > 5800 && p.temperature < 0.5],
  ["$note = 'n7' and $level > 890i", (p) => p.note === 'n7' && p.level > 890],
  [
    "$note != 'n7' and $level < 460i",
    (p) => p.note !== undefined && p.note !== 'n7' && p.level < 460,
  ],
  [
    '$note =~ /^n4[89]$/ and $temperature < 1',
    (p) => /^n4[89]$/.test(p.note ?? '') && p.temperature < 1,
  ],
  ["host = 'b' and $level < 5002i", (p) => p.host === 'b' && p.level < 5002],
  ["host = 'b' and $level < 100i", () => false],
  [
    "$level < 1i or host = 'b' and $temperature = 99.9",
    (p) => p.level < 1 || (p.host === 'b' && p.temperature === 99.9),
  ],
  ["$level = 'text'", () => false],
  ['$nothing = 1', () => false],
]

test.each(cases)('%s', async (text, passes) => {
  const predicate = parsePredicate(text)
  const expected = points.filter(passes)
  const all = await readRows(world.engine, { ...request, predicate })
  expect(all.map(printRow)).toEqual(expected.map((point) => printed(point)))
  const some = await readRows(world.engine, { ...request, predicate, fields: ['temperature'] })
  expect(some.length).toBe(expected.length)
  const range = { start: 100n, stop: 8000n }
  const within = expected.filter(({ time }) => time >= 100 && time < 8000)
  const cut = await readRows(world.engine, { ...request, predicate, range, descending: true })
  expect(cut.length).toBe(within.length)
  const window = { aggregates: [{ field: 'temperature', function: 'count' as const }] }
  const counts = await readRows(world.engine, { ...request, predicate, window })
  const hosts = ['a', 'b'].map((host) => expected.filter((point) => point.host === host).length)
  expect(counts.map((row) => printRow(row).replace(/.*=(\d+)i$/, '$1'))).toEqual(
    hosts.filter((count) => count > 0).map(String),
  )
})

test('a row that a later write changed is judged by what it is now', async () => {
  const { batch } = world
    .parser(bucket)
    .parse(Buffer.from('m,host=a level=77777i 4000\nm,host=a temperature=-5 8000'), {
      precision: 'ns',
      now: 0n,
    })
  await world.engine.write(bucket, batch)
  await world.engine.flush()
  const changed = { ...points[4000], level: 77777 }
  const high = await readRows(world.engine, {
    ...request,
    predicate: parsePredicate('$level > 70000i'),
  })
  expect(high.map(printRow)).toEqual([printed(changed)])
  const gone = {
    ...request,
    range: { start: 4000n, stop: 4001n },
    predicate: parsePredicate("host = 'a' and $level = 400i"),
  }
  expect(await readRows(world.engine, gone)).toEqual([])
  const cold = await readRows(world.engine, {
    ...request,
    predicate: parsePredicate('$temperature < 0'),
  })
  expect(cold.map(printRow)).toEqual([printed({ ...points[8000], temperature: -5 })])
})

/** As a read prints it. */
function printed({ host, time, level, temperature, note }: Point): string {
  const text = note === undefined ? '' : `note="${note}",`
  return `m,host=${host} ${time} level=${level}i,${text}temperature=${temperature}`
}
