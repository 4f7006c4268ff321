// `map`: each row becomes the record that a function makes of it. Columns that `{r with …}` leaves alone
// are handed on as they are. Columns of the key that the function drops leave the key; where one gets
// other values, rows move to other tables.

import {
  type Cells,
  type CellType,
  type Chunk,
  cellAt,
  isNullAt,
  type TableColumn,
} from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { batchTransformation, type Definitions } from '../../package/define.js'
import { gatherChunk } from '../../table/cells.js'
import { areColumnsAllowed } from '../../table/column-expression.js'
import { type MappedColumns, mappedColumns } from '../../table/mapped-columns.js'
import { RegroupedTables } from '../../table/regrouped-tables.js'
import { RowCalls, rowCall } from '../../table/row-calls.js'
import {
  propertyName,
  propertyType,
  type RowExpression,
  rowExpressionOf,
} from '../../table/row-expression.js'
import { RowDealer } from '../../table/row-groups.js'
import { areSameColumns, columnIndex, type Table, tableOf } from '../../table/table.js'
import { type BatchStream, placesByName, TableBatch } from '../../table/table-batch.js'
import { FluxError } from '../../value/error.js'
import { GroupKey, type KeyEntry } from '../../value/key.js'
import { typeName } from '../../value/type-name.js'
import type { FluxFunction, PositionalCall } from '../../value/value.js'
import { FluxRecord } from '../../value/value.js'
import { RecordColumns } from './record-columns.js'

const type = '(<-tables: stream[A], fn: (r: A) => B, ?mergeKey: bool) => stream[B]'

export const maps: Definitions = {
  map: batchTransformation(type, (call) => {
    const mapper = new Mapper(call.function('fn'))
    return (input, context) => mapTables(input, context, mapper)
  }),
}

/** The function, and what its text tells. */
class Mapper {
  readonly call: PositionalCall
  readonly expression: RowExpression | undefined
  /** The properties of `{r with …}`; undefined: the function makes something else. */
  readonly #extension: ReadonlySet<string> | undefined

  constructor(fn: FluxFunction) {
    this.call = rowCall(fn)
    this.expression = rowExpressionOf(fn)
    if (this.expression?.extendsRow === true) {
      this.#extension = new Set(this.expression.record.properties.map(propertyName))
    }
  }

  /** The same column by column; undefined: row by row is the only way. */
  columns(own: readonly TableColumn[]): MappedColumns | undefined {
    return this.expression === undefined ? undefined : mappedColumns(this.expression, own)
  }

  get isExtension(): boolean {
    return this.#extension !== undefined
  }

  /**
   * Whether every row of the table stays in it, and no row of another can come: only columns outside the key are set,
   * and they are in no key that this function may make another key equal to.
   */
  keepsKey(keyNames: readonly string[]): boolean {
    const names = this.#extension
    return names !== undefined && !keyNames.some((name) => names.has(name))
  }

  /** The type of a column that has only nulls; undefined: there is no way to know. */
  nullType(name: string, columns: readonly TableColumn[]): CellType | undefined {
    const own = columns[columnIndex(columns, name)]?.type
    if (this.expression === undefined) return own
    const typeOfColumn = (parameter: string, column: string) =>
      parameter === 'r' ? columns[columnIndex(columns, column)]?.type : undefined
    return propertyType(this.expression, name, typeOfColumn) ?? own
  }
}

async function* mapTables(
  input: BatchStream,
  context: FluxContext,
  mapper: Mapper,
): AsyncGenerator<Table | TableBatch, void, void> {
  const merged = new RegroupedTables(context.memory)
  const areColumnsOn = await areColumnsAllowed(context)
  let way: MappingWay | undefined
  for await (const table of input) {
    context.signal.throwIfAborted()
    if (way === undefined || !areSameColumns(way.own, table.columns)) {
      way = new MappingWay(mapper, table.columns, areColumnsOn)
    }
    if (table instanceof TableBatch) yield* mapBatch(table, mapper, way, merged)
    else yield* mapTable(table, mapper, way, merged, context)
  }
  yield* merged.tables()
}

async function* mapTable(
  table: Table,
  mapper: Mapper,
  way: MappingWay,
  merged: RegroupedTables,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const { key } = table
  const mapped = new MappedRows(mapper, way)
  const chunks = mappedChunks(table, mapped, context)
  if (mapper.keepsKey(key.entries.map(({ name }) => name))) {
    const first = await chunks.next()
    if (first.done === true) return
    const rest = continued(first.value, chunks)
    yield { key, columns: mapped.columns, chunks: () => rest }
  } else await addMapped(mapped, chunks, key, merged)
}

/** All tables of the batch at once. */
async function* mapBatch(
  batch: TableBatch,
  mapper: Mapper,
  way: MappingWay,
  merged: RegroupedTables,
): AsyncGenerator<Table | TableBatch, void, void> {
  const mapped = new MappedRows(mapper, way)
  const rows = await mapped.rows(batch.rows)
  if (rows.rowCount === 0) return
  const { columns } = mapped
  const names = new Set(batch.keyNames)
  const keyPlaces = placesByName(columns, ({ name }) => names.has(name))
  const keepsKey = mapper.keepsKey([...names])
  if (mapped.guessed.size === 0) {
    if (keepsKey) yield new TableBatch(columns, keyPlaces, rows, batch.ends)
    else merged.addRows(columns, keyPlaces, rows)
    return
  }
  // A table has a column whose type only values tell where it has one: each has columns of its own.
  for (const table of new TableBatch(columns, keyPlaces, rows, batch.ends).tables()) {
    const [chunk] = table.chunks() as readonly Chunk[]
    const isThere = columns.map(({ name }, place) => {
      return !mapped.guessed.has(name) || hasValue(chunk.columns[place], chunk.rowCount)
    })
    const own = columns.filter((_, place) => isThere[place])
    const cells = chunk.columns.filter((_, place) => isThere[place])
    const shown = { rowCount: chunk.rowCount, columns: cells }
    if (keepsKey) yield tableOf(table.key, own, [shown])
    else merged.table(table.key).add(own, shown)
  }
}

function hasValue(cells: Cells, rowCount: number): boolean {
  for (let row = 0; row < rowCount; row++) if (!isNullAt(cells, row)) return true
  return false
}

async function* mappedChunks(
  table: Table,
  mapped: MappedRows,
  context: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) {
    context.signal.throwIfAborted()
    if (chunk.rowCount > 0) yield await mapped.rows(chunk)
  }
}

async function* continued(
  first: Chunk,
  rest: AsyncGenerator<Chunk, void, void>,
): AsyncGenerator<Chunk, void, void> {
  yield first
  yield* rest
}

async function addMapped(
  mapped: MappedRows,
  chunks: AsyncGenerator<Chunk, void, void>,
  key: GroupKey,
  merged: RegroupedTables,
): Promise<void> {
  let dealer: RowDealer | undefined
  for await (const chunk of chunks) {
    const keyColumns = mapped.columns.filter(({ name }) => key.has(name))
    if (keyColumns.every((column) => isConstant(chunk, mapped.columns.indexOf(column)))) {
      merged.table(keyOfRow(mapped.columns, keyColumns, chunk)).add(mapped.columns, chunk)
      continue
    }
    dealer ??= new RowDealer(mapped.columns, keyColumns)
    for (const share of dealer.deal(chunk)) {
      const rows = share.rows === null ? chunk : gatherChunk(chunk, share.rows)
      merged.table(share.key).add(mapped.columns, rows)
    }
  }
}

function isConstant(chunk: Chunk, column: number): boolean {
  return chunk.columns[column].kind === 'constant'
}

function keyOfRow(
  columns: readonly TableColumn[],
  keyColumns: readonly TableColumn[],
  chunk: Chunk,
): GroupKey {
  const entries = keyColumns.map((column): KeyEntry => {
    const { name, type } = column
    return { name, type, value: cellAt(chunk.columns[columns.indexOf(column)], 0) }
  })
  // What is mapped has its columns by name.
  return GroupKey.ofSorted(entries)
}

/**
 * What is the same for all tables with the same columns. Most streams have only such: what calls of the function learn
 * about its record, they learn once.
 */
class MappingWay {
  readonly own: readonly TableColumn[]
  readonly byColumn: MappedColumns | undefined
  readonly calls: RowCalls
  /** Of the last table. */
  #columns: readonly TableColumn[] | undefined

  constructor(mapper: Mapper, own: readonly TableColumn[], areColumnsOn: boolean) {
    this.own = own
    this.byColumn = areColumnsOn ? mapper.columns(own) : undefined
    this.calls = new RowCalls(mapper.call, own, 'failed to evaluate map function')
  }

  /** Equal columns become the same object, which is quickly compared. */
  shared(columns: readonly TableColumn[]): readonly TableColumn[] {
    if (this.#columns === undefined || !areSameColumns(this.#columns, columns)) {
      this.#columns = columns
    }
    return this.#columns
  }
}

/** Rows of one table, or of a batch of them, being mapped. The first row says which columns there are. */
class MappedRows {
  readonly #mapper: Mapper
  readonly #way: MappingWay
  #columns: readonly TableColumn[] | undefined
  /** Columns with nulls whose type only their values told. */
  readonly guessed = new Set<string>()

  constructor(mapper: Mapper, way: MappingWay) {
    this.#mapper = mapper
    this.#way = way
    this.#columns = way.byColumn?.columns
  }

  /** Known once the first rows were mapped. */
  get columns(): readonly TableColumn[] {
    return this.#columns!
  }

  async rows(chunk: Chunk): Promise<Chunk> {
    return this.#way.byColumn?.chunk(chunk) ?? (await this.#mapChunk(chunk))
  }

  async #mapChunk(chunk: Chunk): Promise<Chunk> {
    const { rowCount } = chunk
    const { calls } = this.#way
    calls.chunk = chunk
    const extended = this.#mapper.isExtension ? calls.record : undefined
    let rows: RecordColumns | undefined
    for (let row = 0; row < rowCount; row++) {
      const result = calls.at(row)
      const value = result instanceof Promise ? await result : result
      if (!(value instanceof FluxRecord)) {
        throw new FluxError(`map function must return an object, but got ${typeName(value)}`)
      }
      rows ??= new RecordColumns(extended, value, this.#columns)
      rows.push(value)
    }
    const cells = this.#finish(rows!, chunk)
    // Rows are what columns have: without any there are none.
    return { rowCount: cells.length === 0 ? 0 : rowCount, columns: cells }
  }

  #finish(rows: RecordColumns, chunk: Chunk): readonly Cells[] {
    const { own } = this.#way
    if (this.#columns === undefined) {
      const columns: TableColumn[] = []
      for (const { name, from, builder } of rows.properties) {
        const known = from === undefined ? builder!.type : own[from].type
        const type = known ?? this.#mapper.nullType(name, own)
        if (type !== undefined) columns.push({ name, type })
        if (builder?.hasNulls === true && this.#mapper.nullType(name, own) === undefined) {
          this.guessed.add(name)
        }
      }
      this.#columns = this.#way.shared(columns)
    }
    return this.#columns.map(({ name, type }) => {
      const property = rows.property(name)
      return property.from === undefined
        ? property.builder!.finish(type)
        : chunk.columns[property.from]
    })
  }
}
