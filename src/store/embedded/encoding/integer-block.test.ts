// Integer blocks at every width and every awkward length: what goes in comes out, whole and in any
// part.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteReader } from './byte-reader.js'
import { ByteWriter } from './byte-writer.js'
import { codecFor } from './codec.js'
import { decodeIntegers, readIntegers, writeIntegers } from './integer-block.js'

const lengths = [1, 2, 31, 33, 127, 128, 129, 256, 300]

function pack(values: readonly number[]): ByteReader {
  const writer = new ByteWriter(16)
  // Blocks before it must not matter.
  writer.u32(0xdeadbeef)
  writeIntegers(writer, Float64Array.from(values), values.length)
  const reader = new ByteReader(writer.written().slice(), 'integers')
  reader.u32()
  return reader
}

function expectSame(values: readonly number[]): void {
  const { length } = values
  const reader = pack(values)
  const start = reader.offset
  const out = new Float64Array(length).fill(Number.NaN)
  readIntegers(reader, length, out)
  expect(reader.remaining).toBe(0)
  expect([...out]).toEqual(values)
  const codec = codecFor(length)
  for (const from of [0, length >>> 2, length >>> 1, length - 1]) {
    const to = Math.min(length, from + 60)
    codec.floats.fill(Number.NaN, codec.values >>> 3, (codec.values >>> 3) + length)
    reader.offset = start
    decodeIntegers(reader, length, codec, from, to)
    expect(reader.remaining).toBe(0)
    expect([...codec.part(codec.values, from, to)]).toEqual(values.slice(from, to))
    expectFound(values, start, reader, from)
  }
}

/** Rows that rise are searched as times are: the first that is not before the one at a place. */
function expectFound(
  values: readonly number[],
  start: number,
  reader: ByteReader,
  at: number,
): void {
  const { length } = values
  const times = values.map((value, i) => 1e6 + (i - 3) * 2 ** 53 + value)
  reader.offset = start
  const search = { start: 0, stop: length, origin: 3, first: 1e6, step: 2 ** 53, scale: 1 }
  const found = codecFor(length).lowerBound(reader, length, { ...search, offset: times[at] })
  expect(found).toBe(times.findIndex((time) => time >= times[at]))
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
  const bytes = pack([1, 5, 2]).bytes.slice()
  // Behind the word before the block, the scheme, and 12 bytes of the block's head.
  bytes[20] = 54
  const reader = new ByteReader(bytes, 'file.seg', 1000)
  reader.u32()
  const read = () => readIntegers(reader, 3, new Float64Array(3))
  expect(read).toThrow('corrupt data in file.seg at offset 1004: bit width 54')
})

test('a block that is cut off is damage with a place', () => {
  const { bytes } = pack([1, 5, 2])
  for (let length = 4; length < bytes.length; length += 4) {
    const reader = new ByteReader(bytes.subarray(0, length), 'file.seg', 1000)
    reader.u32()
    const read = () => readIntegers(reader, 3, new Float64Array(3))
    expect(read).toThrow('corrupt data in file.seg at offset 1004: unexpected end')
  }
})
