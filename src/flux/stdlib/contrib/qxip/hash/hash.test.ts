// Checksums of texts of every length that has a way of its own. Those of CityHash come from a second writing of
// the algorithm, those of xxHash from its specification and its other implementations.

import { expect, test } from 'vitest'
import { cityHash64 } from './city-hash.js'
import { xxHash64 } from './xx-hash.js'

const letters = 'abcdefghij'.repeat(20)

test.each([
  [0, 11160318154034397263n],
  [5, 10649408139150141320n],
  [14, 16049076291730236531n],
  [20, 10355273566600941178n],
  [40, 16246004320339951822n],
  [64, 14529111741231865234n],
  [65, 3198888735405421256n],
  [128, 7152101300208859610n],
  [200, 14423653848573299520n],
])('cityHash64 of %i letters', (length, hash) => {
  expect(cityHash64(Buffer.from(letters.slice(0, length)))).toBe(hash)
})

test.each([
  ['', 0xef46db3751d8e999n],
  ['abc', 0x44bc2cf5ad770999n],
  ['Hello, world!', 17691043854468224118n],
  ['abcdefghijklmnopqrstuvwxyz0123456789', 0x64f23ecf1609b766n],
])('xxHash64 of %s', (text, hash) => {
  expect(xxHash64(Buffer.from(text))).toBe(hash)
})
