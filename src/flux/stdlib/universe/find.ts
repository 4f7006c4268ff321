// Tables taken out of a stream while the script is still being evaluated: `tableFind` and what looks
// into the table that it finds.

import { type Chunk, cellAt } from '../../../query/table.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { executed } from '../../plan/planner.js'
import { collectRows } from '../../table/collect.js'
import { rowFailure } from '../../table/row-calls.js'
import { valueOfCell } from '../../table/row-record.js'
import { columnIndex } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { GroupKey } from '../../value/key.js'
import { TableObject } from '../../value/table-object.js'
import { typeName } from '../../value/type-name.js'
import type { PositionalCall } from '../../value/value.js'
import {
  emptyRecord,
  type FluxArray,
  type FluxRecord,
  type FluxValue,
  MapRecord,
} from '../../value/value.js'

export const finders: Definitions = {
  tableFind: native(
    '(<-tables: stream[A], fn: (key: B) => bool) => stream[A] where A: Record, B: Record',
    async (call) => {
      const table = await findTable(call)
      if (table === undefined) throw new FluxError('no table found', 'not found')
      return table
    },
  ),
  getColumn: native('(<-table: stream[A], column: string) => [B] where A: Record', getColumn),
  getRecord: native('(<-table: stream[A], idx: int) => A where A: Record', getRecord),
  findColumn: native(
    `(<-tables: stream[A], fn: (key: B) => bool, column: string) => [C]
        where A: Record, B: Record`,
    async (call) => {
      const column = call.string('column')
      const table = await findTable(call)
      return table === undefined ? [] : (columnOf(table, column) ?? [])
    },
  ),
  findRecord: native(
    '(<-tables: stream[A], fn: (key: B) => bool, idx: int) => A where A: Record, B: Record',
    async (call) => {
      const row = call.int('idx')
      const table = await findTable(call)
      return table === undefined ? emptyRecord : (recordOf(table, row) ?? emptyRecord)
    },
  ),
}

/** The first table whose key the function says true to. */
async function findTable(call: Call): Promise<TableObject | undefined> {
  const { context } = call
  const isWanted = call.function('fn').prepare(['key'])
  for await (const table of executed(call.stream('tables'), context)) {
    context.signal.throwIfAborted()
    if ((await matches(isWanted, keyRecord(table.key))) !== true) continue
    const { rows } = await collectRows(table, context.memory)
    return new TableObject(table.key, table.columns, rows)
  }
  return undefined
}

async function matches(fn: PositionalCall, key: FluxRecord): Promise<FluxValue> {
  try {
    return await fn([key])
  } catch (error) {
    throw rowFailure('failed to evaluate group key predicate function', error)
  }
}

function keyRecord(key: GroupKey): FluxRecord {
  const properties = new Map<string, FluxValue>()
  for (const { name, type, value } of key.entries) properties.set(name, valueOfCell(type, value))
  return new MapRecord(properties)
}

function givenTable(call: Call): TableObject {
  const table = call.required('table')
  if (table instanceof TableObject) return table
  throw new FluxError(`unexpected type for table: want table, got ${typeName(table)}`)
}

function getColumn(call: Call): FluxValue {
  const column = call.string('column')
  const values = columnOf(givenTable(call), column)
  if (values === undefined) throw new FluxError(`cannot find column ${column}`)
  return values
}

function getRecord(call: Call): FluxValue {
  const row = call.int('idx')
  const record = recordOf(givenTable(call), row)
  if (record === undefined) throw new FluxError(`index out of bounds: ${row}`)
  return record
}

function columnOf({ columns, rows }: TableObject, name: string): FluxArray | undefined {
  const place = columnIndex(columns, name)
  if (place < 0) return undefined
  const { type } = columns[place]
  const cells = rows.columns[place]
  return Array.from({ length: rows.rowCount }, (_, row) => valueOfCell(type, cellAt(cells, row)))
}

function recordOf(table: TableObject, row: bigint): FluxRecord | undefined {
  const { rows } = table
  if (row < 0n || row >= BigInt(rows.rowCount)) return undefined
  return rowAsRecord(table, rows, Number(row))
}

function rowAsRecord({ columns }: TableObject, rows: Chunk, row: number): FluxRecord {
  const properties = new Map<string, FluxValue>()
  for (const [i, { name, type }] of columns.entries()) {
    properties.set(name, valueOfCell(type, cellAt(rows.columns[i], row)))
  }
  return new MapRecord(properties)
}
