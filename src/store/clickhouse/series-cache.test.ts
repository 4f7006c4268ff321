// What a process remembers of the series that it has written: their numbers and keys, and in which spans of time the
// index has them already. Also that nothing is taken for known that was forgotten.

import { expect, it } from 'vitest'
import type { SeriesKeys } from '../../column/series.js'
import { SeriesCache, seriesNumber } from './series-cache.js'

const keysOf = (texts: readonly string[]): SeriesKeys => {
  const keys = texts.map((text) => Buffer.from(text))
  return { count: keys.length, key: (id) => keys[id] }
}

it('knows the series of each measurement by its key, and what they are', () => {
  const cache = new SeriesCache()
  const texts = Array.from({ length: 500 }, (_, i) => `m,host=${i}`)
  const keys = keysOf(texts)
  for (const measurement of [7, 2 ** 32 + 7]) {
    expect(cache.find(measurement, keys, 499)).toBeUndefined()
    const entries = texts.map((_, id) => cache.add(measurement, keys, id)!)
    // The same keys in another object, and in another order: nothing of them is remembered there.
    const reversed = keysOf([...texts].reverse())
    for (const [id, entry] of entries.entries()) {
      expect(cache.find(measurement, reversed, 499 - id)).toBe(entry)
      expect(cache.find(measurement, keys, id)).toBe(entry)
      expect(cache.number(entry)).toBe(seriesNumber(keys.key(id)))
      expect(Buffer.from(cache.key(entry)).toString()).toBe(texts[id])
    }
  }
  expect(cache.entryCount).toBe(1000)
})

it('remembers in which span the index has a series, of the newest spans', () => {
  const cache = new SeriesCache()
  const keys = keysOf(Array.from({ length: 200 }, (_, i) => `m,host=${i}`))
  const entries = Array.from({ length: 200 }, (_, id) => cache.add(1, keys, id)!)
  const { owner } = cache
  for (const entry of entries) if (entry % 3 === 0) cache.saw(owner, entry, 2, 5n)
  for (const entry of entries) {
    expect(cache.isSeen(entry, 2, 5n)).toBe(entry % 3 === 0)
    expect(cache.isSeen(entry, 1, 5n)).toBe(false)
  }
  for (let span = 100n; span < 164n; span++) cache.saw(owner, 9, 2, span)
  expect(cache.isSeen(9, 2, 163n)).toBe(true)
  expect(cache.isSeen(9, 2, 5n)).toBe(false)
})

it('takes nothing for known that it has forgotten meanwhile', () => {
  const cache = new SeriesCache()
  const keys = keysOf(['m,host=a', 'm,host=b'])
  const entry = cache.add(1, keys, 0)!
  const { owner } = cache
  cache.forget()
  expect(cache.find(1, keys, 0)).toBeUndefined()
  expect(cache.add(1, keys, 1)).toBe(entry)
  // A write that was under way has told the index of another series.
  cache.saw(owner, entry, 1, 0n)
  expect(cache.isSeen(entry, 1, 0n)).toBe(false)
})
