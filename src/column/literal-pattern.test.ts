// What is looked for in bytes is found exactly where the engine for patterns finds it, and what only that engine can
// tell is left to it.

import { expect, test } from 'vitest'
import { literalPattern, matchesLiteral } from './literal-pattern.js'
import { compileRegex } from './regex.js'

const texts = [
  '',
  'a',
  'A',
  'web-1',
  'WEB-10',
  'x.y',
  'xzy',
  '\u017f',
  '\u212a',
  'kilo',
  'été',
  'a b',
  'a\nb',
  '$5',
  'aaab',
  'aAaB',
  '\u017fk',
  's\u212a',
]

test.each([
  '',
  'a',
  '^a',
  'a$',
  '^a$',
  '^$',
  '^',
  'b-1',
  '(?i)web',
  '(?i)^Web-1$',
  '(?i)s',
  '(?i)k',
  '(?i)É',
  'x\\.y',
  '\\$5',
  '\\-',
  'é',
  'é$',
  'aab',
  '(?i)AAB',
  '(?i)sk',
  '(?i)ab$',
])('%j', (pattern) => {
  const literal = literalPattern(pattern)
  const regex = compileRegex(pattern)
  for (const text of texts) {
    const bytes = Buffer.from(`##${text}##`)
    const length = bytes.length - 4
    const found = literal && matchesLiteral(literal, bytes, 2, length)
    if (found !== undefined) expect([text, found]).toEqual([text, regex.test(text)])
  }
})

test.each(['a.c', 'a*', '(a)', 'a|b', '[a]', 'a\\d', 'a\\', 'a^b', 'a$b', '(?s)a', 'a{2}', 'é'])(
  '%j is none',
  (pattern) => expect(literalPattern(pattern)).toBeUndefined(),
)

test('only the pattern can tell of letters beyond ASCII where capitals do not matter', () => {
  const literal = literalPattern('(?i)k')!
  const bytes = Buffer.from('\u212a')
  expect(matchesLiteral(literal, bytes, 0, bytes.length)).toBeUndefined()
  expect(matchesLiteral(literalPattern('k')!, bytes, 0, bytes.length)).toBe(false)
})
