// What is kept by its text: it stays while it is asked for, and the rest goes when there is more than
// may be kept.

import { expect, test } from 'vitest'
import { KeptByText } from './kept-by-text.js'

test('what is asked for again and again stays, whatever comes in between', () => {
  const kept = new KeptByText<number>(10, 100)
  kept.keep('always', 1)
  for (let i = 0; i < 100; i++) {
    kept.keep(`once ${i}`, i)
    expect(kept.get('always')).toBe(1)
  }
  expect(kept.get('once 99')).toBe(99)
  expect(kept.get('once 50')).toBeUndefined()
})

test('no more is kept than may be', () => {
  const kept = new KeptByText<number>(10, 100)
  for (let i = 0; i < 100; i++) kept.keep(`${i}`, i)
  const there = Array.from({ length: 100 }, (_, i) => kept.get(`${i}`)).filter(
    (i) => i !== undefined,
  )
  expect(there.length).toBeGreaterThanOrEqual(5)
  expect(there.length).toBeLessThanOrEqual(10)
})

test('long texts are not kept', () => {
  const kept = new KeptByText<number>(10, 3)
  expect(kept.keep('abcd', 1)).toBe(false)
  expect(kept.get('abcd')).toBeUndefined()
  expect(kept.keep('abc', 1)).toBe(true)
  expect(kept.get('abc')).toBe(1)
})
