// Blocks of segments of version 1 are read as ever: bit-packed sequences at every width and every awkward length, in
// exactly the bytes foretold, and columns of every kind.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Column, valueAt } from '../../src/column/column.js'
import { ByteReader } from '../../src/store/embedded/encoding/byte-reader.js'
import { ByteWriter } from '../../src/store/embedded/encoding/byte-writer.js'
import { ColumnBuffer, readColumn } from '../../src/store/embedded/encoding/column-block.js'
import {
  readDeltas,
  readOffsets,
  readWords,
} from '../../src/store/embedded/encoding/packed-sequence.js'
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

describe('every width', () => {
  test.each(widths(0, 53))('offsets of %i bits', (width) => {
    for (const count of lengths) {
      const values = valuesOfWidth(width, count)
      const reader = pack(values, width > 32)
      const out = new Float64Array(count + 5).fill(-1)
      readOffsets(reader, count, 0, out, 2)
      expect([...out.subarray(2, count + 2)]).toEqual(values)
      expect([out[0], out[1], out[count + 2]]).toEqual([-1, -1, -1])
      expect(reader.remaining).toBe(0)
    }
  })

  test.each(widths(0, 32))('words of %i bits', (width) => {
    for (const count of lengths) {
      const values = valuesOfWidth(width, count)
      const out = new Uint32Array(512)
      readWords(pack(values, false), count, out)
      expect([...out.subarray(0, count)]).toEqual(values)
    }
  })

  test.each(widths(1, 31))('deltas of %i bits', (width) => {
    for (const count of lengths) {
      const step = 2 ** (width - 1) - 1
      // Up and down in turn, so that every sum fits an int32.
      const values = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 0 : step))
      const zigzag = values.map((value, i) => {
        const delta = value - (values[i - 1] ?? 0)
        return delta >= 0 ? delta * 2 : -delta * 2 - 1
      })
      const out = new Float64Array(count)
      readDeltas(pack(zigzag, false), count, 1e12, out, 0)
      expect([...out]).toEqual(values.map((value) => 1e12 + value))
    }
  })
})

test('each mini-block has a width of its own', () => {
  const values = [...valuesOfWidth(3, 128), ...valuesOfWidth(40, 128), ...valuesOfWidth(0, 128), 7]
  const out = new Float64Array(values.length)
  readOffsets(pack(values, true), values.length, 100, out, 0)
  expect([...out]).toEqual(values.map((value) => value + 100))
})

test('only the values asked for are unpacked, by whole mini-blocks', () => {
  const values = valuesOfWidth(5, 300)
  const offsets = new Float64Array(300).fill(-1)
  readOffsets(pack(values, false), 300, 10, offsets, 0, 100)
  expect([...offsets.subarray(0, 100)]).toEqual(values.slice(0, 100).map((value) => value + 10))
  expect([...offsets.subarray(128)]).toEqual(new Array(172).fill(-1))
  const sums = new Float64Array(300).fill(-1)
  const ones = new Array(300).fill(2)
  readDeltas(pack(ones, false), 300, 0, sums, 0, 129)
  expect([...sums.subarray(126, 129)]).toEqual([127, 128, 129])
  expect([...sums.subarray(256)]).toEqual(new Array(44).fill(-1))
})

test('a width that no writer writes is damage with a place', () => {
  const bytes = new Uint8Array(64)
  bytes[0] = 54
  const read = () =>
    readOffsets(new ByteReader(bytes, 'file.seg', 1000), 1, 0, new Float64Array(1), 0)
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
