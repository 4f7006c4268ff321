// Tables with group keys (Flux) as batches of rows, for the encoders that are made of columns: Arrow and Parquet. What
// annotated CSV tells beside a table, the result's name and the table's number, are the first two columns. Tables
// with the same columns in another order are brought into one order.

import type { Utf8Dictionary } from '../column/column.js'
import { timeOffsetMax } from '../column/time.js'
import { constantString, dictionaryOf } from '../query/column-builder.js'
import type {
  ColumnRole,
  ResultBatch,
  ResultColumn,
  ResultRows,
  ResultTable,
  TablePiece,
} from '../query/language.js'
import type { Cell, Cells, CellType, TableColumn } from '../query/table.js'

/** An answer without any row still tells the columns of its last table. */
export async function* tableBatches(
  pieces: AsyncIterable<TablePiece>,
): AsyncGenerator<ResultBatch, void, void> {
  const orders = new ColumnOrders()
  const dictionaries = new Dictionaries()
  let table: ArrangedTable | undefined
  let hasRows = false
  for await (const piece of pieces) {
    if (piece.kind === 'table') {
      table = new ArrangedTable(piece, orders.of(piece.columns), dictionaries)
      continue
    }
    if (table === undefined || piece.rowCount === 0) continue
    hasRows = true
    yield* table.batches(piece)
  }
  if (!hasRows && table !== undefined) yield table.empty()
}

/** Which column of a table stands where: as in the first table that had the same names. */
class ColumnOrders {
  readonly #names = new Map<string, readonly string[]>()

  of(columns: readonly TableColumn[]): readonly number[] {
    const names = columns.map(({ name }) => name)
    const key = JSON.stringify([...names].sort())
    const known = this.#names.get(key)
    if (known === undefined) this.#names.set(key, names)
    return (known ?? names).map((name) => names.indexOf(name))
  }
}

/** Tables of one batch share their texts, which become bytes once. */
class Dictionaries {
  readonly #known = new WeakMap<readonly string[], Utf8Dictionary>()

  of(texts: readonly string[]): Utf8Dictionary {
    const known = this.#known.get(texts)
    // Whoever makes them may still add to them.
    if (known !== undefined && known.count === texts.length) return known
    const made = dictionaryOf(texts)
    this.#known.set(texts, made)
    return made
  }
}

class ArrangedTable {
  readonly #table: ResultTable
  readonly #order: readonly number[]
  readonly #dictionaries: Dictionaries
  readonly #names: readonly string[]
  readonly #roles: readonly ColumnRole[]

  constructor(table: ResultTable, order: readonly number[], dictionaries: Dictionaries) {
    const columns = order.map((index) => table.columns[index])
    this.#table = table
    this.#order = order
    this.#dictionaries = dictionaries
    this.#names = ['result', 'table', ...columns.map(({ name }) => name)]
    this.#roles = [undefined, undefined, ...columns.map((each) => roleOf(each.isGroup))]
  }

  *batches(rows: ResultRows): Generator<ResultBatch, void, void> {
    const cells = this.#order.map((index) => rows.columns[index])
    for (let from = 0; from < rows.rowCount; ) {
      const to = timesEnd(cells, from, rows.rowCount)
      yield this.#batch(
        cells.map((each) => columnOf(each, from, to, this.#dictionaries)),
        to - from,
      )
      from = to
    }
  }

  empty(): ResultBatch {
    const columns = this.#order.map((index) => {
      const { type } = this.#table.columns[index]
      return constantColumn(type, null, 0)
    })
    return this.#batch(columns, 0)
  }

  #batch(columns: readonly ResultColumn[], rowCount: number): ResultBatch {
    const { name, table } = this.#table
    const number = new Float64Array(rowCount).fill(table)
    return {
      kind: 'batch',
      result: 0,
      name: '',
      tags: [],
      columnNames: this.#names,
      columns: [
        constantString(name, rowCount),
        { type: 'integer', values: number, validity: undefined },
        ...columns,
      ],
      columnRoles: this.#roles,
      rowCount,
    }
  }
}

function roleOf(isGroup: boolean): ColumnRole {
  return isGroup ? 'group' : undefined
}

/** Up to where all moments of a column can be told from its first one: months apart they cannot. */
function timesEnd(columns: readonly Cells[], from: number, rowCount: number): number {
  let to = rowCount
  for (const cells of columns) {
    if (cells.kind === 'constant' || cells.type !== 'time') continue
    const { values } = cells
    const [lowest, highest] = [values[from] - offsetMax, values[from] + offsetMax]
    let row = from + 1
    while (row < to && values[row] >= lowest && values[row] <= highest) row++
    to = row
  }
  return to
}

const offsetMax = BigInt(timeOffsetMax)

function columnOf(
  cells: Cells,
  from: number,
  to: number,
  dictionaries: Dictionaries,
): ResultColumn {
  if (cells.kind === 'constant') return constantColumn(cells.type, cells.value, to - from)
  const validity = cells.validity?.subarray(from, to)
  switch (cells.type) {
    case 'float':
      return { type: 'float', values: cells.values.subarray(from, to), validity }
    case 'int':
      return { type: 'integer', values: cells.values.subarray(from, to), validity }
    case 'uint':
      return { type: 'unsigned', values: cells.values.subarray(from, to), validity }
    case 'bool':
      return { type: 'boolean', values: cells.values.subarray(from, to), validity }
    case 'string': {
      const dictionary = dictionaries.of(cells.dictionary)
      return { type: 'string', values: cells.values.subarray(from, to), dictionary, validity }
    }
    case 'time': {
      const base = cells.values[from]
      const offsets = new Float64Array(to - from)
      for (let row = from; row < to; row++) offsets[row - from] = Number(cells.values[row] - base)
      return { type: 'time', times: { base, offsets }, validity }
    }
  }
}

function constantColumn(type: CellType, value: Cell | null, rowCount: number): ResultColumn {
  const validity = value === null ? new Uint8Array(rowCount) : undefined
  switch (type) {
    case 'string':
      return constantString(value as string | null, rowCount)
    case 'bool':
      return { type: 'boolean', values: new Uint8Array(rowCount).fill(Number(value)), validity }
    case 'float':
      return {
        type: 'float',
        values: new Float64Array(rowCount).fill(Number(value)),
        validity,
      }
    case 'int':
    case 'uint': {
      const [name, make] =
        type === 'int'
          ? (['integer', BigInt64Array] as const)
          : (['unsigned', BigUint64Array] as const)
      const values = new make(rowCount).fill(BigInt(value ?? 0))
      return { type: name, values, validity } as ResultColumn
    }
    case 'time': {
      const base = BigInt((value ?? 0n) as bigint)
      return { type: 'time', times: { base, offsets: new Float64Array(rowCount) }, validity }
    }
  }
}
