// Functions that move times, or choose rows by what a clock shows: `timeShift` and `hourSelection`. The
// bounds of a stream move with its times.

import { floorDiv, nsPerDay, nsPerHour } from '../../../column/time.js'
import { type Cells, type Chunk, cellAt, isNullAt } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import {
  type Call,
  type Definitions,
  native,
  type Transform,
  transformation,
} from '../../package/define.js'
import { gatherChunk } from '../../table/cells.js'
import { mapChunks, mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { GroupKey } from '../../value/key.js'
import type { Location } from '../../value/location.js'
import { quoted } from '../../value/quote.js'
import { addDuration } from '../../value/time.js'
import type { Duration, FluxValue } from '../../value/value.js'
import { locationOfCall } from './window.js'

export const timeColumns: Definitions = {
  timeShift: native(
    '(<-tables: stream[A], duration: duration, ?columns: [string]) => stream[A]',
    timeShift,
  ),
  hourSelection: transformation(
    `(<-tables: stream[A], start: int, stop: int, ?location: {zone: string, offset: duration},
        ?timeColumn: string) => stream[A] where A: Record`,
    (call) => {
      const location = locationOfCall(call)
      if (!(location instanceof Promise)) return hourSelection(call, location)
      return location.then((ready) => hourSelection(call, ready))
    },
  ),
}

function timeShift(call: Call): FluxValue {
  const shift = call.duration('duration')
  const names = new Set(call.strings('columns', ['_start', '_stop', '_time']))
  const tables = call.stream('tables')
  const node = call.node([tables], ([input]) =>
    mapTables(input, (table) => shiftedTable(table, names, shift)),
  )
  const bounds = tables.bounds
  if (bounds === undefined) return node
  const startNs = addDuration(bounds.startNs, shift)
  return node.setBounds({ startNs, stopNs: addDuration(bounds.stopNs, shift) })
}

function shiftedTable(table: Table, names: ReadonlySet<string>, shift: Duration): Table {
  for (const { name, type } of table.columns) {
    if (names.has(name) && type !== 'time') {
      throw new FluxError(`column ${quoted(name)} is not of type time`)
    }
  }
  const entries = table.key.entries.map((entry) => {
    if (!names.has(entry.name) || entry.value === null) return entry
    return { ...entry, value: addDuration(entry.value as bigint, shift) }
  })
  const shiftChunk = ({ rowCount, columns }: Chunk): Chunk => {
    const shifted = columns.map((cells, i) =>
      names.has(table.columns[i].name) ? shiftedCells(cells, rowCount, shift) : cells,
    )
    return { rowCount, columns: shifted }
  }
  return mapChunks(table, table.columns, shiftChunk, GroupKey.ofSorted(entries))
}

function shiftedCells(cells: Cells, rowCount: number, shift: Duration): Cells {
  if (cells.kind === 'constant') {
    if (cells.value === null) return cells
    return { ...cells, value: addDuration(cells.value as bigint, shift) }
  }
  const source = cells.values as BigInt64Array
  const values = new BigInt64Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    if (!isNullAt(cells, row)) values[row] = addDuration(source[row], shift)
  }
  return { kind: 'values', type: 'time', values, validity: cells.validity }
}

function hourSelection(call: Call, location: Location): Transform {
  const start = call.int('start')
  const stop = call.int('stop')
  const timeColumn = call.string('timeColumn', '_time')
  const isChosen = (hour: bigint): boolean =>
    start <= stop ? hour >= start && hour <= stop : hour >= start || hour <= stop
  return (input, context) =>
    mapTables(input, (table) => {
      const place = columnIndex(table.columns, timeColumn)
      if (place < 0 || table.columns[place].type !== 'time')
        throw new FluxError('invalid time column')
      if (start < 0n || start > 23n) throw new FluxError('start must be between 0 and 23')
      if (stop < 0n || stop > 23n) throw new FluxError('stop must be between 0 and 23')
      const { key, columns } = table
      const choose = (ns: bigint) => isChosen(hourAt(location.clockAt(ns)))
      return { key, columns, chunks: () => chosenChunks(table, place, choose, context) }
    })
}

function hourAt(clockNs: bigint): bigint {
  return (clockNs - floorDiv(clockNs, nsPerDay) * nsPerDay) / nsPerHour
}

async function* chosenChunks(
  table: Table,
  place: number,
  isChosen: (ns: bigint) => boolean,
  context: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) {
    context.signal.throwIfAborted()
    const rows = new Uint32Array(chunk.rowCount)
    let count = 0
    for (let row = 0; row < chunk.rowCount; row++) {
      const ns = cellAt(chunk.columns[place], row) as bigint | null
      if (ns !== null && isChosen(ns)) rows[count++] = row
    }
    if (count > 0) yield gatherChunk(chunk, rows.subarray(0, count))
  }
}
