// The frame of aggregates: each table becomes one row of its key and of what an accumulator made of
// one column. Chunks are added as they come and dropped.

import type { Cell, CellType, Chunk, TableColumn, ValueCells } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { StreamNode } from '../../node/node.js'
import { type Call, type FunctionDefinition, native } from '../../package/define.js'
import { constantCells, expandCells } from '../../table/cells.js'
import { eachChunk } from '../../table/numbers.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { GroupKey } from '../../value/key.js'

export interface Accumulator {
  /** Of the result. */
  readonly type: CellType
  /** Rows from 0 up to `rowCount` of the column; the arrays may be longer. */
  add(cells: ValueCells, rowCount: number): void
  /** Asked once, at the end. null: no value. */
  value(): Cell | null
  /** Releases what was counted against the memory of the query. */
  release?(): void
}

/** An accumulator for a column of that type; undefined: the type is not supported. */
export type NewAccumulator = (type: CellType, context: FluxContext) => Accumulator | undefined

/** `prepare` looks at the arguments besides `tables` and `column`. */
export function aggregate(
  type: string,
  prepare: (call: Call) => NewAccumulator,
): FunctionDefinition {
  return native(type, (call) => {
    const column = call.string('column', '_value')
    const make = prepare(call)
    const node = call.node([call.stream('tables')], ([input], context) =>
      mapTables(input, (table) => aggregateTable(table, column, make, context)),
    )
    return new AggregateNode(node, { column, make })
  })
}

export interface Aggregation {
  readonly column: string
  readonly make: NewAccumulator
}

/** Says what the aggregate does, for those who do it together with something else. */
export class AggregateNode extends StreamNode {
  readonly aggregation: Aggregation

  /** `like`: what it is in all other respects. */
  constructor(like: StreamNode, aggregation: Aggregation) {
    super(like.operation, like.args, like.inputs, like.run, like.location)
    this.aggregation = aggregation
  }
}

export async function aggregateTable(
  table: Table,
  column: string,
  make: NewAccumulator,
  context: FluxContext,
): Promise<Table> {
  context.signal.throwIfAborted()
  const place = aggregatedColumn(table, column)
  const accumulator = newAccumulator(make, table.columns[place].type, context)
  try {
    await eachChunk(table, (chunk) => {
      accumulator.add(expandCells(chunk.columns[place], chunk.rowCount), chunk.rowCount)
    })
    const result = { name: column, type: accumulator.type }
    return rowTable(table.key, [{ ...result, value: accumulator.value() }])
  } finally {
    accumulator.release?.()
  }
}

export function newAccumulator(
  make: NewAccumulator,
  type: CellType,
  context: FluxContext,
): Accumulator {
  const accumulator = make(type, context)
  if (accumulator === undefined) throw new FluxError(`unsupported aggregate column type ${type}`)
  return accumulator
}

/** The column's place. Columns of the key are the same in all rows: nothing to aggregate. */
export function aggregatedColumn(table: Pick<Table, 'key' | 'columns'>, column: string): number {
  const place = columnIndex(table.columns, column)
  if (place < 0) throw new FluxError(`column "${column}" does not exist`)
  if (table.key.has(column)) {
    throw new FluxError('cannot aggregate columns that are part of the group key')
  }
  return place
}

export interface ResultCell extends TableColumn {
  readonly value: Cell | null
}

/** A table of one row: the key and these cells. */
export function rowTable(key: GroupKey, cells: readonly ResultCell[]): Table {
  const columns = withKeyColumns(key, cells)
  const values = [...key.entries, ...cells].map(({ type, value }) => constantCells(type, value))
  return tableOf(key, columns, [{ rowCount: 1, columns: values }])
}

/** A table with the columns of the key and, behind them, those of `chunk`. */
export function keyedTable(key: GroupKey, columns: readonly TableColumn[], chunk: Chunk): Table {
  const keyCells = key.entries.map(({ type, value }) => constantCells(type, value))
  const cells = [...keyCells, ...chunk.columns]
  const all = withKeyColumns(key, columns)
  return tableOf(key, all, [{ rowCount: chunk.rowCount, columns: cells }])
}

/** Columns of the key come first; none of the others may have the name of one. */
export function withKeyColumns(key: GroupKey, columns: readonly TableColumn[]): TableColumn[] {
  const all: TableColumn[] = key.entries.map(({ name, type }) => ({ name, type }))
  for (const { name, type } of columns) {
    if (columnIndex(all, name) >= 0) {
      throw new FluxError(`table builder already has column with label ${name}`)
    }
    all.push({ name, type })
  }
  return all
}
