// Rows of many batches as columns, to be put in another order. Moments are whole numbers of nanoseconds from the first
// one, which holds them exactly however far they lie apart.

import type { Batch } from '../../column/batch.js'
import { type Column, isWide } from '../../column/column.js'
import { isNear, type TimeColumn, timeAt } from '../../column/time.js'
import { ColumnBuilder, gatherColumn } from '../../query/column-builder.js'
import type { ResultColumn } from '../../query/language.js'
import { type CutWindow, columnsOf, nulls } from './batch-columns.js'
import { computedColumn } from './computed-column.js'
import type { Source } from './select-plan.js'

/** Of a batch of the answer. */
const pieceRows = 8192

/** What a row must reach by its first key to be shown at all. */
export interface Bar {
  readonly source: Source
  readonly isDescending: boolean
  readonly nullsFirst: boolean
  /** Of moments as `column` tells them. */
  readonly value: number
  /** Whether rows that only reach it can be shown. */
  readonly takesEqual: boolean
}

export class GatheredRows {
  readonly #sources: readonly Source[]
  readonly #cut: CutWindow | undefined
  readonly #filter: Source | undefined
  #builders: readonly ColumnBuilder[]
  readonly #columns: (Column | undefined)[] = []
  #base: bigint | undefined
  rowCount = 0
  /** Rows that are added from now on must reach it. */
  bar: Bar | undefined

  /** Only rows for which `filter` is true, where there is one. */
  constructor(
    sources: readonly Source[],
    cut: CutWindow | undefined,
    filter: Source | undefined = undefined,
  ) {
    this.#filter = filter
    this.#sources = sources
    this.#cut = cut
    this.#builders = sources.map((source) => new ColumnBuilder(typeOf(source)))
  }

  /** About. */
  get byteLength(): number {
    return this.rowCount * this.#sources.length * 8
  }

  add(batch: Batch): void {
    const { rowCount } = batch
    const kept = this.#kept(batch)
    if (kept?.length === 0) return
    const added = kept?.length ?? rowCount
    for (const [i, whole] of columnsOf(batch, this.#sources, this.#cut, 0, rowCount).entries()) {
      const column = kept === undefined ? whole : chosen(whole, kept)
      if (column.type === 'time') this.#addTimes(this.#builders[i], column, added)
      else this.#builders[i].pushRange(column as Column, 0, added)
    }
    this.rowCount += added
    this.#columns.length = 0
  }

  /** The rows for which the filter is true and that reach the bar; undefined: all. */
  #kept(batch: Batch): Uint32Array | undefined {
    const filter = this.#filter && (this.#columnOf(batch, this.#filter) as Column)
    const bar = this.bar && this.#barTest(batch, this.bar)
    if (filter === undefined && bar === undefined) return undefined
    const rows = new Uint32Array(batch.rowCount)
    let count = 0
    for (let row = 0; row < batch.rowCount; row++) {
      if (filter !== undefined && !isTrue(filter, row)) continue
      if (bar === undefined || bar(row)) rows[count++] = row
    }
    return rows.subarray(0, count)
  }

  #columnOf(batch: Batch, source: Source): ResultColumn {
    return columnsOf(batch, [source], this.#cut, 0, batch.rowCount)[0]
  }

  /** Undefined: of moments so far from the others nothing can be said in numbers. */
  #barTest(batch: Batch, bar: Bar): ((row: number) => boolean) | undefined {
    const column = this.#columnOf(batch, bar.source)
    if (column.type !== 'time') return barTest(bar, bar.value, column as Column)
    const { times, validity } = column
    const base = this.#base ?? 0n
    if (!isNear(times.base, base)) return undefined
    const value = bar.value - Number(times.base - base)
    return barTest(bar, value, { type: 'float', values: times.offsets, validity })
  }

  #addTimes(
    builder: ColumnBuilder,
    { times, validity }: Extract<ResultColumn, { type: 'time' }>,
    rowCount: number,
  ): void {
    this.#base ??= times.base
    const ahead = times.base - this.#base
    const isClose = isNear(times.base, this.#base)
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) builder.pushNull()
      else if (isClose && Math.abs(times.offsets[row]) < nearOffsetMax) {
        builder.pushNumber(Number(ahead) + times.offsets[row])
      } else builder.pushBigint(timeAt(times, row) - this.#base)
    }
  }

  /** Only these stay, in this order. */
  retain(rows: Uint32Array): void {
    this.#builders = this.#builders.map((builder, i) => {
      const kept = new ColumnBuilder(builder.type)
      kept.pushRange(gatherColumn(this.column(i), rows), 0, rows.length)
      return kept
    })
    this.#columns.length = 0
    this.rowCount = rows.length
  }

  /** Of the rows that were added so far; moments as whole numbers. */
  column(at: number): Column {
    this.#columns[at] ??= this.#builders[at].finish()
    return this.#columns[at]
  }

  /** The first `columnCount` columns of these rows, in this order. */
  *pieces(
    rows: Uint32Array,
    columnCount: number,
  ): Generator<readonly [ResultColumn[], number], void, void> {
    const columns = Array.from({ length: columnCount }, (_, i) => this.column(i))
    for (let start = 0; start < rows.length; ) {
      const stop = Math.min(rows.length, start + pieceRows)
      let picked = columns.map((column) => gatherColumn(column, rows.subarray(start, stop)))
      const times = picked.map((column, i) => (this.#isTime(i) ? this.#times(column) : undefined))
      const rowCount = Math.min(stop - start, ...times.map((each) => each?.rowCount ?? pieceRows))
      if (rowCount < stop - start) {
        picked = columns.map((each) => gatherColumn(each, rows.subarray(start, start + rowCount)))
      }
      yield [
        picked.map((column, i): ResultColumn => {
          const found = times[i]?.times
          return found === undefined
            ? column
            : { type: 'time', times: found, validity: column.validity }
        }),
        rowCount,
      ]
      start += rowCount
    }
  }

  #isTime(at: number): boolean {
    const { kind } = this.#sources[at]
    return kind === 'time' || kind === 'point-time'
  }

  /** As many of the rows as lie near each other. */
  #times(column: Column): { times: TimeColumn; rowCount: number } {
    const base = this.#base ?? 0n
    const rowCount = column.values.length
    if (!isWide(column)) {
      return { times: { base, offsets: column.values as Float64Array }, rowCount }
    }
    const { values, validity } = column
    const isHole = (row: number) => validity !== undefined && validity[row] === 0
    const offsets = new Float64Array(rowCount)
    let from: bigint | undefined
    for (let row = 0; row < rowCount; row++) {
      if (isHole(row)) continue
      const moment = base + values[row]
      from ??= moment
      if (!isNear(moment, from)) return { times: { base: from, offsets }, rowCount: row }
      offsets[row] = Number(moment - from)
    }
    return { times: { base: from ?? base, offsets }, rowCount }
  }
}

function isTrue({ values, validity }: Column, row: number): boolean {
  return values[row] !== 0 && (validity === undefined || validity[row] !== 0)
}

function barTest(
  { isDescending, nullsFirst, takesEqual }: Bar,
  value: number,
  { values, validity }: Column,
): (row: number) => boolean {
  return (row) => {
    if (validity !== undefined && validity[row] === 0) return nullsFirst
    // A batch may have them as bigint, which are compared with numbers but never the same.
    if (values[row] > value) return isDescending
    return values[row] < value ? !isDescending : takesEqual
  }
}

function chosen(column: ResultColumn, rows: Uint32Array): ResultColumn {
  if (column.type !== 'time') return gatherColumn(column as Column, rows)
  const { base, offsets } = column.times
  const validity = column.validity && Uint8Array.from(rows, (row) => column.validity![row])
  return {
    type: 'time',
    times: { base, offsets: Float64Array.from(rows, (row) => offsets[row]) },
    validity,
  }
}

/** So that the sum of it and of a near base is exact. */
const nearOffsetMax = 2 ** 51

function typeOf(source: Source): ColumnBuilder['type'] {
  switch (source.kind) {
    case 'time':
    case 'point-time':
      return 'integer'
    case 'tag':
      return 'string'
    default:
      return source.type
  }
}

/** Of aggregates over no rows: counts are 0, everything else has no value. */
export function oneRow(source: Source): ResultColumn {
  if (source.kind === 'computed') {
    return computedColumn(source.expression, source.inputs.map(oneRow), 1)
  }
  if (source.kind !== 'aggregate' || !source.isCount) return nulls(source, 1)
  return { type: 'integer', values: new Float64Array(1), validity: undefined }
}
