// The bounds of the block cache: what is let in, what goes first, and what goes with its file. That
// answers do not depend on it is for the reads of the store to show.

import { expect, test } from 'vitest'
import type { Column } from '../../../column/column.js'
import { BlockCache } from './block-cache.js'

const column = (rows: number): Column => ({
  type: 'float',
  values: new Float64Array(rows),
  validity: undefined,
})

test('a block is wanted when it is asked for the second time', () => {
  const cache = new BlockCache(1 << 20)
  const file = cache.openFile()
  const other = cache.openFile()
  expect(cache.wants(file, 64, 32)).toBe(false)
  expect(cache.wants(other, 64, 32)).toBe(false)
  expect(cache.wants(file, 128, 32)).toBe(false)
  expect(cache.wants(file, 64, 32)).toBe(true)
  expect(cache.wants(other, 64, 32)).toBe(true)
})

test('a column is found where it lies and nowhere else', () => {
  const cache = new BlockCache(1 << 20)
  const file = cache.openFile()
  const added = column(4)
  cache.add(file, 64, added)
  expect(cache.find(file, 64)).toBe(added)
  expect(cache.find(file, 128)).toBeUndefined()
  expect(cache.find(cache.openFile(), 64)).toBeUndefined()
})

test('it stays within its bytes, and what was used lately stays', () => {
  const bytesMax = 100_000
  const cache = new BlockCache(bytesMax)
  const file = cache.openFile()
  for (let at = 0; at < 200; at++) {
    cache.add(file, at, column(1000))
    expect(cache.find(file, 0)).toBeDefined()
    expect(file.byPlace.has(at)).toBe(true)
    expect(cache.byteLength).toBeLessThanOrEqual(bytesMax)
  }
  expect(file.byPlace.size).toBe(Math.floor(bytesMax / 8256))
  expect(cache.byteLength).toBe(file.byPlace.size * 8256)
})

test('what is asked for in turn and does not fit stays in part', () => {
  const cache = new BlockCache(100_000)
  const file = cache.openFile()
  let found = 0
  for (let round = 0; round < 50; round++) {
    for (let at = 0; at < 24; at++) {
      if (cache.find(file, at) !== undefined) found++
      else if (cache.wants(file, at, 8000)) cache.add(file, at, column(1000))
    }
  }
  // Half of them fit. If each were taken in, none would ever be found again.
  expect(found / (50 * 24)).toBeGreaterThan(0.3)
})

test('one that would push out a quarter of the others is not kept', () => {
  const cache = new BlockCache(40_000)
  const file = cache.openFile()
  cache.add(file, 0, column(2000))
  expect(cache.find(file, 0)).toBeUndefined()
  expect(cache.byteLength).toBe(0)
})

test('the blocks of a file go with it, those of others stay', () => {
  const cache = new BlockCache(1 << 20)
  const files = [cache.openFile(), cache.openFile()]
  for (let i = 0; i < 20; i++) cache.add(files[i % 2], i, column(10))
  const bytes = cache.byteLength
  cache.closeFile(files[0])
  expect(cache.byteLength).toBe(bytes / 2)
  expect(cache.find(files[0], 0)).toBeUndefined()
  expect(cache.find(files[1], 1)).toBeDefined()
  cache.closeFile(files[1])
  expect(cache.byteLength).toBe(0)
})

test('of no bytes, it keeps nothing', () => {
  const cache = new BlockCache(0)
  const file = cache.openFile()
  cache.wants(file, 64, 32)
  expect(cache.wants(file, 64, 32)).toBe(false)
})
