// What the columns of a database's rows are in Flux, and how their values are read. Each driver has few types that are
// more than texts; a column of SQLite that was declared without a type is what its first value is.

import type { SqlColumn, SqlRow, SqlTarget, SqlValue } from '../../../platform/sql-connection.js'
import type { Cell, CellType, Chunk, TableColumn } from '../../../query/table.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { FluxError } from '../../value/error.js'
import { sqlTimeNs } from './time-text.js'

type TypeTable = ReadonlyMap<string, CellType>

function typeTable(types: Partial<Record<CellType, string>>): TypeTable {
  const entries = Object.entries(types) as [CellType, string][]
  return new Map(entries.flatMap(([type, names]) => names.split(' ').map((name) => [name, type])))
}

const typeTables: Readonly<Record<SqlTarget['kind'], TypeTable>> = {
  postgres: typeTable({
    int: 'INT2 INT4 INT8',
    float: 'FLOAT4 FLOAT8',
    time: 'DATE TIMESTAMP TIMESTAMPTZ',
    bool: 'BOOL',
  }),
  mysql: typeTable({ int: 'INT BIGINT SMALLINT TINYINT', float: 'FLOAT DOUBLE', time: 'DATETIME' }),
  sqlite: typeTable({
    int: 'INT INTEGER BIGINT SMALLINT TINYINT BOOL BOOLEAN',
    float: 'FLOAT DOUBLE',
    time: 'DATETIME TIMESTAMP DATE',
  }),
}

/** `rows`: the first ones. */
export function columnsOf(
  kind: SqlTarget['kind'],
  columns: readonly SqlColumn[],
  rows: readonly SqlRow[],
): readonly TableColumn[] {
  const names = new Set<string>()
  return columns.map(({ name, typeName }, place) => {
    if (names.has(name)) {
      throw new FluxError(`table builder already has column with label ${name}`)
    }
    names.add(name)
    const isUntyped = kind === 'sqlite' && typeName === ''
    const type = isUntyped ? typeOfFirst(rows, place) : typeTables[kind].get(typeName)
    return { name, type: type ?? 'string' }
  })
}

function typeOfFirst(rows: readonly SqlRow[], place: number): CellType | undefined {
  for (const row of rows) {
    const value = row[place]
    if (typeof value === 'bigint') return 'int'
    if (typeof value === 'number') return 'float'
    if (value !== null) return 'string'
  }
  return undefined
}

export function chunkOf(columns: readonly TableColumn[], rows: readonly SqlRow[]): Chunk {
  const cells = columns.map(({ name, type }, place) => {
    const builder = new CellsBuilder(type, rows.length)
    const read = readers[type]
    for (const row of rows) {
      const value = row[place]
      const cell = value === null ? null : read(value)
      if (cell === undefined) throw unreadable(name, type, value)
      builder.push(cell)
    }
    return builder.finish()
  })
  return { rowCount: rows.length, columns: cells }
}

function unreadable(name: string, type: CellType, value: SqlValue): FluxError {
  return new FluxError(`column ${name}: "${value}" is not of type ${type}`)
}

/** undefined: the value is not of the type. null: there is none. */
type ReadValue = (value: Exclude<SqlValue, null>) => Cell | null | undefined

const readers: Readonly<Record<CellType, ReadValue>> = {
  int: wholeNumber,
  uint: wholeNumber,
  float: (value) => {
    if (typeof value !== 'string') return Number(value)
    const number = Number(value)
    return Number.isNaN(number) && value !== 'NaN' ? undefined : number
  },
  bool: (value) => value === 't',
  time: sqlTimeNs,
  string: String,
}

function wholeNumber(value: Exclude<SqlValue, null>): bigint | undefined {
  if (typeof value === 'bigint') return value
  return typeof value === 'string' && /^[+-]?\d{1,20}$/.test(value) ? BigInt(value) : undefined
}
