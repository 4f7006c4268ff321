// Filter, order and limit of raw rows. Where a predicate looks at values, a row group is first held
// against its statistics, then only the columns that the predicate looks at are decoded: most
// groups of a search have no row that passes, and the other columns are never touched.

import type { FieldType } from '../../../column/column.js'
import type { Predicate } from '../../../column/predicate.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import { type Rows, RowsBuilder } from '../rows/rows.js'
import type { LoadedRows, Piece } from './cursor.js'
import type { Plan } from './plan.js'
import { RowFilter } from './row-filter.js'

export interface RowOrder {
  readonly descending: boolean
  readonly limitPerSeries: number
}

export class RowSelector {
  readonly limitPerSeries: number
  /** Whether most rows may be expected to pass. */
  readonly passesMost: boolean
  readonly #wantedCount: number
  readonly #everyRow: boolean
  readonly #filter: RowFilter | undefined
  readonly #descending: boolean
  readonly #picked: RowsBuilder
  #picks = new Uint32Array(0)

  constructor(plan: Plan, keys: SeriesKeyView, order: RowOrder) {
    this.limitPerSeries = order.limitPerSeries
    this.#descending = order.descending
    this.#wantedCount = plan.wantedCount
    this.#everyRow = plan.everyRow
    this.#picked = new RowsBuilder(plan.types.slice(0, plan.wantedCount) as FieldType[])
    this.passesMost = plan.rowPredicate === undefined || looksForValues(plan.rowPredicate)
    this.#filter =
      plan.rowPredicate === undefined
        ? undefined
        : new RowFilter(plan.rowPredicate, plan.names, keys)
  }

  takesWholeGroups(rows: Rows): boolean {
    const plain = this.#filter === undefined && !this.#descending
    return plain && this.limitPerSeries === Number.POSITIVE_INFINITY && this.#allHaveValues(rows)
  }

  /** False where no row of the piece passes: it need not be loaded. */
  mayPass(series: number, piece: Piece): boolean {
    if (this.#filter === undefined) return true
    if (!this.#filter.mayMatch(piece)) return false
    const peeked = piece.peek()
    if (peeked === undefined) return true
    return this.#filter.marks(peeked, series).includes(1)
  }

  /** The rows that stay, in the order of the request, at most `room` of them; valid until the next call. */
  select(series: number, loaded: LoadedRows, room: number): LoadedRows {
    const marks = this.#marks(series, loaded)
    if (marks === undefined && !this.#descending) {
      return { ...loaded, stop: Math.min(loaded.stop, loaded.start + room) }
    }
    return this.#pickRows(loaded, marks, room)
  }

  #marks(series: number, loaded: LoadedRows): Uint8Array | undefined {
    const filtered = this.#filter?.marks(loaded, series)
    if (this.#allHaveValues(loaded.rows)) return filtered
    const { rows, start, stop } = loaded
    const hasValue = new Uint8Array(stop - start)
    for (let f = 0; f < this.#wantedCount; f++) {
      const validity = rows.columns[f]?.validity
      if (validity !== undefined) unite(hasValue, validity, start, stop)
    }
    if (filtered !== undefined) for (let i = 0; i < hasValue.length; i++) hasValue[i] &= filtered[i]
    return hasValue
  }

  /** Some wanted column has a value in every row, so that no row is empty; or empty rows are wanted too. */
  #allHaveValues(rows: Rows): boolean {
    if (this.#everyRow) return true
    for (let f = 0; f < this.#wantedCount; f++) {
      const column = rows.columns[f]
      if (column !== undefined && column.validity === undefined) return true
    }
    return false
  }

  #pickRows(
    { rows, start, stop }: LoadedRows,
    marks: Uint8Array | undefined,
    room: number,
  ): LoadedRows {
    if (this.#picks.length < stop - start) this.#picks = new Uint32Array((stop - start) * 2)
    const picks = this.#picks
    const step = this.#descending ? -1 : 1
    let row = this.#descending ? stop - 1 : start
    let count = 0
    for (let left = stop - start; left > 0 && count < room; left--, row += step) {
      if (marks === undefined || marks[row - start] !== 0) picks[count++] = row
    }
    this.#picked.clear()
    this.#picked.appendChosen(rows, count, () => picks)
    return { rows: this.#picked.rows(), start: 0, stop: count }
  }
}

function looksForValues(predicate: Predicate): boolean {
  if (predicate.kind === 'and') return predicate.parts.every(looksForValues)
  return predicate.kind === 'field-present'
}

function unite(marks: Uint8Array, validity: Uint8Array, start: number, stop: number): void {
  for (let row = start; row < stop; row++) marks[row - start] |= validity[row]
}
