// `reduce`: a whole table as one record, worked out row by row by a function of the script. The record's
// properties become columns, or take the place of values of the key.

import { compareUtf8 } from '../../../column/series.js'
import type { Cells, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { constantCells } from '../../table/cells.js'
import { RowCalls } from '../../table/row-calls.js'
import { cellOf, cellTypeOf, rowCopy } from '../../table/row-record.js'
import { type Table, type TableStream, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { GroupKey, type KeyEntry } from '../../value/key.js'
import { ExtendedRecord } from '../../value/record.js'
import { typeName } from '../../value/type-name.js'
import type { PositionalCall } from '../../value/value.js'
import { FluxRecord } from '../../value/value.js'

const type = `(<-tables: stream[A], fn: (r: A, accumulator: B) => B, identity: B) => stream[C]
  where A: Record, B: Record, C: Record`

export const reducers: Definitions = {
  reduce: transformation(type, (call) => {
    const fn = call.function('fn').prepare(['r', 'accumulator'])
    const identity = call.record('identity')
    return (input, context) => reduceTables(input, context, fn, identity)
  }),
}

async function* reduceTables(
  input: TableStream,
  context: FluxContext,
  fn: PositionalCall,
  identity: FluxRecord,
): AsyncGenerator<Table, void, void> {
  const keys = new Set<string>()
  for await (const table of input) {
    const reduced = tableOfRecord(table, await reduceTable(table, context, fn, identity))
    if (keys.has(reduced.key.text)) {
      throw new FluxError('two reducers writing result to the same table')
    }
    keys.add(reduced.key.text)
    yield reduced
  }
}

async function reduceTable(
  table: Table,
  context: FluxContext,
  fn: PositionalCall,
  identity: FluxRecord,
): Promise<FluxRecord> {
  const failure = 'failed to evaluate reduce function'
  const calls = new RowCalls(fn, table.columns, failure, [identity])
  let accumulator = identity
  for await (const chunk of table.chunks()) {
    context.signal.throwIfAborted()
    calls.chunk = chunk
    for (let row = 0; row < chunk.rowCount; row++) {
      const result = calls.at(row)
      const value = result instanceof Promise ? await result : result
      if (!(value instanceof FluxRecord)) {
        throw new FluxError(`reduce function must return an object, but got ${typeName(value)}`)
      }
      // A record that shows the row would show the next one soon.
      accumulator =
        value === calls.record || value instanceof ExtendedRecord ? rowCopy(value) : value
      calls.set(1, accumulator)
    }
  }
  return accumulator
}

function tableOfRecord(table: Table, record: FluxRecord): Table {
  const entries = table.key.entries.map((entry): KeyEntry => {
    const value = record.get(entry.name)
    if (value === undefined) return entry
    const type = (value === null ? undefined : cellTypeOf(value)) ?? entry.type
    return { name: entry.name, type, value: cellOf(value) }
  })
  const key = GroupKey.ofSorted(entries)
  const columns: TableColumn[] = []
  const cells: Cells[] = []
  const add = (name: string, type: Cells['type'], value: KeyEntry['value']): void => {
    columns.push({ name, type })
    cells.push(constantCells(type, value))
  }
  for (const { name } of table.columns) {
    const entry = key.entry(name)
    if (entry !== undefined) add(name, entry.type, entry.value)
  }
  const names = [...record.names()].filter((name) => !key.has(name)).sort(compareUtf8)
  for (const name of names) {
    const value = record.get(name) ?? null
    if (value === null) {
      throw new FluxError(`null values are not supported for "${name}" in the reduce() function`)
    }
    const type = cellTypeOf(value)
    if (type === undefined) {
      throw new FluxError(
        `reduce object property "${name}" is ${typeName(value)} type which is not supported`,
      )
    }
    add(name, type, cellOf(value))
  }
  return tableOf(key, columns, [{ rowCount: 1, columns: cells }])
}
