// The pool gives buffers back that fit, keeps no more than it may, and never hands the same one out
// twice.

import { expect, test } from 'vitest'
import { BufferPool } from './buffer-pool.js'

test('a freed buffer serves the next who asks for its size', () => {
  const pool = new BufferPool({ shared: false, spareBytesMax: 1 << 20 })
  const buffer = pool.allocate(100_000)
  expect(buffer.byteLength).toBeGreaterThanOrEqual(100_000)
  expect(buffer.byteLength).toBeLessThan(125_001)
  pool.free(buffer)
  expect(pool.spareBytes).toBe(buffer.byteLength)
  expect(pool.allocate(100_000)).toBe(buffer)
  expect(pool.spareBytes).toBe(0)
  expect(pool.allocate(100_000)).not.toBe(buffer)
})

test('the smallest that fits is taken, and none that is much too large', () => {
  const pool = new BufferPool({ shared: false, spareBytesMax: 1 << 20 })
  const [large, middle, small] = [64_000, 20_000, 16_384].map((size) => new ArrayBuffer(size))
  for (const buffer of [large, middle, small]) pool.free(buffer)
  expect(pool.allocate(16_000)).toBe(small)
  expect(pool.allocate(16_000)).toBe(middle)
  expect(pool.allocate(16_000)).not.toBe(large)
})

test('the oldest go when there are too many', () => {
  const pool = new BufferPool({ shared: false, spareBytesMax: 30_000 })
  const buffers = Array.from({ length: 4 }, () => new ArrayBuffer(10_000))
  for (const buffer of buffers) pool.free(buffer)
  expect(pool.spareBytes).toBe(30_000)
  const taken = Array.from({ length: 3 }, () => pool.allocate(10_000))
  expect(new Set(taken)).toEqual(new Set(buffers.slice(1)))
})

test('small buffers are exact and not kept', () => {
  const pool = new BufferPool({ shared: true, spareBytesMax: 30_000 })
  const buffer = pool.allocate(256)
  expect(buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(buffer.byteLength).toBe(256)
  pool.free(buffer)
  expect(pool.spareBytes).toBe(0)
})

test('what is spare can be let go of', () => {
  const pool = new BufferPool({ shared: false, spareBytesMax: 1 << 20 })
  const buffer = pool.allocate(100_000)
  pool.free(buffer)
  pool.dropSpare()
  expect(pool.spareBytes).toBe(0)
  expect(pool.allocate(100_000)).not.toBe(buffer)
})

test('a large buffer is as long as asked for, and serves again', () => {
  const pool = new BufferPool({ shared: true, spareBytesMax: 4 << 20 })
  const buffer = pool.allocate(1_000_001)
  expect(buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(buffer.byteLength).toBeGreaterThanOrEqual(1_000_001)
  pool.free(buffer)
  expect(pool.allocate(1_000_001)).toBe(buffer)
})
