// Lists of series as they come from the index, in blocks of one or several servers, and the runs and groups that they
// are cut into.

import { describe, expect, it } from 'vitest'
import { seriesKey } from '../../column/series.js'
import { eachSeries, groupsOf, runsOf } from './runs.js'
import { type KeyBlock, SeriesList } from './series-list.js'

function block(first: number, keys: readonly string[]): KeyBlock {
  const bytes = keys.map((key) => Buffer.from(key))
  const offsets = new Uint32Array(keys.length + 1)
  bytes.forEach((one, i) => {
    offsets[i + 1] = offsets[i] + one.length
  })
  const numbers = BigUint64Array.from(keys, (_, i) => BigInt(first + i))
  return { numbers, offsets, bytes: Buffer.concat(bytes) }
}

const keysOf = (list: SeriesList) => [...list.all()].map(seriesKey)

describe('a list of series', () => {
  it('grows by blocks, without the rows that are not meant', () => {
    const list = new SeriesList()
    const many = Array.from({ length: 100 }, (_, i) => `m,host=h${100 + i}`)
    list.add(block(0, many))
    list.add(block(500, ['m,host=x', 'm,host=y\\,1']), ({ tags }) => tags[0].value !== 'x')
    expect(keysOf(list)).toEqual([...many, 'm,host=y\\,1'])
    expect([list.length, list.number(0), list.number(100)]).toEqual([101, 0n, 501n])
    expect(list.byteLength).toBeGreaterThan(many.join('').length + 8 * many.length)
  })

  it('of several servers is put into the order of the keys', () => {
    const list = new SeriesList()
    list.add(block(0, ['m,a=1', 'm,a=3']))
    list.add(block(7, ['m,a=2', 'm,a=é']))
    list.sort()
    expect(keysOf(list)).toEqual(['m,a=1', 'm,a=2', 'm,a=3', 'm,a=é'])
    expect([0, 1, 2, 3].map((at) => list.number(at))).toEqual([0n, 7n, 1n, 8n])
  })

  it('is the same as another with the same series, whatever blocks they came in', () => {
    const [one, other, third] = [new SeriesList(), new SeriesList(), new SeriesList()]
    one.add(block(1, ['m,a=1', 'm,a=2']))
    other.add(block(1, ['m,a=1']))
    expect(one.isSameAs(other)).toBe(false)
    other.add(block(2, ['m,a=2']))
    expect(one.isSameAs(other)).toBe(true)
    third.add(block(2, ['m,a=1', 'm,a=2']))
    expect(one.isSameAs(third)).toBe(false)
    expect(one.hasExactly(new Set([2n, 1n]))).toBe(true)
    for (const numbers of [[1n], [1n, 3n], [1n, 2n, 3n]]) {
      expect(one.hasExactly(new Set(numbers))).toBe(false)
    }
  })
})

describe('runs', () => {
  const list = new SeriesList()
  list.add(block(0, ['m,h=a,r=2', 'm,h=b,r=1', 'm,h=c,r=2', 'm,h=d', 'm,h=e,r=1']))

  it('have as many series as a statement may name, with their keys by rank', () => {
    const runs = runsOf(list, eachSeries(list), true, 2)
    expect(runs.map(({ firstRank, keyCount }) => [firstRank, keyCount])).toEqual([
      [0, 2],
      [2, 2],
      [4, 1],
    ])
    expect(seriesKey(runs[1].key(1))).toBe('m,h=d')
    expect([...runs[1].ranked.numbers]).toEqual([2n, 3n])
    expect([...runs[1].ranked.ranks]).toEqual([0, 1])
    expect(runs.map(({ ranked }) => ranked.areAll)).toEqual([false, false, false])
    expect(runsOf(list, eachSeries(list), true, 5)[0].ranked.areAll).toBe(true)
  })

  it('hold groups whole, in the order of their values, be they larger than a statement', () => {
    const runs = runsOf(list, groupsOf(list, 'm', ['r']), false, 1)
    const told = runs.map(({ ranked, key, series, keyCount }) => ({
      numbers: [...ranked.numbers],
      keys: Array.from({ length: keyCount }, (_, rank) => seriesKey(key(rank))),
      last: seriesKey(series(ranked.numbers.length - 1)),
    }))
    expect(told).toEqual([
      { numbers: [3n], keys: ['m'], last: 'm,h=d' },
      { numbers: [1n, 4n], keys: ['m,r=1'], last: 'm,h=e,r=1' },
      { numbers: [0n, 2n], keys: ['m,r=2'], last: 'm,h=c,r=2' },
    ])
    const [all] = runsOf(list, groupsOf(list, 'm', ['r']), false, 10)
    expect([...all.ranked.ranks]).toEqual([0, 1, 1, 2, 2])
    expect(runsOf(list, groupsOf(list, 'm', []), false, 10)[0].keyCount).toBe(1)
    expect(runsOf(new SeriesList(), groupsOf(new SeriesList(), 'm', []), false, 10)).toEqual([])
  })
})
