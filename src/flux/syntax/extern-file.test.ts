// Syntax trees from outside: those that the parser could have made are taken, everything else is refused
// with its reason, whatever it is.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UserError } from '../../errors.js'
import { parseJson } from '../../query/json-text.js'
import { readExtern } from './extern-file.js'

const read = (value: unknown) => readExtern(parseJson(JSON.stringify(value)))
const identifier = (name: string) => ({ type: 'Identifier', name })
const fileOf = (...body: unknown[]) => ({ type: 'File', package: null, imports: [], body })
const assignment = (init: unknown) => ({ type: 'VariableAssignment', id: identifier('x'), init })
const nowhere = { start: { line: 0, column: 0 }, end: { line: 0, column: 0 } }

const fitting: unknown[] = [
  identifier('é_1'),
  { type: 'StringLiteral', value: 'a"b' },
  { type: 'BooleanLiteral', value: true },
  { type: 'FloatLiteral', value: 1.5 },
  { type: 'IntegerLiteral', value: '9223372036854775807' },
  { type: 'UnsignedIntegerLiteral', value: '18446744073709551615' },
  { type: 'RegexpLiteral', value: 'a.*' },
  { type: 'DateTimeLiteral', value: '2020-01-01T00:00:00.5+01:00' },
  { type: 'PipeLiteral' },
  { type: 'ArrayExpression', elements: [identifier('a')] },
  { type: 'DictExpression', elements: [{ key: identifier('k'), val: identifier('v') }] },
  { type: 'UnaryExpression', operator: 'not', argument: identifier('a') },
  { type: 'BinaryExpression', operator: '=~', left: identifier('a'), right: identifier('b') },
  { type: 'LogicalExpression', operator: 'or', left: identifier('a'), right: identifier('b') },
  { type: 'MemberExpression', object: identifier('a'), property: identifier('b') },
  { type: 'IndexExpression', array: identifier('a'), index: identifier('b') },
  { type: 'ParenExpression', expression: identifier('a') },
  {
    type: 'ConditionalExpression',
    test: identifier('a'),
    consequent: identifier('b'),
    alternate: identifier('c'),
  },
  {
    type: 'StringExpression',
    parts: [
      { type: 'TextPart', value: 'a' },
      { type: 'InterpolatedPart', expression: identifier('b') },
    ],
  },
  {
    type: 'PipeExpression',
    argument: identifier('a'),
    call: { type: 'CallExpression', callee: identifier('f'), arguments: [] },
  },
  {
    type: 'FunctionExpression',
    params: [{ type: 'Property', key: identifier('r'), value: null }],
    body: { type: 'Block', body: [{ type: 'ReturnStatement', argument: identifier('r') }] },
  },
]

test('expressions of every type are read', () => {
  for (const expression of fitting) {
    const [statement] = read(fileOf(assignment(expression))).body
    expect(statement).toMatchObject({ type: 'VariableAssignment', init: expression })
    expect(statement).toHaveProperty('init.location', nowhere)
  }
})

test('records extend others, in both spellings', () => {
  for (const source of [identifier('r'), { source: identifier('r') }]) {
    const record = { type: 'ObjectExpression', with: source, properties: null }
    const [statement] = read(fileOf(assignment(record))).body
    expect(statement).toMatchObject({ init: { with: { source: identifier('r') }, properties: [] } })
  }
})

test('magnitudes become whole numbers, and other statements are read', () => {
  const hours = { type: 'DurationLiteral', values: [{ magnitude: 12, unit: 'h' }] }
  const file = {
    ...fileOf(
      { type: 'OptionStatement', assignment: assignment(hours) },
      { type: 'ExpressionStatement', expression: identifier('x') },
    ),
    package: { type: 'PackageClause', name: identifier('main') },
    imports: [
      { type: 'ImportDeclaration', as: null, path: { type: 'StringLiteral', value: 'math' } },
    ],
  }
  expect(read(file)).toMatchObject({
    package: { name: { name: 'main' } },
    imports: [{ as: null, path: { value: 'math' } }],
    body: [
      { assignment: { init: { values: [{ magnitude: 12n, unit: 'h' }] } } },
      { expression: identifier('x') },
    ],
  })
})

test('a type that goes without saying may be left out', () => {
  expect(read({ imports: [], body: [] })).toMatchObject({ type: 'File', imports: [], body: [] })
  const { type: _, ...untyped } = identifier('x') as { type: string }
  const statement = assignment({ type: 'StringLiteral', value: 'v' }) as { id?: unknown }
  expect(read(fileOf({ ...statement, id: untyped }))).toMatchObject({
    body: [{ id: { type: 'Identifier', name: 'x' } }],
  })
})

test('what does not fit is refused', () => {
  const refused: [unknown, RegExp][] = [
    [null, /a node is an object/],
    [[], /a node is an object/],
    [{ type: 'Package' }, /"Package" does not fit File/],
    [{ type: 1 }, /does not fit File/],
    [fileOf({ expression: identifier('x') }), /a node without type does not fit this place/],
    [fileOf({ type: 'BadStatement', text: 'x' }), /"BadStatement" does not fit/],
    [fileOf({ type: 'TestCaseStatement' }), /does not fit/],
    [{ type: 'File', body: {} }, /a list was expected/],
    [fileOf(assignment(null)), /a node is an object/],
    [fileOf(assignment({ type: 'StringLiteral' })), /StringLiteral has no value/],
    [fileOf(assignment({ type: 'FloatLiteral', value: '1' })), /FloatLiteral has no value/],
    [fileOf(assignment({ type: 'IntegerLiteral', value: '1.5' })), /"1.5" is no integer/],
    [fileOf(assignment({ type: 'IntegerLiteral', value: '9223372036854775808' })), /64 bits/],
    [fileOf(assignment({ type: 'UnsignedIntegerLiteral', value: '-1' })), /64 bits/],
    [fileOf(assignment({ type: 'DateTimeLiteral', value: '2020-13-01' })), /is no moment/],
    [fileOf(assignment({ type: 'Identifier', name: 'a b' })), /"a b" is no identifier/],
    [fileOf(assignment({ type: 'constructor' })), /"constructor" does not fit/],
    [
      fileOf(assignment({ type: 'DurationLiteral', values: [{ magnitude: 1, unit: 'x' }] })),
      /"x" is none of/,
    ],
    [
      fileOf(assignment({ type: 'CallExpression', callee: identifier('f'), arguments: [{}, {}] })),
      /a call has one object of arguments/,
    ],
  ]
  for (const [value, message] of refused) {
    expect(() => read(value), JSON.stringify(value)).toThrow(UserError)
    expect(() => read(value)).toThrow(message)
    expect(() => read(value)).toThrow(/^failed to decode request body: extern json parse error: /)
  }
})

test('a deep tree is refused before it is too deep', () => {
  let expression: unknown = identifier('a')
  for (let i = 0; i < 160; i++) expression = { type: 'ParenExpression', expression }
  const value = new Map<string, unknown>([['type', 'File']])
  const toMaps = (node: unknown): unknown =>
    typeof node === 'object' && node !== null
      ? new Map(Object.entries(node).map(([name, inner]) => [name, toMaps(inner)]))
      : node
  value.set('body', [toMaps({ type: 'ExpressionStatement', expression })])
  expect(() => readExtern(value)).toThrow(/more than 150 levels of nodes/)
})

test('nothing else than a refusal comes out of anything', () => {
  const types = fc.constantFrom('File', 'Identifier', 'StringLiteral', 'ObjectExpression', 'Block')
  const node = fc.letrec((tie) => ({
    node: fc.record({ type: types, body: tie('any'), properties: tie('any'), name: tie('any') }),
    any: fc.oneof(fc.jsonValue(), tie('node'), fc.array(tie('node'), { maxLength: 2 })),
  })).node
  fc.assert(
    fc.property(node, (value) => {
      try {
        read(value)
      } catch (error) {
        expect(error).toBeInstanceOf(UserError)
      }
    }),
  )
})
