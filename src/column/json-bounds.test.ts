// JSON that nests too deeply or has too many values is refused before it is parsed.
// What stands in strings counts nothing.

import { expect, test } from 'vitest'
import { checkJsonBounds } from './json-bounds.js'

test.each([
  ['many lists', `[${'[],'.repeat(100_000)}[]]`, 'at most 100000 JSON values'],
  ['many members', `{${'"a":1,'.repeat(100_000)}"a":1}`, 'at most 100000 JSON values'],
  ['deep lists', '['.repeat(600) + ']'.repeat(600), 'more than 500 levels of nesting'],
])('refuses %s', (_, text, reason) => {
  expect(() => checkJsonBounds(text)).toThrow(reason)
})

test('takes long texts, however many commas and brackets stand in them', () => {
  checkJsonBounds(JSON.stringify({ a: '\\",['.repeat(200_000) }))
  checkJsonBounds(`[${'1,'.repeat(99_990)}1]`)
})
