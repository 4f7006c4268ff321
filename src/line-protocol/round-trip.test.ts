// Arbitrary points, written as text by this test, come out of the parser as the same points; and
// what the printer prints parses to the same points again.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Batch } from '../column/batch.js'
import type { Column, Value } from '../column/column.js'
import { valueAt } from '../column/column.js'
import { parseSeriesKey, seriesKey } from '../column/series.js'
import { timeAt } from '../column/time.js'
import type { WriteBatch } from '../column/write-batch.js'
import { LineProtocolParser } from './parser.js'
import { printBatch, printString, printWriteBatch } from './printer.js'

const options = { precision: 'ns', now: 0n } as const

type Typed = readonly [type: string, value: Value]

interface Point {
  readonly measurement: string
  readonly tags: ReadonlyMap<string, string>
  readonly fields: ReadonlyMap<string, Typed>
  readonly time: bigint
}

/** All rows of a batch as objects, tags sorted. */
function pointsOf(batch: WriteBatch): Point[] {
  const points: Point[] = []
  for (const table of batch.tables) {
    for (let row = 0; row < table.rowCount; row++) {
      const series = parseSeriesKey(table.keys.key(table.series[row]))
      expect(series.measurement).toBe(table.measurement)
      const fields = new Map<string, Typed>()
      for (const { name, column } of table.fields) {
        const value = valueAt(column, row)
        if (value === null) continue
        expect(fields.has(name)).toBe(false)
        fields.set(name, [column.type, value])
      }
      const tags = new Map(series.tags.map(({ key, value }) => [key, value]))
      points.push({ measurement: series.measurement, tags, fields, time: timeAt(table.times, row) })
    }
  }
  return points
}

/** Names hold anything but newlines; they do not end in a backslash. */
const nameUnit = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...'abcXYZ019_-./é日😀\x01\x7f') },
  { weight: 2, arbitrary: fc.constantFrom(',', ' ', '=', '"', "'", '#', '\\', '\t') },
)
const name = fc
  .string({ unit: nameUnit, minLength: 1, maxLength: 12 })
  .map((text) => text.replace(/^[\s#\\]+|\\+$/g, 'x'))
const tagKey = name.filter((key) => !['time', '_field', '_measurement'].includes(key))
const text = fc.string({
  unit: fc.oneof(nameUnit, fc.constantFrom('\n', '\r', '"', '\\')),
  maxLength: 20,
})

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const small = fc.integer({ min: -1000, max: 1000 }).map(BigInt)
const float = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -100000, max: 100000 }).map((n) => n / 100),
)

const value: fc.Arbitrary<Typed> = fc.oneof(
  float.map((v): Typed => ['float', v]),
  fc.oneof(small, small, int64).map((v): Typed => ['integer', v]),
  fc.oneof(small, uint64).map((v): Typed => ['unsigned', v < 0n ? -v : v]),
  fc.boolean().map((v): Typed => ['boolean', v]),
  text.map((v): Typed => ['string', v]),
)

const nearTime = fc
  .integer({ min: 0, max: 1000 })
  .map((n) => 1_700_000_000_000_000_000n + BigInt(n))
const anyTime = fc.bigInt({ min: -9223372036854775806n, max: 9223372036854775806n })

function point(names: fc.Arbitrary<string>, keys: fc.Arbitrary<string>): fc.Arbitrary<Point> {
  return fc
    .record({
      measurement: names,
      tags: fc.array(fc.tuple(keys, name), { maxLength: 4 }),
      fields: fc.array(fc.tuple(names, value), { minLength: 1, maxLength: 5 }),
      time: fc.oneof({ weight: 5, arbitrary: nearTime }, { weight: 1, arbitrary: anyTime }),
    })
    .map(({ measurement, tags, fields, time }) => ({
      measurement,
      tags: new Map(tags),
      fields: new Map(fields),
      time,
    }))
}

/** Wild names for the escapes, few names for columns with many rows, gaps and changes of type. */
const wildPoints = fc.array(point(name, tagKey), { maxLength: 20 })
const fewNames = fc.constantFrom('a', 'b', 'c')
const fewPoints = fc.array(point(fewNames, fewNames), { maxLength: 60 })

function escaped(name: string, special: RegExp): string {
  return name.replace(special, '\\$&')
}

function printTyped([type, value]: Typed): string {
  if (type === 'float') return Object.is(value, -0) ? '-0' : String(value)
  if (type === 'integer') return `${value}i`
  if (type === 'unsigned') return `${value}u`
  return type === 'string' ? printString(value as string) : String(value)
}

function lineOf({ measurement, tags, fields, time }: Point): string {
  let key = escaped(measurement, /[, ]/g)
  for (const [tag, of] of tags) key += `,${escaped(tag, /[, =]/g)}=${escaped(of, /[, =]/g)}`
  const list = [...fields].map(([field, of]) => `${escaped(field, /[, =]/g)}=${printTyped(of)}`)
  return `${key} ${list.join(',')} ${time}`
}

function sorted(points: readonly Point[]): unknown[] {
  const rows = points.map((p) => ({
    line: lineOf({ ...p, tags: new Map([...p.tags].sort(byBytes)), fields: new Map() }),
    fields: new Map([...p.fields].sort(byBytes)),
  }))
  return rows.sort((a, b) => (a.line < b.line ? -1 : a.line > b.line ? 1 : 0))
}

function byBytes(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]))
}

describe.each([
  ['wild names', wildPoints],
  ['few names', fewPoints],
])('%s', (_, arbitrary) => {
  test('points to text to points', () => {
    const warm = new LineProtocolParser()
    fc.assert(
      fc.property(arbitrary, (points) => {
        const body = Buffer.from(points.map(lineOf).join('\n'))
        const { batch, errors } = warm.parse(body, options)
        expect(errors).toEqual([])
        expect(sorted(pointsOf(batch))).toEqual(sorted(points))
        warm.release(batch)
      }),
      { numRuns: 300 },
    )
  })

  test('text to points to text to points', () => {
    fc.assert(
      fc.property(arbitrary, (points) => {
        const body = Buffer.from(points.map(lineOf).join('\n'))
        const first = new LineProtocolParser().parse(body, options).batch
        const printed = printWriteBatch(first)
        const second = new LineProtocolParser().parse(Buffer.from(printed), options)
        expect(second.errors).toEqual([])
        expect(sorted(pointsOf(second.batch))).toEqual(sorted(pointsOf(first)))
      }),
      { numRuns: 200 },
    )
  })

  test('keys are canonical', () => {
    fc.assert(
      fc.property(arbitrary, (points) => {
        const body = Buffer.from(points.map(lineOf).join('\n'))
        const { batch } = new LineProtocolParser().parse(body, options)
        for (const { keys } of batch.tables) {
          for (let id = 0; id < keys.count; id++) {
            const key = Buffer.from(keys.key(id))
            const { measurement, tags } = parseSeriesKey(key)
            const order = [...tags].sort((a, b) => byBytes([a.key, 0], [b.key, 0]))
            expect(seriesKey({ measurement, tags: order })).toBe(key.toString())
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})

test('a reader batch prints run by run, without what cannot be printed', () => {
  const floats: Column = {
    type: 'float',
    values: new Float64Array([1e21, -0, Number.NaN, 5e-324]),
    validity: undefined,
  }
  const strings: Column = {
    type: 'string',
    values: new Uint32Array([0, 1, 0, 0]),
    dictionary: {
      offsets: new Uint32Array([0, 1, 4]),
      bytes: new Uint8Array(Buffer.from('xa"\\')),
      count: 2,
    },
    validity: new Uint8Array([1, 1, 0, 0]),
  }
  const batch: Batch = {
    measurement: 'm m',
    rowCount: 4,
    runs: [
      { key: { measurement: 'm m', tags: [] }, keyId: 1, start: 0, stop: 1 },
      {
        key: { measurement: 'm m', tags: [{ key: 'a=', value: 'b,' }] },
        keyId: 2,
        start: 1,
        stop: 4,
      },
    ],
    times: { base: 10n, offsets: new Float64Array([0, 1, 2, 3]) },
    fields: [
      { name: 'f f', type: 'float' },
      { name: 's', type: 'string' },
    ],
    columns: [floats, strings],
  }
  expect(printBatch(batch)).toBe(
    'm\\ m f\\ f=1e+21,s="x" 10\nm\\ m,a\\==b\\, f\\ f=-0,s="a\\"\\\\" 11\n' +
      'm\\ m,a\\==b\\, f\\ f=5e-324 13\n',
  )
})
