// Parts blocks at every width and every awkward length: what goes in comes out, whole and in any
// part.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteReader } from './byte-reader.js'
import { ByteWriter } from './byte-writer.js'
import { PartsBlock, roomForParts, writeParts } from './parts-block.js'

const lengths = [1, 2, 31, 33, 127, 128, 129, 256, 300]

function pack(values: readonly number[]): ByteReader {
  const writer = new ByteWriter(16)
  // Blocks before it must not matter.
  writer.u32(0xdeadbeef)
  writeParts(writer, Float64Array.from(values), values.length)
  const reader = new ByteReader(writer.written().slice(), 'parts')
  reader.u32()
  return reader
}

function expectSame(values: readonly number[]): void {
  const { length } = values
  const reader = pack(values)
  const block = new PartsBlock().open(reader, length)
  expect(reader.remaining).toBe(0)
  const out = new Float64Array(roomForParts(length) + 3).fill(Number.NaN)
  block.read(out, 3, 0, length)
  expect([...out.subarray(3, length + 3)]).toEqual(values)
  for (const from of [0, length >>> 2, length >>> 1, length - 1]) {
    const part = new Float64Array(roomForParts(length)).fill(Number.NaN)
    const to = Math.min(length, from + 60)
    block.read(part, 0, from, to)
    expect([...part.subarray(from, to)]).toEqual(values.slice(from, to))
    const one = new Float64Array(128)
    block.readPartOf(from, one)
    expect(one[from & 127]).toBe(values[from])
  }
}

/** Numbers that need this width, with both ends of it among them. */
function valuesOfWidth(width: number, count: number): number[] {
  const max = 2 ** width - 1
  return Array.from({ length: count }, (_, i) => {
    if (i % 3 === 0) return max
    return i % 3 === 1 ? 0 : Math.floor(((i * 0.6180339887) % 1) * max)
  })
}

const widths = Array.from({ length: 50 }, (_, width) => width)

describe('every width', () => {
  test.each(widths)('offsets of %i bits', (width) => {
    for (const count of lengths) expectSame(valuesOfWidth(width, count))
  })

  test.each(widths.slice(0, 33))('steps that differ by %i bits', (width) => {
    for (const count of lengths) {
      for (const least of [-(2 ** width), 0, 1, 1e9]) {
        let sum = 7
        expectSame(valuesOfWidth(width, count).map((value) => (sum += least + value)))
      }
    }
  })
})

test('each part has a way of its own', () => {
  const rising = Array.from({ length: 128 }, (_, i) => i * 1e6)
  const values = [...valuesOfWidth(3, 128), ...valuesOfWidth(40, 128), ...rising, -7]
  expectSame(values)
})

test('any integers', () => {
  const value = fc.oneof(
    fc.integer({ min: -9, max: 9 }),
    fc.integer(),
    fc.constantFrom(2 ** 49, -(2 ** 49)),
  )
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 400 }), (values) => expectSame(values)),
  )
})

test('a width that no writer writes is damage with a place', () => {
  const writer = new ByteWriter()
  writeParts(writer, Float64Array.of(1, 5, 2), 3)
  const bytes = writer.written().slice()
  bytes[12] = 54
  const open = () => new PartsBlock().open(new ByteReader(bytes, 'file.seg', 1000), 3)
  expect(open).toThrow(/corrupt data in file.seg at offset 10\d\d: bit width 54/)
})
