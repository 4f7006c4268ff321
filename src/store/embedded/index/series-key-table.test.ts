// Parsed series are cached in a few slots for all tables together: each must be found as what it is,
// whoever took its slot meanwhile.

import { expect, test } from 'vitest'
import { ParsedSeries } from './parsed-series.js'
import { SeriesKeyTable } from './series-key-table.js'

const count = 5000

const parsed = new ParsedSeries()

function tableOf(measurement: string): SeriesKeyTable {
  const table = new SeriesKeyTable({ shared: false, parsed })
  for (let i = 0; i < count; i++) {
    const key = Buffer.from(`${measurement},host=h${i}`)
    table.set(i, key)
    if (table.numberOf(key) !== i) expect.fail(`number of ${i}`)
  }
  return table
}

test('the same series is the same object, until others come', () => {
  const table = tableOf('m')
  const series = table.series(7)
  expect(series).toEqual({ measurement: 'm', tags: [{ key: 'host', value: 'h7' }] })
  expect(table.series(7)).toBe(series)
})

test('numbers that share a slot, and tables that share numbers', () => {
  const tables = ['a', 'b', 'c'].map((name) => ({ name, table: tableOf(name) }))
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < count; i++) {
      for (const { name, table } of tables) {
        const { measurement, tags } = table.series(i)
        if (measurement !== name || tags[0].value !== `h${i}`) expect.fail(`${name} ${i}`)
      }
    }
  }
})

test('numbers may be left out, and cost next to nothing', () => {
  const table = new SeriesKeyTable({ shared: false, parsed })
  const step = 1000
  for (let i = 0; i < count; i++) table.set(i * step, Buffer.from(`m,id=${i}`))
  expect([table.size, table.next]).toEqual([count, (count - 1) * step + 1])
  for (let i = 0; i < count; i++) {
    const key = Buffer.from(`m,id=${i}`)
    if (table.numberOf(key) !== i * step) expect.fail(`number of ${i}`)
    if (!key.equals(table.key(i * step))) expect.fail(`key of ${i * step}`)
  }
  expect([step, 0, 1, 63, 64, step * count].map((number) => table.has(number))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
  // A page of 64 places for each, and no more.
  expect(table.byteLength).toBeLessThan(count * 64 * 2 * 24)
})
