// Walking and rewriting expressions: the order of visits, what stays untouched, and chains that are too
// long for recursion.

import { expect, test } from 'vitest'
import type { Expression } from './ast.js'
import { parseExpression } from './parser.js'
import { printExpression } from './printer.js'
import { mapExpression, someExpression, walkExpression } from './walk.js'

const nameOf = (e: Expression) => ('name' in e ? e.name : 'op' in e ? e.op : e.kind)

test('visits from the outside in and from left to right', () => {
  const seen: string[] = []
  walkExpression(parseExpression('a + f(b, (c - d)) * e'), (e) => {
    seen.push(nameOf(e))
  })
  expect(seen).toEqual(['+', 'a', '*', 'f', 'b', 'paren', '-', 'c', 'd', 'e'])
})

test('false keeps it out', () => {
  const seen: string[] = []
  walkExpression(parseExpression('a * b + f(c) - (d * e)'), (e) => {
    seen.push(nameOf(e))
    return e.kind !== 'call' && nameOf(e) !== '*'
  })
  expect(seen).toEqual(['-', '+', '*', 'f', 'paren', '*'])
})

test('looks no further once it has found', () => {
  expect(someExpression(parseExpression('f(a) + b'), (e) => nameOf(e) === 'a')).toBe(true)
  expect(someExpression(parseExpression('f(a) + b'), (e) => nameOf(e) === 'c')).toBe(false)
})

test('rewrites from the inside out', () => {
  const renamed = mapExpression(parseExpression('a + f(a, (b)) * c'), (e) =>
    e.kind === 'reference' && e.name === 'a' ? { ...e, name: 'z' } : e,
  )
  expect(printExpression(renamed)).toBe('z + f(z, (b)) * c')
  const flat = mapExpression(parseExpression('((a)) + (b)'), (e) =>
    e.kind === 'paren' ? e.inner : e,
  )
  expect(printExpression(flat)).toBe('a + b')
})

test('what is not changed stays the same object', () => {
  const expression = parseExpression('a + f(b, (c)) * -d')
  expect(mapExpression(expression, (e) => e)).toBe(expression)
})

test('chains of thousands', () => {
  const text = Array.from({ length: 5000 }, (_, i) => `a = ${i}`).join(' OR ')
  const expression = parseExpression('a = 0')
  let chain: Expression = expression
  for (let i = 0; i < 100_000; i++)
    chain = { kind: 'binary', op: 'OR', left: chain, right: expression }
  let count = 0
  walkExpression(chain, () => {
    count++
  })
  expect(count).toBe(100_000 + 100_001 * 3)
  expect(mapExpression(chain, (e) => e)).toBe(chain)
  expect(() => parseExpression(text)).toThrow(
    /^error parsing query: expression has more than 5000 operators$/,
  )
})
