// Numbers come in the order of their bytes as far as they were asked for, also when several ask at once and the work is
// interrupted in between.

import { describe, expect, it } from 'vitest'
import { ByteTable } from '../../../column/byte-table.js'
import { firstNumbers } from '../../../column/first-numbers.js'
import { compareByTags, parseSeriesKey, seriesKey } from '../../../column/series.js'
import { LazyOrder } from './lazy-order.js'
import { LazySeriesOrder } from './lazy-series-order.js'

function tableOf(texts: readonly string[]): ByteTable {
  const table = new ByteTable()
  for (const text of texts) {
    const bytes = Buffer.from(text)
    table.intern(bytes, 0, bytes.length)
  }
  return table
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

describe('an order that is made when it is read', () => {
  it('has the first ones in place, and all in the end', async () => {
    const texts = Array.from({ length: 30_000 }, (_, i) => `u${(i * 7919) % 30_000}`)
    const table = tableOf(texts)
    const order = new LazyOrder(firstNumbers(table.count), table)
    const sorted = [...texts].sort(byBytes)
    const first = (count: number) =>
      Array.from({ length: count }, (_, i) => table.text(order.at(i)))
    await order.ensure(20)
    expect(first(20)).toEqual(sorted.slice(0, 20))
    await Promise.all([order.ensure(5000), order.ensure(100), order.ensure(30_000)])
    expect(first(30_000)).toEqual(sorted)
    expect(order.ensure(1e9)).toBeUndefined()
  })

  it('goes on where it stopped, and looks once at what all begin with', () => {
    const texts = Array.from({ length: 40_000 }, (_, i) => `req,pod=p${(i * 7919) % 40_000}`)
    const table = tableOf(texts)
    const order = new LazyOrder(firstNumbers(table.count), table)
    const found: string[] = []
    while (found.length < texts.length) {
      const ready = order.sortNow(found.length + 1000)
      expect(ready).toBeGreaterThan(found.length)
      for (let i = found.length; i < ready; i++) found.push(table.text(order.at(i)))
    }
    expect(found).toEqual([...texts].sort(byBytes))
  })

  it('puts what ends before what goes on, and takes every byte as it is', async () => {
    const texts = ['', 'a', 'a!', 'a,', 'aa', 'ab', 'b', 'é', '\u{1f600}', '\ufb01']
    const table = tableOf([...texts].reverse())
    const order = new LazyOrder(firstNumbers(table.count), table)
    await order.ensure(table.count)
    const found = texts.map((_, i) => table.text(order.at(i)))
    expect(found).toEqual([...texts].sort(byBytes))
  })

  it('is empty where there is nothing', () => {
    const order = new LazyOrder(new Uint32Array(0), new ByteTable())
    expect(order.ensure(5)).toBeUndefined()
    expect(order.count).toBe(0)
  })

  it('has series of one measurement tag by tag, however many there are', async () => {
    const keys = Array.from({ length: 40_000 }, (_, i) => {
      const n = (i * 7919) % 40_000
      return n % 2 === 0 ? `cpu,host=h${n >> 1}!,rack=1` : `cpu,host=h${n >> 1},rack=1`
    })
    const table = tableOf(keys)
    const order = new LazySeriesOrder(firstNumbers(table.count), table)
    const sorted = keys.map((key) => parseSeriesKey(Buffer.from(key))).sort(compareByTags)
    const first = (count: number) =>
      Array.from({ length: count }, (_, i) => table.text(order.at(i)))
    await order.ensure(20)
    expect(first(20)).toEqual(sorted.slice(0, 20).map(seriesKey))
    await order.ensure(40_000)
    expect(first(40_000)).toEqual(sorted.map(seriesKey))
  })
})
