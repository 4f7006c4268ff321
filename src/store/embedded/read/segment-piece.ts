// A piece of a series in a segment: some rows of a row group, and what the directory tells of them.
// What it is asked it hands on to the cursor that made it, which holds what is decoded.

import type { FieldBounds, LoadedRows, Piece, PieceStatistics } from './cursor.js'

/** Rows `start` up to `stop` of group g, which are a series', and of these the ones from one moment to another. */
export interface RowPlace {
  readonly g: number
  readonly start: number
  readonly stop: number
  readonly minOffset: number
  readonly maxOffset: number
  /** All of the rows are in the range. */
  readonly isWhole: boolean
}

/** The cursor, as its pieces see it: figures of groups, and their rows. */
export interface PieceSource {
  rowCount(g: number): number
  valueCount(g: number, field: number): number
  sum(g: number, field: number): number | undefined
  bounds(g: number, field: number): FieldBounds | undefined
  peek(place: RowPlace): LoadedRows | undefined
  load(place: RowPlace, isExact: boolean): LoadedRows
  loadEnd(place: RowPlace, isNewest: boolean, rowsWanted: number, isExact: boolean): LoadedRows
}

/** One object, and no closures: a read of many short series makes one for each. */
export class SegmentPiece implements Piece, PieceStatistics, RowPlace {
  readonly base: bigint
  readonly rank: number
  readonly minOffset: number
  readonly maxOffset: number
  readonly statistics: PieceStatistics | undefined
  readonly #cursor: PieceSource
  g = 0
  start = 0
  stop = 0
  isWhole = false

  constructor(
    cursor: PieceSource,
    base: bigint,
    rank: number,
    minOffset: number,
    maxOffset: number,
    hasStatistics: boolean,
  ) {
    this.#cursor = cursor
    this.base = base
    this.rank = rank
    this.minOffset = minOffset
    this.maxOffset = maxOffset
    this.statistics = hasStatistics ? this : undefined
  }

  /** Rows `start` up to `stop` of group g are the series'. `isWhole`: all rows of the group are in range. */
  place(g: number, start: number, stop: number, isWhole: boolean): void {
    this.g = g
    this.start = start
    this.stop = stop
    this.isWhole = isWhole
  }

  get rowCount(): number {
    return this.#cursor.rowCount(this.g)
  }

  get rowsMax(): number {
    return this.stop - this.start
  }

  valueCount(field: number): number {
    return this.#cursor.valueCount(this.g, field)
  }

  range(field: number): { readonly min: number; readonly max: number } | undefined {
    const bounds = this.bounds(field)
    return bounds?.kind === 'between' ? bounds : undefined
  }

  sum(field: number): number | undefined {
    return this.#cursor.sum(this.g, field)
  }

  bounds(field: number): FieldBounds | undefined {
    return this.#cursor.bounds(this.g, field)
  }

  peek(): LoadedRows | undefined {
    return this.#cursor.peek(this)
  }

  load(isExact = true): LoadedRows {
    return this.#cursor.load(this, isExact)
  }

  loadEnd(isNewest: boolean, rowsWanted: number, isExact = true): LoadedRows {
    return this.#cursor.loadEnd(this, isNewest, rowsWanted, isExact)
  }

  part(minOffset: number, maxOffset: number): Piece {
    const { base, rank } = this
    const part = new SegmentPiece(this.#cursor, base, rank, minOffset, maxOffset, false)
    part.place(this.g, this.start, this.stop, false)
    return part
  }
}
