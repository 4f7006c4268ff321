// Memory of rows: arrays that share no byte, pieces that serve again once they are given back, and not
// before, and that nobody holds on to when no read comes.

import { afterEach, expect, test, vi } from 'vitest'
import { RowMemory, RowMemoryPool } from './row-memory.js'

const mebibyte = 1 << 20

/** As much as makes pieces grow to their full size, and the buffers of those that have it. */
function fill(memory: RowMemory): Set<ArrayBufferLike> {
  const arrays = Array.from({ length: 40 }, () => memory.floats(10_000).buffer)
  return new Set(arrays.filter(({ byteLength }) => byteLength === mebibyte))
}

function shared(a: Set<ArrayBufferLike>, b: Set<ArrayBufferLike>): number {
  return [...a].filter((buffer) => b.has(buffer)).length
}

afterEach(() => {
  vi.useRealTimers()
})

test('arrays lie side by side, whatever their lengths', () => {
  const memory = new RowMemory(new RowMemoryPool())
  const lengths = [0, 1, 3, 8, 1000, 5, 200_000, 7]
  const floats = lengths.map((length, i) => memory.floats(length).fill(i))
  const integers = lengths.map((length, i) => memory.integers(length).fill(100 + i))
  const bytes = lengths.map((length, i) => memory.copyBytes(new Uint8Array(length).fill(i), length))
  const copies = lengths.map((length, i) =>
    memory.copyFloats(new Float64Array(length).fill(i), length),
  )
  for (const [i, length] of lengths.entries()) {
    expect(floats[i].length).toBe(length)
    expect(floats[i].every((value) => value === i)).toBe(true)
    expect(integers[i].every((value) => value === 100 + i)).toBe(true)
    expect(bytes[i].length === length && bytes[i].every((value) => value === i)).toBe(true)
    expect(copies[i].length === length && copies[i].every((value) => value === i)).toBe(true)
  }
})

test('pieces serve again when they are given back', () => {
  vi.useFakeTimers()
  const pool = new RowMemoryPool()
  const first = new RowMemory(pool)
  const before = fill(first)
  const second = fill(new RowMemory(pool))
  expect(shared(before, second)).toBe(0)
  first.release()
  const third = fill(new RowMemory(pool))
  expect(shared(before, third)).toBe(before.size)
  vi.runAllTimers()
})

test('what is given back goes when no read comes', () => {
  vi.useFakeTimers()
  const pool = new RowMemoryPool()
  const memory = new RowMemory(pool)
  const before = fill(memory)
  memory.release()
  vi.runAllTimers()
  expect(shared(before, fill(new RowMemory(pool)))).toBe(0)
})
