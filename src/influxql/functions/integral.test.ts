// integral against answers of InfluxDB 1.6.7: floats, and integers, which it treats otherwise, in
// both orders and however the points are cut into blocks.

import { expect, it } from 'vitest'
import { measuredRows, type Row, runTransform } from '../../../test/influxql/point-table.js'
import { floorDiv, timeMax, timeMin } from '../../column/time.js'
import { IntegralTransform } from './integral.js'

const windowNs = 10_000_000_000n

function integral(
  field: 'f' | 'i',
  windows: boolean,
  descending: boolean,
  blockLength: number,
): Row[] {
  const inputType = field === 'f' ? 'float' : 'integer'
  const transform = new IntegralTransform({
    inputType,
    unitNs: 1_000_000_000n,
    descending,
    hasWindows: windows,
    windowOf(time) {
      if (!windows) return { start: timeMin, stop: timeMax + 1n }
      const start = floorDiv(time, windowNs) * windowNs
      return { start, stop: start + windowNs }
    },
  })
  const rows = measuredRows(field)
  if (descending) rows.reverse()
  return runTransform(transform, 'float', inputType, rows, blockLength)
}

const windowed: [string, 'f' | 'i', boolean, number[]][] = [
  [
    'floats',
    'f',
    false,
    [
      14.700040586993895, 137.66270969848358, 5.529731674523852, 292.02978676771147,
      102.97798975743349, 128.51924151485372,
    ],
  ],
  [
    'integers',
    'i',
    false,
    [
      76.99998300000087, 11.500008999992142, 10.500009000009301, 28.428571071426703,
      -39.42857157143, 1.5000000000009983,
    ],
  ],
  [
    'floats, newest first',
    'f',
    true,
    [
      -128.51924151485372, -102.9779897574335, -292.0297867677115, -5.529731674523858,
      -137.66270969848358, -14.700040586993895,
    ],
  ],
  [
    'integers, newest first',
    'i',
    true,
    [
      19.500006999999, 49.428561571429995, -31.428579571426702, -53.9999835000093,
      2.4999710000078577, -118.99997700000085,
    ],
  ],
]

it.each(windowed)('%s in windows', (_, field, descending, expected) => {
  for (const blockLength of [1, 3, 16]) {
    const rows = integral(field, true, descending, blockLength)
    const starts = [0n, 1n, 2n, 3n, 4n, 5n].map((n) => n * windowNs)
    // A descending query's results stand at the later end of their window.
    const times = descending ? starts.reverse().map((start) => start + windowNs) : starts
    expect(rows.map((row) => row[0])).toEqual(times)
    rows.forEach((row, i) => {
      expect(Math.abs(Number(row[1]) / expected[i] - 1)).toBeLessThan(1e-12)
    })
  }
})

it('without windows', () => {
  const [[time, area]] = integral('f', false, false, 16)
  expect(time).toBe(0n)
  expect(area).toBeCloseTo(681.4194999999999, 9)
  expect(integral('i', false, false, 5)[0][0]).toBe(0n)
  expect(integral('i', false, true, 5)[0][0]).toBe(9_223_372_036_854_775_807n)
  expect(integral('f', false, true, 5)[0][0]).toBe(0n)
})
