// Whatever text comes, the parser gives a tree or errors with places, in time that grows with the length of
// the text: soups of tokens, random characters, and pieces repeated until a careless reader would stall.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Flux writes its placeholders the same way.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shape } from '../../../test/flux/syntax-shapes.js'
import { UserError } from '../../errors.js'
import type { File, Position } from './ast.js'
import { parseFlux, parseType } from './parser.js'
import { printFile } from './printer.js'
import { syntaxErrors } from './syntax-errors.js'

const words = fc.constantFrom(
  ...'a b r from range with where extends and or not exists if then else import package option return'.split(
    ' ',
  ),
  ...'builtin testcase test true 1 0 08 .5 1. 1h 2018-01-01 2018-01-01T00:00:00 99999999999999999999'.split(
    ' ',
  ),
  ...'+ - * / % ^ == < > <= >= != =~ !~ = => <- ( ) [ ] { } : , . | |> " ? $ ${ @ @a // \\ \\" ! ® 日 \n'.split(
    ' ',
  ),
  '"x"',
  '"a${b}c"',
  '/re/',
  '//comment\n',
  '\n',
  '\r\n',
  '\0',
)
const soup = fc
  .array(words, { maxLength: 60 })
  .chain((tokens) => fc.constantFrom('', ' ').map((separator) => tokens.join(separator)))
const text = fc.oneof(
  soup,
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ maxLength: 80 }),
)

function isOrdered(start: Position, end: Position): boolean {
  return start.line < end.line || (start.line === end.line && start.column <= end.column)
}

/** Every error has a place inside the text and a message; a tree without errors can be printed and read. */
function check(file: File): void {
  const errors = syntaxErrors(file)
  for (const { location, message } of errors) {
    expect(isOrdered(location.start, location.end)).toBe(true)
    expect(typeof message).toBe('string')
  }
  if (errors.length > 0) expect(() => printFile(file)).toThrow(UserError)
  else expect(syntaxErrors(parseFlux(printFile(file)))).toEqual([])
}

test('any text gives a tree', () => {
  fc.assert(
    fc.property(text, (script) => check(parseFlux(script))),
    { numRuns: 1500 },
  )
})

test('any text gives a type or a UserError', () => {
  fc.assert(
    fc.property(text, (script) => {
      try {
        expect(shape(parseType(script))).toHaveProperty('monotype')
      } catch (error) {
        expect(error).toBeInstanceOf(UserError)
      }
    }),
    { numRuns: 500 },
  )
})

test('repeated pieces take time in their number only', () => {
  // Each of these would be measured again from every piece by a careless scanner or parser: a minute and
  // more instead of a moment. The test has no clock, only the runner's own limit.
  const pieces = [
    '"\\"',
    '{a: int, "\\"',
    '/\\/',
    '${',
    '1y',
    '(a,',
    'a[',
    '[1:',
    'builtin a : {"',
    '"${"',
    '@a(',
  ]
  for (const piece of pieces) {
    const file = parseFlux(`builtin x : {a: int, ${piece.repeat(10_000)}`)
    expect(syntaxErrors(file).length).toBeGreaterThan(0)
    expect(syntaxErrors(parseFlux(piece.repeat(10_000))).length).toBeGreaterThanOrEqual(0)
  }
})
