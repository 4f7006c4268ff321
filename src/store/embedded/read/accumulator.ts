// One aggregate over the rows of a window: fed with stretches of a column, asked for its value at
// the window's end. Loops run over typed arrays.

import type { Column, Value } from '../../../column/column.js'
import type { PieceStatistics } from './cursor.js'
import type { WindowSpans } from './window-spans.js'

export abstract class Accumulator {
  /** Where the chosen point lay, for functions that choose one: at `pointBase + pointOffset`. */
  pointBase = 0n
  pointOffset = 0

  /**
   * Rows i up to j, all in the window; their times are base + offsets. `magnitude`, where it is
   * known, is a bound of the column's values, either way.
   */
  abstract add(
    column: Column,
    i: number,
    j: number,
    base: bigint,
    offsets: Float64Array,
    magnitude?: number,
  ): void

  /**
   * Whether windows of such rows can be computed by `span`: plain numbers, so few or so small that no sum of them is
   * rounded. The column has no holes.
   */
  canSpan(_column: Column, _rowCount: number, _magnitude: number | undefined): boolean {
    return false
  }

  /** The values of whole windows, from `out[at]` on. What was added before is not touched. */
  span(_column: Column, _spans: WindowSpans, _out: Float64Array, _at: number): void {
    throw new Error('this aggregate takes windows one by one')
  }

  /** First and last need rows; the others may do without. */
  readonly usesStatistics: boolean = false

  /** The same from statistics alone; false where they do not tell. */
  addStatistics(_statistics: PieceStatistics, _field: number): boolean {
    return false
  }

  /** True where no further rows can change the value: the first one is found, or the last one from behind. */
  get isSettled(): boolean {
    return false
  }

  /** Null where no row had a value. */
  abstract take(): Value | null
}
