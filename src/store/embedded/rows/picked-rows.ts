// Rows of one series, picked out of a table by their places there in the order of arrival: which of them are needed,
// and how they come together as rows in the order of time.

import type { Column, FieldType } from '../../../column/column.js'
import { heapBuffers } from './buffer-pool.js'
import { ColumnBuilder } from './column-builder.js'
import { RowMerger, type Rows } from './rows.js'

/** From one offset to another, the last one included. */
export interface OffsetBounds {
  readonly minOffset: number
  readonly maxOffset: number
}

/** So many of the rows are enough, the newest or the oldest. */
export interface WantedEnd {
  readonly isNewest: boolean
  readonly rowCount: number
}

/** The first and the last offset of the rows at these places. */
export function boundsOf(picks: Uint32Array, from: Float64Array): OffsetBounds | undefined {
  if (picks.length === 0) return undefined
  let minOffset = from[picks[0]]
  let maxOffset = minOffset
  for (let i = 1; i < picks.length; i++) {
    const offset = from[picks[i]]
    if (offset < minOffset) minOffset = offset
    else if (offset > maxOffset) maxOffset = offset
  }
  return { minOffset, maxOffset }
}

/** Of the rows at these places those that are enough; all of them where they did not arrive in order of time. */
export function endOf(
  picks: Uint32Array,
  from: Float64Array,
  end: WantedEnd | undefined,
): Uint32Array {
  if (end === undefined || picks.length <= end.rowCount) return picks
  for (let i = 1; i < picks.length; i++) if (from[picks[i - 1]] >= from[picks[i]]) return picks
  return end.isNewest ? picks.subarray(-end.rowCount) : picks.subarray(0, end.rowCount)
}

/** The rows at these places, in order of arrival there, as sorted and collapsed rows. */
export function pickRows(
  picks: Uint32Array,
  from: Float64Array,
  sources: readonly (Column | undefined)[],
  types: readonly FieldType[],
): Rows {
  return new RowMerger(types).merge(gatherRows(picks, from, sources, types))
}

/** The rows at these places as they are. */
export function gatherRows(
  picks: Uint32Array,
  from: Float64Array,
  sources: readonly (Column | undefined)[],
  types: readonly FieldType[],
): Rows {
  const offsets = new Float64Array(picks.length)
  for (let i = 0; i < picks.length; i++) offsets[i] = from[picks[i]]
  const columns = sources.map((source, f) => {
    if (source === undefined) return undefined
    const builder = new ColumnBuilder(types[f], heapBuffers, picks.length)
    builder.appendPicked(source, picks, picks.length)
    return builder.column()
  })
  return { rowCount: picks.length, offsets, columns }
}
