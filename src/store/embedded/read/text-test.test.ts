// Conditions on texts give what asking row by row gives, whatever pieces of whatever columns come in
// turn, and ask once for each entry of a dictionary.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StringColumn } from '../../../column/column.js'
import { TextTest } from './text-test.js'

const texts = ['', 'ok', 'busy', 'bus', 'büsy', 'busy ']

function columnOf(rows: readonly (number | null)[], entries: readonly string[]): StringColumn {
  const offsets = new Uint32Array(entries.length + 1)
  for (const [i, entry] of entries.entries()) offsets[i + 1] = offsets[i] + Buffer.byteLength(entry)
  return {
    type: 'string',
    values: Uint32Array.from(rows, (row) => (row ?? 0) % entries.length),
    dictionary: { offsets, bytes: Buffer.from(entries.join('')), count: entries.length },
    validity: rows.includes(null)
      ? Uint8Array.from(rows, (row) => Number(row !== null))
      : undefined,
  }
}

test('as row by row', () => {
  const entries = fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 40 })
  const rows = fc.array(fc.option(fc.nat(99)), { minLength: 1, maxLength: 60 })
  const columns = fc.array(fc.tuple(entries, rows), { minLength: 1, maxLength: 3 })
  const pieces = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 8 })
  const isTexts = fc.constantFrom(...texts)
  fc.assert(
    fc.property(columns, pieces, isTexts, fc.nat(2), (made, asked, text, kind) => {
      const tests = [
        TextTest.equal(text, false),
        TextTest.equal(text, true),
        TextTest.of((t) => t > text),
      ]
      const passes = [(t: string) => t === text, (t: string) => t !== text, (t: string) => t > text]
      const all = made.map(([of, codes]) => ({ of, codes, column: columnOf(codes, of) }))
      for (const [which, from, length] of asked) {
        const { of, codes, column } = all[which % all.length]
        const start = from % codes.length
        const stop = Math.min(codes.length, start + 1 + (length % 20))
        const marks = new Uint8Array(stop - start)
        tests[kind].mark(column, start, stop, marks)
        const expected = codes
          .slice(start, stop)
          .map((code) => Number(code !== null && passes[kind](of[code % of.length])))
        expect([...marks]).toEqual(expected)
      }
    }),
  )
})

test('each entry is asked once', () => {
  const asked: string[] = []
  const condition = TextTest.of((text) => {
    asked.push(text)
    return text === 'b'
  })
  const column = columnOf([0, 1, 0, 1, 2, 2, 1, 0], ['a', 'b', 'c', 'nobody'])
  const marks = new Uint8Array(4)
  for (const start of [0, 4, 2]) condition.mark(column, start, start + 4, marks)
  expect(asked).toEqual(['a', 'b', 'c'])
  expect([...marks]).toEqual([0, 1, 0, 0])
})
