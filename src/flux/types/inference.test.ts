// The types that names get, printed; types that grow beyond all measure; and random scripts, at which the
// checker must never break.

import { describe, expect, test } from 'vitest'
import { testLibrary } from '../../../test/flux/test-library.js'
import { type Random, seededRandom } from '../../platform/random.js'
import { parseFlux } from '../syntax/parser.js'
import { checkScript } from './check.js'
import { describeFunctions } from './describe.js'
import { problemText } from './problem.js'
import { schemeText } from './type-text.js'

/** The types of all names that a script without mistakes assigns. */
function typesOf(script: string): Record<string, string> {
  const { errors, names } = checkScript(parseFlux(script), testLibrary)
  expect(errors.map(problemText)).toEqual([])
  return Object.fromEntries([...names].map(([name, scheme]) => [name, schemeText(scheme)]))
}

describe('inferred types', () => {
  test.each([
    ['x = 1', 'int'],
    ['x = .column', '.column'],
    ['x = []', '[A]'],
    ['x = ["a": [1.0]]', '[string:[float]]'],
    ['x = [:]', '[A:B] where A: Comparable'],
    ['x = true', 'bool'],
    ['x = {a: 1, b: {c: "d"}}', '{a: int, b: {c: string}}'],
    ['x = (a) => a', '(a: A) => A'],
    ['x = (a, b) => a + b', '(a: A, b: A) => A where A: Addable'],
    [
      'x = (a, b) => a <= b',
      '(a: A, b: B) => bool where A: Comparable + Equatable, B: Comparable + Equatable',
    ],
    ['x = (a) => a + 1', '(a: int) => int'],
    ['x = (r) => r.a.b', '(r: {A with a: {B with b: C}}) => C'],
    ['x = (r) => ({r with a: 1})', '(r: A) => {A with a: int}'],
    ['x = (r) => ({v: r.a, r: r.a})', '(r: {A with a: B}) => {v: B, r: B}'],
    ['x = (a, b=1, c=<-) => c + b', '(<-c: A, a: B, ?b: A) => A where A: Addable'],
    ['x = (f, v) => v |> f(n: 1)', '(f: (<-: A, n: int) => B, v: A) => B'],
    ['x = (a) => a[0] + 1.0', '(a: [float]) => float'],
    ['x = (a) => if a then 1 else 2', '(a: bool) => int'],
    [`x = (a) => "\${a}"`, '(a: A) => string where A: Stringable'],
    ['x = (a=(v) => v) => a(v: 1)', '(?a: (v: int) => A) => A'],
    [
      'x = () => {\n  id = (v) => v\n  return {a: id(v: 1), b: id(v: "s")}\n}',
      '() => {a: int, b: string}',
    ],
    ['x = (y) => {\n  z = y\n  return {a: z, b: z + 1}\n}', '(y: int) => {a: int, b: int}'],
    ['x = limit', '(<-tables: stream[A], n: int, ?offset: int) => stream[A]'],
    [
      'x = windowMean',
      '(<-tables: stream[A], every: duration) => stream[B] where A: Record, B: Record',
    ],
    [
      'x = from(bucket: "b") |> map(fn: (r) => ({n: r._value + 1, m: r._measurement}))',
      'stream[{n: int, m: string}]',
    ],
    [
      'x = (tables=<-) => tables |> filter(fn: (r) => r.k == "v")',
      '(<-tables: stream[{A with k: B}]) => stream[{A with k: B}] where B: Equatable',
    ],
  ])('%s', (script, expected) => {
    expect(typesOf(script).x).toBe(expected)
  })

  test('lists of more than four parts are broken into lines', () => {
    expect(typesOf('x = (a, b, c, d, e=1) => 1').x).toBe(
      '(\n    a: A,\n    b: B,\n    c: C,\n    d: D,\n    ?e: E,\n) => int',
    )
    expect(typesOf('x = (r) => [r.a, r.b, r.c, r.d, r.e]').x).toBe(
      [
        '(',
        '    r: {',
        '        A with',
        '        a: B,',
        '        b: B,',
        '        c: B,',
        '        d: B,',
        '        e: B,',
        '    },',
        ') => [B]',
      ].join('\n'),
    )
  })

  test('functions that stand for others are described for suggestions', () => {
    const functions = describeFunctions(testLibrary)
    expect([...(functions.get('filter') ?? [])]).toEqual([
      ['tables', 'stream'],
      ['fn', 'function'],
      ['onEmpty', 'string'],
    ])
    expect([...(functions.get('drop') ?? [])][1]).toEqual(['columns', 'array'])
    expect([...(functions.get('string') ?? [])]).toEqual([['v', 'invalid']])
    expect(functions.has('inf')).toBe(false)
    expect(functions.has('from')).toBe(true)
    expect(functions.has('windowMean')).toBe(true)
  })
})

function lines(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('\n')
}

describe('types that grow', () => {
  const tooLarge = /^error @[\d:-]+: the types of this script are too large$/
  const firstProblem = (script: string): string | undefined =>
    checkScript(parseFlux(script), testLibrary).errors.map(problemText)[0]

  test('shared parts are cheap', () => {
    const records = lines(300, (i) => `x${i + 1} = {a: x${i}, b: x${i}}`)
    expect(firstProblem(`x0 = 1\n${records}`)).toBeUndefined()
    const functions = lines(100, (i) => `f${i + 1} = (x) => f${i}(x: f0(x: x))`)
    expect(firstProblem(`f0 = (x) => ({a: x, b: x})\n${functions}`)).toBeUndefined()
  })

  test('types without end are refused', () => {
    const doubled = lines(40, (i) => `f${i + 1} = (x) => f${i}(x: f${i}(x: x))`)
    expect(firstProblem(`f0 = (x) => ({a: x, b: x})\n${doubled}`)).toMatch(tooLarge)
    const nested = lines(5_000, (i) => `x${i + 1} = [x${i}]`)
    expect(firstProblem(`x0 = []\n${nested}`)).toMatch(tooLarge)
    const called = lines(
      2_000,
      (i) => `f${i + 1} = (g) => g(h: f${i})\nh${i + 1} = (g) => g(h: h${i})`,
    )
    expect(firstProblem(`f0 = 1\nh0 = 1\n${called}\nx = [f2000, h2000]`)).toMatch(tooLarge)
    const equal = lines(
      60,
      (i) => `x${i + 1} = {a: x${i}, b: x${i}}\ny${i + 1} = {a: y${i}, b: y${i}}`,
    )
    expect(firstProblem(`x0 = 1\ny0 = 2\n${equal}\nz = [x60, y60]`)).toMatch(tooLarge)
  })

  test('wide records and long argument lists are no problem', () => {
    const up = lines(5_000, (i) => `k${i}: ${i},`)
    const down = lines(5_000, (i) => `k${4_999 - i}: ${i},`)
    expect(firstProblem(`x = [{${up}}, {${down}}]`)).toBeUndefined()
    const uses = lines(5_000, (i) => `r.k${i},`)
    expect(firstProblem(`f = (r) => [${uses}]\nx = f(r: {${up}})`)).toBeUndefined()
    const parameters = lines(5_000, (i) => `k${i}=0,`)
    expect(firstProblem(`f = (${parameters}) => 1\nx = f(${up})`)).toBeUndefined()
  })

  test('mistakes are counted, and large types cut short', () => {
    const { errors } = checkScript(parseFlux(lines(2_000, (i) => `u${i}`)), testLibrary)
    expect(errors).toHaveLength(100)
    const deep = lines(200, (i) => `x${i + 1} = {a: x${i}, b: x${i}}`)
    const text = firstProblem(`x0 = 1\n${deep}\nz = x200 + 1`) ?? ''
    expect(text).toContain('…')
    expect(text.length).toBeLessThan(200_000)
  })
})

const WORDS = [
  ...[
    'x',
    'y',
    'r',
    'f',
    'from',
    'map',
    'filter',
    'limit',
    'true',
    'now',
    'string',
    'array',
    'units',
  ],
  ...['1', '2.0', '"s"', '1h', '/a/', '.l', '2020-01-01', '"a ${', '}"'],
  ...['=', '=', '(', ')', '(', ')', '{', '}', '[', ']', ',', ':', '.', '=>', '|>', '<-', 'with'],
  ...['+', '-', '*', '==', '<', '=~', 'and', 'or', 'not', 'exists', 'if', 'then', 'else'],
  ...['option', 'return', 'import "array"', 'builtin', 'testcase', '\n', '\n'],
]

/** Words in any order: mostly mistakes of syntax, which the checker must live with too. */
function randomWords(random: Random): string {
  const count = 1 + random.below(40)
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}

/** Well formed, with types that mostly do not fit. */
function randomExpression(random: Random, depth: number): string {
  const inner = (): string => randomExpression(random, depth - 1)
  if (depth === 0)
    return random.pick(['x', 'y', 'r', 'f', '1', '2.0', '"s"', '1h', '/a/', 'now', '[]', '{}'])
  return random.pick([
    () => `(${inner()} ${random.pick(['+', '-', '*', '==', '<=', '=~', 'and', 'or'])} ${inner()})`,
    () => `(${inner()}).${random.pick(['a', 'b'])}`,
    () => `(${inner()})[${inner()}]`,
    () => `[${inner()}, ${inner()}]`,
    () => `["a": ${inner()}, ${inner()}: 1]`,
    () => `{a: ${inner()}, b: ${inner()}}`,
    () => `{${random.pick(['x', 'r', 'f'])} with a: ${inner()}}`,
    () => `(if ${inner()} then ${inner()} else ${inner()})`,
    () => `((x, r=${inner()}) => ${inner()})`,
    () => `((x=<-) => {\n y = ${inner()}\n return ${inner()}\n})`,
    () => `(${inner()})(x: ${inner()})`,
    () => `(${inner()} |> ${random.pick(['limit', 'f', 'map', 'yield'])}(n: ${inner()}))`,
    () => `from(bucket: ${inner()})`,
    () => `"t \${${inner()}}"`,
    () => `(not exists ${inner()})`,
    () => `(-${inner()})`,
  ])()
}

describe('random scripts', () => {
  test.each([1, 2, 3])('never throw, seed %i', (seed) => {
    const random = seededRandom(seed)
    for (let i = 0; i < 150; i++) {
      const words = randomWords(random)
      const expressions = ['x', 'y', 'f', 'z'].map(
        (name) => `${name} = ${randomExpression(random, 3)}`,
      )
      for (const script of [words, expressions.join('\n')]) {
        const { errors, names } = checkScript(parseFlux(script), testLibrary)
        for (const error of errors)
          expect(problemText(error), script).toMatch(/^error @\d+:\d+-\d+:\d+: /)
        for (const scheme of names.values()) expect(schemeText(scheme), script).not.toBe('')
      }
    }
  })
})
