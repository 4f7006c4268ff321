// The scanner tells code from what only looks like code, keeps count of lines, and pairs brackets.

import { expect, it } from 'vitest'
import { tokenize } from './tokens.js'

const texts = (code: string) => tokenize(code).list.map(({ text }) => text)
const kinds = (code: string) => tokenize(code).list.map(({ kind }) => kind)

it.each([
  ['a /* \' */ b // "\nc', ['a', 'b', 'c']],
  ["'it\\'s' + \"x'y\"", ["it\\'s", '+', "x'y"]],
  ['#!/usr/bin/env node\na', ['a']],
  ['a?.b ...c => d++', ['a', '?.', 'b', '...', 'c', '=>', 'd', '++']],
  ['a ? .5 : 1e-3', ['a', '?', '.5', ':', '1e-3']],
  ['this.#private', ['this', '.', '#private']],
])('reads %s', (code, expected) => {
  expect(texts(code)).toEqual(expected)
})

it.each([
  ['a / b / c', 0],
  ['(a) / b / c', 0],
  ['a[0]! / 2 / c', 0],
  ['return /[/"]+/g', 1],
  ['x = /\\//', 1],
  ['f(/a/, /b/)', 2],
  ['!/a/.test(b)', 1],
  [`\`\${/a/.exec(b)}\``, 1],
  [`\`\${a}\` / b / c`, 0],
])('tells regular expressions from division in %s', (code, expected) => {
  expect(kinds(code).filter((kind) => kind === 'regex')).toHaveLength(expected)
})

it('follows templates into their insertions and out again', () => {
  const code = `f(\`a \${b({ c: \`d \${e}\` })} } \${g}\`, h)`
  const words = tokenize(code).list.filter(({ kind }) => kind === 'word')
  expect(words.map(({ text }) => text)).toEqual(['f', 'b', 'c', 'e', 'g', 'h'])
})

it('counts lines through comments, strings and templates', () => {
  const { list } = tokenize('a\n/*\n*/ b `\n\n` c')
  expect(list.map(({ line, endLine }) => [line, endLine])).toEqual([
    [1, 1],
    [3, 3],
    [3, 5],
    [5, 5],
  ])
})

it('pairs brackets and refuses those without a partner', () => {
  expect([...tokenize('f([a]) {}').partner]).toEqual([-1, 5, 4, -1, 2, 1, 7, 6])
  expect(() => tokenize('f(\n[)')).toThrow('bracket ) of line 2 has no partner')
  expect(() => tokenize('{')).toThrow('bracket { of line 1 has no partner')
  expect(() => tokenize('`a')).toThrow('template of line 1 has no end')
})
