// The tables about tables: `information_schema` as the v3 products have it, and what SHOW and DESCRIBE
// answer. They are small, and made as VALUES when a statement names them.

import type { BucketId, Store } from '../../store/store.js'
import { missingTable } from '../statement/failure.js'
import { quoteText } from '../statement/names.js'
import { arrowType, tableNames, tableSchema } from './schema.js'

type Cell = string | number | null

interface SmallTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

const views = ['columns', 'df_settings', 'parameters', 'routines', 'schemata', 'tables', 'views']

export async function informationTable(
  name: string,
  store: Store,
  bucket: BucketId,
): Promise<SmallTable> {
  switch (name) {
    case 'tables':
      return tables(await tableNames(store, bucket))
    case 'columns':
      return columns(store, bucket)
    case 'schemata':
      return schemata
    case 'views':
      return { columns: ['table_catalog', 'table_schema', 'table_name', 'definition'], rows: [] }
    case 'df_settings':
      return { columns: ['name', 'value'], rows: [['datafusion.execution.time_zone', '+00:00']] }
    case 'routines':
      return { columns: ['routine_catalog', 'routine_schema', 'routine_name'], rows: [] }
    case 'parameters':
      return { columns: ['specific_catalog', 'specific_schema', 'specific_name'], rows: [] }
  }
  throw missingTable(name, 'information_schema')
}

const schemata: SmallTable = {
  columns: ['catalog_name', 'schema_name'],
  rows: [
    ['public', 'information_schema'],
    ['public', 'iox'],
  ],
}

function tables(names: readonly string[]): SmallTable {
  return {
    columns: ['table_catalog', 'table_schema', 'table_name', 'table_type'],
    rows: [
      ...names.map((name) => ['public', 'iox', name, 'BASE TABLE']),
      ...views.map((name) => ['public', 'information_schema', name, 'VIEW']),
    ],
  }
}

async function columns(store: Store, bucket: BucketId): Promise<SmallTable> {
  const rows: Cell[][] = []
  for (const name of await tableNames(store, bucket)) {
    const schema = await tableSchema(store, bucket, name)
    schema?.columns.forEach((column, i) => {
      const isNullable = column.kind === 'time' ? 'NO' : 'YES'
      rows.push(['public', 'iox', name, column.name, i, null, isNullable, arrowType(column)])
    })
  }
  return {
    columns: [
      'table_catalog',
      'table_schema',
      'table_name',
      'column_name',
      'ordinal_position',
      'column_default',
      'is_nullable',
      'data_type',
    ],
    rows,
  }
}

/** A statement that makes the temporary table `table` of it. */
export function createSmallTable(table: string, { columns, rows }: SmallTable): string {
  const types = columns.map((name) => (name === 'ordinal_position' ? 'BIGINT' : 'VARCHAR'))
  const list = columns.map((name, i) => `"${name}" ${types[i]}`).join(', ')
  const create = `CREATE TEMP TABLE ${table} (${list})`
  if (rows.length === 0) return create
  const values = rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')
  return `${create}; INSERT INTO ${table} VALUES ${values}`
}

function literal(cell: Cell): string {
  if (cell === null) return 'NULL'
  return typeof cell === 'number' ? String(cell) : quoteText(cell)
}
