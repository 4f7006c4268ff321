// A cursor over a memtable of many series comes by all of them in key order, although they are put in order only as it
// goes; with a list of series it keeps to that. Where it cannot do without it tells how far a series really reaches.

import { expect, test } from 'vitest'
import { ParsedSeries } from '../index/parsed-series.js'
import { SeriesKeyTable } from '../index/series-key-table.js'
import { heapBuffers } from '../rows/buffer-pool.js'
import { MemTable } from '../rows/memtable.js'
import type { Piece } from './cursor.js'
import { MemtableCursor } from './memtable-cursor.js'
import { everySeries, noBounds, type Selection } from './selection.js'

const seriesCount = 40_000
const names = Array.from({ length: seriesCount }, (_, i) => `p${(i * 7919) % seriesCount}`)
const keys = new SeriesKeyTable({ shared: false, parsed: new ParsedSeries() })
for (const [i, name] of names.entries()) keys.set(i, Buffer.from(`req,pod=${name}`))

function visited(selection: Selection): string[] {
  const table = new MemTable(0, heapBuffers, seriesCount)
  const series = Uint32Array.from(names, (_, i) => i)
  const offsets = new Float64Array(seriesCount)
  table.append(
    { measurementId: 0, rowCount: seriesCount, series, offsets, fields: [] },
    () => 'float',
  )
  const cursor = new MemtableCursor({
    ...{ kind: 'table', table, base: 0n, rank: 0, fieldIds: [], types: [], selection },
    range: { start: 0, stop: 1 },
    keys: keys.shareable(),
  })
  const found: string[] = []
  for (; cursor.current >= 0; cursor.advance()) found.push(names[cursor.current])
  return found
}

test('all of many series come in key order', () => {
  expect(visited(everySeries)).toEqual(names.toSorted())
})

test('of a list only its own come, in its order', () => {
  const ids = Uint32Array.of(7, 3, 39_999)
  const chosen = { ids, bounds: noBounds, has: (id: number) => ids.includes(id) }
  expect(visited(chosen)).toEqual([names[7], names[3], names[39_999]])
})

test('behind a piece that reaches into the table a series has its own bounds', () => {
  const table = new MemTable(0, heapBuffers, 4)
  const series = Uint32Array.of(0, 1, 0, 1)
  const offsets = Float64Array.of(10, 20, 30, 40)
  table.append({ measurementId: 0, rowCount: 4, series, offsets, fields: [] }, () => 'float')
  const ids = Uint32Array.of(1)
  const cursor = new MemtableCursor({
    ...{ kind: 'table', table, base: 0n, rank: 1, fieldIds: [], types: [] },
    selection: { ids, bounds: noBounds, has: (id) => id === 1 },
    range: { start: 0, stop: 100 },
    keys: keys.shareable(),
  })
  const bounds = (pieces: Piece[]) => {
    cursor.addPieces(pieces)
    return pieces.map(({ minOffset, maxOffset }) => [minOffset, maxOffset])
  }
  const before = { base: 0n, minOffset: 0, maxOffset: 9 } as Piece
  expect(bounds([])).toEqual([[10, 40]])
  expect(bounds([before])[1]).toEqual([10, 40])
  expect(bounds([{ ...before, maxOffset: 12 }])[1]).toEqual([20, 40])
  // Offsets of another shard count from elsewhere.
  expect(bounds([{ ...before, base: 100n, maxOffset: 12 }])[1]).toEqual([10, 40])
})
