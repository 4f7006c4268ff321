// Reducers against answers of InfluxDB 1.6.7, and against models that are too simple to be wrong,
// however the points are cut into blocks.

import { describe, expect, it } from 'vitest'
import {
  blocksOf,
  measuredRows,
  type Row,
  reduceRows,
  reducerOf,
  rowsOf,
  typeGiven,
} from '../../../test/influxql/point-table.js'
import type { FieldType, Value } from '../../column/column.js'
import { type Random, seededRandom } from '../../platform/random.js'
import { PointsBuilder } from './points.js'

const at = (second: number) => BigInt(second) * 1_000_000_000n + 1000n

/** The same answer however the points are cut into blocks, and in both orders where the order does not matter. */
function reduceMeasured(name: string, fields: ('f' | 'i' | 's' | 'b')[], n?: number): Row[] {
  const typeOf = { f: 'float', i: 'integer', s: 'string', b: 'boolean' } as const
  const types = fields.map((field) => typeOf[field])
  const rows = measuredRows(...fields)
  const options = n === undefined ? {} : { args: `${n}` }
  const whole = reduceRows(name, types, rows, options)
  for (const blockLength of [1, 3, 7]) {
    expect(reduceRows(name, types, rows, { ...options, blockLength })).toEqual(whole)
  }
  return whole
}

describe('answers of InfluxDB', () => {
  it.each<[string, 'f' | 'i' | 's' | 'b', Value]>([
    ['count', 'f', 16n],
    ['sum', 'i', 55n],
    ['mean', 'i', 3.4375],
    ['mean', 'f', 6.4874375],
    ['spread', 'f', 93.35900000000001],
    ['spread', 'i', 37n],
    ['stddev', 'i', 12.62784621382443],
    ['stddev', 'f', 32.2675760146699],
    ['median', 'i', 5.5],
    ['median', 'f', 6.6325],
    ['mode', 'i', 16n],
    ['mode', 's', 'a'],
    ['mode', 'b', true],
    ['count distinct', 'i', 14n],
  ])('%s of %s', (name, field, expected) => {
    const [[time, value], ...more] = reduceMeasured(name, [field])
    expect(more).toEqual([])
    expect(time).toBe(0n)
    if (typeof expected === 'number') expect(value).toBeCloseTo(expected, 12)
    else expect(value).toBe(expected)
  })

  it('of selectors, with the time and the companions of their point', () => {
    expect(reduceMeasured('min', ['i'])).toEqual([[at(12), -17n]])
    expect(reduceMeasured('max', ['i', 's', 'b'])).toEqual([[at(24), 20n, 'b', false]])
    expect(reduceMeasured('first', ['s'])).toEqual([[at(3), 'a']])
    expect(reduceMeasured('last', ['b'])).toEqual([[at(57), false]])
    expect(reduceMeasured('percentile', ['i'], 50)).toEqual([[at(3), 5n]])
    expect(reduceMeasured('percentile', ['i', 's'], 90)).toEqual([[at(57), 16n, 'c']])
    expect(reduceMeasured('percentile', ['i'], 0)).toEqual([])
    expect(reduceMeasured('percentile', ['i'], 101)).toEqual([[at(24), 20n]])
    expect(reduceMeasured('percentile', ['i'], 104)).toEqual([])
  })

  it('of functions with several points', () => {
    expect(reduceMeasured('distinct', ['s']).map((row) => row[1])).toEqual(['a', 'dd', 'c', 'b'])
    expect(reduceMeasured('top', ['i', 's'], 4)).toEqual([
      [at(10), 17n, 'a'],
      [at(19), 16n, 'dd'],
      [at(23), 16n, 'c'],
      [at(24), 20n, 'b'],
    ])
    const bottom = reduceMeasured('bottom', ['i'], 4).map((row) => row[1])
    expect(bottom).toEqual([-17n, -12n, -16n, -13n])
  })

  it('come earliest first in descending queries too', () => {
    const rows = measuredRows('i').reverse()
    const top = reduceRows('top', ['integer'], rows, { args: '3', descending: true })
    expect(top.map((row) => row[1])).toEqual([17n, 16n, 20n])
    const strings = measuredRows('s').reverse()
    // By the first point met, which is now the latest of each.
    const distinct = reduceRows('distinct', ['string'], strings, { descending: true })
    expect(distinct.map((row) => row[1])).toEqual(['b', 'a', 'dd', 'c'])
  })
})

describe('ties', () => {
  const sameTime: Row[] = [
    [5n, true, 'x'],
    [5n, false, 'y'],
    [5n, true, 'z'],
  ]

  it('of booleans at one time: first prefers false, last true', () => {
    expect(reduceRows('first', ['boolean', 'string'], sameTime)).toEqual([[5n, false, 'y']])
    expect(reduceRows('last', ['boolean', 'string'], sameTime)).toEqual([[5n, true, 'x']])
  })

  it('of strings at one time go to the greater, by bytes', () => {
    const rows: Row[] = [
      [5n, '\uFFFD'],
      [5n, '\u{1F600}'],
      [5n, 'z'],
    ]
    expect(reduceRows('first', ['string'], rows)).toEqual([[5n, '\u{1F600}']])
    expect(reduceRows('last', ['string'], rows)).toEqual([[5n, '\u{1F600}']])
  })

  it('of values go to the earliest point, whatever the order', () => {
    const rows: Row[] = [
      [1n, 7, 'a'],
      [2n, 7, 'b'],
      [3n, 7, 'c'],
    ]
    for (const name of ['min', 'max']) {
      for (const blockLength of [1, 2, 3]) {
        const options = { blockLength, descending: true }
        const found = reduceRows(name, ['float', 'string'], rows.slice().reverse(), options)
        expect(found).toEqual([[1n, 7, 'a']])
        expect(reduceRows(name, ['float', 'string'], rows, { blockLength })).toEqual(found)
      }
    }
  })
})

it('a window of one point', () => {
  expect(reduceRows('stddev', ['float'], [[7n, 3]])).toEqual([[0n, Number.NaN]])
  expect(reduceRows('median', ['integer'], [[7n, 3n]])).toEqual([[0n, 3]])
  expect(reduceRows('mode', ['string'], [[7n, 'x']])).toEqual([[0n, 'x']])
  expect(reduceRows('mode', ['boolean'], [[7n, false]])).toEqual([[0n, false]])
  expect(reduceRows('spread', ['integer'], [[7n, 3n]])).toEqual([[0n, 0n]])
})

it('an empty window has no result, and the next begins anew', () => {
  for (const name of [
    'count',
    'sum',
    'mean',
    'min',
    'first',
    'spread',
    'stddev',
    'median',
    'mode',
  ]) {
    expect(reduceRows(name, ['float'], [])).toEqual([])
    expect(reduceRows(name, ['integer'], [])).toEqual([])
  }
})

it('a reducer is as new after each window', () => {
  const names =
    'count sum mean min max first last spread stddev median mode percentile distinct top'
  const rows: Row[] = measuredRows('i')
  const [points] = blocksOf(rows, ['integer'])
  for (const name of [...names.split(' '), 'count distinct', 'bottom']) {
    const reducer = reducerOf(name, ['integer'], { args: '9' })
    const out = new PointsBuilder(typeGiven(name, 'integer')!)
    const windows = [0, 1].map(() => {
      reducer.add(points, 0, points.count)
      reducer.finish(out)
      return rowsOf(out.take())
    })
    expect(windows[0]).not.toEqual([])
    expect(windows[1]).toEqual(windows[0])
    expect(windows[0]).toEqual(reduceRows(name, ['integer'], rows, { args: '9' }))
  }
})

describe('64-bit integers', () => {
  const big = 9_007_199_254_740_991n

  it('are summed beyond 2^53, and wrap at 64 bits', () => {
    const rows: Row[] = [1n, 2n, 3n, 4n, 5n].map((time) => [time, big])
    expect(reduceRows('sum', ['integer'], rows)).toEqual([[0n, big * 5n]])
    const max = 9_223_372_036_854_775_807n
    const wide: Row[] = [
      [1n, max],
      [2n, 2n],
    ]
    expect(reduceRows('sum', ['integer'], wide)).toEqual([[0n, -9_223_372_036_854_775_807n]])
    expect(reduceRows('mean', ['integer'], wide)[0][1]).toBe(-(2 ** 62))
    expect(reduceRows('sum', ['unsigned'], wide)).toEqual([[0n, max + 2n]])
    expect(
      reduceRows(
        'spread',
        ['integer'],
        [
          [1n, max],
          [2n, -2n],
        ],
      ),
    ).toEqual([[0n, -max]])
  })

  it('may be narrow in one block and wide in the next', () => {
    const rows: Row[] = [
      [1n, 5n],
      [2n, 2n ** 60n],
      [3n, 5n],
      [4n, -(2n ** 61n)],
    ]
    for (const blockLength of [1, 2, 4]) {
      const options = { blockLength, args: '2' }
      const only = (name: string) =>
        reduceRows(name, ['integer'], rows, options).map((row) => row[1])
      expect(only('max')).toEqual([2n ** 60n])
      expect(only('min')).toEqual([-(2n ** 61n)])
      expect(only('distinct')).toEqual([5n, 2n ** 60n, -(2n ** 61n)])
      expect(only('mode')).toEqual([5n])
      expect(only('top')).toEqual([5n, 2n ** 60n])
      expect(only('median')).toEqual([5])
    }
  })
})

it('top and bottom with tags take the best point of each combination', () => {
  const types: FieldType[] = ['float', 'string', 'string']
  const rows: Row[] = [
    [1n, 5, 'a', 'x'],
    [2n, 9, 'a', 'x'],
    [3n, 9, 'a', 'x'],
    [4n, 7, 'a', null],
    [5n, 8, 'b', 'x'],
    [6n, 1, 'b', 'x'],
  ]
  const options = { args: '2', tagCompanions: [0, 1] }
  expect(reduceRows('top', types, rows, options)).toEqual([rows[1], rows[4]])
  expect(reduceRows('bottom', types, rows, options)).toEqual([rows[0], rows[5]])
  expect(reduceRows('top', types, rows, { ...options, args: '9', blockLength: 1 })).toEqual([
    rows[1],
    rows[3],
    rows[4],
  ])
  // Without tags the same tag may come twice.
  expect(reduceRows('top', types, rows, { args: '2' })).toEqual([rows[1], rows[2]])
})

it('sample draws every set of points equally often', () => {
  const rows: Row[] = [1n, 2n, 3n, 4n].map((time) => [time, time])
  const counts = new Map<string, number>()
  const random = seededRandom(5)
  for (let run = 0; run < 1200; run++) {
    const drawn = reduceRows('sample', ['integer'], rows, { args: '2', random, blockLength: 3 })
    const key = drawn.map((row) => row[0]).join()
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  expect([...counts.keys()].sort()).toEqual(['1,2', '1,3', '1,4', '2,3', '2,4', '3,4'])
  for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(60)
})

it('types', () => {
  expect(typeGiven('mean', 'integer')).toBe('float')
  expect(typeGiven('count', 'string')).toBe('integer')
  expect(typeGiven('max', 'boolean')).toBe('boolean')
  expect(typeGiven('max', 'string')).toBeUndefined()
  expect(typeGiven('sum', 'unsigned')).toBe('unsigned')
})

function randomRows(random: Random): Row[] {
  const rows: Row[] = []
  let time = BigInt(random.below(100))
  for (let left = random.below(60) + 1; left > 0; left--) {
    rows.push([time, BigInt(random.below(12)) - 4n])
    time += BigInt(1 + random.below(5))
  }
  return rows
}

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('agrees with simple models, seed %i', (seed) => {
  const random = seededRandom(seed)
  for (let run = 0; run < 20; run++) {
    const rows = randomRows(random)
    const values = rows.map((row) => Number(row[1]))
    const sorted = values.slice().sort((a, b) => a - b)
    const blockLength = 1 + random.below(20)
    const n = 1 + random.below(8)
    const answer = (name: string) =>
      reduceRows(name, ['integer'], rows, { blockLength, args: `${n}` }).map((row) =>
        Number(row[1]),
      )
    const sum = values.reduce((a, b) => a + b)
    const mean = sum / values.length
    expect(answer('sum')).toEqual([sum])
    expect(answer('mean')[0]).toBeCloseTo(mean, 12)
    expect(answer('min')).toEqual([sorted[0]])
    expect(answer('max')).toEqual([sorted.at(-1)])
    expect(answer('count distinct')).toEqual([new Set(values).size])
    expect(answer('distinct')).toEqual([...new Set(values)])
    expect(answer('top').sort((a, b) => b - a)).toEqual(sorted.slice(-n).reverse())
    expect(answer('bottom').sort((a, b) => a - b)).toEqual(sorted.slice(0, n))
    const half = sorted.length >> 1
    const median = sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
    expect(answer('median')).toEqual([median])
    const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0)
    if (values.length > 1) {
      expect(answer('stddev')[0]).toBeCloseTo(Math.sqrt(squares / (values.length - 1)), 10)
    }
    const count = (value: number) => values.filter((each) => each === value).length
    const most = Math.max(...values.map(count))
    expect(count(answer('mode')[0])).toBe(most)
  }
})
