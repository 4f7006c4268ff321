// Memory that is given back: it is gone at once, without a collection, and only where nobody else has a
// part of it.

import { expect, test } from 'vitest'
import { letGo } from './spent-memory.js'

test('a buffer of its own is empty afterwards', () => {
  const bytes = new Uint8Array(100_000)
  letGo(bytes)
  expect(bytes.length).toBe(0)
  expect(bytes.buffer.byteLength).toBe(0)
})

test('a part of a larger buffer stays as it is', () => {
  const all = new Uint8Array(100_000).fill(7)
  letGo(all.subarray(0, 50_000))
  expect(all.length).toBe(100_000)
  expect(all[99_999]).toBe(7)
})

test('a gigabyte does not wait for a collection', () => {
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 4000; i++) letGo(new Uint8Array(1 << 18))
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 << 20)
})
