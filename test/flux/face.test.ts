// What the interface asks of the language besides running scripts: what is wrong with a text, its tree,
// and which functions there are.

import { expect, test } from 'vitest'
import { UserError } from '../../src/errors.js'
import { FluxLanguage } from '../../src/flux/flux.js'

const flux = new FluxLanguage()

test('mistakes of form have a place', () => {
  expect(flux.analyze('x = 1')).toEqual([])
  const [error] = flux.analyze('a = 1\nx = 1 +')
  expect(error).toMatchObject({ line: 2, column: 8, character: 0 })
  expect(error.message).toContain('invalid token for primary expression: EOF')
})

test('so have names that nobody gave and types that do not fit, all at once', () => {
  expect(flux.analyze('x = nowhere')).toEqual([
    { line: 1, column: 5, character: 0, message: 'undefined identifier nowhere' },
  ])
  const script = `import "array"
array.from(rows: [{a: 1}])
    |> limit(n: "1")
y = 1 + 1.0`
  expect(flux.analyze(script)).toEqual([
    { line: 3, column: 17, character: 0, message: 'expected int but found string (argument n)' },
    { line: 4, column: 9, character: 0, message: 'expected int but found float' },
  ])
  expect(flux.analyze('x = 1 +').length).toBe(1)
})

test('the tree is a package of one file', () => {
  expect(flux.ast('x = 1')).toMatchObject({
    type: 'Package',
    package: 'main',
    files: [
      {
        type: 'File',
        body: [{ type: 'VariableAssignment', init: { type: 'IntegerLiteral', value: '1' } }],
      },
    ],
  })
  expect(() => flux.ast('x = 1 +')).toThrow(/^invalid AST: loc 1:8-1:8: /)
})

test('functions have the sorts of their parameters', () => {
  const functions = flux.functions()
  const limit = functions.find(({ name }) => name === 'limit')
  expect(limit?.params).toEqual({ tables: 'stream', n: 'int', offset: 'int' })
  expect(functions.some(({ name }) => name.startsWith('_'))).toBe(false)
})

test('all mistakes are told when a script is prepared, before anything runs', () => {
  const prepare = () => flux.prepare('a = b\n\nc = d')
  expect(prepare).toThrow(UserError)
  expect(prepare).toThrow(
    'compilation failed: error @1:5-1:6: undefined identifier b\n\nerror @3:5-3:6: undefined identifier d',
  )
})

test('params that no script could use are refused', () => {
  const params = new Map<string, unknown>([['a', new Map([['b', null]])]])
  expect(() => flux.prepare('x = 1', { values: params })).toThrow('params.a.b has no value')
  let deep: unknown = 1
  for (let i = 0; i < 100; i++) deep = [deep]
  expect(() => flux.prepare('x = 1', { values: new Map([['a', deep]]) })).toThrow('nested too deep')
})
