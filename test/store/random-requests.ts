// Random points, deletes and reads for the model tests, over a space so small that they meet: few
// series, few moments, few values, but every type, both sides of a shard's border, and the ends of
// the ranges.

import fc from 'fast-check'
import type { FieldType, Value } from '../../src/column/column.js'
import type { Comparison, Predicate, TagPredicate } from '../../src/column/predicate.js'
import { escapeName, type Series, seriesKey } from '../../src/column/series.js'
import { allTime, nsPerDay, nsPerWeek } from '../../src/column/time.js'
import type { Aggregate, DeleteRequest, ReadRequest } from '../../src/store/store.js'
import { printValue } from './read-rows.js'

export const bucket = '00000000000000b1'

export interface Point {
  readonly series: Series
  readonly time: bigint
  readonly fields: ReadonlyMap<string, Value>
}

const fieldTypesByName = new Map<string, FieldType>([
  ['f', 'float'],
  ['i', 'integer'],
  ['u', 'unsigned'],
  ['b', 'boolean'],
  ['s', 'string'],
])

/** A shard ends there. */
const monday = 4n * nsPerDay

const moment = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(0n, 40n) },
  { weight: 2, arbitrary: fc.bigInt(monday - 5n, monday + 5n) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      -1n,
      monday - nsPerWeek,
      300n * nsPerWeek + 1n,
      -9n * nsPerWeek - 3n,
    ),
  },
)

const measurement = fc.constantFrom('m', 'n')

const series: fc.Arbitrary<Series> = fc
  .tuple(measurement, fc.constantFrom('', 'a', 'b', 'a b'), fc.constantFrom('', '1', '2'))
  .map(([name, h, r]) => ({
    measurement: name,
    tags: [
      { key: 'h', value: h },
      { key: 'r', value: r },
    ].filter(({ value }) => value !== ''),
  }))

const values: Record<FieldType, fc.Arbitrary<Value>> = {
  float: fc.oneof(
    fc.integer({ min: -9, max: 9 }).map((n) => n / 4),
    fc.constantFrom(-0, 1e300, 5e-324, 0.1, 1 / 3),
  ),
  integer: fc.oneof(
    fc.bigInt(-9n, 9n),
    fc.constantFrom(2n ** 53n - 1n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)),
  ),
  unsigned: fc.oneof(fc.bigInt(0n, 9n), fc.constantFrom(2n ** 53n + 1n, 2n ** 64n - 1n)),
  boolean: fc.boolean(),
  string: fc.constantFrom('', 'a', 'b', 'ab', 'é"\\', 'a long text that repeats '.repeat(6)),
}

const fields: fc.Arbitrary<ReadonlyMap<string, Value>> = fc
  .record(
    { f: values.float, i: values.integer, u: values.unsigned, b: values.boolean, s: values.string },
    { requiredKeys: [] },
  )
  .map((record) => new Map(Object.entries(record)))
  .filter((map) => map.size > 0)

const point: fc.Arbitrary<Point> = fc.record({ series, time: moment, fields })

/** One series with so many rows that it gets row groups of its own. */
const stretch: fc.Arbitrary<Point[]> = fc
  .tuple(series, fc.integer({ min: 1, max: 1400 }), fc.bigInt(0n, 30n), fc.constantFrom(1n, 3n))
  .map(([of, count, start, step]) =>
    Array.from({ length: count }, (_, k) => {
      const n = (k * 7) % 23
      const row = new Map<string, Value>([['i', BigInt(n)]])
      if (k % 3 !== 0) row.set('f', n / 8)
      if (k % 5 === 0) row.set('s', `t${n % 4}`)
      return { series: of, time: start + BigInt(k) * step, fields: row }
    }),
  )

export const points: fc.Arbitrary<Point[]> = fc.oneof(
  { weight: 6, arbitrary: fc.array(point, { minLength: 1, maxLength: 25 }) },
  { weight: 1, arbitrary: stretch },
)

export function printPoint({ series: of, time, fields: row }: Point): string {
  const list = Array.from(row, ([name, value]) => {
    return `${escapeName(name)}=${printValue(fieldTypesByName.get(name)!, value)}`
  })
  return `${seriesKey(of)} ${list.join(',')} ${time}`
}

const range = fc.oneof(
  fc.constant(allTime),
  fc.tuple(moment, moment).map(([a, b]) => ({ start: a < b ? a : b, stop: (a < b ? b : a) + 1n })),
  fc.tuple(moment, fc.bigInt(1n, 3000n)).map(([start, length]) => ({
    start,
    stop: start + length,
  })),
)

const tagLeaf: fc.Arbitrary<TagPredicate> = fc.oneof(
  fc.record({
    kind: fc.constant('tag' as const),
    tag: fc.constantFrom('h', 'r', 'nope'),
    op: fc.constantFrom('=' as const, '!=' as const),
    value: fc.constantFrom('', 'a', 'b', '1', 'zz'),
  }),
  fc.record({
    kind: fc.constant('tag-regex' as const),
    tag: fc.constantFrom('h', 'r', 'nope'),
    pattern: fc.constantFrom('^$', 'a', '^[ab]$', '1|b'),
    negated: fc.boolean(),
  }),
)

const comparison = fc.constantFrom<Comparison>('=', '!=', '<', '<=', '>', '>=')

const valueLeaf: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constantFrom('f', 'i', 'u', 'b', 's', 'nope'),
    op: comparison,
    value: fc.oneof(values.float, values.integer, values.unsigned, values.boolean, values.string),
  }),
  fc.record({
    kind: fc.constant('field-regex' as const),
    field: fc.constantFrom('s', 'f', 'nope'),
    pattern: fc.constantFrom('^$', 'a', 'long', '^t[12]'),
    negated: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('field-present' as const),
    field: fc.constantFrom('f', 'i', 'b', 's', 'nope'),
  }),
)

/** Trees up to two levels above their leaves. */
function tree<T extends Predicate>(leaf: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const above = (below: fc.Arbitrary<T>) =>
    fc.oneof(
      { weight: 3, arbitrary: below },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          parts: fc.array(below, { maxLength: 3 }),
        }) as fc.Arbitrary<unknown> as fc.Arbitrary<T>,
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('not' as const),
          part: below,
        }) as fc.Arbitrary<unknown> as fc.Arbitrary<T>,
      },
    )
  return above(above(leaf))
}

const tagPredicate = tree(tagLeaf)
const predicate = tree<Predicate>(fc.oneof(tagLeaf, valueLeaf))

const aggregate: fc.Arbitrary<Aggregate> = fc.oneof(
  fc.record({
    field: fc.constantFrom('f', 'i', 'u', 'nope'),
    function: fc.constantFrom('count', 'sum', 'min', 'max', 'mean', 'first', 'last'),
  }),
  fc.record({
    field: fc.constantFrom('b', 's'),
    function: fc.constantFrom('count', 'first', 'last'),
  }),
  fc.constant<Aggregate>({ field: '', function: 'rows' }),
)

const window = fc.record(
  {
    everyNs: fc.constantFrom(1n, 3n, 10n, 100n, 1000n, nsPerDay + 1n, 400n * nsPerDay + 1n),
    offsetNs: fc.bigInt(-50n, 50n),
    aggregates: fc.array(aggregate, { minLength: 1, maxLength: 4 }),
    groupBy: fc.subarray(['h', 'r', 'nope']),
    pointTimes: fc.boolean(),
  },
  { requiredKeys: ['aggregates'] },
)

export const deletes: fc.Arbitrary<DeleteRequest> = fc.record(
  { bucket: fc.constant(bucket), range, measurement, predicate: tagPredicate },
  { requiredKeys: ['bucket', 'range'] },
)

export const reads: fc.Arbitrary<ReadRequest> = fc.record(
  {
    bucket: fc.constant(bucket),
    measurement,
    range,
    fields: fc.array(fc.constantFrom('f', 'i', 'u', 'b', 's', 'nope'), { maxLength: 4 }),
    predicate,
    descending: fc.boolean(),
    limitPerSeries: fc.integer({ min: 0, max: 5 }),
    window,
    everyRow: fc.boolean(),
  },
  { requiredKeys: ['bucket', 'measurement', 'range'] },
)
