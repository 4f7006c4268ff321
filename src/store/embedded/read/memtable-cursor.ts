// A cursor over the series of one memtable in key order. The rows of a series are gathered and sorted only
// when they are loaded.

import type { FieldType } from '../../../column/column.js'
import { sortByKey } from '../index/key-order.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { SeriesTable } from '../rows/memtable.js'
import {
  type LoadedRows,
  lowerBound,
  type Piece,
  type SeriesCursor,
  type WholeGroup,
} from './cursor.js'
import type { OffsetRange } from './segment-cursor.js'
import type { Selection } from './selection.js'

/** What a cursor is made from. */
export interface MemtableCursorInput {
  readonly kind: 'table'
  readonly table: SeriesTable
  readonly base: bigint
  readonly rank: number
  /** Numbers of the fields wanted. */
  readonly fieldIds: readonly number[]
  readonly types: readonly FieldType[]
  readonly range: OffsetRange
  readonly selection: Selection
  readonly keys: SeriesKeyView
}

export class MemtableCursor implements SeriesCursor {
  readonly #source: MemtableCursorInput
  readonly #ids: Uint32Array
  #at = 0

  constructor(source: MemtableCursorInput) {
    this.#source = source
    const { selection, table, keys } = source
    this.#ids =
      selection.ids?.filter((id) => table.hasSeries(id)) ?? inKeyOrder(table, selection, keys)
  }

  get current(): number {
    return this.#at < this.#ids.length ? this.#ids[this.#at] : -1
  }

  advance(): void {
    this.#at++
  }

  addPieces(pieces: Piece[]): void {
    const { table, range } = this.#source
    const minOffset = Math.max(table.minOffset, range.start)
    const maxOffset = Math.min(table.maxOffset, range.stop - 1)
    if (minOffset > maxOffset) return
    pieces.push(new MemtablePiece(this.#source, this.current, minOffset, maxOffset))
  }

  takeGroup(): WholeGroup | undefined {
    return undefined
  }
}

class MemtablePiece implements Piece {
  readonly base: bigint
  readonly rank: number
  readonly minOffset: number
  readonly maxOffset: number
  readonly statistics = undefined
  readonly rowsMax = 0
  readonly #source: MemtableCursorInput
  readonly #series: number

  constructor(source: MemtableCursorInput, series: number, minOffset: number, maxOffset: number) {
    this.base = source.base
    this.rank = source.rank
    this.minOffset = minOffset
    this.maxOffset = maxOffset
    this.#source = source
    this.#series = series
  }

  bounds(): undefined {}

  peek(): undefined {}

  load(): LoadedRows {
    const { table, fieldIds, types } = this.#source
    const rows = table.readSeries(this.#series, fieldIds, types)
    return {
      rows,
      // Rows that came since then outside these bounds would stand out of order: other pieces
      // were placed by them.
      start: lowerBound(rows.offsets, 0, rows.rowCount, this.minOffset),
      stop: lowerBound(rows.offsets, 0, rows.rowCount, this.maxOffset + 1),
    }
  }

  loadNewest(): LoadedRows {
    return this.load()
  }

  part(minOffset: number, maxOffset: number): Piece {
    return new MemtablePiece(this.#source, this.#series, minOffset, maxOffset)
  }
}

function inKeyOrder(table: SeriesTable, selection: Selection, keys: SeriesKeyView): Uint32Array {
  const ids = table.seriesIds().filter((id) => selection.has(id))
  sortByKey(ids, keys)
  return ids
}
