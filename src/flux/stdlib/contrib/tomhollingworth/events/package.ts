// The package `contrib/tomhollingworth/events`: `duration` tells of each row how long it was until the next one,
// and of the last until the table stops.

import type { CellType, Chunk } from '../../../../../query/table.js'
import type { FluxContext } from '../../../../context/context.js'
import {
  type Call,
  type Definitions,
  type Transform,
  transformation,
} from '../../../../package/define.js'
import { collectRows } from '../../../../table/collect.js'
import { floatsOfInt64 } from '../../../../table/int64.js'
import { columnIndex, type Table, type TableStream, tableOf } from '../../../../table/table.js'
import { timesOf } from '../../../../table/time-words.js'
import { durationNs, durationOfNs } from '../../../../value/duration.js'
import { FluxError } from '../../../../value/error.js'

const type = `(
  <-tables: stream[A], ?unit: duration, ?timeColumn: string, ?columnName: string, ?stopColumn: string, ?stop: time
) => stream[B] where A: Record, B: Record`

export const eventsBuiltins: Definitions = {
  duration: transformation(type, durations),
}

const oneSecond = durationOfNs(1_000_000_000n)

interface Settings {
  readonly unitNs: number
  readonly timeColumn: string
  readonly columnName: string
  readonly stopColumn: string
  /** undefined: the stop column tells it. */
  readonly stopNs: bigint | undefined
}

function durations(call: Call): Transform {
  const settings: Settings = {
    unitNs: Number(durationNs(call.duration('unit', oneSecond))),
    timeColumn: call.string('timeColumn', '_time'),
    columnName: call.string('columnName', 'duration'),
    stopColumn: call.string('stopColumn', '_stop'),
    stopNs: call.has('stop') ? call.time('stop') : undefined,
  }
  if (settings.unitNs === 0) throw new FluxError('unit must not be zero')
  return (input, context) => durationTables(input, settings, context)
}

async function* durationTables(
  input: TableStream,
  settings: Settings,
  { signal, memory }: FluxContext,
): AsyncGenerator<Table, void, void> {
  for await (const table of input) {
    signal.throwIfAborted()
    const { rows, bytes } = await collectRows(table, memory)
    yield withDurations(table, rows, settings)
    memory.release(bytes)
  }
}

function withDurations(
  table: Table,
  rows: Chunk,
  { unitNs, timeColumn, columnName, stopColumn, stopNs }: Settings,
): Table {
  const time = timePlace(table, timeColumn, 'time column')
  const stop = stopNs === undefined ? timePlace(table, stopColumn, 'stop column') : -1
  if (columnIndex(table.columns, columnName) >= 0) {
    throw new FluxError(`table builder already has column with label ${columnName}`)
  }
  const { rowCount } = rows
  const times = floatsOfInt64(timesOf(rows.columns[time], rowCount), rowCount)
  const values = new BigInt64Array(rowCount)
  for (let row = 0; row < rowCount - 1; row++) {
    values[row] = whole((times[row + 1] - times[row]) / unitNs)
  }
  if (rowCount > 0) {
    const end = stopNs ?? timesOf(rows.columns[stop], rowCount)[rowCount - 1]
    values[rowCount - 1] = whole((Number(end) - times[rowCount - 1]) / unitNs)
  }
  const columns = [...table.columns, { name: columnName, type: 'int' as CellType }]
  const cells = { kind: 'values', type: 'int', values, validity: undefined } as const
  return tableOf(table.key, columns, [{ rowCount, columns: [...rows.columns, cells] }])
}

function whole(value: number): bigint {
  return BigInt(Math.trunc(value))
}

function timePlace({ columns }: Table, name: string, role: string): number {
  const place = columnIndex(columns, name)
  if (place < 0) throw new FluxError(`column "${name}" does not exist`)
  const { type } = columns[place]
  if (type !== 'time') {
    throw new FluxError(`${role} "${name}" must be of type time, got ${type}`)
  }
  return place
}
