// Rows of a column in the order of their values, earlier rows first among equal ones. Rows without a
// value are left out.

import { compareUtf8 } from '../../../column/series.js'
import type { StringCells, ValueCells } from '../../../query/table.js'
import { wordsOf } from '../../table/int64.js'

export function orderByValue(cells: ValueCells, rowCount: number): Uint32Array {
  const order = new Uint32Array(rowCount)
  const { validity } = cells
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    if (validity === undefined || validity[row] !== 0) order[count++] = row
  }
  // Sorting by a comparison keeps the order of equal ones.
  return order.subarray(0, count).sort(comparisonOf(cells))
}

function comparisonOf(cells: ValueCells): (a: number, b: number) => number {
  if (cells.type === 'string') {
    const ranks = textRanks(cells)
    return (a, b) => ranks[cells.values[a]] - ranks[cells.values[b]]
  }
  if (cells.type === 'int' || cells.type === 'uint' || cells.type === 'time') {
    const { low, high } = wordsOf(cells.values)
    return (a, b) => high[2 * a + 1] - high[2 * b + 1] || low[2 * a] - low[2 * b]
  }
  const { values } = cells
  return (a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0)
}

/** For each entry of the dictionary its place among all of them; equal ones have the same. */
function textRanks({ dictionary }: StringCells): Uint32Array {
  const entries = Uint32Array.from(dictionary.keys())
  entries.sort((a, b) => compareUtf8(dictionary[a], dictionary[b]))
  const ranks = new Uint32Array(dictionary.length)
  for (let i = 1; i < entries.length; i++) {
    const isNew = dictionary[entries[i]] !== dictionary[entries[i - 1]]
    ranks[entries[i]] = ranks[entries[i - 1]] + (isNew ? 1 : 0)
  }
  return ranks
}
