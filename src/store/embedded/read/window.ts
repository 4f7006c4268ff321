// Window aggregates: rows of one series after the other go in, one row per window comes out. A row
// group that lies in one window as a whole is answered from its statistics where they tell enough;
// others are decoded, and each window's stretch of each column is one call of an accumulator.

import type { Batch } from '../../../column/batch.js'
import type { Column, FieldType, Value } from '../../../column/column.js'
import type { Series } from '../../../column/series.js'
import { type TimeRange, timeOffsetMax } from '../../../column/time.js'
import { resultType } from '../../aggregate-types.js'
import type { WindowAggregate } from '../../store.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { Rows } from '../rows/rows.js'
import type { Accumulator } from './accumulator.js'
import { LazyRun } from './batch-builder.js'
import type { LoadedRows, Piece } from './cursor.js'
import { makeAccumulator } from './make-accumulator.js'
import { nearMax, type WindowColumnSpec, WindowRows } from './window-rows.js'
import { windowNumber } from './window-slots.js'
import { WindowSpans, windowEnd } from './window-spans.js'

const batchRows = 4096

/** Rows that get room where a series is held back. */
const heldRowsExpected = 64

/** Rows that get room before the first comes, at most: more of them are seldom, and then there is time to grow. */
const expectedRowsMax = 1024

/** Sums of offsets and window lengths below this are exact in float64. */
const offsetsExactMax = timeOffsetMax / 4

/** In place of a column's position: what is counted is rows. */
const everyRow = -1

/** As counting sees it: a value in every row. */
const allRows: Column = { type: 'integer', values: new Float64Array(0), validity: undefined }

function columnAt({ columns }: Rows, field: number): Column | undefined {
  return field === everyRow ? allRows : columns[field]
}

export interface WindowOptions {
  readonly window: WindowAggregate
  readonly range: TimeRange
  readonly measurement: string
  readonly keys: SeriesKeyView
  /** The rows' columns, by name and type. */
  readonly columns: readonly string[]
  readonly types: readonly FieldType[]
  /** How many series will come, where that is known. */
  readonly seriesCount: number | undefined
  readonly descending: boolean
  readonly limitPerSeries: number
  /** Of all rows, whatever series they are of. */
  readonly groupKey: Series | undefined
  /** Rows have the numbers of their windows, counted from 1970 on, in the place of times. */
  readonly countsWindows: boolean
}

export class WindowAggregator {
  /** One window, and only its last values are asked for: rows are to come newest first, until `isSettled`. */
  readonly takesNewestFirst: boolean
  readonly #options: WindowOptions
  readonly #accumulators: Accumulator[] = []
  /** By aggregate: position of the field among the rows' columns, or `everyRow`. */
  readonly #fields: number[] = []
  readonly #specs: WindowColumnSpec[] = []
  readonly #usesStatistics: boolean
  /** Windows that lie within a stretch of rows are taken together. */
  readonly #takesSpans: boolean
  /** The values of a window that just ended. */
  readonly #values: (Value | null)[] = []
  /** The window under way; nothing is under way when `#open` is false. */
  #open = false
  /** Its start; undefined: `#base + #start` tells it exactly. */
  #from: bigint | undefined
  /** Its ends as offsets from `#base`: exact as far as rows of that shard can reach. */
  #base = 0n
  #start = 0
  #stop = 0
  /** The start of the range, told in the same way. */
  #rangeStart = 0
  readonly #every: number
  /** How long before `#phaseBase` the window of that moment starts: found with bigints, once for many series. */
  #phase = 0
  #phaseBase: bigint | undefined
  /** The number of that window. */
  #phaseWindow = 0n
  #phaseRangeStart = 0
  #series = -1
  #seriesRowCount = 0
  /** What goes into the next batch, and where the rows of the series under way begin there. */
  #rows: WindowRows
  #runStart = 0
  /** In descending order: the windows of the series under way, until the last one is known. */
  readonly #held: WindowRows[] = []
  /** Kept from the series before: most have few windows, and their arrays would cost more than these. */
  #spare: WindowRows | undefined
  readonly #ready: Batch[] = []
  /** Made when first needed, filled and used up by each call. */
  #spans: WindowSpans | undefined

  constructor(options: WindowOptions) {
    this.#options = options
    const { window, columns } = options
    this.#every = window.everyNs === undefined ? Infinity : Number(window.everyNs)
    const { aggregates } = window
    this.takesNewestFirst =
      window.everyNs === undefined && aggregates.every((a) => a.function === 'last')
    for (const { field, function: fn } of aggregates) {
      const at = fn === 'rows' ? everyRow : columns.indexOf(field)
      if (at < 0 && fn !== 'rows') continue
      const type = fn === 'rows' ? 'integer' : options.types[at]
      const chooses = fn === 'min' || fn === 'max' || fn === 'first' || fn === 'last'
      this.#fields.push(at)
      const refuses = window.refusesOverflow === true
      this.#accumulators.push(makeAccumulator(fn, field, type, this.takesNewestFirst, refuses))
      const hasPoints = window.pointTimes === true && chooses
      this.#specs.push({ name: field, type: resultType(fn, type), hasPoints })
      this.#values.push(null)
    }
    this.#usesStatistics =
      window.pointTimes !== true && this.#accumulators.every((a) => a.usesStatistics)
    const isPlain = !options.descending && options.limitPerSeries === Number.POSITIVE_INFINITY
    const isExact = this.#every < offsetsExactMax
    this.#takesSpans = isPlain && isExact && window.pointTimes !== true
    this.#rows = new WindowRows(this.#specs, this.#rowsExpected())
  }

  /** Of a batch. Times that lie far apart do not come together in one. */
  #rowsExpected(): number {
    const { range, seriesCount = expectedRowsMax, countsWindows } = this.#options
    const span = Number(range.stop - range.start)
    const near = countsWindows ? span : Math.min(span, nearMax)
    const windows = this.#every === Infinity ? 1 : near / this.#every + 2
    if (near < span) return Math.ceil(Math.min(expectedRowsMax, windows))
    return Math.max(1, Math.ceil(Math.min(expectedRowsMax, windows * seriesCount)))
  }

  beginSeries(series: number): void {
    this.#series = series
    this.#seriesRowCount = 0
    this.#runStart = this.#rows.count
    this.#open = false
  }

  /** True where no more windows of this series are wanted. */
  get isFull(): boolean {
    const { descending, limitPerSeries } = this.#options
    return !descending && this.#seriesRowCount >= limitPerSeries
  }

  /** True where no further row of this series can change the answer. */
  get isSettled(): boolean {
    if (this.isFull) return true
    return this.#every === Infinity && this.#accumulators.every(({ isSettled }) => isSettled)
  }

  /** Answers a piece from its statistics; false: it must be loaded. */
  addStatistics(piece: Piece): boolean {
    const { statistics } = piece
    if (statistics === undefined || !this.#usesStatistics) return false
    this.#enter(piece.base, piece.minOffset)
    if (piece.maxOffset >= this.#stop) return false
    // All or nothing: an accumulator that took the statistics must not see the rows as well.
    const refused = this.#accumulators.findIndex(
      (accumulator, o) => !accumulator.addStatistics(statistics, this.#fields[o]),
    )
    if (refused < 0) return true
    const { rows, start, stop } = piece.load()
    for (let o = refused; o < this.#accumulators.length; o++) {
      const column = columnAt(rows, this.#fields[o])
      if (column === undefined) continue
      this.#accumulators[o].add(column, start, stop, piece.base, rows.offsets)
    }
    return true
  }

  addRows(base: bigint, { rows, start, stop }: LoadedRows): void {
    const { offsets, magnitudes } = rows
    const isOne = this.#every === Infinity
    let i = start
    let rowsBefore = 1
    while (i < stop && !this.isFull) {
      // All rows are in the range, and where that is the window their times may not be there.
      this.#enter(base, isOne ? 0 : offsets[i])
      const j = isOne ? stop : windowEnd(offsets, i, stop, this.#stop, rowsBefore)
      rowsBefore = j - i
      for (let o = 0; o < this.#accumulators.length; o++) {
        const field = this.#fields[o]
        const column = columnAt(rows, field)
        if (column === undefined) continue
        this.#accumulators[o].add(column, i, j, base, offsets, magnitudes?.[field])
      }
      i = j < stop && this.#takesSpans ? this.#addSpans(rows, j, stop) : j
    }
  }

  /** Takes the windows that lie within these rows as a whole, if any; returns the row behind them. */
  #addSpans(rows: Rows, start: number, stop: number): number {
    const { offsets, magnitudes } = rows
    if (this.#start < -offsetsExactMax) return start
    for (let o = 0; o < this.#accumulators.length; o++) {
      const column = columnAt(rows, this.#fields[o])
      const magnitude = magnitudes?.[this.#fields[o]]
      if (column === undefined || column.validity !== undefined) return start
      if (!this.#accumulators[o].canSpan(column, stop - start, magnitude)) return start
    }
    this.#spans ??= new WindowSpans()
    const spans = this.#spans
    const room = batchRows - 1 - this.#rows.count
    spans.find(offsets, start, stop, this.#start, this.#every, room)
    const { count, starts } = spans
    if (count === 0) return start
    this.#closeWindow()
    const last = starts[count - 1]
    const at = this.#extend(starts, count)
    if (at < 0) return start
    for (let o = 0; o < this.#accumulators.length; o++) {
      const column = columnAt(rows, this.#fields[o])!
      this.#accumulators[o].span(column, spans, this.#rows.numbers(o), at)
    }
    this.#seriesRowCount += count
    // The last of them is over: whatever comes next is behind it.
    this.#from = undefined
    this.#start = last
    this.#stop = last + this.#every
    return spans.stopRow
  }

  /** Rows for windows that start there; see WindowRows. */
  #extend(starts: Float64Array, count: number): number {
    if (!this.#options.countsWindows) return this.#rows.extend(this.#base, starts, count)
    this.#setPhase(this.#base)
    for (let w = 0; w < count; w++) starts[w] = (starts[w] + this.#phase) / this.#every
    return this.#rows.extend(this.#phaseWindow, starts, count)
  }

  /** Makes the window of this moment the one under way. */
  #enter(base: bigint, offset: number): void {
    if (this.#open) {
      if (base !== this.#base) this.#seenFrom(this.#windowStart(), base)
      if (offset < this.#stop) return
      this.#closeWindow()
      if (this.#every < offsetsExactMax && this.#start > -offsetsExactMax) {
        this.#start += Math.floor((offset - this.#start) / this.#every) * this.#every
        this.#stop = this.#start + this.#every
        this.#from = undefined
        return
      }
    }
    this.#open = true
    if (this.#every < offsetsExactMax && Math.abs(offset) < offsetsExactMax) {
      this.#enterExactly(base, offset)
    } else this.#seenFrom(this.#windowOf(base + BigInt(offset)), base)
  }

  /** Without a bigint, once the base is known. */
  #enterExactly(base: bigint, offset: number): void {
    this.#setPhase(base)
    this.#from = undefined
    this.#base = base
    this.#start = Math.floor((offset + this.#phase) / this.#every) * this.#every - this.#phase
    this.#stop = this.#start + this.#every
    this.#rangeStart = this.#phaseRangeStart
  }

  #setPhase(base: bigint): void {
    if (base === this.#phaseBase) return
    const from = this.#windowOf(base)
    this.#phaseBase = base
    this.#phase = Number(base - from)
    this.#phaseWindow = this.#numberOf(from)
    this.#phaseRangeStart = Number(this.#options.range.start - base)
  }

  #numberOf(from: bigint): bigint {
    const { everyNs, offsetNs } = this.#options.window
    return everyNs === undefined ? 0n : windowNumber(from, everyNs, offsetNs)
  }

  /** The start of the window that a moment lies in. */
  #windowOf(time: bigint): bigint {
    const { everyNs, offsetNs = 0n } = this.#options.window
    if (everyNs === undefined) return this.#options.range.start
    return windowNumber(time, everyNs, offsetNs) * everyNs + offsetNs
  }

  #windowStart(): bigint {
    return this.#from ?? this.#base + BigInt(this.#start)
  }

  /** The window that starts at `from`, with its ends as offsets from `base`. */
  #seenFrom(from: bigint, base: bigint): void {
    const { range, window } = this.#options
    const until = window.everyNs === undefined ? range.stop : from + window.everyNs
    this.#from = from
    this.#base = base
    this.#start = Number(from - base)
    this.#stop = Number(until - base)
    this.#rangeStart = Number(range.start - base)
  }

  #closeWindow(): void {
    const values = this.#values
    let isEmpty = true
    for (let o = 0; o < values.length; o++) {
      values[o] = this.#accumulators[o].take()
      if (values[o] !== null) isEmpty = false
    }
    if (isEmpty || this.isFull) return
    this.#seriesRowCount++
    const { range, descending, countsWindows } = this.#options
    // The first window may begin before the range does; its row stands where the range begins.
    let from = this.#base
    let offset = this.#start
    if (countsWindows && this.#from === undefined) {
      this.#setPhase(from)
      from = this.#phaseWindow
      offset = (offset + this.#phase) / this.#every
    } else if (this.#from !== undefined) {
      if (countsWindows) from = this.#numberOf(this.#from)
      else from = this.#from > range.start ? this.#from : range.start
      offset = 0
    } else if (offset < this.#rangeStart) offset = this.#rangeStart
    if (descending) this.#hold(from, offset)
    else this.#push(from, offset)
  }

  #push(from: bigint, offset: number): void {
    if (this.#mustCut(this.#rows, from, offset)) {
      this.#addRun()
      this.#makeReady()
    }
    this.#rows.push(from, offset, this.#values, this.#accumulators)
  }

  #mustCut(rows: WindowRows, from: bigint, offset: number): boolean {
    if (rows.count >= batchRows) return true
    return !rows.fits(from, offset, this.#values, this.#accumulators)
  }

  /** What is older than the limit reaches is forgotten on the way. */
  #hold(from: bigint, offset: number): void {
    let last = this.#held.at(-1)
    if (last === undefined || this.#mustCut(last, from, offset)) {
      const newer = this.#held.slice(1).reduce((sum, { count }) => sum + count, 0)
      if (newer >= this.#options.limitPerSeries) this.#held.shift()
      last = this.#spare ?? new WindowRows(this.#specs, heldRowsExpected)
      this.#spare = undefined
      this.#held.push(last)
    }
    last.push(from, offset, this.#values, this.#accumulators)
  }

  #releaseHeld(): void {
    let room = this.#options.limitPerSeries
    for (const rows of this.#held.toReversed()) {
      for (let row = rows.count - 1; row >= 0 && room > 0; row--, room--) {
        const { from, offset } = rows.replay(row, this.#values, this.#accumulators)
        this.#push(from, offset)
      }
    }
    this.#spare ??= this.#held.pop()
    this.#spare?.clear()
    this.#held.length = 0
  }

  /** The series is over. */
  endSeries(): void {
    if (this.#open) this.#closeWindow()
    if (this.#held.length > 0) this.#releaseHeld()
    this.#addRun()
  }

  #addRun(): void {
    const { count, runs } = this.#rows
    if (count > this.#runStart) {
      const { keys, groupKey } = this.#options
      runs.push(new LazyRun(keys, this.#series, this.#runStart, count, groupKey))
    }
    this.#runStart = count
  }

  #makeReady(): void {
    this.finish()
    this.#rows = new WindowRows(this.#specs, this.#rowsExpected())
    this.#runStart = 0
  }

  /** A batch that became full, if there is one. */
  takeReady(): Batch | undefined {
    return this.#ready.length === 0 ? undefined : this.#ready.shift()
  }

  /** All series are over: what is left becomes a batch too. */
  finish(): void {
    const { measurement, window } = this.#options
    if (this.#rows.count === 0) return
    this.#ready.push(this.#rows.batch(measurement, window.pointTimes === true))
  }
}
