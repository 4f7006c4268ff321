// `reduce`: a whole table as one record, worked out by a function of the script from row to row, over columns where
// its text allows. The record's properties become columns, or take the place of values of the key.

import type { Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { areColumnsAllowed } from '../../table/column-expression.js'
import { type ColumnReduction, columnReduction } from '../../table/column-reduction.js'
import { recordTable } from '../../table/record-table.js'
import { RowCalls } from '../../table/row-calls.js'
import { rowCopy } from '../../table/row-record.js'
import { areSameColumns, type Table, type TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { ExtendedRecord } from '../../value/record.js'
import { typeName } from '../../value/type-name.js'
import type { FluxFunction, PositionalCall } from '../../value/value.js'
import { FluxRecord } from '../../value/value.js'

const type = `(<-tables: stream[A], fn: (r: A, accumulator: B) => B, identity: B) => stream[C]
  where A: Record, B: Record, C: Record`

export const reducers: Definitions = {
  reduce: transformation(type, (call) => {
    const reducer = new Reducer(call.function('fn'), call.record('identity'))
    return (input, context) => reduceTables(input, context, reducer)
  }),
}

/** The function, what it starts from, and what its text tells. */
class Reducer {
  readonly call: PositionalCall
  readonly identity: FluxRecord
  readonly #fn: FluxFunction
  #columns: readonly TableColumn[] | undefined
  #reduction: ColumnReduction | undefined

  constructor(fn: FluxFunction, identity: FluxRecord) {
    this.call = fn.prepare(['r', 'accumulator'])
    this.identity = identity
    this.#fn = fn
  }

  /** The same over columns; undefined: it must be called. Most tables of a stream are alike. */
  byColumns(columns: readonly TableColumn[]): ColumnReduction | undefined {
    if (this.#columns === undefined || !areSameColumns(this.#columns, columns)) {
      this.#columns = columns
      this.#reduction = columnReduction(this.#fn, this.identity, columns)
    }
    return this.#reduction
  }
}

async function* reduceTables(
  input: TableStream,
  context: FluxContext,
  reducer: Reducer,
): AsyncGenerator<Table, void, void> {
  const keys = new Set<string>()
  const areColumnsOn = await areColumnsAllowed(context)
  for await (const table of input) {
    const reduction = areColumnsOn ? reducer.byColumns(table.columns) : undefined
    const record = await reduceTable(table, context, reducer, reduction)
    const reduced = recordTable(table.key, table.columns, record)
    if (keys.has(reduced.key.text)) {
      throw new FluxError('two reducers writing result to the same table')
    }
    keys.add(reduced.key.text)
    yield reduced
  }
}

async function reduceTable(
  table: Table,
  { signal }: FluxContext,
  { call, identity }: Reducer,
  reduction: ColumnReduction | undefined,
): Promise<FluxRecord> {
  const failure = 'failed to evaluate reduce function'
  const calls = new RowCalls(call, table.columns, failure, [identity])
  let accumulator = identity
  for await (const chunk of table.chunks()) {
    signal.throwIfAborted()
    accumulator =
      reduction?.reduce(chunk, accumulator) ?? (await reduceRows(calls, chunk, accumulator))
  }
  return accumulator
}

async function reduceRows(calls: RowCalls, chunk: Chunk, before: FluxRecord): Promise<FluxRecord> {
  let accumulator = before
  calls.chunk = chunk
  calls.set(1, accumulator)
  for (let row = 0; row < chunk.rowCount; row++) {
    const result = calls.at(row)
    const value = result instanceof Promise ? await result : result
    if (!(value instanceof FluxRecord)) {
      throw new FluxError(`reduce function must return an object, but got ${typeName(value)}`)
    }
    // A record that shows the row would show the next one soon.
    accumulator = value === calls.record || value instanceof ExtendedRecord ? rowCopy(value) : value
    calls.set(1, accumulator)
  }
  return accumulator
}
