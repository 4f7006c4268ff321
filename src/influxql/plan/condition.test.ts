// A WHERE clause in two parts: the time range, and what is left. What cannot be a time is refused in
// InfluxDB's words.

import { expect, test } from 'vitest'
import { parseExpression } from '../syntax/parser.js'
import { printExpression } from '../syntax/printer.js'
import { intersect, splitCondition } from './condition.js'

const hourNs = 3_600_000_000_000n

function split(text: string, zone?: string): string {
  const { bounds, condition } = splitCondition(parseExpression(text), hourNs, zone)
  const rest = condition === undefined ? 'all' : printExpression(condition)
  return `${bounds.min ?? ''}..${bounds.max ?? ''} ${rest}`
}

test.each([
  ['time > 10', '11.. all'],
  ['time >= 10', '10.. all'],
  ['time < 10', '..9 all'],
  ['time <= 10', '..10 all'],
  ['time = 10', '10..10 all'],
  ['10 < time', '11.. all'],
  ['10 >= time', '..10 all'],
  ['TIME = 1u', '1000..1000 all'],
  ['time > 1.9', '2.. all'],
  ["time >= '1970-01-01T00:00:01Z'", '1000000000.. all'],
  ["time = '1970-01-01' + 1ms", '1000000..1000000 all'],
  ['time >= now()', '3600000000000.. all'],
  ['time > now() - 1h', '1.. all'],
])('a time: %s', (text, expected) => {
  expect(split(text)).toBe(expected)
})

test.each([
  ["host = 'a' AND time > 1", "2.. host = 'a'"],
  ['time > 1 AND time < 9', '2..8 all'],
  ['time > 1 AND time > 5', '6.. all'],
  // As if joined by AND, which is InfluxDB's way.
  ['time = 1 OR time = 5', '5..1 all'],
  ["host = 'a' OR time > 5", "6.. host = 'a'"],
  ["(host = 'a' AND time > 1) OR (host = 'b' AND time < 9)", "2..8 (host = 'a') OR (host = 'b')"],
  ["(time > 1) AND (host = 'a' OR host = 'b')", "2.. host = 'a' OR host = 'b'"],
  ['true', '.. all'],
  ['false', '.. false'],
  ["host = 'a' AND true", ".. host = 'a'"],
  ["host = 'a' OR true", '.. all'],
  ['a > 1 + 2', '.. a > 3'],
])('joined: %s', (text, expected) => {
  expect(split(text)).toBe(expected)
})

test('a date is a day where the query is', () => {
  expect(split("time >= '1970-01-02'", 'America/New_York')).toBe('104400000000000.. all')
})

test.each([
  ['time != 1', 'invalid time comparison operator: !='],
  ['time =~ /x/', 'invalid operation: time and *influxql.RegexLiteral are not compatible'],
  ["time > 'yesterday'", 'invalid operation: time and *influxql.StringLiteral are not compatible'],
  ['time > "a"', 'invalid operation: time and *influxql.VarRef are not compatible'],
  ['time > true', 'invalid operation: time and *influxql.BooleanLiteral are not compatible'],
  ["time > '1970-13-01'", 'invalid timestamp string'],
  ["time > '2300-01-01'", 'time 2300-01-01T00:00:00Z overflows time literal'],
  ["time > '1600-01-01'", 'time 1600-01-01T00:00:00Z underflows time literal'],
  ['a', 'invalid condition expression: a'],
  ['1', 'invalid condition expression: 1'],
])('refused: %s', (text, message) => {
  // The operator is judged after the time itself.
  expect(() => split(text)).toThrow(message)
})

test('bounds inside bounds', () => {
  expect(intersect({ min: 1n, max: 9n }, { min: 5n })).toEqual({ min: 5n, max: 9n })
  expect(intersect({}, { max: 3n })).toEqual({ max: 3n })
  expect(intersect({ max: 2n }, { max: 3n })).toEqual({ max: 2n })
  expect(intersect({}, {})).toEqual({})
})
