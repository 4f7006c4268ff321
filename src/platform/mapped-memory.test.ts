// Buffers in mappings of their own are as long as asked for, empty, and of the kind that was asked for. Threads see the
// same memory in one that is shared.

import { describe, expect, test } from 'vitest'
import { allocateMapped, mappedBytesMin } from './mapped-memory.js'

describe.each([true, false])('shared: %s', (shared) => {
  const kind = shared ? SharedArrayBuffer : ArrayBuffer

  test('a small one is exactly as long', () => {
    const buffer = allocateMapped(1000, shared)
    expect(buffer).toBeInstanceOf(kind)
    expect(buffer.byteLength).toBe(1000)
  })

  test('a large one is made of whole pages, with nothing in them', () => {
    const buffer = allocateMapped(mappedBytesMin + 1, shared)
    expect(buffer).toBeInstanceOf(kind)
    expect(buffer.byteLength).toBe(mappedBytesMin + (64 << 10))
    expect(new Uint8Array(buffer).every((byte) => byte === 0)).toBe(true)
  })
})

test('a shared one is the same memory for whoever it is sent to', () => {
  const buffer = allocateMapped(mappedBytesMin, true)
  new Uint8Array(structuredClone(buffer))[7] = 1
  expect(new Uint8Array(buffer)[7]).toBe(1)
})
