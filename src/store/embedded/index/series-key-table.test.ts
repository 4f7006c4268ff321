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
    expect(table.intern(key, 0, key.length)).toBe(i)
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
