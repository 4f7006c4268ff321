// Forms of scripts that were checked: what may differ between two scripts of one form, and that nothing wrong passes
// because something of the same form was right before.

import { describe, expect, test } from 'vitest'
import { packageOf } from '../stdlib/packages.js'
import type { File, FunctionExpression } from '../syntax/ast.js'
import { parseFlux } from '../syntax/parser.js'
import { checkScript } from './check.js'
import { TypeLibrary } from './library.js'
import { formOf, ScriptChecks } from './script-checks.js'
import { TypeNames, typeText } from './type-text.js'

const library = new TypeLibrary(packageOf)
const form = (text: string) => formOf([parseFlux(text)])

describe('the form of a script', () => {
  test.each([
    ['a = 1', 'a  =  22'],
    ['a = "x" + "y"', 'a = "" + "a \\" b"'],
    ['a = 2020-01-01T00:00:00Z', 'a = 2021-05-06'],
    ['a = [1h, 2d3m]', 'a = [7s1ns, 1y]'],
    ['a = "${b} x" =~ /x/', 'a = "${b} yy" =~ /a(b)/'],
    ['a = {b: 1.5}', 'a = {b: 0.0}'],
  ])('%s and %s have the same', (one, other) => {
    expect(form(one)).toBeDefined()
    expect(form(one)).toBe(form(other))
  })

  test.each([
    ['a = 1', 'b = 1'],
    ['a = 1', 'a = 1.0'],
    ['a = 1', 'a = uint(v: 1)'],
    ['a = 1 + 2', 'a = 1 - 2'],
    ['a = (r) => r["b"]', 'a = (r) => r["c"]'],
    ['a = {"b c": 1}', 'a = {"b d": 1}'],
    ['a = .b', 'a = .c'],
    ['import "math"', 'import "strings"'],
    ['a = [1, 2]', 'a = [1]'],
    ['a = [1, 2]\nb = 3', 'a = [1, 2, 3]'],
    ['a = 2020-01-01T00:00:00Z', 'a = 2020-13-01T00:00:00Z'],
    ['a = 1', 'a = 99999999999999999999'],
  ])('%s and %s do not', (one, other) => {
    expect(form(one)).not.toBe(form(other))
  })

  test('has an end', () => {
    let nested: object = {}
    for (let i = 0; i < 5000; i++) nested = { nested }
    expect(formOf([nested as File])).toBeUndefined()
    expect(form(`a = [${'b, '.repeat(20_000)}]`)).toBeUndefined()
  })
})

describe('checks', () => {
  const bare = (file: File) => checkScript(file, library).errors

  test.each([
    ['a = 1 + 2', 'a = 1 + 2.0'],
    ['a = -1', 'a = -"x"'],
    ['a = 2020-01-01T00:00:00Z', 'a = 2020-13-01T00:00:00Z'],
    ['a = {b: 1}.b', 'a = {b: 1}.c'],
    ['a = {b: 1}["b"]', 'a = {b: 1}["c"]'],
    ['a = "x" =~ /x/', 'a = "x" =~ /(/'],
    ['import "math"\na = math.pi', 'import "strings"\na = math.pi'],
  ])('%s being right does not make %s right', (right, wrong) => {
    const checks = new ScriptChecks(library)
    expect(checks.check(parseFlux(right), undefined).errors).toEqual([])
    const file = parseFlux(wrong)
    expect(bare(file)).not.toEqual([])
    expect(checks.check(file, undefined).errors).toEqual(bare(file))
    expect(checks.check(parseFlux(right), undefined).errors).toEqual([])
  })

  test('a known form tells the types of its functions', () => {
    const checks = new ScriptChecks(library)
    const types = ['a = (r) => r.b + 1', 'a = (r) => r.b + 2'].map((text) => {
      const file = parseFlux(text)
      const [statement] = file.body
      const init = statement.type === 'VariableAssignment' ? statement.init : undefined
      const type = checks.check(file, undefined).functionType(init as FunctionExpression)
      return type && typeText(type, new TypeNames())
    })
    expect(types[0]).toContain('(r:')
    expect(types[1]).toBe(types[0])
  })

  test('statements before a script are part of its form', () => {
    const checks = new ScriptChecks(library)
    const file = parseFlux('b = a + 1')
    expect(checks.check(file, parseFlux('a = 1')).errors).toEqual([])
    expect(checks.check(file, parseFlux('a = "x"')).errors).not.toEqual([])
  })
})
