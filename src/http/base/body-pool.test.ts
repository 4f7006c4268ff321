// Buffers of bodies serve again while there is a load, no more of them than may be, and are let go of
// after it. Compared as values, since a matcher would look into all their bytes to say how they differ.

import { expect, test } from 'vitest'
import { BodyPool } from './body-pool.js'

test.each([1000, 1_000_000])('a body of %i bytes finds the buffer of the one before', (bytes) => {
  const pool = new BodyPool(4 << 20)
  const buffer = pool.take(bytes)
  expect(buffer.length).toBeGreaterThanOrEqual(bytes)
  pool.give(buffer)
  expect(pool.take(bytes)).toBe(buffer)
})

test('no more is kept than may be', () => {
  const pool = new BodyPool(1 << 20)
  const [first, second] = [pool.take(800_000), pool.take(800_000)]
  pool.give(first)
  pool.give(second)
  expect(pool.take(800_000)).toBe(first)
  expect(pool.take(800_000) === second).toBe(false)
})

test('what is spare can be let go of', () => {
  const pool = new BodyPool(4 << 20)
  const buffer = pool.take(1_000_000)
  pool.give(buffer)
  pool.dropSpare()
  expect(pool.take(1_000_000) === buffer).toBe(false)
})
