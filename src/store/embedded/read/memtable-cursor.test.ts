// A cursor over a memtable of many series comes by all of them in key order, although they are put in order only as it
// goes; with a list of series it keeps to that.

import { expect, test } from 'vitest'
import { ParsedSeries } from '../index/parsed-series.js'
import { SeriesKeyTable } from '../index/series-key-table.js'
import { heapBuffers } from '../rows/buffer-pool.js'
import { MemTable } from '../rows/memtable.js'
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
