// A frozen memtable gives the rows of each series that the memtable gives, all of them or those in a range.

import { expect, test } from 'vitest'
import { seededRandom } from '../../../platform/random.js'
import { heapBuffers } from '../rows/buffer-pool.js'
import { MemTable, type SeriesTable } from '../rows/memtable.js'
import { FrozenSeries } from './frozen-series.js'

const rowCount = 500
const seriesCount = 9
const random = seededRandom(1)
const table = new MemTable(0, heapBuffers, 0)
const numbers = Float64Array.from({ length: rowCount }, (_, row) => row)
table.append(
  {
    measurementId: 0,
    rowCount,
    series: Uint32Array.from(numbers, () => random.below(seriesCount)),
    offsets: Float64Array.from(numbers, () => random.below(1000)),
    fields: [{ fieldId: 0, column: { type: 'float', values: numbers, validity: undefined } }],
  },
  () => 'float',
)
const frozen = new FrozenSeries(table.freeze(), table.minOffset, table.maxOffset)

function rowsIn(of: SeriesTable, minOffset: number, maxOffset: number): number[][] {
  return Array.from({ length: seriesCount + 1 }, (_, series) => {
    const wanted = { fieldIds: [0], types: ['float' as const], minOffset, maxOffset }
    const { rowCount, offsets, columns } = of.readSeries(series, wanted)
    return Array.from({ length: rowCount }, (_, row) => [
      offsets[row],
      Number(columns[0]?.values[row]),
    ]).flat()
  })
}

test.each([
  ['all', 0, 999],
  ['some', 300, 420],
  ['none', 1000, 1001],
])('%s of the rows are the same', (name, minOffset, maxOffset) => {
  const rows = rowsIn(frozen, minOffset, maxOffset)
  expect(rows).toEqual(rowsIn(table, minOffset, maxOffset))
  expect(rows.flat().length > 0).toBe(name !== 'none')
})
