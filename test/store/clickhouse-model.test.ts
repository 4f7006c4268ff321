// Random histories on ClickHouse and on the plain engine, its model: every read must give the model's answer. A second
// part writes names and values that try to break out of a statement. MILLRACE_SEED=<seed> repeats a run,
// MILLRACE_CLICKHOUSE_RUNS=<n> makes a longer one.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Value } from '../../src/column/column.js'
import { escapeName, seriesKey } from '../../src/column/series.js'
import { allTime } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import { PlainStore } from '../../src/store/plain/plain-store.js'
import { collectPages } from '../../src/store/schema-pages.js'
import type { ReadRequest, Store } from '../../src/store/store.js'
import {
  type ClickhouseServer,
  clickhouseMissing,
  clickhouseStores,
  startClickhouse,
} from './clickhouse-servers.js'
import { hostileText, hostileName as name } from './hostile-texts.js'
import { deletes, type Point, points, printPoint, reads } from './random-requests.js'
import { type ReadRow, readRows } from './read-rows.js'

const seed = Number(process.env.MILLRACE_SEED ?? Date.now() % 2 ** 31)
const numRuns = Number(process.env.MILLRACE_CLICKHOUSE_RUNS ?? 2)

interface Pair {
  readonly store: Store
  readonly model: PlainStore
  /** A bucket that nobody has used. */
  readonly bucket: string
}

let server: ClickhouseServer
let store: Store
let cleanUp: () => Promise<void>
let buckets = 0
const clock = new ManualClock(0n)

function newPair(): Pair {
  const bucket = (buckets++).toString(16).padStart(16, '0')
  return { store, model: new PlainStore(clock), bucket }
}

async function write({ store, model, bucket }: Pair, lines: readonly string[]): Promise<void> {
  const parser = new LineProtocolParser()
  const text = Buffer.from(lines.join('\n'))
  const { batch, errors } = parser.parse(text, { precision: 'ns', now: 0n })
  expect(errors).toEqual([])
  expect(await store.write(bucket, batch)).toEqual(await model.write(bucket, batch))
}

/** Sums of floats are added up in another order there: without numbers so large that only they count. */
function tame({ series, time, fields }: Point): Point {
  const tamed = Array.from(fields, ([name, value]): [string, Value] => [
    name,
    value === 1e300 ? 1000 : value,
  ])
  return { series, time, fields: new Map(tamed) }
}

/** Means of groups of integers are exact there; the model makes them from sums that wrap. */
function tameRead(request: ReadRequest): ReadRequest {
  const { window } = request
  if (window?.groupBy === undefined) return request
  const aggregates = window.aggregates.map((one) =>
    one.function === 'mean' && one.field !== 'f' ? { ...one, function: 'max' as const } : one,
  )
  return { ...request, window: { ...window, aggregates } }
}

async function expectSame({ store, model, bucket }: Pair, request: ReadRequest): Promise<void> {
  const asked = { ...tameRead(request), bucket }
  const [found, expected] = [await readRows(store, asked), await readRows(model, asked)]
  expect(found.map(rounded)).toEqual(expected.map(rounded))
}

function rounded({ key, time, values }: ReadRow) {
  return [key, time, values.map((value) => ({ ...value, value: roundedValue(value.value) }))]
}

function roundedValue(value: Value): Value {
  if (typeof value !== 'number') return value
  return Math.abs(value) < 1e-11 ? 0 : Number(value.toPrecision(12))
}

describe.skipIf(clickhouseMissing !== undefined)('ClickHouse and its model', () => {
  beforeAll(async () => {
    server = await startClickhouse()
    const opened = await clickhouseStores(() => server)(clock)
    store = opened.store
    cleanUp = opened.cleanUp
    console.info(`model tests on ClickHouse: MILLRACE_SEED=${seed}`)
  }, 60_000)

  afterAll(async () => {
    await store?.close()
    await cleanUp?.()
    await server?.stop()
  }, 60_000)

  test('every read of every history gives the answer of the model', async () => {
    const history = fc.array(
      fc.oneof({ weight: 5, arbitrary: points }, { weight: 1, arbitrary: deletes }),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    const questions = fc.array(reads, { minLength: 12, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(history, questions, async (steps, requests) => {
        const pair = newPair()
        for (const step of steps) {
          if (Array.isArray(step)) await write(pair, step.map(tame).map(printPoint))
          else {
            const request = { ...step, bucket: pair.bucket }
            await pair.store.delete(request)
            await pair.model.delete(request)
          }
        }
        for (const request of requests) await expectSame(pair, request)
      }),
      { seed, numRuns, endOnFailure: true },
    )
  }, 300_000)

  test('no name and no value gets out of its statement', async () => {
    const one = fc.record({
      measurement: name,
      tag: name,
      value: name,
      field: name,
      text: hostileText,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 3, maxLength: 3 }), async (all) => {
        const pair = newPair()
        const lines = all.map(({ measurement, tag, value, field, text }, i) => {
          const key = seriesKey({ measurement, tags: [{ key: tag, value }] })
          const printed = text.replace(/[\n\r\0]/g, '').replace(/[\\"]/g, '\\$&')
          return `${key} ${escapeName(field)}="${printed}" ${i}`
        })
        await write(pair, lines)
        for (const { measurement, tag, value, field, text } of all) {
          for (const predicate of [
            { kind: 'tag', tag, op: '=', value } as const,
            { kind: 'tag', tag: value, op: '!=', value: text } as const,
            { kind: 'field', field, op: '=', value: text } as const,
            { kind: 'tag-regex', tag, pattern: quoted(value), negated: false } as const,
            { kind: 'field-regex', field, pattern: quoted(text), negated: true } as const,
          ]) {
            await expectSame(pair, { bucket: '', measurement, range: allTime, predicate })
          }
          const request = { bucket: pair.bucket, kind: 'tag-values', tag, measurement } as const
          const [found, expected] = [pair.store.names(request), pair.model.names(request)]
          expect(await collectPages(found)).toEqual(await collectPages(expected))
        }
      }),
      { seed, numRuns: 2 * numRuns, endOnFailure: true },
    )
  }, 300_000)
})

/** A pattern that matches exactly this. */
function quoted(text: string): string {
  return `^${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`
}
