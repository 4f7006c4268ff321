// JSON read into values: every kind of value, Go's words for every kind of mistake, and keys that mean
// something to JavaScript but not here.

import { expect, it, test } from 'vitest'
import { displayText } from '../../value/text.js'
import { FluxRecord } from '../../value/value.js'
import { parseJson } from './parse.js'

const read = (text: string): string => displayText(parseJson(Buffer.from(text)))

test.each([
  ['1', '1'],
  ['-0.5e2', '-50'],
  [' "a" ', 'a'],
  ['true', 'true'],
  ['null', '<null>'],
  ['[]', '[]'],
  ['{}', '{}'],
  ['[1, "a", [false]]', '[1, a, [false]]'],
  ['{"b": 1, "a": {"c": null}}', '{a: {c: <null>}, b: 1}'],
  ['{"a": 1, "a": 2}', '{a: 2}'],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
  ['"\\u00e9\\ud83d\\ude00é😀"', 'é😀é😀'],
  ['"\\ud83d!"', '\ufffd!'],
])('%s', (text, shown) => {
  expect(read(text)).toBe(shown)
})

test.each([
  ['', 'unexpected end of JSON input'],
  ['[1', 'unexpected end of JSON input'],
  ['"a', 'unexpected end of JSON input'],
  ['x', "invalid character 'x' looking for beginning of value"],
  ["'", "invalid character '\\'' looking for beginning of value"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['1 2', "invalid character '2' after top-level value"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{a: 1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a": 1 "b"}', `invalid character '"' after object key:value pair`],
  ['nul1', "invalid character '1' in literal null (expecting 'l')"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['01', "invalid character '1' after top-level value"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['1e999', 'json: cannot unmarshal number 1e999 into Go value of type float64'],
  ['['.repeat(100_000), 'exceeded max depth'],
])('refuses %.20s', (text, message) => {
  expect(() => read(text)).toThrow(message)
})

it('keeps keys apart from properties of objects', () => {
  const value = parseJson(Buffer.from('{"__proto__": {"x": 1}, "constructor": 2}'))
  expect(value).toBeInstanceOf(FluxRecord)
  expect([...(value as FluxRecord).names()]).toEqual(['__proto__', 'constructor'])
  expect(({} as Record<string, unknown>).x).toBeUndefined()
})
