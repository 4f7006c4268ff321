// The cache: bounded in bytes, what is used stays, what is not goes, and the figures tell so. It is held
// against an ordered map that does the same by counting.

import { expect, test } from 'vitest'
import { LruCache } from './lru-cache.js'
import { seededRandom } from './random.js'

function cacheOf(bytesMax: number, removed: string[] = []): LruCache<string, number> {
  return new LruCache({
    bytesMax,
    sizeOf: (value) => value,
    onRemoved: (_, key) => removed.push(key),
  })
}

test('what is used again and again stays, whatever comes in between', () => {
  const cache = cacheOf(10)
  cache.set('always', 1)
  for (let i = 0; i < 100; i++) {
    cache.set(`once ${i}`, 1)
    expect(cache.get('always')).toBe(1)
  }
  expect(cache.get('once 99')).toBe(1)
  expect(cache.get('once 50')).toBeUndefined()
})

test('no more bytes are held than allowed, and too large a value is not taken', () => {
  const removed: string[] = []
  const cache = cacheOf(10, removed)
  cache.set('a', 4)
  cache.set('b', 4)
  cache.set('c', 4)
  expect(removed).toEqual(['a'])
  cache.set('large', 11)
  expect(removed).toEqual(['a', 'large'])
  expect(cache.get('large')).toBeUndefined()
  expect(cache.figures()).toEqual({ entries: 2, bytes: 8, hits: 0, misses: 1 })
})

test('a value is replaced, deleted, and all are cleared', () => {
  const removed: string[] = []
  const cache = cacheOf(10, removed)
  cache.set('a', 1)
  cache.set('a', 3)
  expect(cache.get('a')).toBe(3)
  expect(cache.delete('a')).toBe(true)
  expect(cache.delete('a')).toBe(false)
  cache.set('b', 2)
  cache.set('c', 3)
  cache.clear()
  expect(removed).toEqual(['a', 'a', 'b', 'c'])
  expect(cache.figures()).toEqual({ entries: 0, bytes: 0, hits: 1, misses: 0 })
})

test('it behaves as an ordered map does', () => {
  const random = seededRandom(7)
  const cache = cacheOf(20)
  const model = new Map<string, number>()
  const touch = (key: string, value: number) => {
    model.delete(key)
    model.set(key, value)
  }
  for (let i = 0; i < 5000; i++) {
    const key = `${random.below(12)}`
    const kind = random.float()
    if (kind < 0.5) {
      const expected = model.get(key)
      expect(cache.get(key)).toBe(expected)
      if (expected !== undefined) touch(key, expected)
    } else if (kind < 0.9) {
      touch(key, 1 + random.below(5))
      cache.set(key, model.get(key)!)
      const total = () => [...model.values()].reduce((sum, value) => sum + value, 0)
      while (total() > 20) model.delete(model.keys().next().value!)
    } else expect(cache.delete(key)).toBe(model.delete(key))
  }
  expect(cache.figures().entries).toBe(model.size)
})
