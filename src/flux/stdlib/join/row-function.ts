// The function that makes one record of a row of each side, and what its text tells: which columns it
// reads of which side, and what columns it gives.

import type { Cells, CellType, Chunk, TableColumn } from '../../../query/table.js'
import { type JoinedRows, noRow } from '../../table/join-rows.js'
import { propertyType, type RowExpression, rowExpressionOf } from '../../table/row-expression.js'
import { cellOf, RowRecord } from '../../table/row-record.js'
import { columnIndex } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { GroupKey, KeyEntry } from '../../value/key.js'
import { typeName } from '../../value/type-name.js'
import type { FluxFunction, PositionalCall } from '../../value/value.js'
import { DefinedFunction, FluxRecord } from '../../value/value.js'
import { RecordColumns } from '../universe/record-columns.js'

/** One side of a pair of tables. */
export interface JoinSide {
  readonly columns: readonly TableColumn[]
  readonly rows: Chunk
}

/** The names of the two parameters, left and right. */
export type SideNames = readonly [string, string]

export class JoinFunction {
  readonly #call: PositionalCall
  readonly #names: SideNames
  readonly #expression: RowExpression | undefined
  readonly #fn: FluxFunction
  readonly #keyFailure: (entry: KeyEntry) => string

  /** `keyFailure` words the refusal of a record that does not have the key's values. */
  constructor(fn: FluxFunction, names: SideNames, keyFailure: (entry: KeyEntry) => string) {
    this.#call = fn.prepare(names)
    this.#names = names
    this.#fn = fn
    this.#expression = rowExpressionOf(fn)
    this.#keyFailure = keyFailure
  }

  /** The columns that the function reads of a side, as far as its text tells. */
  columnsRead(side: 0 | 1): ReadonlySet<string> {
    const found = new Set<string>()
    if (this.#fn instanceof DefinedFunction)
      collectMembers(this.#fn.node.body, this.#names[side], found)
    return found
  }

  /** Makes the records of pairs of rows. Their first batch says which columns there are. */
  start(key: GroupKey, left: JoinSide, right: JoinSide): JoinedColumns {
    const typeOfColumn = (parameter: string, name: string): CellType | undefined => {
      const columns = parameter === this.#names[0] ? left.columns : right.columns
      return columns[columnIndex(columns, name)]?.type
    }
    const nullType = (name: string): CellType | undefined =>
      this.#expression && propertyType(this.#expression, name, typeOfColumn)
    return new JoinedColumns(this.#call, key, left, right, nullType, this.#keyFailure)
  }
}

/** The pairs of one table. */
export class JoinedColumns {
  readonly #call: PositionalCall
  readonly #key: GroupKey
  readonly #left: SideRow
  readonly #right: SideRow
  readonly #nullType: (name: string) => CellType | undefined
  readonly #keyFailure: (entry: KeyEntry) => string
  #columns: readonly TableColumn[] | undefined

  constructor(
    call: PositionalCall,
    key: GroupKey,
    left: JoinSide,
    right: JoinSide,
    nullType: (name: string) => CellType | undefined,
    keyFailure: (entry: KeyEntry) => string,
  ) {
    this.#call = call
    this.#key = key
    this.#left = new SideRow(left, key)
    this.#right = new SideRow(right, key)
    this.#nullType = nullType
    this.#keyFailure = keyFailure
  }

  /** Known once there was a batch. */
  get columns(): readonly TableColumn[] {
    return this.#columns!
  }

  async chunk(rows: JoinedRows): Promise<Chunk> {
    let records: RecordColumns | undefined
    const args = [this.#left.record, this.#right.record]
    for (let i = 0; i < rows.left.length; i++) {
      this.#left.show(rows.left[i])
      this.#right.show(rows.right[i])
      const result = this.#call(args)
      const record = result instanceof Promise ? await result : result
      if (!(record instanceof FluxRecord)) {
        throw new FluxError(`join function must return an object, but got ${typeName(record)}`)
      }
      this.#checkKey(record)
      records ??= new RecordColumns(undefined, record, this.#columns)
      records.push(record)
    }
    const { properties } = records!
    this.#columns ??= properties.flatMap(({ name, builder }) => {
      const type = builder!.type ?? this.#nullType(name)
      return type === undefined ? [] : [{ name, type }]
    })
    const columns = this.#columns.map(({ name, type }): Cells => {
      return records!.property(name).builder!.finish(type)
    })
    return { rowCount: rows.left.length, columns }
  }

  #checkKey(record: FluxRecord): void {
    for (const entry of this.#key.entries) {
      const value = record.get(entry.name)
      if (value !== undefined && cellOf(value) === entry.value) continue
      throw new FluxError(this.#keyFailure(entry))
    }
  }
}

/** The row of one side. Where there is none: a row with nothing but the values of the key. */
class SideRow {
  readonly record: RowRecord
  readonly #rows: Chunk
  readonly #nothing: Chunk
  #isThere = true

  constructor({ columns, rows }: JoinSide, key: GroupKey) {
    this.record = new RowRecord(columns)
    this.record.chunk = rows
    this.#rows = rows
    const cells = columns.map(({ name, type }): Cells => {
      const entry = key.entry(name)
      return { kind: 'constant', type, value: entry?.type === type ? entry.value : null }
    })
    this.#nothing = { rowCount: 1, columns: cells }
  }

  show(row: number): void {
    const isThere = row !== noRow
    if (isThere !== this.#isThere) {
      this.#isThere = isThere
      this.record.chunk = isThere ? this.#rows : this.#nothing
    }
    this.record.row = isThere ? row : 0
  }
}

/** `name.x` and `name["x"]` wherever they stand below the node. */
function collectMembers(node: unknown, name: string, found: Set<string>): void {
  if (Array.isArray(node)) {
    for (const part of node) collectMembers(part, name, found)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const { type, object, property } = node as {
    readonly type?: string
    readonly object?: { readonly type?: string; readonly name?: string }
    readonly property?: { readonly type?: string; readonly name?: string; readonly value?: string }
  }
  if (type === 'MemberExpression' && object?.type === 'Identifier' && object.name === name) {
    found.add(property?.type === 'Identifier' ? property.name! : property!.value!)
  }
  for (const part of Object.values(node)) collectMembers(part, name, found)
}
