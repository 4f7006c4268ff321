// The order of rows by several keys, found in turns: rows are numbers, and stay in the order in which they came where
// the keys are equal.

import { type Column, isWide, type StringColumn } from '../../column/column.js'
import { firstNumbers } from '../../column/first-numbers.js'
import type { Work } from '../../platform/turns.js'

export interface SortKey {
  readonly column: Column
  readonly isDescending: boolean
  readonly nullsFirst: boolean
}

/** Merged at once; longer ones may be interrupted in between. */
const stepRows = 4096

/** By merging runs that get twice as long each time. */
export function* sortedRows(keys: readonly SortKey[], rowCount: number): Work<Uint32Array> {
  const compare = comparatorOf(keys)
  let rows = firstNumbers(rowCount)
  let spare = new Uint32Array(rowCount)
  let isSorted = true
  for (let i = 1; i < rowCount && isSorted; i++) isSorted = compare(i - 1, i) <= 0
  if (isSorted) return rows
  const runRows = 256
  for (let start = 0; start < rowCount; start += runRows) {
    rows.subarray(start, start + runRows).sort(compare)
    if (start % stepRows === 0) yield
  }
  for (let width = runRows; width < rowCount; width *= 2) {
    let merged = 0
    for (let start = 0; start < rowCount; start += 2 * width) {
      const middle = Math.min(start + width, rowCount)
      const stop = Math.min(start + 2 * width, rowCount)
      let left = start
      let right = middle
      for (let to = start; to < stop; to++) {
        const takesLeft = right >= stop || (left < middle && compare(rows[left], rows[right]) <= 0)
        spare[to] = takesLeft ? rows[left++] : rows[right++]
        if (++merged % stepRows === 0) yield
      }
    }
    ;[rows, spare] = [spare, rows]
  }
  return rows
}

type Compare = (a: number, b: number) => number

function comparatorOf(keys: readonly SortKey[]): Compare {
  const compares = keys.map(keyComparator)
  return (a, b) => {
    for (const compare of compares) {
      const difference = compare(a, b)
      if (difference !== 0) return difference
    }
    return a - b
  }
}

function keyComparator({ column, isDescending, nullsFirst }: SortKey): Compare {
  const sign = isDescending ? -1 : 1
  const { validity } = column
  const values = valueComparator(column)
  if (validity === undefined) return (a, b) => sign * values(a, b)
  const nullSign = nullsFirst ? -1 : 1
  return (a, b) => {
    const difference = validity[b] - validity[a]
    if (difference !== 0) return nullSign * difference
    return validity[a] === 0 ? 0 : sign * values(a, b)
  }
}

function valueComparator(column: Column): Compare {
  if (isWide(column)) {
    const { values } = column
    return (a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0)
  }
  if (column.type === 'string') {
    const ranks = ranksOf(column)
    return (a, b) => ranks[column.values[a]] - ranks[column.values[b]]
  }
  const values = column.values as Float64Array
  return (a, b) => values[a] - values[b]
}

/** The place of each entry of the dictionary among all, by bytes. */
function ranksOf({ dictionary }: StringColumn): Uint32Array {
  const { offsets, bytes, count } = dictionary
  const entries = Array.from({ length: count }, (_, i) =>
    bytes.subarray(offsets[i], offsets[i + 1]),
  )
  const order = entries.map((_, i) => i).sort((a, b) => Buffer.compare(entries[a], entries[b]))
  const ranks = new Uint32Array(count)
  order.forEach((entry, rank) => {
    const isSame = rank > 0 && Buffer.compare(entries[order[rank - 1]], entries[entry]) === 0
    ranks[entry] = isSame ? ranks[order[rank - 1]] : rank
  })
  return ranks
}
