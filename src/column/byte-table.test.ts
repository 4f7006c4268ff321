// Numbered byte strings, held against a map: the same bytes always have the same number, whatever
// the table went through, and other bytes never do.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteTable, equalRange, hashRange, viewOf } from './byte-table.js'

const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'abc', 'abcd', 'abcde'),
  fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.toWellFormed()),
  fc.integer({ min: 0, max: 50 }).map((n) => `cpu,host=server-${n},region=eu-west-1`),
)

/** The bytes somewhere inside a larger buffer, as a parser has them. */
function placed(value: string, before: number): { bytes: Uint8Array; start: number; stop: number } {
  const inner = Buffer.from(value)
  const bytes = new Uint8Array(before + inner.length + 3).fill(120)
  bytes.set(inner, before)
  return { bytes, start: before, stop: before + inner.length }
}

test.each([true, false])('the same bytes have the same number (shared: %s)', (shared) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.nat(9)), { maxLength: 400 }), (list) => {
      const table = new ByteTable({ shared })
      const numbers = new Map<string, number>()
      for (const [value, before] of list) {
        const { bytes, start, stop } = placed(value, before)
        expect(table.findBytes(bytes, start, stop)).toBe(numbers.get(value) ?? -1)
        const number = table.intern(bytes, start, stop)
        expect(number).toBe(numbers.get(value) ?? numbers.size)
        numbers.set(value, number)
      }
      expect(table.count).toBe(numbers.size)
      for (const [value, number] of numbers) {
        expect(table.text(number)).toBe(value)
        expect(Buffer.from(table.get(number)).toString()).toBe(value)
      }
    }),
    { numRuns: 40 },
  )
})

test('a hundred thousand strings through every growth', () => {
  const table = new ByteTable()
  const count = 100_000
  const view = table.shareable()
  const mistaken: number[] = []
  for (let i = 0; i < count; i++) {
    const bytes = Buffer.from(`disk,host=h${i % 317},path=/mnt/${i}`)
    if (table.intern(bytes, 0, bytes.length) !== i) mistaken.push(i)
  }
  for (let i = 0; i < count; i++) {
    const bytes = Buffer.from(`disk,host=h${i % 317},path=/mnt/${i}`)
    if (table.findBytes(bytes, 0, bytes.length) !== i) mistaken.push(i)
  }
  expect(mistaken).toEqual([])
  const unknown = Buffer.from('disk,host=h0,path=/mnt/100001')
  expect(table.findBytes(unknown, 0, unknown.length)).toBe(-1)
  // What was taken before anything was added says so for ever.
  expect(view.count).toBe(0)
  expect(table.shareable().count).toBe(count)
  // The bytes, and some tens of bytes an entry: the memory of a million series hangs on it.
  expect(table.byteLength / count).toBeLessThan(100)
})

test('a table that was cleared gives its numbers anew, and knows nothing of before', () => {
  const table = new ByteTable()
  const number = (text: string) => {
    const bytes = Buffer.from(text)
    return table.intern(bytes, 0, bytes.length)
  }
  for (const round of ['a', 'b']) {
    for (let i = 0; i < 100; i++) expect(number(`${round}${i}`)).toBe(i)
    expect([table.count, table.text(99)]).toEqual([100, `${round}99`])
    table.clear()
    expect(table.count).toBe(0)
    expect(table.findBytes(Buffer.from(`${round}7`), 0, 2)).toBe(-1)
  }
})

test('what is removed last is unknown again, and its number is given anew', () => {
  const table = new ByteTable()
  const of = (value: string) => Buffer.from(value)
  for (let i = 0; i < 70; i++) table.intern(of(`k${i}`), 0, of(`k${i}`).length)
  table.removeLast()
  expect(table.findBytes(of('k69'), 0, 3)).toBe(-1)
  expect(table.findBytes(of('k68'), 0, 3)).toBe(68)
  expect(table.intern(of('new'), 0, 3)).toBe(69)
  expect(table.text(69)).toBe('new')
})

describe('comparing', () => {
  const pair = fc
    .tuple(fc.uint8Array({ maxLength: 40 }), fc.option(fc.nat(39)), fc.nat(7), fc.nat(7))
    .map(([bytes, changed, a, b]) => {
      const other = bytes.slice()
      if (changed !== null && changed < other.length) other[changed] ^= 1
      return { bytes, other, a, b }
    })

  test('answers as byte by byte does', () => {
    fc.assert(
      fc.property(pair, ({ bytes, other, a, b }) => {
        const left = new Uint8Array(a + bytes.length)
        left.set(bytes, a)
        const right = new Uint8Array(b + other.length)
        right.set(other, b)
        const [x, y] = [viewOf(left), viewOf(right)]
        const equal = Buffer.compare(bytes, other) === 0
        expect(equalRange(x, a, y, b, bytes.length)).toBe(equal)
        if (equal) expect(hashRange(x, a, bytes.length)).toBe(hashRange(y, b, bytes.length))
      }),
    )
  })
})

test('many strings are found again after every growth, and do not hold half their size empty', () => {
  const table = new ByteTable()
  const add = (i: number) => table.intern(Buffer.from(String(i)), 0, String(i).length)
  let wrong = 0
  for (let i = 0; i < 17_800; i++) if (add(i) !== i) wrong++
  for (let i = 0; i < 17_800; i++) if (add(i) !== i) wrong++
  expect(wrong).toBe(0)
  expect(table.count).toBe(17_800)
  expect(table.byteLength / table.count).toBeLessThan(32)
})
