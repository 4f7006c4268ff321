// The first or last few rows of each of many series, and those of a narrow range, which are decoded in parts or taken
// out of a memtable: the same as all rows, cut. Some fields have no values at an end, and some conditions hold far from
// it, so that more of a series must be looked at.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Predicate } from '../../src/column/predicate.js'
import { seededRandom } from '../../src/platform/random.js'
import type { ReadRequest } from '../../src/store/store.js'
import { EngineWorld } from './engine-states.js'
import { bucket } from './random-requests.js'
import { printRow, type ReadRow, readRows } from './read-rows.js'

const seriesCount = 12
const rowCount = 400
let flushed: EngineWorld
/** Half of its rows in a segment. */
let written: EngineWorld

beforeAll(async () => {
  const random = seededRandom(11)
  const lines: string[] = []
  for (let i = 0; i < rowCount; i++) {
    for (let s = 0; s < seriesCount; s++) {
      const fields = [
        ...(s % 3 === 0 || i % 5 > 0 ? [`whole=${i + s / 4}`] : []),
        ...(i < 150 ? [`early="state ${i % 4}"`] : []),
        ...(i >= 290 ? [`late=${i}i`] : []),
        ...(random.below(4) === 0 ? [`text="row ${i} of ${s}"`] : []),
      ]
      // Jittered times, some of them far from their place.
      const time = i * 1000 + random.below(900)
      if (fields.length > 0) lines.push(`m,host=h${10 + s} ${fields.join(',')} ${time}`)
    }
  }
  flushed = await EngineWorld.open({})
  await write(flushed, lines)
  await flushed.engine.flush()
  written = await EngineWorld.open({})
  await write(written, lines.slice(0, lines.length >> 1))
  await written.engine.flush()
  await write(written, lines.slice(lines.length >> 1))
})

afterAll(async () => {
  await flushed.close()
  await written.close()
})

async function write(world: EngineWorld, lines: readonly string[]): Promise<void> {
  const parser = world.parser(bucket)
  const { batch } = parser.parse(Buffer.from(lines.join('\n')), { precision: 'ns', now: 0n })
  await world.write(bucket, batch)
  parser.release(batch)
}

const all = { start: 0n, stop: 10n ** 6n }
const fieldLists = [undefined, ['whole'], ['early'], ['late', 'text'], ['text', 'early'], []]
const predicates: (Predicate | undefined)[] = [
  undefined,
  { kind: 'field-present', field: 'text' },
  { kind: 'field-present', field: 'early' },
  { kind: 'field', field: 'whole', op: '>', value: 140 },
]

/** What a read without a limit gives, cut here. */
async function cut(world: EngineWorld, request: ReadRequest): Promise<ReadRow[]> {
  const { range, limitPerSeries = Number.POSITIVE_INFINITY, ...rest } = request
  const taken = new Map<string, number>()
  return (await readRows(world.engine, { ...rest, range: all })).filter(({ key, time }) => {
    if (time < range.start || time >= range.stop) return false
    const count = (taken.get(key) ?? 0) + 1
    taken.set(key, count)
    return count <= limitPerSeries
  })
}

test.each(
  fieldLists.flatMap((fields) => predicates.map((predicate) => [fields, predicate] as const)),
)('fields %j where %j', async (fields, predicate) => {
  await expectCut(flushed, fields, predicate)
  await expectCut(written, fields, predicate)
})

async function expectCut(
  world: EngineWorld,
  fields: readonly string[] | undefined,
  predicate: Predicate | undefined,
): Promise<void> {
  const everyRow = fields?.length === 0
  let rowsSeen = 0
  for (const descending of [false, true]) {
    for (const [limitPerSeries, start, stop] of [
      [1, 0n, 10n ** 6n],
      [3, 0n, 10n ** 6n],
      [128, 0n, 10n ** 6n],
      [200, 0n, 10n ** 6n],
      [2, 100_500n, 300_000n],
      [undefined, 200_000n, 201_000n],
      [undefined, 149_000n, 152_500n],
      [undefined, 0n, 100n],
      [5, 399_500n, 500_000n],
    ] as const) {
      const request: ReadRequest = {
        bucket,
        measurement: 'm',
        range: { start, stop },
        ...(fields && { fields }),
        predicate,
        everyRow,
        descending,
        limitPerSeries,
      }
      const rows = await readRows(world.engine, request)
      expect(rows.map(printRow)).toEqual((await cut(world, request)).map(printRow))
      rowsSeen += rows.length
    }
  }
  expect(rowsSeen).toBeGreaterThan(0)
}
