// Transforms against answers of InfluxDB 1.6.7, however the points are cut into blocks, and what
// they do at the edges of 64 bits.

import { describe, expect, it } from 'vitest'
import {
  measuredRows,
  type Row,
  runTransform,
  transformOf,
  transformRows,
  typeGiven,
} from '../../../test/influxql/point-table.js'

type Expected = readonly (number | bigint)[]

function check(rows: readonly Row[], expected: Expected): void {
  expect(rows.length).toBe(expected.length)
  for (let i = 0; i < rows.length; i++) {
    const value = rows[i][1]
    if (typeof value === 'bigint') expect(value).toBe(expected[i])
    else expect(Math.abs(Number(value) / Number(expected[i]) - 1)).toBeLessThan(1e-12)
  }
}

/** With the arguments behind the field. */
const answers: [string, 'f' | 'i' | 's', string, Expected][] = [
  [
    'derivative',
    'f',
    '1s',
    [
      -12.196285714285713, -0.8179999999999978, 46.510000000000005, 5.666571428571428, -45.0565,
      24.7055, 4.091, -3.386, 2.6531999999999996, 3.4720000000000004, -11.2225, -2.9124285714285714,
      6.929285714285714, -27.606333333333335, 61.259,
    ],
  ],
  [
    'non_negative_derivative',
    'i',
    '1m',
    [102.85714285714286, 282.85714285714283, 840, 240, 276, 51.42857142857143, 480, 300],
  ],
  ['non_negative_difference', 'i', '', [12n, 33n, 28n, 4n, 23n, 6n, 24n, 5n]],
  [
    'moving_average',
    'i',
    '4',
    [2.75, 5.5, -1.75, 0.75, 10, 2, 6.75, 3.5, -2.75, 1.5, -3.5, -1.5, 3.75],
  ],
  [
    'cumulative_sum',
    'i',
    '',
    [5n, 22n, 28n, 11n, 27n, 15n, 31n, 51n, 35n, 42n, 45n, 40n, 41n, 28n, 39n, 55n],
  ],
  ['elapsed', 's', '1s', [7n, 1n, 1n, 7n, 2n, 2n, 1n, 1n, 5n, 7n, 2n, 7n, 7n, 3n, 1n]],
  [
    'exponential_moving_average',
    'f',
    '4',
    [
      -14.018199999999997, 9.497480000000003, -12.438311999999998, -5.835387199999998,
      -0.2372323199999983, 1.7672606080000013, 8.276356364800002, 21.90341381888, 21.101648291328,
      12.4657889747968, 26.68627338487808, 2.090964030926846, 11.837378418556108,
    ],
  ],
  [
    'double_exponential_moving_average',
    'f',
    "3, 2, 'simple'",
    [
      -12.401666666666669, 0.7283333333333317, 39.61888888888888, -19.337388888888896,
      -3.519361111111113, 5.40048611111111, 5.7808263888888884, 15.573704861111112,
      36.86649826388889, 26.725322048611112, 7.19319748263889, 36.76861697048612,
      -15.139682400173614, 12.91191335720486,
    ],
  ],
  [
    'triple_exponential_moving_average',
    'f',
    '3, -1',
    [
      -45.650499999999994, -4.119500000000003, 41.285124999999994, -28.81625, -3.3439062500000007,
      7.316093749999999, 6.403164062499998, 17.173937499999997, 40.41929492187501,
      25.08850976562501, 2.5306606445312543, 40.0580205078125, -23.328776000976568,
      15.588153198242189,
    ],
  ],
  [
    'triple_exponential_derivative',
    'f',
    '3',
    [
      -159.10378843530265, -108.3584872159092, -1207.647371216132, 50.76353262693585,
      -26.44559107641179, -61.33398547278309, -301.73807909762456, 305.85462387196236,
      57.16985105972996, 3.8164981254136032, 25.607651543965115, -23.31433531957392,
      -11.835161597810052,
    ],
  ],
  [
    'relative_strength_index',
    'f',
    '4',
    [
      71.24605094304228, 40.75859226306932, 54.87570267798925, 56.032343023197534,
      54.49096695951852, 60.20899765514674, 69.55360820830803, 53.95213659871118, 42.42669546348575,
      65.6826629497545, 34.21698083925929, 55.324410411569275,
    ],
  ],
  [
    'kaufmans_efficiency_ratio',
    'f',
    '5',
    [
      0.3433734251241042, 0.19714106605214599, 0.21569600201922615, 0.0017732111192658607,
      0.16679041848914625, 0.9283067606767029, 0.23454631660048605, 0.10321287057812577,
      0.33545889672399487, 0.26626020356746954, 0.06748507954038614,
    ],
  ],
  [
    'kaufmans_adaptive_moving_average',
    'f',
    '5',
    [
      38.139395946394316, 36.99560843125125, 35.90589856193222, 35.77199267373821,
      35.28953715172184, 38.03194505503445, 37.2643344967639, 36.65862741291444, 37.46540259246703,
      33.811909003791, 33.730585720151836,
    ],
  ],
  [
    'chande_momentum_oscillator',
    'f',
    '5, 5',
    [
      -34.33734251241042, 19.71410660521459, 21.569600201922608, -0.1773211119265951,
      -16.67904184891463, 92.83067606767027, 23.454631660048577, -10.321287057812585,
      33.545889672399476, -26.626020356746956, -6.748507954038619,
    ],
  ],
  [
    'chande_momentum_oscillator',
    'f',
    "5, -1, 'simple'",
    [
      -14.756499212413912, 7.544748147866523, 9.367599257303198, 7.181317211643782,
      15.457943904461342, 29.79428182855714, 8.545701486697586, -8.467743287223316,
      26.018503787593534, -24.925373624806248, 9.06401693297335,
    ],
  ],
]

describe('answers of InfluxDB', () => {
  it.each(answers)('%s of %s', (name, field, args, expected) => {
    const type = { f: 'float', i: 'integer', s: 'string' }[field] as 'float' | 'integer' | 'string'
    const rows = measuredRows(field)
    for (const blockLength of [1, 2, 5, 16]) {
      const answer = transformRows(name, type, rows, { args, blockLength })
      check(answer, expected)
      // Results stand at the time of the point that brought them: the last ones.
      const times = rows.map((row) => row[0])
      if (!name.startsWith('non_negative')) {
        expect(answer.map((row) => row[0])).toEqual(times.slice(times.length - expected.length))
      }
    }
  })

  it('newest first', () => {
    const rows = measuredRows('i').slice(0, 5).reverse()
    const options = { descending: true, args: '1s' }
    check(
      transformRows('derivative', 'integer', rows, options),
      [-4.714285714285714, 23, 11, -1.7142857142857142],
    )
    check(transformRows('difference', 'integer', rows, options), [-33n, 23n, 11n, -12n])
    check(transformRows('elapsed', 'integer', rows, options), [-7n, -1n, -1n, -7n])
  })
})

it('points at the same time are passed over, except by elapsed', () => {
  const rows: Row[] = [
    [10n, 1n],
    [10n, 5n],
    [20n, 2n],
    [20n, 9n],
    [30n, 4n],
  ]
  for (const blockLength of [1, 2, 3, 5]) {
    const options = { blockLength, args: '10ns' }
    const values = (name: string) =>
      transformRows(name, 'integer', rows, options).map((row) => row[1])
    expect(values('difference')).toEqual([1n, 2n])
    expect(values('derivative')).toEqual([1, 2])
    expect(values('elapsed')).toEqual([0n, 1n, 0n, 1n])
  }
})

it('integers are exact: differences wrap, sums too', () => {
  const max = 9_223_372_036_854_775_807n
  const rows: Row[] = [
    [1n, -max],
    [2n, max],
    [3n, 1n],
  ]
  const values = (name: string, type: 'integer' | 'unsigned', from: Row[], args = '1ns') =>
    transformRows(name, type, from, { blockLength: 2, args }).map((row) => row[1])
  expect(values('difference', 'integer', rows)).toEqual([-2n, 1n - max])
  expect(values('derivative', 'integer', rows)).toEqual([-2, Number(1n - max)])
  expect(values('cumulative_sum', 'integer', rows)).toEqual([-max, 0n, 1n])
  expect(values('moving_average', 'integer', rows, '2')).toEqual([0, -(2 ** 62)])
  const falling: Row[] = [
    [1n, 5n],
    [2n, 3n],
  ]
  expect(values('difference', 'unsigned', falling)).toEqual([2n ** 64n - 2n])
  expect(values('non_negative_difference', 'unsigned', falling)).toEqual([])
  expect(values('derivative', 'unsigned', falling)).toEqual([-2])
})

it('time between points is exact even when they lie centuries apart', () => {
  const far: Row[] = [
    [-9_223_372_036_854_775_806n, 'a'],
    [9_223_372_036_854_775_000n, 'b'],
  ]
  const [[, elapsed]] = transformRows('elapsed', 'string', far, { args: '1u', blockLength: 1 })
  expect(elapsed).toBe(18_446_744_073_709_550n)
})

it.each(answers)('%s of %s begins anew with each group', (name, field, args) => {
  const inputType = ({ f: 'float', i: 'integer', s: 'string' } as const)[field]
  const transform = transformOf(name, inputType, { args })
  const run = () => runTransform(transform, typeGiven(name, inputType)!, inputType, rows)
  const rows = measuredRows(field)
  expect(run()).toEqual(run())
})

it('a period that InfluxDB falls over is refused', () => {
  const make = () => transformOf('chande_momentum_oscillator', 'float', { args: '1' })
  expect(make).toThrow('period must be greater than 1')
})

it('types', () => {
  expect(typeGiven('derivative', 'integer')).toBe('float')
  expect(typeGiven('difference', 'unsigned')).toBe('unsigned')
  expect(typeGiven('elapsed', 'string')).toBe('integer')
  expect(typeGiven('elapsed', 'boolean')).toBe('integer')
  expect(typeGiven('holt_winters', 'integer')).toBe('float')
  expect(typeGiven('holt_winters', 'unsigned')).toBeUndefined()
  expect(typeGiven('cumulative_sum', 'boolean')).toBeUndefined()
})
