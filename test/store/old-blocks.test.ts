// Blocks of segments of version 1 are read as ever: bit-packed sequences at every width and every awkward length, in
// exactly the bytes foretold, and columns of every kind.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Column, valueAt } from '../../src/column/column.js'
import { ByteReader } from '../../src/store/embedded/encoding/byte-reader.js'
import { ByteWriter } from '../../src/store/embedded/encoding/byte-writer.js'
import { ColumnBuffer, readColumn } from '../../src/store/embedded/encoding/column-block.js'
import { readSequence } from '../../src/store/embedded/encoding/old-sequence.js'
import { Sequence, sequenceBytes, writeOldColumn, writeSequence } from './old-blocks.js'

const lengths = [1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 300]

/** Numbers that need this width, with both ends of it among them. */
function valuesOfWidth(width: number, count: number): number[] {
  const max = 2 ** width - 1
  return Array.from({ length: count }, (_, i) => {
    if (i % 3 === 0) return max
    return i % 3 === 1 ? 0 : Math.floor(((i * 0.6180339887) % 1) * max)
  })
}

function pack(values: readonly number[], wide: boolean): ByteReader {
  const sequence = new Sequence()
  sequence.prepare(values.length, wide)
  values.forEach((value, i) => {
    sequence.set(i, value)
  })
  const writer = new ByteWriter(16)
  // Blocks before it must not matter.
  writer.u32(0xdeadbeef)
  writeSequence(writer, sequence, values.length)
  expect(writer.length - 4).toBe(sequenceBytes(sequence, values.length))
  const reader = new ByteReader(writer.written().slice(), 'sequence')
  reader.u32()
  return reader
}

const widths = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

test.each(widths(0, 53))('a sequence of %i bits', (width) => {
  for (const count of lengths) {
    const values = valuesOfWidth(width, count)
    const reader = pack(values, width > 32)
    expect([...readSequence(reader, count)]).toEqual(values)
    expect(reader.remaining).toBe(0)
  }
})

test('each mini-block has a width of its own', () => {
  const values = [...valuesOfWidth(3, 128), ...valuesOfWidth(40, 128), ...valuesOfWidth(0, 128), 7]
  expect([...readSequence(pack(values, true), values.length)]).toEqual(values)
})

test('a width that no writer writes is damage with a place', () => {
  const bytes = new Uint8Array(64)
  bytes[0] = 54
  const read = () => readSequence(new ByteReader(bytes, 'file.seg', 1000), 1)
  expect(read).toThrow('corrupt data in file.seg at offset 1004: bit width 54')
})

/** Written as version 1 did, read whole and in part. */
function expectOld(column: Column, rowCount: number): void {
  const writer = new ByteWriter(64)
  writeOldColumn(writer, column, rowCount)
  const bytes = writer.written().slice()
  for (const [from, to] of [
    [0, rowCount],
    [rowCount >>> 1, rowCount],
    [rowCount >>> 2, (rowCount >>> 1) + 1],
  ]) {
    const read = readColumn(new ByteReader(bytes, 'block'), rowCount, new ColumnBuffer(), from, to)
    for (let row = from; row < to; row++) expect(valueAt(read, row)).toBe(valueAt(column, row))
  }
}

test('columns of every kind, with and without gaps', () => {
  const step = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer(), fc.maxSafeInteger())
  const shape = fc.record({
    length: fc.integer({ min: 1, max: 700 }),
    start: fc.integer(),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    missing: fc.constantFrom(0, 0, 3, 50),
  })
  fc.assert(
    fc.property(shape, ({ length, start, steps, missing }) => {
      const validity =
        missing === 0
          ? undefined
          : Uint8Array.from({ length }, (_, i) => (i > 0 && i % missing === 0 ? 0 : 1))
      let sum = start
      const whole = Float64Array.from({ length }, (_, i) => {
        sum = Math.max(-(2 ** 53) + 1, Math.min(2 ** 53 - 1, sum + steps[i % steps.length]))
        return sum
      })
      expectOld({ type: 'integer', values: whole, validity }, length)
      expectOld({ type: 'float', values: whole.map((v) => v / 100), validity }, length)
      expectOld({ type: 'float', values: whole.map((v) => v / 3), validity }, length)
      const wide = BigInt64Array.from(whole, (v) => BigInt(v) * 500n)
      expectOld({ type: 'integer', values: wide, validity }, length)
      const bits = Uint8Array.from(whole, (v) => Math.abs(v) % 2)
      expectOld({ type: 'boolean', values: bits, validity }, length)
    }),
  )
})
