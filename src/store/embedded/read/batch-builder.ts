// Makes batches for the reader. Long stretches of rows are handed out as they lie; short ones of
// many series are collected until they fill a batch.

import type { Batch, BatchField, Run } from '../../../column/batch.js'
import type { Column, FieldType } from '../../../column/column.js'
import { parseSeriesKey, type Series } from '../../../column/series.js'
import { isNear } from '../../../column/time.js'
import { keyOf } from '../index/key-order.js'
import { SeriesKeyTable, type SeriesKeyView } from '../index/series-key-table.js'
import { type Rows, RowsBuilder, slice } from '../rows/rows.js'
import type { WholeGroup } from './cursor.js'

/** Rows of a collected batch, unless told. */
const collectedRows = 4096

/** From here on a stretch is handed out by itself: copying it would cost more than the batch. Others are copied. */
export const directRowsMin = 256

/** A run whose tags are only spelt out when somebody looks. */
export class LazyRun implements Run {
  readonly keyId: number
  readonly start: number
  readonly stop: number
  readonly #keys: SeriesKeyView
  #key: Series | undefined

  /** `key`: where it is not that of the series. */
  constructor(keys: SeriesKeyView, series: number, start: number, stop: number, key?: Series) {
    this.#keys = keys
    this.#key = key
    this.keyId = series
    this.start = start
    this.stop = stop
  }

  get key(): Series {
    this.#key ??= seriesOf(this.#keys, this.keyId)
    return this.#key
  }
}

function seriesOf(keys: SeriesKeyView, id: number): Series {
  return keys instanceof SeriesKeyTable ? keys.series(id) : parseSeriesKey(keyOf(keys, id))
}

export class BatchBuilder {
  readonly #measurement: string
  readonly #fields: readonly BatchField[]
  readonly #keys: SeriesKeyView
  readonly #collected: RowsBuilder
  readonly #directRowsMin: number
  readonly #batchRows: number
  #runs: Run[] = []
  #base = 0n

  /** With `rowsTogether` all rows are collected, up to so many. */
  constructor(
    measurement: string,
    fields: readonly BatchField[],
    keys: SeriesKeyView,
    rowsTogether?: number,
  ) {
    this.#directRowsMin = rowsTogether ?? directRowsMin
    this.#batchRows = rowsTogether ?? collectedRows
    this.#measurement = measurement
    this.#fields = fields
    this.#keys = keys
    this.#collected = new RowsBuilder(fields.map(({ type }) => type))
  }

  /** Takes rows of a series; yields what is ready. Rows come in the order in which they are to be read. */
  *add(
    series: number,
    base: bigint,
    rows: Rows,
    start: number,
    stop: number,
  ): Generator<Batch, void, void> {
    if (start === stop) return
    if (stop - start >= this.#directRowsMin) {
      yield* this.finish()
      yield this.#slice(series, base, rows, start, stop)
      return
    }
    if (this.#collected.rowCount > 0 && !isNear(base, this.#base)) yield* this.finish()
    if (this.#collected.rowCount === 0) this.#base = base
    const at = this.#collected.rowCount
    this.#collected.append(rows, start, stop, Number(base - this.#base))
    this.#runs.push(new LazyRun(this.#keys, series, at, at + stop - start))
    if (this.#collected.rowCount >= this.#batchRows) yield* this.finish()
  }

  *addGroup(group: WholeGroup): Generator<Batch, void, void> {
    yield* this.finish()
    const runs: Run[] = []
    let start = 0
    for (let i = 0; i < group.seriesIds.length; i++) {
      const stop = group.ends[i]
      runs.push(new LazyRun(this.#keys, group.seriesIds[i], start, stop))
      start = stop
    }
    const { rowCount, offsets, columns } = group.rows
    yield this.#batch(rowCount, runs, group.base, offsets, columns)
  }

  /** What was collected so far. */
  *finish(): Generator<Batch, void, void> {
    if (this.#collected.rowCount === 0) return
    const { rowCount, offsets, columns } = this.#collected.rows()
    const batch = this.#batch(rowCount, this.#runs, this.#base, offsets, columns)
    this.#runs = []
    yield batch
    this.#collected.clear()
  }

  #slice(series: number, base: bigint, rows: Rows, start: number, stop: number): Batch {
    const { rowCount, offsets, columns } = slice(rows, start, stop)
    const runs = [new LazyRun(this.#keys, series, 0, rowCount)]
    return this.#batch(rowCount, runs, base, offsets, columns)
  }

  #batch(
    rowCount: number,
    runs: readonly Run[],
    base: bigint,
    offsets: Float64Array,
    columns: readonly (Column | undefined)[],
  ): Batch {
    return {
      measurement: this.#measurement,
      rowCount,
      runs,
      times: { base, offsets },
      fields: this.#fields,
      columns: this.#fields.map(({ type }, f) => columns[f] ?? emptyColumn(type, rowCount)),
    }
  }
}

/** A column without a value. */
export function emptyColumn(type: FieldType, rowCount: number): Column {
  const validity = new Uint8Array(rowCount)
  switch (type) {
    case 'float':
    case 'integer':
    case 'unsigned':
      return { type, values: new Float64Array(rowCount), validity }
    case 'boolean':
      return { type, values: new Uint8Array(rowCount), validity }
    case 'string': {
      const dictionary = { offsets: new Uint32Array(2), bytes: new Uint8Array(0), count: 1 }
      return { type, values: new Uint32Array(rowCount), dictionary, validity }
    }
  }
}
