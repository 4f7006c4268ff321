// Operators by table: two values, the operator, what comes out; and what is refused in which words. The
// sums are Go's, whose integers wrap around.

import { describe, expect, test } from 'vitest'
import type { BinaryOperator } from '../syntax/ast.js'
import { durationText } from './duration.js'
import { FluxError } from './error.js'
import { binaryFunction, exists, floatPower, negate, not } from './operators.js'
import { RecordLayout, SlotRecord } from './record.js'
import { Bytes, Duration, Dynamic, type FluxValue, MapRecord, Regexp, Time, Uint } from './value.js'

const maxInt = 2n ** 63n - 1n
const hour = new Duration(0n, 3_600_000_000_000n, false)
const record = (entries: readonly (readonly [string, FluxValue])[]) =>
  new MapRecord(new Map(entries))

const results: readonly (readonly [FluxValue, BinaryOperator, FluxValue, FluxValue])[] = [
  [1n, '+', 2n, 3n],
  [maxInt, '+', 1n, -(2n ** 63n)],
  [-(2n ** 63n), '-', 1n, maxInt],
  [maxInt, '*', 2n, -2n],
  [-(2n ** 63n), '/', -1n, -(2n ** 63n)],
  [-7n, '/', 2n, -3n],
  [-7n, '%', 2n, -1n],
  [7, '/', 0, Infinity],
  [-7.5, '%', 2, -1.5],
  [2n, '^', 3n, 8],
  [2, '^', 0.5, Math.SQRT2],
  ['a', '+', 'b', 'ab'],
  [1n, '==', 1, true],
  [1n, '<', 1.5, true],
  [-1n, '<', new Uint(0n), true],
  [-1n, '==', new Uint(2n ** 64n - 1n), false],
  [new Uint(3n), '>=', 3n, true],
  [Number.NaN, '==', Number.NaN, false],
  [Number.NaN, '!=', 1, true],
  [Number.NaN, '<', 1n, false],
  [Number.NaN, '>=', 1n, false],
  ['\uffff', '<', '\u{1f600}', true],
  [true, '==', true, true],
  [true, '!=', false, true],
  [new Time(1n), '<', new Time(2n), true],
  [new Time(1n), '==', new Time(1n), true],
  [new Time(1n), '!=', new Time(1n), false],
  [[1n, 2n], '==', [1n, 2n], true],
  [[1n, 2n], '==', [1n], false],
  [[null], '==', [null], false],
  [
    record([
      ['a', 1n],
      ['b', 'x'],
    ]),
    '==',
    record([
      ['b', 'x'],
      ['a', 1n],
    ]),
    true,
  ],
  [
    record([['a', 1n]]),
    '==',
    record([
      ['a', 1n],
      ['b', 2n],
    ]),
    false,
  ],
  [record([['a', 1n]]), '==', new SlotRecord(new RecordLayout(['a']), [1n]), true],
  [new Bytes(Buffer.from('ab')), '==', new Bytes(Buffer.from('ab')), true],
  ['abc', '=~', new Regexp('b'), true],
  ['abc', '!~', new Regexp('^b'), true],
  [null, '+', 1n, null],
  [1n, '==', null, null],
  [null, '==', null, null],
  [null, '=~', new Regexp('x'), null],
]

test.each(results)('%s %s %s', (left, operator, right, expected) => {
  expect(binaryFunction(operator)(left, right)).toEqual(expected)
})

test('unsigned integers wrap around', () => {
  const value = (operator: BinaryOperator, a: bigint, b: bigint) =>
    (binaryFunction(operator)(new Uint(a), new Uint(b)) as Uint).value
  expect(value('-', 0n, 1n)).toBe(2n ** 64n - 1n)
  expect(value('+', 2n ** 64n - 1n, 2n)).toBe(1n)
  expect(value('*', 2n ** 63n, 2n)).toBe(0n)
  expect(value('/', 7n, 2n)).toBe(3n)
  expect(value('%', 7n, 4n)).toBe(3n)
})

test('durations are added by their length', () => {
  const sum = binaryFunction('+')(hour, new Duration(0n, 60_000_000_000n, true))
  expect(durationText(sum as Duration)).toBe('59m')
  const difference = binaryFunction('-')(hour, hour)
  expect(durationText(difference as Duration)).toBe('0ns')
})

describe('refused', () => {
  const refusals: readonly (readonly [FluxValue, BinaryOperator, FluxValue, string])[] = [
    [1n, '/', 0n, 'cannot divide by zero'],
    [new Uint(1n), '/', new Uint(0n), 'cannot divide by zero'],
    [1n, '%', 0n, 'cannot mod zero'],
    [new Uint(1n), '%', new Uint(0n), 'cannot mod zero'],
    [1n, '+', 1, 'unsupported binary expression int + float'],
    ['a', '-', 'b', 'unsupported binary expression string - string'],
    [hour, '==', hour, 'unsupported binary expression duration == duration'],
    [hour, '<', hour, 'unsupported binary expression duration < duration'],
    [true, '<', false, 'unsupported binary expression bool < bool'],
    [[1n], '!=', [1n], 'unsupported binary expression array != array'],
    [1n, '==', 'a', 'unsupported binary expression int == string'],
    [record([]), '==', 1n, 'unsupported binary expression object == int'],
    [1n, '=~', new Regexp('x'), 'unsupported binary expression int =~ regexp'],
    ['x', '!~', 'x', 'unsupported binary expression string !~ string'],
  ]
  test.each(refusals)('%s %s %s', (left, operator, right, message) => {
    expect(() => binaryFunction(operator)(left, right)).toThrow(new FluxError(message))
  })
})

test('negate, not, exists', () => {
  expect(negate(-(2n ** 63n))).toBe(-(2n ** 63n))
  expect(negate(1.5)).toBe(-1.5)
  expect(durationText(negate(hour) as Duration)).toBe('-1h')
  expect(negate(null)).toBeNull()
  expect(() => negate('a')).toThrow('operand to unary expression is not a number value, got string')
  expect(not(null)).toBeNull()
  expect(not(true)).toBe(false)
  expect(() => not(1n)).toThrow('operand to unary expression is not a boolean value, got int')
  expect(exists(null)).toBe(false)
  expect(exists(false)).toBe(true)
  expect(exists(new Dynamic(null))).toBe(false)
})

test('powers of one and minus one, as Go has them', () => {
  expect(floatPower(1, Number.NaN)).toBe(1)
  expect(floatPower(-1, Infinity)).toBe(1)
  expect(floatPower(Number.NaN, 0)).toBe(1)
})

test('records with more parts than can be compared', () => {
  const layout = new RecordLayout(['a', 'b'])
  let value: FluxValue = 1n
  for (let i = 0; i < 60; i++) value = new SlotRecord(layout, [value, value])
  expect(() => binaryFunction('==')(value, value)).toThrow('is too large')
})
