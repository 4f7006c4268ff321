// holtWinters: brings the rows of each table to equal intervals, fits the model of
// `query/holt-winters.ts` to them, and predicts the next ones. Of several rows in an interval the first
// counts; one without a row, or whose row has no value, is passed over by the fit.

import { setImmediate } from 'node:timers/promises'
import { floorDiv } from '../../../column/time.js'
import { HoltWintersModel, intervalsMax, seasonMax } from '../../../query/holt-winters.js'
import type { Cells, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { constantCells, expandCells } from '../../table/cells.js'
import { eachChunk, floatCells, floatsOf, isNumberType } from '../../table/numbers.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { durationNs } from '../../value/duration.js'
import { FluxError } from '../../value/error.js'
import { addDuration } from '../../value/time.js'
import type { Duration } from '../../value/value.js'
import { keyedTable } from './aggregate.js'
import { searchSimplex } from './simplex-search.js'

interface HoltWintersOptions {
  /** How many values to predict. */
  readonly n: number
  readonly season: number
  readonly interval: Duration
  readonly withFit: boolean
  readonly withMinSse: boolean
  readonly column: string
  readonly timeColumn: string
}

/** The values of a table at equal intervals. */
class Series {
  readonly #intervalNs: bigint
  readonly values: number[] = []
  startNs = 0n
  stopNs = 0n
  #bucketNs = 0n

  constructor(intervalNs: bigint) {
    this.#intervalNs = intervalNs
  }

  /** NaN: the row has no value. Rows before the first that has one do not count. */
  add(timeNs: bigint, value: number): void {
    const roundedNs = this.#round(timeNs)
    if (this.values.length === 0) {
      if (Number.isNaN(value)) return
      this.startNs = timeNs
      this.#bucketNs = roundedNs
    } else {
      if (roundedNs <= this.#bucketNs) return
      this.#check((roundedNs - this.#bucketNs) / this.#intervalNs)
      this.#bucketNs += this.#intervalNs
      while (roundedNs > this.#bucketNs) {
        this.values.push(Number.NaN)
        this.#bucketNs += this.#intervalNs
      }
      this.stopNs = timeNs
    }
    this.values.push(value)
  }

  #check(more: bigint): void {
    const intervals = BigInt(this.values.length) + more
    if (intervals <= intervalsMax) return
    const text = `${intervals} intervals of ${this.#intervalNs}ns are more than ${intervalsMax}`
    throw new FluxError(text)
  }

  /** The nearest multiple of the interval; the later one when it is half way. */
  #round(timeNs: bigint): bigint {
    const intervalNs = this.#intervalNs
    const beforeNs = floorDiv(timeNs, intervalNs) * intervalNs
    return 2n * (timeNs - beforeNs) < intervalNs ? beforeNs : beforeNs + intervalNs
  }
}

async function readSeries(table: Table, options: HoltWintersOptions): Promise<Series> {
  const { column, timeColumn, interval } = options
  const timePlace = columnIndex(table.columns, timeColumn)
  if (timePlace < 0) throw new FluxError(`cannot find time column ${timeColumn}`)
  if (table.columns[timePlace].type !== 'time') {
    throw new FluxError(`column ${timeColumn} is not of type time`)
  }
  const place = columnIndex(table.columns, column)
  if (place < 0) throw new FluxError(`cannot find column ${column}`)
  const { type } = table.columns[place]
  if (!isNumberType(type)) {
    throw new FluxError(`holtWinters can work only on numerical types, got ${type}`)
  }
  const series = new Series(durationNs(interval))
  await eachChunk(table, ({ columns, rowCount }) => {
    const times = expandCells(columns[timePlace], rowCount)
    const { values, validity } = floatsOf(columns[place], rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (times.validity?.[row] === 0) continue
      const isNull = validity?.[row] === 0
      if (!isNull && !Number.isFinite(values[row])) throw new FluxError('NaN/Inf in input')
      series.add(times.values[row] as bigint, isNull ? Number.NaN : values[row])
    }
  })
  return series
}

interface Prediction {
  readonly values: Float64Array
  readonly minSse: number
}

async function predict(
  series: Series,
  { n, season, withFit }: HoltWintersOptions,
  signal: AbortSignal,
): Promise<Prediction> {
  const count = series.values.length
  const isSeasonal = season >= 2
  if (count < 2 || (isSeasonal && count < season) || n <= 0) {
    return { values: new Float64Array(0), minSse: 0 }
  }
  if (season > seasonMax) {
    throw new FluxError(`a season of ${season} intervals is more than ${seasonMax}`)
  }
  if (n > intervalsMax) throw new FluxError(`${n} predictions are more than ${intervalsMax}`)
  const model = new HoltWintersModel(Float64Array.from(series.values), season, 1)
  const fitting = model.fit(searchSimplex)
  for (;;) {
    const { value, done } = fitting.next()
    if (done === true) {
      const values = model.forecast(value.at.slice(), n)
      return { values: withFit ? values : values.subarray(count), minSse: value.value }
    }
    await setImmediate()
    signal.throwIfAborted()
  }
}

async function holtWintersTable(
  table: Table,
  { signal }: FluxContext,
  options: HoltWintersOptions,
): Promise<Table> {
  signal.throwIfAborted()
  const series = await readSeries(table, options)
  const { values, minSse } = await predict(series, options, signal)
  const { interval, withFit, withMinSse } = options
  const times = new BigInt64Array(values.length)
  let timeNs = withFit ? series.startNs : addDuration(series.stopNs, interval)
  for (let i = 0; i < times.length; i++) {
    times[i] = timeNs
    timeNs = addDuration(timeNs, interval)
  }
  const columns: TableColumn[] = [
    { name: '_time', type: 'time' },
    { name: '_value', type: 'float' },
  ]
  const cells: Cells[] = [
    { kind: 'values', type: 'time', values: times, validity: undefined },
    floatCells(values, undefined),
  ]
  if (withMinSse) {
    columns.push({ name: 'minSSE', type: 'float' })
    cells.push(constantCells('float', minSse))
  }
  return keyedTable(table.key, columns, { rowCount: values.length, columns: cells })
}

const signature = `(
  <-tables: stream[A], n: int, interval: duration, ?withFit: bool, ?column: string,
  ?timeColumn: string, ?seasonality: int, ?withMinSSE: bool
) => stream[B] where A: Record, B: Record`

export const forecasts: Definitions = {
  holtWinters: transformation(signature, (call) => {
    const interval = call.duration('interval')
    if (durationNs(interval) <= 0n) throw new FluxError('interval must be greater than 0')
    const options: HoltWintersOptions = {
      n: Number(call.int('n')),
      season: Number(call.int('seasonality', 0n)),
      interval,
      withFit: call.bool('withFit', false),
      withMinSse: call.bool('withMinSSE', false),
      column: call.string('column', '_value'),
      timeColumn: call.string('timeColumn', '_time'),
    }
    return (input, context) =>
      mapTables(input, (table) => holtWintersTable(table, context, options))
  }),
}
