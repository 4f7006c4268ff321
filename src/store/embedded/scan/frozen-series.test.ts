// A frozen memtable gives the rows of each series that the memtable gives: all of them, those in a range, or
// the newest of those.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../platform/random.js'
import { heapBuffers } from '../rows/buffer-pool.js'
import { MemTable, type SeriesRead, type SeriesTable } from '../rows/memtable.js'
import { FrozenSeries } from './frozen-series.js'

const rowCount = 500
const seriesCount = 9
const random = seededRandom(1)
const numbers = Float64Array.from({ length: rowCount }, (_, row) => row)
const memtables = {
  'in any order': memtable(() => random.below(1000)),
  'in order': memtable((row) => 2 * row),
}

function memtable(offsetOf: (row: number) => number): MemTable {
  const table = new MemTable(0, heapBuffers, 0)
  const series = Uint32Array.from(numbers, () => random.below(seriesCount))
  const offsets = numbers.map(offsetOf)
  const column = { type: 'float', values: numbers, validity: undefined } as const
  table.append(
    { measurementId: 0, rowCount, series, offsets, fields: [{ fieldId: 0, column }] },
    () => 'float',
  )
  return table
}

/** By series, of which the last has none: its bounds, and offsets and values. */
function rowsIn(table: SeriesTable, wanted: SeriesRead) {
  return Array.from({ length: seriesCount + 1 }, (_, series) => {
    const { rowCount, offsets, columns } = table.readSeries(series, wanted)
    const values = columns[0]?.values.subarray(0, rowCount)
    const bounds = table.boundsOf(series, wanted)
    return { bounds, offsets: [...offsets.subarray(0, rowCount)], values: [...(values ?? [])] }
  })
}

const newest = { isNewest: true, rowCount: 2 }

describe.each(Object.entries(memtables))('rows that came %s', (_, table) => {
  const frozen = new FrozenSeries(table.freeze(), table.minOffset, table.maxOffset)

  test.each([
    { name: 'all', minOffset: 0, maxOffset: 1000, end: undefined },
    { name: 'some', minOffset: 300, maxOffset: 420, end: undefined },
    { name: 'the newest', minOffset: 300, maxOffset: 420, end: newest },
    { name: 'none', minOffset: 1001, maxOffset: 1002, end: undefined },
  ])('are the same: $name', ({ name, ...part }) => {
    const wanted: SeriesRead = { fieldIds: [0], types: ['float'], ...part }
    const rows = rowsIn(frozen, wanted)
    expect(rows).toEqual(rowsIn(table, wanted))
    expect(rows.some(({ offsets }) => offsets.length > 0)).toBe(name !== 'none')
  })
})
