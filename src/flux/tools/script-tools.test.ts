// What the catalog is told about scripts: parameters, records with their places, and queries made ready
// for tasks, also where the text is hostile. What tasks and checks make of it: test/catalog.

import { expect, it } from 'vitest'
import { scriptTools } from './script-tools.js'

const { assigned, parameters, quoted, taskQuery } = scriptTools

it('finds parameters wherever they are read, in order', () => {
  const script = `// params.no
x = a.params.no + params.b
f(g: (r) => r[params["c d"]], "h": "\${params.b} \${params.e}", i: {params: 1})`
  expect(parameters(script)).toEqual(['b', 'c d', 'e'])
  expect(parameters('params.a |> (')).toEqual(['a'])
})

it('is not overwhelmed by long and deep texts', () => {
  const list = `x = [${'params.a, '.repeat(150_000)}1]`
  expect(parameters(list)).toEqual(['a'])
  expect(parameters(`${'1 + '.repeat(20_000)}params.b`)).toEqual(['b'])
  const change = { durationText: '1m', windows: 'kept' } as const
  expect(() => taskQuery('('.repeat(10_000), change)).toThrow('nested too deep')
})

it('says where a record lies, counted in characters of the text', () => {
  const script = '// é\ncheck = 1\ncheck = {"é": "ü", b: 2}\noption check = {}'
  const [other, record, ...rest] = assigned(script, 'check', false)
  expect(rest).toEqual([])
  expect(other).toEqual({ found: '1' })
  if (record === undefined || 'found' in record) throw new Error('no record')
  const [first, second] = record.properties
  expect([first.key, first.text]).toEqual(['é', 'ü'])
  expect(script.slice(first.valueStart, first.end)).toBe('"ü"')
  expect(script.slice(second.start, second.end)).toBe('b: 2')
  expect(script.slice(record.open - 1, record.open)).toBe('{')
  expect(script.slice(record.close)).toMatch(/^}\noption/)
})

it('drops comments wherever they stand', () => {
  const query = `x = [ // a
  1, // b
  2 // c
] // d
f(a: x, // e
  start: 1) // f`
  const { prelude, result } = taskQuery(query, { durationText: '1m', windows: 'kept' })
  expect(prelude).toBe('x = [1, 2]\n')
  expect(result).toBe('f(a: x, start: -1m)')
})

it('quotes texts, and leaves values in templates', () => {
  const value = `\${b}`
  expect(quoted(`a"\\\n${value}`)).toBe(`"a\\"\\\\\\n\\${value}"`)
  expect(quoted(`a"\\\n${value}`, 'template')).toBe(`"a\\"\\\\\\n${value}"`)
})
