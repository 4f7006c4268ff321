// The printed form of scripts, after the tests of Flux's formatter, and that it is always read as the same tree:
// for a corpus and for random expressions with comments in them.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Flux writes its placeholders the same way.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { onlyExpression, shape } from '../../../test/flux/syntax-shapes.js'
import { UserError } from '../../errors.js'
import { parseFlux } from './parser.js'
import { printExpression, printFile } from './printer.js'
import { syntaxErrors } from './syntax-errors.js'

function format(text: string): string {
  return printFile(parseFlux(text)).replace(/\n$/, '')
}

describe('what is formatted stays as it is', () => {
  test.each([
    'a = 1 + 1 - 2',
    '(r) => r.user == "user1"',
    '(r) => ({r with _value: r._value + 1})',
    '() => ({a: 1}.a)',
    '(tables) =>\n    tables\n        |> a()\n        |> b()',
    '((a) => a)()',
    '(() => 1) |> f()',
    '() => 1 and () => 2',
    '{foo with a: 1, b: {c: 11, d: 12}}',
    '[:]',
    '["a": 0, "b": 1, "c": 2]',
    '[\n    "a": 0,\n    //comment\n    "b": 1,\n]',
    'if x then\n    y\nelse if z then\n    {a: 1, b: 2}\nelse\n    w',
    'option alert.state = "Warning"',
    'option task = {\n    name: "foo",\n    every: 1h,\n    delay: 10m,\n    cron: "0",\n    retry: 5,\n}',
    '100000000.0',
    '2018-05-22T19:53:01.09012-07:00',
    '/^http:\\/\\/\\w+\\.com$/',
    '"foo \\\\ \\" \\r\\n \\xe6\\x97\\xa5"',
    'package foo\n\n\nimport "path/foo"\nimport bar "path/bar"\n\nfrom(bucket: "testdb")\n    |> f()',
    '// Docs.\n@edition("2022.1")\npackage foo\n',
    'testcase t extends "other" {\n    x = 1\n}',
    'builtin f : (<-tables: stream[A], ?n: L = .x) => [string:B] where A: Record, B: Addable + Record',
    'builtin d : (\n        a: int,\n        b: int,\n        c: int,\n        d: int,\n        e: int,\n    ) => int',
    'n * (-1)',
    '(1 * 1\n    // comment\n    )',
    'a\n    //comment\n    =~\n    /foo/',
    'a = [\n    1,\n    // second\n    2,\n]',
  ])('%s', (text) => {
    expect(format(text)).toBe(text)
  })
})

describe('what is not', () => {
  test.each([
    ['1 +  1', '1 + 1'],
    ['(a)()', 'a()'],
    ['(1 + (2 * 3))', '1 + 2 * 3'],
    ['(1 + (2 + 3))', '1 + (2 + 3)'],
    ['-(a + b)', '-(a + b)'],
    ['(1).a', '(1).a'],
    ['(if a then b else c) + 1', '(if a then b else c) + 1'],
    ['(() => 1) == f', '(() => 1) == f'],
    ['foo = 1\nfoo\n\n\n\nbar', 'foo = 1\n\nfoo\n\nbar'],
    ['x = "${ a }b$"', 'x = "${a}b$"'],
    [
      'x = {a:1,b:2,c:3,d:4,e:5}',
      'x = {\n    a: 1,\n    b: 2,\n    c: 3,\n    d: 4,\n    e: 5,\n}',
    ],
    [
      `f(first: "${'a'.repeat(50)}", second: "${'b'.repeat(50)}")`,
      `f(\n    first: "${'a'.repeat(50)}",\n    second: "${'b'.repeat(50)}",\n)`,
    ],
  ])('%s', (text, expected) => {
    expect(format(text)).toBe(expected)
  })

  test('white space at the end of a line stays inside strings only', () => {
    expect(format('x = "a  \n  ${b}  \nc"   \n// d   \ny = 1')).toBe(
      'x = "a  \n  ${b}  \nc"\n\n// d\ny = 1',
    )
  })

  test('a tree with errors is refused', () => {
    expect(() => printFile(parseFlux('a = '))).toThrow(UserError)
    expect(() => printFile(parseFlux(`1${' + 1'.repeat(1000)}`))).toThrow('nested too deep')
  })

  test('nested choices end', () => {
    const deep = `x = ${'['.repeat(70)}"${'a'.repeat(200)}"${']'.repeat(70)}`
    expect(shape(parseFlux(format(deep)))).toEqual(shape(parseFlux(deep)))
  })
})

describe('what is printed is read as the same tree', () => {
  const name = fc.constantFrom('a', 'b', 'r', 'tables', 'é', '_x9')
  const literal = fc.oneof(
    fc.constantFrom('1', '0', '.5', '72.40', '1h30m', '3µs', '/a\\/b/', '/\\\\x/', '<-', '."q r"'),
    fc.constantFrom('2018-01-01', '2018-05-22T19:53:01.09012-07:00', '"two\n  lines"', '.label'),
    fc.string({ maxLength: 8 }).map((text) => `"${text.replace(/["\\$]/g, '\\x24')}"`),
  )
  const binary = fc.constantFrom('+', '-', '*', '/', '%', '^', '==', '<=', '=~', 'and', 'or')
  const gap = fc.constantFrom(' ', ' ', ' ', '\n', ' // note\n', ' // one\n // two\n')
  const { expression } = fc.letrec<{ expression: string; list: string; statement: string }>(
    (tie) => ({
      expression: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        name,
        literal,
        fc.tuple(tie('expression'), gap, binary, tie('expression')).map((parts) => parts.join(' ')),
        fc
          .tuple(fc.constantFrom('-', '+', 'not', 'exists'), tie('expression'))
          .map((parts) => `(${parts.join(' ')})`),
        tie('expression').map((inner) => `(${inner})`),
        fc
          .tuple(tie('expression'), gap, name, tie('list'))
          .map(([a, space, f, list]) => `(${a})${space}|> ${f}(${list})`),
        fc.tuple(tie('expression'), name).map(([a, b]) => `(${a}).${b}`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a})[${b}]`),
        fc
          .tuple(name, tie('expression'))
          .map(([a, b]) => `(${a}, z=1) => ${b.startsWith('{') ? `(${b})` : b}`),
        fc.tuple(name, tie('expression')).map(([a, b]) => `() => { ${a} = ${b} return ${a} }`),
        fc
          .tuple(tie('expression'), tie('expression'), tie('expression'))
          .map(([a, b, c]) => `(if ${a} then ${b} else ${c})`),
        tie('list').map((list) => `{${list}}`),
        fc.tuple(name, gap, tie('list')).map(([a, space, list]) => `{${a}${space}with ${list}}`),
        fc.array(tie('expression'), { maxLength: 6 }).map((items) => `[${items.join(', ')}]`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `["k": ${a}, "l": ${b}]`),
        fc
          .tuple(fc.constantFrom('', 'x\n y ', '\\${', '\\x24'), tie('expression'))
          .map(([a, b]) => `"${a}\${${b}}$"`),
      ) as fc.Arbitrary<string>,
      list: fc
        .array(fc.tuple(name, gap, tie('expression')), { minLength: 1, maxLength: 6 })
        .map((items) => items.map(([key, space, value]) => `${key}${space}: ${value}`).join(', ')),
      statement: name,
    }),
  )

  const keepsTree = (text: string) => {
    const file = parseFlux(text)
    fc.pre(syntaxErrors(file).length === 0)
    const printed = printFile(file)
    expect(trimComments(shape(parseFlux(printed)))).toEqual(trimComments(shape(file)))
    // Parentheses that go away may move what they held, so a second printing can look different.
    const second = printFile(parseFlux(printed))
    expect(trimComments(shape(parseFlux(second)))).toEqual(trimComments(shape(file)))
  }

  test('random expressions', () => {
    fc.assert(
      fc.property(expression, (text) => keepsTree(`v = ${text}`)),
      { numRuns: 400 },
    )
  })

  test('single expressions', () => {
    expect(printExpression(onlyExpression('a  + (b*c)'))).toBe('a + b * c')
  })
})

/** White space at the end of a comment is not kept. */
function trimComments(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trimComments)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === 'text' && typeof part === 'string' ? part.trim() : trimComments(part),
    ]),
  )
}
