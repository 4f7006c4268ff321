// Buffers in mappings of their own are as long as asked for, empty, and of the kind that was asked for. Threads see the
// same memory in one that is shared.

import { describe, expect, test } from 'vitest'
import { MappedMemory, mappedBytesMin } from './mapped-memory.js'

const memory = new MappedMemory()

describe.each([true, false])('shared: %s', (shared) => {
  const kind = shared ? SharedArrayBuffer : ArrayBuffer

  test('a small one is exactly as long', () => {
    const buffer = memory.allocate(1000, shared)
    expect(buffer).toBeInstanceOf(kind)
    expect(buffer.byteLength).toBe(1000)
  })

  test('a large one is made of whole pages, with nothing in them', () => {
    const buffer = memory.allocate(mappedBytesMin + 1, shared)
    expect(buffer).toBeInstanceOf(kind)
    expect(buffer.byteLength).toBe(mappedBytesMin + (64 << 10))
    expect(new Uint8Array(buffer).every((byte) => byte === 0)).toBe(true)
  })
})

test('a shared one is the same memory for whoever it is sent to', () => {
  const buffer = memory.allocate(mappedBytesMin, true)
  new Uint8Array(structuredClone(buffer))[7] = 1
  expect(new Uint8Array(buffer)[7]).toBe(1)
})

test('takes ordinary memory where there are many already that nobody has collected', () => {
  const size = mappedBytesMin + 1
  const buffers = Array.from({ length: 300 }, (_, index) => memory.allocate(size, index % 2 === 0))
  const mapped = buffers.filter(({ byteLength }) => byteLength > size)
  expect(mapped.length).toBeGreaterThan(0)
  expect(mapped.length).toBeLessThanOrEqual(256)
  expect(buffers.at(-1)!.byteLength).toBe(size)
})
