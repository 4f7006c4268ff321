// What the parser makes of scripts: precedence, literals, places, types, and errors in Flux's words at Flux's
// places. The expectations follow Flux's own parser tests.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Flux writes its placeholders the same way.

import { describe, expect, test } from 'vitest'
import { bracketed, onlyExpression, shape } from '../../../test/flux/syntax-shapes.js'
import { queryWordsMax } from '../../query/limits.js'
import { parseFlux, parseType } from './parser.js'
import { printExpression } from './printer.js'
import { errorCountMax, errorText, syntaxErrors, treeDepthMax } from './syntax-errors.js'

function errorsOf(text: string, fileName?: string): string[] {
  return syntaxErrors(parseFlux(text, fileName === undefined ? {} : { fileName })).map(errorText)
}

describe('precedence', () => {
  test.each([
    ['1 + 2 * 3', '(1 + (2 * 3))'],
    ['1 - 2 - 3', '((1 - 2) - 3)'],
    ['2 ^ 3 ^ 4', '((2 ^ 3) ^ 4)'],
    ['2 * 3 ^ 4', '(2 * (3 ^ 4))'],
    ['-2 ^ 4', '((-2) ^ 4)'],
    ['a == b and c != d or e', '(((a == b) and (c != d)) or e)'],
    ['not a == b', '(not (a == b))'],
    ['not a and b', '((not a) and b)'],
    ['exists r.x and not exists r.y', '((exists r.x) and (not (exists r.y)))'],
    ['a < b == c', '((a < b) == c)'],
    ['a + b |> f()', '(a + (b |> f()))'],
    ['-a |> f()', '((-a) |> f())'],
    ['a |> f() |> g() ^ 2', '(((a |> f()) |> g()) ^ 2)'],
    ['- - a.b[0](x: 1)', '(-(-a.b[0](x: 1)))'],
    ['a / b / c', '((a / b) / c)'],
    ['a =~ /b/ and c', '((a =~ /b/) and c)'],
  ])('%s', (text, expected) => {
    expect(bracketed(onlyExpression(text))).toBe(expected)
  })

  test('a function takes everything behind it', () => {
    const tree = onlyExpression('() => 1 and () => 2')
    expect(tree.type).toBe('FunctionExpression')
  })
})

describe('literals', () => {
  test.each([
    ['0', { type: 'IntegerLiteral', value: '0' }],
    ['9223372036854775807', { type: 'IntegerLiteral', value: '9223372036854775807' }],
    ['1.', { type: 'FloatLiteral', value: 1 }],
    ['.5', { type: 'FloatLiteral', value: 0.5 }],
    ['072.40', { type: 'FloatLiteral', value: 72.4 }],
    ['"a\\n\\"\\\\\\${x}\\x41"', { type: 'StringLiteral', value: 'a\n"\\${x}A' }],
    ['"$${x}"', { type: 'StringLiteral', value: '$${x}' }],
    ['"cost: 5$"', { type: 'StringLiteral', value: 'cost: 5$' }],
    ['"\\xe6\\x97\\xa5"', { type: 'StringLiteral', value: '日' }],
    ['"two\nlines"', { type: 'StringLiteral', value: 'two\nlines' }],
    ['/a\\/b.\\d/', { type: 'RegexpLiteral', value: 'a/b.\\d' }],
    ['2018-01-01', { type: 'DateTimeLiteral', value: '2018-01-01T00:00:00Z' }],
    [
      '2018-05-22T19:53:01.090120000-07:00',
      { type: 'DateTimeLiteral', value: '2018-05-22T19:53:01.09012-07:00' },
    ],
    ['.label', { type: 'LabelLiteral', value: 'label' }],
    ['."a b"', { type: 'LabelLiteral', value: 'a b' }],
  ])('%s', (text, expected) => {
    expect(shape(onlyExpression(`(${text})`))).toEqual(expected)
  })

  test.each([
    [
      '1h30m',
      [
        [1n, 'h'],
        [30n, 'm'],
      ],
    ],
    [
      '1mo5ms2m1s',
      [
        [1n, 'mo'],
        [5n, 'ms'],
        [2n, 'm'],
        [1n, 's'],
      ],
    ],
    ['3µs', [[3n, 'us']]],
    ['9223372036854775807ns', [[9223372036854775807n, 'ns']]],
  ])('duration %s', (text, expected) => {
    const values = expected.map(([magnitude, unit]) => ({ magnitude, unit }))
    expect(shape(onlyExpression(text))).toEqual({ type: 'DurationLiteral', values })
  })

  test('strings with expressions, nested', () => {
    expect(shape(onlyExpression('"a ${b + "c ${d}"} $"'))).toEqual({
      type: 'StringExpression',
      parts: [
        { type: 'TextPart', value: 'a ' },
        {
          type: 'InterpolatedPart',
          expression: {
            type: 'BinaryExpression',
            operator: '+',
            left: { type: 'Identifier', name: 'b' },
            right: {
              type: 'StringExpression',
              parts: [
                { type: 'TextPart', value: 'c ' },
                { type: 'InterpolatedPart', expression: { type: 'Identifier', name: 'd' } },
              ],
            },
          },
        },
        { type: 'TextPart', value: ' ' },
        { type: 'TextPart', value: '$' },
      ],
    })
  })

  test('a slash divides behind an operand and opens an expression elsewhere', () => {
    expect(bracketed(onlyExpression('a / b / c =~ /d/'))).toBe('(((a / b) / c) =~ /d/)')
    expect(shape(onlyExpression('f(x: /a b/)'))).toMatchObject({
      arguments: [{ properties: [{ value: { type: 'RegexpLiteral', value: 'a b' } }] }],
    })
  })
})

describe('places', () => {
  test('columns are counted in bytes of UTF-8, lines from 1', () => {
    const { body } = parseFlux('a = "日本"\n  é𝒳 = 1', { fileName: 'f.flux' })
    expect(body.map(({ location }) => location)).toEqual([
      {
        file: 'f.flux',
        start: { line: 1, column: 1 },
        end: { line: 1, column: 13 },
        source: 'a = "日本"',
      },
      {
        file: 'f.flux',
        start: { line: 2, column: 3 },
        end: { line: 2, column: 13 },
        source: 'é𝒳 = 1',
      },
    ])
  })

  test('an empty file is nowhere', () => {
    expect(parseFlux('').location.start).toEqual({ line: 0, column: 0 })
    expect(syntaxErrors(parseFlux(' // only a comment'))).toEqual([])
  })
})

describe('errors', () => {
  test.each([
    ['a = 1\nb = \nc=2', ['error @3:2-3:3: invalid statement: =']],
    [
      'a = 3 + / 10',
      ['error @1:9-1:10: invalid expression: invalid token for primary expression: DIV'],
    ],
    ['a = 1\nb = {c: 2, a}', ['error @2:5-2:14: cannot mix implicit and explicit properties']],
    ['o = {a: "a",, b: 7}', ['error @1:13-1:13: missing property in property list']],
    ['o = {: "a"}', ['error @1:6-1:11: missing property key']],
    ['o = {a:}', ['error @1:6-1:7: missing property value']],
    ['o = {"a"}', ['error @1:5-1:10: string literal key a must have a value']],
    ['f(a: 1', ['error @1:1-1:7: expected RPAREN, got EOF']],
    ['x = [1, 2', ['error @1:5-1:10: expected RBRACK, got EOF']],
    ['a[]', ['error @1:1-1:4: no expression included in brackets']],
    ['from() |> 1', ['error @1:11-1:12: pipe destination must be a function call']],
    ['(a b)', ['error @1:2-1:5: invalid binary operator <INVALID_OP>']],
    ['x = 08', ['error @1:5-1:7: invalid integer literal "08": nonzero value cannot start with 0']],
    [
      'x = 9223372036854775808',
      ['error @1:5-1:24: invalid integer literal "9223372036854775808": value out of range'],
    ],
    [
      't = 2018-13-01T00:00:00',
      ['error @1:5-1:24: invalid expression: invalid date time literal, missing time offset'],
    ],
    ['if a then b', ['error @1:1-1:12: expected ELSE, got EOF']],
    ['option x', ['error @1:1-1:7: invalid statement: option']],
    [
      'import foo',
      ['error @1:11-1:11: expected STRING, got EOF', 'error @1:11-1:11: invalid string literal'],
    ],
    [
      'r = /*/',
      ['error @1:5-1:8: regex parse error: * error: repetition operator missing expression'],
    ],
    ['a = "\\xff"', ['error @1:5-1:11: invalid utf-8 sequence of 1 bytes from index 0']],
    ['®', ['error @1:1-1:3: invalid statement: ®']],
    ['@foo', ['error @1:1-1:5: invalid statement: extra attributes not associated with anything']],
  ])('%s', (text, expected) => {
    expect(errorsOf(text)).toEqual(expected)
  })

  test('they name the file and stand in the order of the text', () => {
    expect(errorsOf('a = )\nb = {x:}\n]', 'q.flux')).toEqual([
      'error q.flux@1:5-1:6: invalid expression: invalid token for primary expression: RPAREN',
      'error q.flux@1:5-1:6: invalid statement: )',
      'error q.flux@2:6-2:7: missing property value',
      'error q.flux@3:1-3:2: invalid statement: ]',
    ])
  })
})

describe('depth', () => {
  const message = 'Program is nested too deep'

  test.each([
    ['parentheses', `${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
    ['calls', 'f(a: '.repeat(10_000)],
    ['arrays', `${'['.repeat(10_000)}`],
    ['blocks', 'f = () => {'.repeat(10_000)],
    ['strings', '"${'.repeat(10_000)],
    ['signs', `${'-'.repeat(10_000)}1`],
    ['negations', `${'not '.repeat(10_000)}a`],
    ['sums', `1${' + 1'.repeat(10_000)}`],
    ['pipes', `a${' |> f()'.repeat(10_000)}`],
    ['members', `a${'.b'.repeat(10_000)}`],
    ['types', `builtin x : ${'['.repeat(10_000)}`],
    ['conditions', 'if a then b else '.repeat(10_000)],
  ])('%s', (_, text) => {
    const messages = syntaxErrors(parseFlux(text)).map((error) => error.message)
    expect(messages).toContain(message)
    expect(messages.length).toBeLessThanOrEqual(errorCountMax)
  })

  test('nothing is read behind what is too deep, nor more than so many words', () => {
    const nodes = (text: string) => JSON.stringify(parseFlux(text)).split('"type":').length
    expect(nodes('['.repeat(20_000))).toBeLessThan(200)
    const list = (words: number) => `[${'1,'.repeat(words / 2 - 3)}1]`
    expect(errorsOf(list(queryWordsMax))).toEqual([])
    expect(errorsOf(list(queryWordsMax + 10)).join()).toContain('Program is too long')
    expect(errorsOf(`${'//\n'.repeat(queryWordsMax)}1`).join()).toContain('Program is too long')
    expect(errorsOf(`${'//\n'.repeat(queryWordsMax - 5)}1`)).toEqual([])
  })

  test('what is deep but not too deep is fine', () => {
    expect(errorsOf(`${'('.repeat(70)}1${')'.repeat(70)}`)).toEqual([])
    expect(errorsOf(`1${' + 1'.repeat(treeDepthMax - 5)}`)).toEqual([])
  })
})

describe('types', () => {
  test('a signature with everything in it', () => {
    const text =
      '(<-tables: stream[A], ?n: int, ?on: L = .label, fn: (<-: vector[B]) => [string:B]) => ' +
      '{A with x: dynamic, "a b": [time]} where A: Record, B: Addable + Equatable'
    expect(shape(parseType(text))).toMatchObject({
      monotype: {
        type: 'FunctionType',
        parameters: [
          { type: 'Pipe', name: { name: 'tables' }, monotype: { type: 'StreamType' } },
          { type: 'Optional', name: { name: 'n' }, monotype: { type: 'NamedType' } },
          { type: 'Optional', default: { type: 'LabelType', value: 'label' } },
          { type: 'Required', monotype: { parameters: [{ type: 'Pipe' }] } },
        ],
        monotype: { tvar: { name: 'A' }, properties: [{ name: { name: 'x' } }, {}] },
      },
      constraints: [{ kinds: [{ name: 'Record' }] }, { kinds: [{}, { name: 'Equatable' }] }],
    })
  })

  test.each(['(a: int', 'int int', '(a) => int', '[int', '', 'A where', '{a int}'])(
    '%s',
    (text) => {
      expect(() => parseType(text)).toThrow(/^error @/)
    },
  )
})

test('statements of all kinds', () => {
  const file = parseFlux(`@edition("2022.1")
package foo
import "a/b"
import c "d"
option now = () => 2020-01-01T00:00:00Z
option alert.state = "x"
builtin f : (a: A) => B where A: Record
testcase t extends "base" { x = 1 }
f(a)
g = (r, n=1, t=<-) => { return {r with a: n} }
`)
  expect(syntaxErrors(file)).toEqual([])
  expect(file.package?.attributes?.[0].name).toBe('edition')
  expect(file.imports.map(({ as: alias, path }) => [alias?.name, path.value])).toEqual([
    [undefined, 'a/b'],
    ['c', 'd'],
  ])
  expect(file.body.map(({ type }) => type)).toEqual([
    'OptionStatement',
    'OptionStatement',
    'BuiltinStatement',
    'TestCaseStatement',
    'ExpressionStatement',
    'VariableAssignment',
  ])
})

test('index or member: a plain string is a member', () => {
  expect(onlyExpression('a["b"]').type).toBe('MemberExpression')
  expect(onlyExpression('a[b]').type).toBe('IndexExpression')
  expect(onlyExpression('a["${b}"]').type).toBe('IndexExpression')
  expect(printExpression(onlyExpression('a[("b")]'))).toBe('a[("b")]')
})
