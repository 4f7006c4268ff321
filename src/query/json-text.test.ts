// JSON of requests, as Go reads it: texts with escapes, and what is refused. Its words for mistakes are in
// test/api/query-v2.test.ts, as clients see them.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonSyntaxError, parseJson } from './json-text.js'

test('texts are what they say, with escapes and halves of pairs', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      expect(parseJson(JSON.stringify(text))).toBe(text.toWellFormed())
    }),
  )
  expect(parseJson('"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\"')).toBe('A/\b\f\n\r\t"\\')
  expect(parseJson('"\\ud83d\\ude00 \\ud83d"')).toBe('\u{1f600} \ufffd')
})

test.each([
  ['"a\\x"', "invalid character 'x' in string escape code"],
  ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"\\u00', 'unexpected EOF'],
  ['"\\', 'unexpected EOF'],
  ['"a\n"', "invalid character '\\n' in string literal"],
])('%s is refused', (text, message) => {
  expect(() => parseJson(text)).toThrow(new JsonSyntaxError(message))
})

test('has as many values as a request may need, and no more', () => {
  const list = (length: number) => `[${'1,'.repeat(length - 1)}1]`
  expect(parseJson(list(99_999))).toHaveLength(99_999)
  expect(() => parseJson(list(100_000))).toThrow(new JsonSyntaxError('more than 100000 values'))
  expect(() => parseJson(`{${'"a":[],'.repeat(100_000)}"b":1}`)).toThrow(JsonSyntaxError)
})
