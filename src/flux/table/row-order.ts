// The order of rows by the values of some columns: nulls before everything whichever way it goes, as
// Flux sorts. Every column becomes numbers first (texts their rank, 64-bit integers their two halves),
// so that comparing two rows compares numbers.

import { compareUtf8 } from '../../column/series.js'
import type { Cells, StringCells } from '../../query/table.js'
import { expandCells } from './cells.js'

/** Numbers that compare as the rows do, the more telling ones first. */
export type SortKeys = readonly Float64Array[]

export function sortKeys(cells: Cells, rowCount: number, isDescending: boolean): SortKeys {
  if (cells.kind === 'constant') return []
  const { validity } = cells
  const keys = valueKeys(cells, rowCount)
  if (isDescending) for (const key of keys) for (let i = 0; i < rowCount; i++) key[i] = -key[i]
  if (validity === undefined) return keys
  const isThere = new Float64Array(rowCount)
  for (let i = 0; i < rowCount; i++) {
    isThere[i] = validity[i]
    if (validity[i] === 0) for (const key of keys) key[i] = 0
  }
  return [isThere, ...keys]
}

function valueKeys(cells: Exclude<Cells, { kind: 'constant' }>, rowCount: number): Float64Array[] {
  switch (cells.type) {
    case 'float': {
      const key = new Float64Array(rowCount)
      for (let i = 0; i < rowCount; i++) {
        const value = cells.values[i]
        key[i] = Number.isNaN(value) ? Number.POSITIVE_INFINITY : value
      }
      return [key]
    }
    case 'bool':
      return [Float64Array.from(cells.values.subarray(0, rowCount))]
    case 'string':
      return [textRanks(cells, rowCount)]
    default:
      return halves(expandCells(cells, rowCount).values as BigInt64Array, cells.type, rowCount)
  }
}

function halves(values: BigInt64Array, type: string, rowCount: number): Float64Array[] {
  const words = new Uint32Array(values.buffer, values.byteOffset, rowCount * 2)
  const high = new Float64Array(rowCount)
  const low = new Float64Array(rowCount)
  for (let i = 0; i < rowCount; i++) {
    low[i] = words[2 * i]
    high[i] = type === 'uint' ? words[2 * i + 1] : words[2 * i + 1] | 0
  }
  return [high, low]
}

function textRanks({ values, dictionary }: StringCells, rowCount: number): Float64Array {
  const texts = [...new Set(dictionary)].sort(compareUtf8)
  const ranks = new Map(texts.map((text, i) => [text, i]))
  const rankOf = Float64Array.from(dictionary, (text) => ranks.get(text)!)
  const key = new Float64Array(rowCount)
  for (let i = 0; i < rowCount; i++) key[i] = rankOf[values[i]]
  return key
}

/** Rows that are equal stay as they were. undefined: all are in order already. */
export function sortedOrder(keys: SortKeys, rowCount: number): Uint32Array | undefined {
  const compare = (a: number, b: number): number => {
    for (const key of keys) {
      if (key[a] < key[b]) return -1
      if (key[a] > key[b]) return 1
    }
    return a - b
  }
  let isSorted = true
  for (let i = 1; i < rowCount && isSorted; i++) isSorted = compare(i - 1, i) < 0
  if (isSorted) return undefined
  return Uint32Array.from({ length: rowCount }, (_, i) => i).sort(compare)
}
