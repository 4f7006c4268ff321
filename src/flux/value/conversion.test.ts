// Conversions by table, with the words in which they are refused. The words are Flux's own: programs
// look for them.

import { describe, expect, test } from 'vitest'
import {
  type Conversion,
  toBool,
  toBytes,
  toDuration,
  toFloat,
  toInt,
  toText,
  toTime,
  toUint,
} from './conversion.js'
import { durationText } from './duration.js'
import { FluxError } from './error.js'
import { timeText } from './time.js'
import { Bytes, Duration, Dynamic, type FluxValue, MapRecord, Regexp, Time, Uint } from './value.js'

const conversions: ReadonlyMap<string, Conversion> = new Map<string, Conversion>([
  ['string', toText],
  ['int', toInt],
  ['uint', toUint],
  ['float', toFloat],
  ['bool', toBool],
  ['time', toTime],
  ['duration', toDuration],
  ['bytes', toBytes],
])

const convert = (type: string, value: FluxValue) => conversions.get(type)!(value)
const newYear = new Time(1_577_836_800_000_000_000n)
const hour = new Duration(0n, 3_600_000_000_000n, false)

const results: readonly (readonly [string, FluxValue, FluxValue])[] = [
  ['string', 1.0, '1'],
  ['string', 1e21, '1000000000000000000000'],
  ['string', 1.5e-7, '0.00000015'],
  ['string', -0, '-0'],
  ['string', Infinity, '+Inf'],
  ['string', true, 'true'],
  ['string', new Uint(2n ** 64n - 1n), '18446744073709551615'],
  ['string', newYear, '2020-01-01T00:00:00.000000000Z'],
  ['string', hour, '1h'],
  ['string', new Bytes(Buffer.from('äb')), 'äb'],
  ['string', null, null],
  ['string', new Dynamic(3n), '3'],
  ['int', '-12', -12n],
  ['int', '+12', 12n],
  ['int', 12.9, 12n],
  ['int', -12.9, -12n],
  ['int', Number.NaN, -(2n ** 63n)],
  ['int', 1e30, -(2n ** 63n)],
  ['int', new Uint(2n ** 64n - 1n), -1n],
  ['int', true, 1n],
  ['int', newYear, 1_577_836_800_000_000_000n],
  ['int', hour, 3_600_000_000_000n],
  ['int', new Duration(1n, 0n, true), -2_629_800_000_000_000n],
  ['float', '1e3', 1000],
  ['float', '.5', 0.5],
  ['float', '-Inf', -Infinity],
  ['float', '0x1p-2', 0.25],
  ['float', 7n, 7],
  ['float', true, 1],
  ['bool', 'true', true],
  ['bool', 0, false],
  ['bool', 1n, true],
  ['bool', new Uint(0n), false],
  ['bool', null, null],
]

test.each(results)('%s of %s', (type, value, expected) => {
  expect(convert(type, value)).toEqual(expected)
})

test('values that are objects', () => {
  expect((convert('uint', -1n) as Uint).value).toBe(2n ** 64n - 1n)
  expect((convert('uint', '18446744073709551615') as Uint).value).toBe(2n ** 64n - 1n)
  expect((convert('uint', 2 ** 63) as Uint).value).toBe(2n ** 63n)
  expect(timeText((convert('time', '2020-01-01') as Time).ns)).toBe(timeText(newYear.ns))
  const text = '2020-02-29T23:59:59.123456789+01:30'
  expect(timeText((convert('time', text) as Time).ns)).toBe('2020-02-29T22:29:59.123456789Z')
  expect((convert('time', 5n) as Time).ns).toBe(5n)
  expect(durationText(convert('duration', '1y2mo3w4d5h6m7s8ms9us10ns') as Duration)).toBe(
    '1y2mo3w4d5h6m7s8ms9us10ns',
  )
  expect(durationText(convert('duration', '-90m') as Duration)).toBe('-1h30m')
  expect(durationText(convert('duration', -1n) as Duration)).toBe('-1ns')
  expect((convert('bytes', 'ä') as Bytes).bytes).toEqual(Buffer.from('ä'))
})

describe('refused', () => {
  const refusals: readonly (readonly [string, FluxValue, string])[] = [
    ['int', 'x', 'cannot convert string "x" to int due to invalid syntax'],
    ['int', '1.5', 'cannot convert string "1.5" to int due to invalid syntax'],
    [
      'int',
      '9223372036854775808',
      'cannot convert string "9223372036854775808" to int due to invalid syntax',
    ],
    ['int', 'a\n"', 'cannot convert string "a\\n\\"" to int due to invalid syntax'],
    ['int', [1n], 'cannot convert [int] to int'],
    ['int', new MapRecord(new Map([['a', 1n]])), 'cannot convert {a: int} to int'],
    ['uint', '-1', 'cannot convert string "-1" to uint due to invalid syntax'],
    ['float', '1_0', 'cannot convert string "1_0" to float due to invalid syntax'],
    ['float', '1e999', 'cannot convert string "1e999" to float due to invalid syntax'],
    ['float', newYear, 'cannot convert time to float'],
    ['bool', 'yes', 'cannot convert string "yes" to bool'],
    ['bool', 2n, 'cannot convert int 2 to bool, must be 0 or 1'],
    ['bool', new Uint(2n), 'cannot convert uint 2 to bool, must be 0 or 1'],
    ['bool', 0.5, 'cannot convert float 0.500000 to bool, must be 0 or 1'],
    [
      'time',
      '2020-13-01',
      'cannot convert string "2020-13-01" to time due to invalid syntax: cannot parse date',
    ],
    [
      'time',
      '2020-02-30T00:00:00Z',
      'cannot convert string "2020-02-30T00:00:00Z" to time due to invalid syntax: cannot parse date time',
    ],
    ['time', 1.5, 'cannot convert float to time'],
    ['duration', '5', 'cannot convert string "5" to duration due to invalid syntax'],
    ['duration', 1.5, 'cannot convert float to duration'],
    ['string', new Regexp('x'), 'cannot convert regexp to string'],
    [
      'string',
      new Bytes(Buffer.from([0xff])),
      'bytes contained non utf8 bytes, cannot be converted into a string',
    ],
    ['bytes', 1n, 'cannot convert int to bytes'],
    ['bytes', null, 'cannot convert null to bytes'],
  ]
  test.each(refusals)('%s of %s', (type, value, message) => {
    expect(() => convert(type, value)).toThrow(new FluxError(message))
  })
})
