// The JSON of trees: its shape and the forms of literals, the way back, and that nothing a client may send
// instead gets through or gives anything but a UserError.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Flux writes its placeholders the same way.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shape } from '../../../test/flux/syntax-shapes.js'
import { UserError } from '../../errors.js'
import { parseJson } from '../../query/json-text.js'
import type { File } from './ast.js'
import { readExtern } from './extern-file.js'
import { fileToJson, packageOf, packageToJson } from './json.js'
import { parseFlux } from './parser.js'
import { printFile } from './printer.js'

const script = `import "strings"
option task = {name: "a", every: 1h30m}
f = (r, n=10, tables=<-) => {
    x = r.a["b"][0] + 1.5
    return {r with y: -x ^ 2.0 * 3.0, z: if not exists r.q and true then "a\${x}" else "b"}
}
from(bucket: "b") |> range(start: 2020-01-01T00:00:00Z) |> filter(fn: (r) => r.m =~ /a\\/b/)
d = ["k": [1, 2], "l": []]
`

describe('tree → JSON', () => {
  test('fields, their order, and the forms of literals', () => {
    const file = parseFlux('a = [1h, 2018-01-01, /x/, 9223372036854775807]\nb = {a with c: .5}')
    const start = { line: 1, column: 1 }
    const json = JSON.stringify(fileToJson(file))
    expect(json.startsWith('{"type":"File","location":{"start":{"line":1,"column":1},"end":')).toBe(
      true,
    )
    expect(JSON.parse(json)).toMatchObject({
      type: 'File',
      location: { start },
      package: null,
      imports: [],
      body: [
        {
          type: 'VariableAssignment',
          location: { start, end: { line: 1, column: 47 } },
          id: { type: 'Identifier', name: 'a' },
          init: {
            type: 'ArrayExpression',
            elements: [
              { type: 'DurationLiteral', values: [{ magnitude: 1, unit: 'h' }] },
              { type: 'DateTimeLiteral', value: '2018-01-01T00:00:00Z' },
              { type: 'RegexpLiteral', value: 'x' },
              { type: 'IntegerLiteral', value: '9223372036854775807' },
            ],
          },
        },
        { init: { with: { type: 'Identifier', name: 'a' }, properties: [{ type: 'Property' }] } },
      ],
    })
  })

  test('a package is named by its clause', () => {
    expect(packageToJson(packageOf(parseFlux('package foo\na')))).toMatchObject({
      type: 'Package',
      package: 'foo',
      files: [{ type: 'File' }],
    })
    expect(packageOf(parseFlux('a')).package).toBe('main')
  })
})

/** As a request brings it. */
function treeOf(value: unknown): File {
  return readExtern(parseJson(JSON.stringify(value)))
}

describe('JSON → tree', () => {
  test('what was written is read again', () => {
    const again = parseFlux(printFile(treeOf(fileToJson(parseFlux(script)))))
    expect(shape(again)).toEqual(shape(parseFlux(script)))
  })

  const statement = (expression: unknown) => ({
    type: 'File',
    body: [{ type: 'ExpressionStatement', expression }],
  })

  test.each([
    [null, 'a node is an object'],
    [[], 'a node is an object'],
    [{ type: 'Package' }, '"Package" does not fit File'],
    [{ type: 'File', body: 1 }, 'a list was expected'],
    [{ type: 'File', body: [{ type: 'BadStatement' }] }, '"BadStatement" does not fit this place'],
    [statement(undefined), 'a node is an object'],
    [statement({ type: 'Nope' }), '"Nope" does not fit this place'],
    [statement({ type: 'Identifier', name: 'a b' }), '"a b" is no identifier'],
    [statement({ type: 'Identifier', name: '__proto__; x' }), 'is no identifier'],
    [statement({ type: 'IntegerLiteral', value: '9223372036854775808' }), 'no integer of 64 bits'],
    [
      statement({ type: 'DurationLiteral', values: [{ magnitude: 1.5, unit: 'h' }] }),
      '"1.5" is no integer of 64 bits',
    ],
    [
      statement({ type: 'DurationLiteral', values: [{ magnitude: 1, unit: 'x' }] }),
      '"x" is none of y mo w d h m s ms',
    ],
    [statement({ type: 'DateTimeLiteral', value: 'today' }), '"today" is no moment'],
    [statement({ type: 'BinaryExpression', operator: '&' }), '"&" is none of + - *'],
  ])('refuses %j', (value, message) => {
    expect(() => treeOf(value)).toThrow(UserError)
    expect(() => treeOf(value)).toThrow(message)
  })

  test('refuses to send what would be many times as long as the script', () => {
    const sent = (script: string) => () => fileToJson(parseFlux(script))
    expect(sent(`[${'1, '.repeat(25_000)}1]`)).toThrow(
      'too large to be sent: more than 20000 nodes',
    )
    const long = `"${'x'.repeat(200_000)}"`
    expect(sent(`${'('.repeat(60)}${long}${')'.repeat(60)}`)).toThrow(
      'more than 8388608 characters',
    )
    expect(sent(`(${long})`)).not.toThrow()
  })

  test('refuses what is nested too deep', () => {
    let expression: unknown = { type: 'Identifier', name: 'a' }
    for (let depth = 0; depth < 160; depth++) expression = { type: 'ParenExpression', expression }
    expect(() => treeOf(statement(expression))).toThrow('more than 150 levels of nodes')
  })

  test('any value gives a tree or a UserError', () => {
    const types = fc.constantFrom(
      'File',
      'Block',
      'CallExpression',
      'ObjectExpression',
      'Identifier',
    )
    const names = fc.constantFrom(
      'type',
      'body',
      'expression',
      'init',
      'name',
      'value',
      '__proto__',
    )
    const { node } = fc.letrec((tie) => ({
      node: fc.dictionary(names, tie('part'), { maxKeys: 4 }),
      part: fc.oneof(
        { maxDepth: 4 },
        types,
        fc.jsonValue({ maxDepth: 1 }),
        tie('node'),
        fc.array(tie('node'), { maxLength: 3 }),
      ),
    }))
    fc.assert(
      fc.property(node, (value) => {
        try {
          treeOf(value)
        } catch (error) {
          expect(error).toBeInstanceOf(UserError)
        }
      }),
      { numRuns: 500 },
    )
  })
})
