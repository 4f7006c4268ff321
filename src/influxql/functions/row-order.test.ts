// The sort against what InfluxDB 1.6.7 answered: `select percentile(v, p)` over values with many
// ties tells by its time which row stands at that place.

import { expect, it } from 'vitest'
import { seededRandom } from '../../platform/random.js'
import { rowsByKey } from './row-order.js'

it.each([0, 1, 2, 12, 13, 49, 50, 51, 300, 2000])('sorts %i rows', (count) => {
  for (let seed = 0; seed < 20; seed++) {
    const random = seededRandom(seed)
    const range = random.pick([1, 2, 10, 1000, 1_000_000])
    const keys = Float64Array.from({ length: count }, () => random.below(range))
    if (seed % 4 === 1) keys.sort()
    if (seed % 4 === 2) keys.sort().reverse()
    const rows = rowsByKey(keys, count)
    expect([...rows].map((row) => keys[row])).toEqual([...keys.slice().sort()])
    expect([...rows].sort((a, b) => a - b)).toEqual([...keys.keys()])
  }
})

it('up to twelve rows it is stable', () => {
  const keys = Float64Array.from([2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1])
  expect([...rowsByKey(keys, 12)]).toEqual([1, 3, 5, 7, 9, 11, 0, 2, 4, 6, 8, 10])
})

it.each([
  [0, [91, 161, 49, 150, 198, 109, 53, 113, 169, 8]],
  [100, [133, 41, 10, 170, 109, 89, 47, 168, 81, 78]],
])('puts equal keys where InfluxDB has them (%i)', (every3rd, expected) => {
  const keys = Float64Array.from({ length: 200 }, (_, k) => {
    return ((k * k * 31 + k * 17) % 7) + (k % 3 === 0 ? every3rd : 0)
  })
  const rows = rowsByKey(keys, 200)
  // The places of the percentiles 5, 15 … 95.
  expect(expected.map((_, i) => rows[9 + 20 * i])).toEqual(expected)
})
