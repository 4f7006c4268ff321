// The frame of PromQL's functions over ranges of samples: each table becomes one row of its key and a
// number, or nothing where it has too few samples. Rows without a value or a time are no samples.

import type { Chunk } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import { expandCells } from '../../../table/cells.js'
import { eachChunk } from '../../../table/numbers.js'
import { mapTables } from '../../../table/streams.js'
import { columnIndex, type Table, type TableStream } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import type { GroupKey } from '../../../value/key.js'
import { rowTable } from '../../universe/aggregate.js'

/** Some samples of a table in their order; the arrays may be longer. */
export interface Samples {
  readonly count: number
  readonly values: Float64Array
  /** Nanoseconds since 1970. */
  readonly times: BigInt64Array
}

/** What is made of the samples of one table. */
export interface Fold {
  add(samples: Samples): void
  /** Asked once, at the end. undefined: there is nothing to tell. */
  result(): number | undefined
}

export interface RangeFunction {
  readonly needsTime: boolean
  /** Throws FluxError where the table is not fit for it. */
  fold(table: Table): Fold
}

export function foldTables(
  input: TableStream,
  context: FluxContext,
  fn: RangeFunction,
): TableStream {
  return mapTables(input, (table) => foldTable(table, context, fn))
}

async function foldTable(
  table: Table,
  { signal }: FluxContext,
  fn: RangeFunction,
): Promise<Table | undefined> {
  signal.throwIfAborted()
  const time = fn.needsTime ? requiredColumn(table, '_time', 'time') : -1
  const fold = fn.fold(table)
  const value = floatColumn(table)
  await eachChunk(table, (chunk) => fold.add(samplesOf(chunk, value, time)))
  const result = fold.result()
  if (result === undefined) return undefined
  return rowTable(table.key, [{ name: '_value', type: 'float', value: result }])
}

/** Its place. */
export function requiredColumn({ columns }: Table, name: string, role: string): number {
  const place = columnIndex(columns, name)
  if (place >= 0) return place
  const shown = columns.map((column) => `{${column.name} ${column.type}}`).join(' ')
  throw new FluxError(`${role} column not found (cols: [${shown}]): ${name}`)
}

function floatColumn(table: Table): number {
  const place = requiredColumn(table, '_value', 'value')
  const { type } = table.columns[place]
  if (type !== 'float') throw new FluxError(`value column must be of type float, got ${type}`)
  return place
}

/** The moment that a key column tells: of `_start` or `_stop`. */
export function keyTime(key: GroupKey, name: '_start' | '_stop'): bigint {
  const entry = key.entry(name)
  if (entry?.type === 'time' && entry.value !== null) return entry.value as bigint
  throw new FluxError(`${name.slice(1)} column is not of time type`)
}

const noTimes = new BigInt64Array(0)

function samplesOf({ columns, rowCount }: Chunk, value: number, time: number): Samples {
  const { values, validity } = expandCells(columns[value], rowCount)
  const times = time < 0 ? undefined : expandCells(columns[time], rowCount)
  const all: Samples = {
    count: rowCount,
    values: values as Float64Array,
    times: (times?.values as BigInt64Array) ?? noTimes,
  }
  if (validity === undefined && times?.validity === undefined) return all
  const rows: number[] = []
  for (let row = 0; row < rowCount; row++) {
    if (validity?.[row] !== 0 && times?.validity?.[row] !== 0) rows.push(row)
  }
  return {
    count: rows.length,
    values: Float64Array.from(rows, (row) => all.values[row]),
    times: time < 0 ? noTimes : BigInt64Array.from(rows, (row) => all.times[row]),
  }
}

const nsPerSecond = 1e9

/** Whole seconds and the rest apart, as Go adds them up. */
export function secondsOf(ns: number): number {
  const whole = Math.trunc(ns / nsPerSecond)
  return whole + (ns - whole * nsPerSecond) / nsPerSecond
}
