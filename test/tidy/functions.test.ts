// Functions of every kind are found, named and measured, and what only looks like one is not.

import { expect, it } from 'vitest'
import { functionsOf } from './functions.js'
import { source } from './source.js'

const body = (lines: number) => `{\n${'  work()\n'.repeat(lines - 2)}}`

function found(text: string): string[] {
  const functions = functionsOf(source('src/a.ts', text))
  return functions.map(({ name, line, lines }) => `${name ?? '-'} ${line} ${lines}`)
}

it.each([
  ['function f() {}', 'f 1 1'],
  [`export async function* f<T extends { a: 1 }>(x: T): AsyncIterable<T> ${body(4)}`, 'f 1 4'],
  [`function f(\n  x: number,\n): { a: number } | undefined ${body(3)}`, 'f 1 5'],
  [`function f(): -1 | 1 ${body(3)}`, 'f 1 3'],
  [`function f(x: unknown): asserts x is string ${body(3)}`, 'f 1 3'],
  [`function f(): (x: number) => Map<string, { a: 1 }> ${body(3)}`, 'f 1 3'],
  [`const f = async (x: string) => ${body(3)}`, 'f 1 3'],
  [`const f = (x: number): Map<string, number[]> => ${body(3)}`, 'f 1 3'],
  [`const f: Handler<string> = <T>(x: T) => ${body(3)}`, 'f 1 3'],
  [`const f = x => ${body(3)}`, 'f 1 3'],
  [`const o = { f() ${body(3)} }`, 'f 1 3'],
  [`const o = { f: function () ${body(3)} }`, 'f 1 3'],
  [`const o = { f: (x) => ${body(3)} }`, 'f 1 3'],
  [`class C<T> extends D<{ a: T }> { static async #f(): Promise<void> ${body(3)} }`, 'C.#f 1 3'],
  [`class C { get [key](): number ${body(3)} }`, 'C.(computed) 1 3'],
  [`class C { f = () => ${body(3)} }`, 'f 1 3'],
  [`run(async () => ${body(3)})`, '- 1 3'],
  [`const s = \`a \${list.map((x) => ${body(3)})} b\``, '- 1 3'],
])('finds the function in %s', (text, expected) => {
  expect(found(text)).toEqual([expected])
})

it.each([
  'if (a) { b() }',
  'for (const a of b) { c() }',
  'try { a() } catch (error) { b() }',
  'while (f(x)) { g() }',
  'const a = b ? f(x) : { c: 1 }',
  'switch (a) { case f(x): { g() } }',
  'const a = b ? f(x) : c\nif (d) { e() }',
  'abstract class C { abstract f(x: number): void\n abstract g(): void }',
  'interface I { f(x: number): void }',
  'const x = `function f() {`',
  "const x = '=> {' // f() {",
  'const x = /=> {/.test(y)',
])('finds none in %s', (text) => {
  expect(found(text)).toEqual([])
})
