// What of a condition goes down to the store, and what is left for the rows: by the types of fields,
// and by what is a tag.

import { expect, test } from 'vitest'
import { parseExpression } from '../syntax/parser.js'
import { printExpression } from '../syntax/printer.js'
import { pushCondition } from './predicate.js'
import type { ResolvedMeasurement } from './resolved.js'

const source: ResolvedMeasurement = {
  kind: 'measurement',
  bucket: '0000000000000001',
  name: 'm',
  fields: new Map([
    ['f', 'float'],
    ['i', 'integer'],
    ['s', 'string'],
    ['b', 'boolean'],
  ]),
  tags: new Set(['host', 'dc']),
  version: 1,
}

const push = (text: string) => pushCondition(parseExpression(text), source)

const never = { kind: 'or', parts: [] }

test.each([
  ["host = 'a'", { kind: 'tag', tag: 'host', op: '=', value: 'a' }],
  ["'a' != host", { kind: 'tag', tag: 'host', op: '!=', value: 'a' }],
  ['host =~ /x/', { kind: 'tag-regex', tag: 'host', pattern: 'x', negated: false }],
  ["nosuch = ''", { kind: 'tag', tag: 'nosuch', op: '=', value: '' }],
  ["host > 'a'", never],
  ['host = 1', never],
  ['f > 1', { kind: 'field', field: 'f', op: '>', value: 1 }],
  ['1 > f', { kind: 'field', field: 'f', op: '<', value: 1 }],
  ['i = 9007199254740993', { kind: 'field', field: 'i', op: '=', value: 9007199254740993n }],
  ["s = 'x'", { kind: 'field', field: 's', op: '=', value: 'x' }],
  ["s > 'x'", never],
  ['s !~ /x/', { kind: 'field-regex', field: 's', pattern: 'x', negated: true }],
  ['f =~ /x/', never],
  ['b = true', { kind: 'field', field: 'b', op: '=', value: true }],
  ['b = 1', never],
  ["f = 'x'", never],
  ["f::tag = 'x'", { kind: 'tag', tag: 'f', op: '=', value: 'x' }],
  ['nosuch::float > 1', never],
])('%s is the store’s', (text, predicate) => {
  expect(push(text)).toEqual({ predicate })
})

test.each(['f > i', 'f + 1 > 2', 'abs(f) > 1', 'f::integer = 1', 'f = 1 OR i > f'])(
  '%s is left for the rows',
  (text) => {
    const { predicate, residual } = push(text)
    expect(predicate).toBeUndefined()
    expect(printExpression(residual!)).toBe(text)
  },
)

test('parts that are joined by AND go their own ways', () => {
  const { predicate, residual } = push("host = 'a' AND f > i AND (b = true AND i * 2 = 4)")
  expect(predicate).toEqual({
    kind: 'and',
    parts: [
      { kind: 'tag', tag: 'host', op: '=', value: 'a' },
      { kind: 'field', field: 'b', op: '=', value: true },
    ],
  })
  expect(printExpression(residual!)).toBe('f > i AND i * 2 = 4')
})

test('tags that are both missing are not equal', () => {
  expect(printExpression(push('host = dc').residual!)).toBe("host = dc AND host != ''")
  expect(printExpression(push('host != dc').residual!)).toBe("host != dc OR host = ''")
})

test('a tag that is missing neither equals a field nor differs from it', () => {
  expect(printExpression(push('host = s').residual!)).toBe("host = s AND host != ''")
  expect(printExpression(push('s != host').residual!)).toBe("s != host AND host != ''")
  expect(printExpression(push('f = i').residual!)).toBe('f = i')
})

test('nothing asked', () => {
  expect(pushCondition(undefined, source)).toEqual({})
})
