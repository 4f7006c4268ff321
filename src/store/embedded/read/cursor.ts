// Where rows come from, seen by the merge: a cursor goes over the series of one source in key order,
// and gives the pieces of the current one. A piece is a stretch of rows in time order; its values
// are decoded only when it is loaded.

import type { Rows } from '../rows/rows.js'

/** Rows `start` up to `stop` of `rows`. */
export interface LoadedRows {
  readonly rows: Rows
  readonly start: number
  readonly stop: number
}

/** What is known of a piece without decoding it: it is a whole row group of one series. */
export interface PieceStatistics {
  readonly rowCount: number
  /** By field asked for: number of values, 0 if it has none. */
  valueCount(field: number): number
  /** By field asked for; undefined where the group has no statistics. */
  range(field: number): { readonly min: number; readonly max: number } | undefined
  sum(field: number): number | undefined
}

export interface Piece {
  /** Start of the shard that offsets count from. */
  readonly base: bigint
  /** Bounds of the rows' offsets; the rows may reach less far. */
  readonly minOffset: number
  readonly maxOffset: number
  /** Where two pieces hold the same point, the higher rank wins. */
  readonly rank: number
  readonly statistics: PieceStatistics | undefined
  /** It has so many rows at most; 0: nobody knows. */
  readonly rowsMax: number
  /** What the values of a field lie between, in the rows or around them; undefined: nobody knows. */
  bounds(field: number): FieldBounds | undefined
  /**
   * The rows with the columns that the predicate looks at and no others; their times mean nothing. Undefined where it
   * would cost as much as `load`.
   */
  peek(): LoadedRows | undefined
  /**
   * Valid until the next piece of the same cursor is loaded. `isExact` false: what the read's windows are not computed
   * from may be left out, times and the values of columns that are only counted.
   */
  load(isExact?: boolean): LoadedRows
  /** The newest of its rows, or the oldest, as many as wanted if they all pass, or all. */
  loadEnd(isNewest: boolean, rowsWanted: number, isExact?: boolean): LoadedRows
  /** The rows from one moment to another, the last one included, which lie within the bounds. */
  part(minOffset: number, maxOffset: number): Piece
}

export type FieldBounds =
  | { readonly kind: 'no values' }
  | { readonly kind: 'between'; readonly min: number; readonly max: number }

/** A row group of several series that can be handed out as it is. */
export interface WholeGroup {
  readonly base: bigint
  readonly rows: Rows
  readonly seriesIds: Uint32Array
  /** Where the rows of each series end. */
  readonly ends: Uint32Array
}

export interface SeriesCursor {
  /** The current series' number, or -1 when there are no more. */
  readonly current: number
  /** Adds the current series' pieces, oldest first. */
  addPieces(pieces: Piece[]): void
  advance(): void
  /**
   * The whole current group, if the cursor stands at its beginning, all of it is wanted, and its last series comes
   * before series `before` in key order (-1: no bound). The cursor has moved behind it then.
   */
  takeGroup(before: number): WholeGroup | undefined
}

/** First row in [start, stop) whose offset is not below `offset`. */
export function lowerBound(
  offsets: Float64Array,
  start: number,
  stop: number,
  offset: number,
): number {
  let low = start
  let high = stop
  while (low < high) {
    const middle = (low + high) >>> 1
    if (offsets[middle] < offset) low = middle + 1
    else high = middle
  }
  return low
}
