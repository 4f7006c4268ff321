// Window aggregates: rows of one series after the other go in, one row per window comes out. A row
// group that lies in one window as a whole is answered from its statistics where they tell enough;
// others are decoded, and each window's stretch of each column is one call of an accumulator.

import type { Batch, BatchField, SeriesRun } from '../../../column/batch.js'
import type { FieldType, Value } from '../../../column/column.js'
import { floorDiv, isNear, type TimeRange, timeOffsetMax } from '../../../column/time.js'
import type { WindowAggregate } from '../../store.js'
import type { SeriesIndex } from '../series-index.js'
import { type Accumulator, makeAccumulator, resultType } from './accumulator.js'
import { LazyRun } from './batch-builder.js'
import { type LoadedRows, lowerBound, type Piece } from './cursor.js'
import { ValueSink } from './value-sink.js'

const batchRows = 4096

/** Sums of offsets and window lengths below this are exact in float64. */
const offsetsExactMax = timeOffsetMax / 4

interface Output {
  /** Position of the field among the rows' columns; -1: no such field. */
  readonly field: number
  readonly accumulator: Accumulator
  readonly sink: ValueSink
  /** Where the chosen points lay; they may be far from their windows' starts, and so have a base of their own. */
  readonly points: PointTimes | undefined
}

interface PointTimes {
  base: bigint | undefined
  readonly offsets: number[]
}

interface WindowRow {
  readonly time: bigint
  readonly values: readonly (Value | null)[]
  readonly pointTimes: readonly (bigint | undefined)[]
}

export interface WindowColumn {
  readonly name: string
  readonly type: FieldType
}

export interface WindowOptions {
  readonly window: WindowAggregate
  readonly range: TimeRange
  readonly measurement: string
  readonly index: SeriesIndex
  /** The rows' columns. */
  readonly columns: readonly WindowColumn[]
  readonly descending: boolean
  readonly limitPerSeries: number
}

export class WindowAggregator {
  readonly #options: WindowOptions
  readonly #outputs: Output[] = []
  readonly #fields: BatchField[] = []
  /** The window under way; nothing is under way when `#open` is false. */
  #open = false
  #from = 0n
  /** The same as offsets from `#base`: exact as far as rows of that shard can reach. */
  #base = 0n
  #start = 0
  #stop = 0
  readonly #every: number
  #series = -1
  #seriesRows: WindowRow[] = []
  #runs: SeriesRun[] = []
  #times: number[] = []
  #batchBase = 0n

  constructor(options: WindowOptions) {
    this.#options = options
    const { window, columns } = options
    this.#every = window.everyNs === undefined ? Infinity : Number(window.everyNs)
    for (const { field, function: fn } of window.aggregates) {
      const at = columns.findIndex(({ name }) => name === field)
      if (at < 0) continue
      const { type } = columns[at]
      const chooses = fn === 'min' || fn === 'max' || fn === 'first' || fn === 'last'
      this.#outputs.push({
        field: at,
        accumulator: makeAccumulator(fn, field, type),
        sink: new ValueSink(resultType(fn, type)),
        points:
          window.pointTimes === true && chooses ? { base: undefined, offsets: [] } : undefined,
      })
      this.#fields.push({ name: field, type: resultType(fn, type) })
    }
  }

  beginSeries(series: number): void {
    this.#series = series
    this.#open = false
    this.#seriesRows = []
  }

  /** True where no more windows of this series are wanted. */
  get isFull(): boolean {
    const { descending, limitPerSeries } = this.#options
    return !descending && this.#seriesRows.length >= limitPerSeries
  }

  /** Answers a piece from its statistics; false: it must be loaded. */
  addStatistics(piece: Piece): boolean {
    const { statistics } = piece
    if (statistics === undefined || this.#options.window.pointTimes === true) return false
    this.#enter(piece.base, piece.minOffset)
    if (piece.maxOffset >= this.#stop) return false
    // All or nothing: an accumulator that took the statistics must not see the rows as well.
    if (!this.#outputs.every(({ accumulator }) => accumulator.usesStatistics)) return false
    const refused = this.#outputs.findIndex(
      ({ accumulator, field }) => !accumulator.addStatistics(statistics, field),
    )
    if (refused < 0) return true
    const { rows, start, stop } = piece.load()
    for (const { accumulator, field } of this.#outputs.slice(refused)) {
      const column = rows.columns[field]
      if (column !== undefined) accumulator.add(column, start, stop, piece.base, rows.offsets)
    }
    return true
  }

  addRows(base: bigint, { rows, start, stop }: LoadedRows): void {
    let i = start
    while (i < stop && !this.isFull) {
      this.#enter(base, rows.offsets[i])
      const j = lowerBound(rows.offsets, i, stop, this.#stop)
      for (const { accumulator, field } of this.#outputs) {
        const column = rows.columns[field]
        if (column === undefined) continue
        accumulator.add(column, i, j, base, rows.offsets, rows.magnitudes?.[field])
      }
      i = j
    }
  }

  /** Makes the window of this moment the one under way. */
  #enter(base: bigint, offset: number): void {
    if (this.#open && base !== this.#base) this.#seenFrom(base)
    if (this.#open && offset < this.#stop) return
    if (this.#open) this.#closeWindow()
    if (this.#open && this.#every < offsetsExactMax && this.#start > -offsetsExactMax) {
      const steps = Math.floor((offset - this.#start) / this.#every)
      this.#start += steps * this.#every
      this.#stop = this.#start + this.#every
      this.#from = base + BigInt(this.#start)
      return
    }
    const { everyNs, offsetNs = 0n } = this.#options.window
    const time = base + BigInt(offset)
    this.#from =
      everyNs === undefined
        ? this.#options.range.start
        : floorDiv(time - offsetNs, everyNs) * everyNs + offsetNs
    this.#open = true
    this.#seenFrom(base)
  }

  /** The ends of the window as offsets from this moment. */
  #seenFrom(base: bigint): void {
    const { everyNs } = this.#options.window
    const until = everyNs === undefined ? this.#options.range.stop : this.#from + everyNs
    this.#base = base
    this.#start = Number(this.#from - base)
    this.#stop = Number(until - base)
  }

  #closeWindow(): void {
    const values = this.#outputs.map(({ accumulator }) => accumulator.take())
    if (values.every((value) => value === null) || this.isFull) return
    const pointTimes = this.#outputs.map(({ accumulator }, o) =>
      values[o] === null ? undefined : accumulator.pointTime,
    )
    this.#seriesRows.push({ time: this.#windowTime(), values, pointTimes })
  }

  #windowTime(): bigint {
    const { range, window } = this.#options
    if (window.everyNs === undefined) return range.start
    return this.#from < range.start ? range.start : this.#from
  }

  /** The series is over; yields batches that are full. */
  *endSeries(): Generator<Batch, void, void> {
    if (this.#open) this.#closeWindow()
    const { descending, limitPerSeries } = this.#options
    const rows = descending ? this.#seriesRows.reverse().slice(0, limitPerSeries) : this.#seriesRows
    let runStart = this.#times.length
    for (const row of rows) {
      if (this.#times.length >= batchRows || !this.#fits(row)) {
        this.#addRun(runStart)
        yield* this.finish()
        runStart = 0
      }
      this.#pushRow(row)
    }
    this.#addRun(runStart)
  }

  #fits(row: WindowRow): boolean {
    if (this.#times.length === 0) return true
    if (!isNear(row.time, this.#batchBase)) return false
    return this.#outputs.every(({ points }, o) => {
      const time = row.pointTimes[o]
      if (points?.base === undefined || time === undefined) return true
      return isNear(time, points.base)
    })
  }

  #pushRow(row: WindowRow): void {
    if (this.#times.length === 0) this.#batchBase = row.time
    this.#times.push(Number(row.time - this.#batchBase))
    for (let o = 0; o < this.#outputs.length; o++) {
      const { sink, points } = this.#outputs[o]
      sink.push(row.values[o])
      if (points !== undefined) pushPoint(points, row.pointTimes[o])
    }
  }

  #addRun(start: number): void {
    const stop = this.#times.length
    if (stop > start) this.#runs.push(new LazyRun(this.#options.index, this.#series, start, stop))
  }

  *finish(): Generator<Batch, void, void> {
    if (this.#times.length === 0) return
    const pointTimes = this.#outputs.map(({ points }) =>
      points === undefined
        ? undefined
        : { base: points.base ?? 0n, offsets: Float64Array.from(points.offsets) },
    )
    yield {
      measurement: this.#options.measurement,
      rowCount: this.#times.length,
      runs: this.#runs,
      times: { base: this.#batchBase, offsets: Float64Array.from(this.#times) },
      fields: this.#fields,
      columns: this.#outputs.map(({ sink }) => sink.column()),
      ...(this.#options.window.pointTimes === true ? { pointTimes } : {}),
    }
    this.#runs = []
    this.#times = []
    for (const { sink, points } of this.#outputs) {
      sink.clear()
      if (points === undefined) continue
      points.base = undefined
      points.offsets.length = 0
    }
  }
}

/** A row without a value has a place too, that means nothing. */
function pushPoint(points: PointTimes, time: bigint | undefined): void {
  if (time !== undefined) points.base ??= time
  points.offsets.push(time === undefined ? 0 : Number(time - points.base!))
}
