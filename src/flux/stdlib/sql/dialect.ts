// How each kind of database wants to be told of tables and values: quotes of names, types of columns, placeholders and
// the form of moments. Names come from scripts and are always quoted.

import type { SqlParameter, SqlTarget } from '../../../platform/sql-connection.js'
import type { Cell, CellType, TableColumn } from '../../../query/table.js'
import { FluxError } from '../../value/error.js'
import { sqlTimeText } from './time-text.js'

export interface Dialect {
  /** As messages call it. */
  readonly name: string
  readonly columnTypes: Readonly<Partial<Record<CellType, string>>>
  /** Whether making a table ends the transaction that it is made in. */
  readonly doesMakingCommit: boolean
  /** What one statement may carry. */
  readonly parametersMax: number
  quote(name: string): string
  /** From 1. */
  placeholder(number: number): string
  time(ns: bigint): string
}

const postgres: Dialect = {
  name: 'PostgreSQL',
  columnTypes: {
    float: 'FLOAT',
    int: 'BIGINT',
    uint: 'BIGINT',
    string: 'TEXT',
    time: 'TIMESTAMP',
    bool: 'BOOL',
  },
  doesMakingCommit: false,
  parametersMax: 65_535,
  quote: (name) => doubleQuoted(name.replaceAll('\0', '')),
  placeholder: (number) => `$${number}`,
  // The zone is for columns that have one; others ignore it.
  time: (ns) => `${sqlTimeText(ns, 6)}Z`,
}

const mysql: Dialect = {
  name: 'MySQL',
  columnTypes: {
    float: 'FLOAT',
    int: 'BIGINT',
    uint: 'BIGINT',
    string: 'TEXT(16383)',
    time: 'DATETIME',
    bool: 'BOOL',
  },
  doesMakingCommit: true,
  parametersMax: 65_535,
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  placeholder: () => '?',
  time: (ns) => sqlTimeText(ns, 6),
}

const sqlite: Dialect = {
  name: 'SQLite',
  columnTypes: { float: 'FLOAT', int: 'INT', uint: 'INT', string: 'TEXT', time: 'DATETIME' },
  doesMakingCommit: false,
  parametersMax: 32_766,
  quote: (name) => doubleQuoted(name.split('\0', 1)[0]),
  placeholder: () => '?',
  time: (ns) => `${sqlTimeText(ns, 9)}+00:00`,
}

const dialects: Readonly<Record<SqlTarget['kind'], Dialect>> = { postgres, mysql, sqlite }

export function dialectOf({ kind }: SqlTarget): Dialect {
  return dialects[kind]
}

function doubleQuoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function createTableText(
  dialect: Dialect,
  table: string,
  columns: readonly TableColumn[],
): string {
  const declared = columns.map(({ name, type }) => {
    const columnType = dialect.columnTypes[type]
    if (columnType === undefined) {
      throw new FluxError(`${dialect.name} does not support column type ${type}`)
    }
    return `${dialect.quote(name)} ${columnType}`
  })
  return `CREATE TABLE IF NOT EXISTS ${dialect.quote(table)} (${declared.join(',')})`
}

export function insertText(
  dialect: Dialect,
  table: string,
  columns: readonly TableColumn[],
  rowCount: number,
): string {
  const names = columns.map(({ name }) => dialect.quote(name)).join(',')
  let number = 1
  const rows = Array.from({ length: rowCount }, () => {
    const places = columns.map(() => dialect.placeholder(number++))
    return `(${places.join(',')})`
  })
  return `INSERT INTO ${dialect.quote(table)} (${names}) VALUES ${rows.join(',')}`
}

export function parameterOf(dialect: Dialect, type: CellType, cell: Cell | null): SqlParameter {
  return type === 'time' && cell !== null ? dialect.time(cell as bigint) : cell
}
