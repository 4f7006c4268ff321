// Functions of a row against answers of InfluxDB 1.6.7; what has no answer, and which types they
// take.

import { describe, expect, it } from 'vitest'
import { type Column, type FieldType, type Value, valueAt } from '../../column/column.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import { evaluateMath, evaluateMathLiteral, mathFunctions } from './math.js'

type MathName = keyof typeof mathFunctions

function columnOf(type: FieldType, ...values: (Value | null)[]): Column {
  const column = new ColumnBuilder(type)
  for (const value of values) column.push(value)
  return column.finish()
}

function evaluate(name: MathName, ...columns: Column[]): (Value | null)[] {
  const rowCount = columns[0].values.length
  const answer = evaluateMath(mathFunctions[name], columns, rowCount)
  return Array.from({ length: rowCount }, (_, row) => valueAt(answer, row))
}

function constant(value: number, rowCount: number): Column {
  return columnOf('float', ...Array.from({ length: rowCount }, () => value))
}

const floats = columnOf('float', 1000, 8, 0.5, -2.5, 2.5)
const nan = Number.NaN

describe('answers of InfluxDB', () => {
  it.each<[MathName, number[]]>([
    ['log2', [9.965784284662087, 3, -1, nan, 1.3219280948873624]],
    ['ln', [6.907755278982137, 2.0794415416798357, -Math.LN2, nan, 0.9162907318741551]],
    ['log10', [3, 0.9030899869919435, -0.3010299956639812, nan, 0.3979400086720376]],
    ['round', [1000, 8, 1, -3, 3]],
    ['floor', [1000, 8, 0, -3, 2]],
    ['ceil', [1000, 8, 1, -2, 3]],
    ['abs', [1000, 8, 0.5, 2.5, 2.5]],
  ])('%s', (name, expected) => {
    const answer = evaluate(name, floats)
    answer.forEach((value, i) => {
      if (Number.isNaN(expected[i])) expect(value).toBeNaN()
      else expect(value).toBeCloseTo(expected[i], 13)
    })
  })

  it.each<[number, number[]]>([
    [3, [1000000000, 512, 0.125, -15.625, 15.625]],
    [-1, [0.001, 0.125, 2, -0.4, 0.4]],
    [0.5, [31.622776601683793, 2.8284271247461903, Math.SQRT1_2, nan, 1.5811388300841898]],
    [1.5, [31622.77660168379, 22.62741699796952, 0.35355339059327373, nan, 3.9528470752104745]],
    [2.75, [177827941.0038923, 304.4370214406966, 0.14865088937534013, nan, 12.426105136985166]],
    [-0.3, [0.12589254117941673, 0.5358867312681466, 1.231144413344916, nan, 0.7596577929323738]],
  ])('to the power of %d', (exponent, expected) => {
    const answer = evaluate('pow', floats, constant(exponent, 5))
    answer.forEach((value, i) => {
      if (Number.isNaN(expected[i])) expect(value).toBeNaN()
      else expect(Math.abs(Number(value) / expected[i] - 1)).toBeLessThan(1e-14)
    })
  })

  it('of a number below the normal ones', () => {
    const [tiny] = evaluate('log2', columnOf('float', 1e-310))
    expect(tiny).toBeCloseTo(-1029.7977094150824, 10)
    expect(evaluate('log10', columnOf('float', 1e-310))[0]).toBeCloseTo(-310, 10)
  })

  it('of integers: rounding leaves them alone, abs too', () => {
    const integers = columnOf('integer', 5n, -17n, null, 2n ** 60n)
    for (const name of ['abs', 'floor', 'ceil', 'round'] as const) {
      expect(evaluate(name, integers)).toEqual([5n, -17n, null, 2n ** 60n])
    }
    expect(evaluate('sqrt', columnOf('integer', 16n, null, 2n ** 60n))).toEqual([4, null, 2 ** 30])
  })
})

it('half of an odd number is not rounded up', () => {
  expect(evaluate('round', columnOf('float', 0.49999999999999994, -0.5, 1.5, 1e300))).toEqual([
    0, -1, 2, 1e300,
  ])
})

it('special powers', () => {
  const power = (x: number, y: number) => evaluate('pow', columnOf('float', x), constant(y, 1))[0]
  expect(power(1, nan)).toBe(1)
  expect(power(-1, Number.POSITIVE_INFINITY)).toBe(1)
  expect(power(0, -1)).toBe(Number.POSITIVE_INFINITY)
  expect(power(10, 308)).toBeCloseTo(1e308, -295)
  expect(power(10, 400)).toBe(Number.POSITIVE_INFINITY)
  expect(power(10, -320)).toBe(1e-320)
  expect(power(-2, 3)).toBe(-8)
  expect(power(-2, 0.5)).toBeNaN()
})

it('no value in, no value out; strings and booleans are none', () => {
  const numbers = columnOf('float', 4, null, 9)
  expect(evaluate('pow', numbers, columnOf('integer', 2n, 2n, null))).toEqual([16, null, null])
  expect(evaluate('sqrt', columnOf('string', 'a', 'b'))).toEqual([null, null])
  expect(evaluate('abs', columnOf('boolean', true))).toEqual([null])
  expect(evaluate('log', columnOf('float', 8), columnOf('string', '2'))).toEqual([null])
  expect(evaluate('log', columnOf('float', 8), columnOf('integer', 2n))[0]).toBeCloseTo(3, 14)
})

it('single values', () => {
  const answer = (name: MathName, ...values: Value[]) =>
    evaluateMathLiteral(mathFunctions[name], values)
  expect(answer('abs', -5n)).toBe(-5n)
  expect(answer('abs', -5.5)).toBe(5.5)
  expect(answer('pow', 2n, 10n)).toBe(1024)
  expect(answer('sqrt', 'x')).toBeNull()
  expect(answer('sqrt', 1, 2)).toBeUndefined()
})
