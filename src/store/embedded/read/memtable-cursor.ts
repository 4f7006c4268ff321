// A cursor over the series of one memtable in key order. The rows of a series are gathered and sorted only
// when they are loaded, and many series are put in order only as far as the cursor has come: all of a million at once
// would hold up everybody else for most of a second.

import type { FieldType } from '../../../column/column.js'
import { sortByKey, toPlaces } from '../index/key-order.js'
import { LazyOrder, largeMin } from '../index/lazy-order.js'
import { numberAt, type SeriesKeyView } from '../index/series-key-table.js'
import type { SeriesTable } from '../rows/memtable.js'
import type { OffsetBounds, WantedEnd } from '../rows/picked-rows.js'
import type { LoadedRows, Piece, SeriesCursor, WholeGroup } from './cursor.js'
import type { OffsetRange } from './segment-cursor.js'
import { everySeries, type Selection } from './selection.js'

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

/** Series that are put in order at a time, at least. */
const stepSeries = 1024

/** Of few that are wanted some may have no value. */
const endRowsMin = 8

export class MemtableCursor implements SeriesCursor {
  readonly #source: MemtableCursorInput
  /** In key order up to `#ready`; behind that, places of keys. */
  readonly #ids: Uint32Array
  readonly #order: LazyOrder | undefined
  #ready: number
  #at = 0

  constructor(source: MemtableCursorInput) {
    this.#source = source
    const { selection, table, keys } = source
    const { ids: chosen } = selection
    this.#ids = chosen?.filter((id) => table.hasSeries(id)) ?? seriesOf(table, selection)
    this.#ready = this.#ids.length
    if (chosen !== undefined) return
    if (this.#ids.length < largeMin) sortByKey(this.#ids, keys)
    else {
      toPlaces(this.#ids, keys)
      this.#order = new LazyOrder(this.#ids, keys)
      this.#ready = 0
      this.#sortMore()
    }
  }

  get current(): number {
    return this.#at < this.#ready ? this.#ids[this.#at] : -1
  }

  advance(): void {
    this.#at++
    if (this.#at === this.#ready && this.#order !== undefined) this.#sortMore()
  }

  #sortMore(): void {
    const ids = this.#ids
    const { keys } = this.#source
    const ready = this.#order!.sortNow(Math.min(ids.length, this.#ready + stepSeries))
    for (let i = this.#ready; i < ready; i++) ids[i] = numberAt(keys, ids[i])
    this.#ready = ready
  }

  addPieces(pieces: Piece[]): void {
    const { table, range } = this.#source
    const minOffset = Math.max(table.minOffset, range.start)
    const maxOffset = Math.min(table.maxOffset, range.stop - 1)
    if (minOffset > maxOffset) return
    let bounds: OffsetBounds | undefined = { minOffset, maxOffset }
    // The table begins with its first series: where that seems to overlap what came before, this one mostly does not.
    if (this.#isReached(pieces, minOffset)) bounds = table.boundsOf(this.current, bounds)
    if (bounds !== undefined) pieces.push(new MemtablePiece(this.#source, this.current, bounds))
  }

  /** Whether a piece goes on when the table begins. */
  #isReached(pieces: readonly Piece[], minOffset: number): boolean {
    const { base } = this.#source
    for (let i = 0; i < pieces.length; i++) {
      if (pieces[i].base === base && pieces[i].maxOffset >= minOffset) return true
    }
    return false
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
  readonly #source: MemtableCursorInput
  readonly #series: number

  constructor(source: MemtableCursorInput, series: number, bounds: OffsetBounds) {
    this.base = source.base
    this.rank = source.rank
    this.minOffset = bounds.minOffset
    this.maxOffset = bounds.maxOffset
    this.#source = source
    this.#series = series
  }

  get rowsMax(): number {
    return this.#source.table.rowsMax(this.#series)
  }

  bounds(): undefined {}

  peek(): undefined {}

  load(): LoadedRows {
    return this.#read(undefined)
  }

  loadEnd(isNewest: boolean, rowsWanted: number): LoadedRows {
    return this.#read({ isNewest, rowCount: Math.max(endRowsMin, rowsWanted) })
  }

  #read(end: WantedEnd | undefined): LoadedRows {
    const { table, fieldIds, types } = this.#source
    const { minOffset, maxOffset } = this
    // Rows that came since then outside these bounds would stand out of order: other pieces were placed by them.
    const rows = table.readSeries(this.#series, { fieldIds, types, minOffset, maxOffset, end })
    return { rows, start: 0, stop: rows.rowCount }
  }

  part(minOffset: number, maxOffset: number): Piece {
    return new MemtablePiece(this.#source, this.#series, { minOffset, maxOffset })
  }
}

function seriesOf(table: SeriesTable, selection: Selection): Uint32Array {
  const ids = table.seriesIds()
  return selection === everySeries ? ids.slice() : ids.filter((id) => selection.has(id))
}
