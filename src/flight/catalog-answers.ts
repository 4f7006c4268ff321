// What drivers and editors ask to draw their trees: catalogs, schemas, tables, types of tables, types of
// values, keys. A database is the catalog `public`; its measurements are the tables of the schema `iox`.

import type { DatabaseTable } from '../query/database-tables.js'
import { arrowSchema, encapsulatedSchema } from '../result/arrow-schema.js'
import { arrowType, metadataOf, tableMetadata } from '../result/arrow-shape.js'
import type { KeysKind, TablesFilter } from './commands.js'
import {
  booleanColumn,
  bytesColumn,
  type FixedAnswer,
  fixedAnswer,
  integerColumn,
  noLists,
  textColumn,
} from './fixed-answer.js'
import { matchesPattern } from './pattern.js'

const catalogName = 'public'
const schemaNames = ['information_schema', 'iox', 'system']
const views = ['columns', 'df_settings', 'parameters', 'routines', 'schemata', 'tables', 'views']

export type BaseTableType = 'BASE TABLE' | 'TABLE'

export function catalogsAnswer(): FixedAnswer {
  return fixedAnswer(1, [textColumn('catalog_name', [catalogName])])
}

export function schemasAnswer(
  catalog: string | undefined,
  pattern: string | undefined,
): FixedAnswer {
  const isAsked = catalog === undefined || catalog === catalogName
  const names = schemaNames.filter((name) => isAsked && matchesPattern(name, pattern))
  return fixedAnswer(names.length, [
    textColumn(
      'catalog_name',
      names.map(() => catalogName),
      true,
    ),
    textColumn('db_schema_name', names),
  ])
}

export function tableTypesAnswer(base: BaseTableType): FixedAnswer {
  return fixedAnswer(2, [textColumn('table_type', [base, 'VIEW'])])
}

interface ListedTable {
  readonly schema: string
  readonly name: string
  readonly type: string
  readonly table: DatabaseTable | undefined
}

export function tablesAnswer(
  filter: TablesFilter,
  tables: readonly DatabaseTable[],
  base: BaseTableType,
): FixedAnswer {
  const view = (name: string): ListedTable => {
    return { schema: 'information_schema', name, type: 'VIEW', table: undefined }
  }
  const user = tables.map((table): ListedTable => {
    return { schema: 'iox', name: table.name, type: base, table }
  })
  const system: ListedTable = { schema: 'system', name: 'queries', type: base, table: undefined }
  const listed = [...views.map(view), ...user, system].filter((table) => isWanted(table, filter))
  return fixedAnswer(listed.length, [
    textColumn(
      'catalog_name',
      listed.map(() => catalogName),
      true,
    ),
    textColumn(
      'db_schema_name',
      listed.map(({ schema }) => schema),
      true,
    ),
    textColumn(
      'table_name',
      listed.map(({ name }) => name),
    ),
    textColumn(
      'table_type',
      listed.map(({ type }) => type),
    ),
    ...(filter.hasSchemas
      ? [
          bytesColumn(
            'table_schema',
            listed.map(({ table }) => tableSchema(table)),
          ),
        ]
      : []),
  ])
}

function isWanted({ schema, name, type }: ListedTable, filter: TablesFilter): boolean {
  const { catalog, schemaPattern, tablePattern, tableTypes } = filter
  return (
    (catalog === undefined || catalog === catalogName) &&
    matchesPattern(schema, schemaPattern) &&
    matchesPattern(name, tablePattern) &&
    (tableTypes.length === 0 || tableTypes.includes(type))
  )
}

function tableSchema(table: DatabaseTable | undefined): Uint8Array {
  if (table === undefined) return encapsulatedSchema(arrowSchema([]))
  const fields = table.columns.map(({ name, role, type }) => ({
    name,
    type: arrowType({ type }),
    isNullable: role !== 'time',
    metadata: metadataOf(type, role),
  }))
  return encapsulatedSchema(arrowSchema(fields, tableMetadata(table.name)))
}

const int32Type = { bits: 32, isSigned: true } as const
const uint8Type = { bits: 8, isSigned: false } as const

/** Measurements have no keys in the sense of SQL. */
export function keysAnswer(kind: KeysKind): FixedAnswer {
  if (kind === 'primary-keys') {
    return fixedAnswer(0, [
      textColumn('catalog_name', [], true),
      textColumn('db_schema_name', [], true),
      textColumn('table_name', []),
      textColumn('column_name', []),
      integerColumn('key_sequence', [], int32Type),
      textColumn('key_name', [], true),
    ])
  }
  return fixedAnswer(0, [
    textColumn('pk_catalog_name', [], true),
    textColumn('pk_db_schema_name', [], true),
    textColumn('pk_table_name', []),
    textColumn('pk_column_name', []),
    textColumn('fk_catalog_name', [], true),
    textColumn('fk_db_schema_name', [], true),
    textColumn('fk_table_name', []),
    textColumn('fk_column_name', []),
    integerColumn('key_sequence', [], int32Type),
    textColumn('fk_key_name', [], true),
    textColumn('pk_key_name', [], true),
    integerColumn('update_rule', [], uint8Type),
    integerColumn('delete_rule', [], uint8Type),
  ])
}

interface TypeInfo {
  readonly name: string
  /** A number of the protocol's XdbcDataType. */
  readonly dataType: number
  readonly size: number | null
  readonly quote: string | null
  readonly radix: number | null
}

const types: readonly TypeInfo[] = [
  { name: 'BIGINT', dataType: -5, size: 64, quote: null, radix: 2 },
  { name: 'BOOLEAN', dataType: -7, size: 1, quote: null, radix: null },
  { name: 'DOUBLE', dataType: 8, size: 53, quote: null, radix: 2 },
  { name: 'INTERVAL', dataType: 10, size: null, quote: "'", radix: null },
  { name: 'VARCHAR', dataType: 12, size: 2147483647, quote: "'", radix: null },
  { name: 'TIMESTAMP', dataType: 93, size: 29, quote: "'", radix: null },
]

const searchableFully = 3

export function typeInfoAnswer(dataType: number | undefined): FixedAnswer {
  const rows = types.filter((type) => dataType === undefined || type.dataType === dataType)
  const numbers = (name: string, value: (type: TypeInfo) => number | null, isNullable = false) =>
    integerColumn(name, rows.map(value), int32Type, isNullable)
  const text = (name: string, value: (type: TypeInfo) => string | null, isNullable = false) =>
    textColumn(name, rows.map(value), isNullable)
  const flags = (name: string, value: (type: TypeInfo) => boolean | null, isNullable = false) =>
    booleanColumn(name, rows.map(value), isNullable)
  const item = { name: 'item', type: { kind: 'utf8' }, isNullable: false } as const
  const params = { name: 'create_params', type: { kind: 'list' }, isNullable: true } as const
  return fixedAnswer(rows.length, [
    text('type_name', ({ name }) => name),
    numbers('data_type', (type) => type.dataType),
    numbers('column_size', ({ size }) => size, true),
    text('literal_prefix', ({ quote }) => quote, true),
    text('literal_suffix', ({ quote }) => quote, true),
    { field: { ...params, children: [item] }, vector: noLists(rows.length) },
    numbers('nullable', () => 1),
    flags('case_sensitive', ({ name }) => name === 'VARCHAR'),
    numbers('searchable', () => searchableFully),
    flags('unsigned_attribute', ({ radix }) => (radix === null ? null : false), true),
    flags('fixed_prec_scale', () => false),
    flags('auto_increment', () => false, true),
    text('local_type_name', ({ name }) => name, true),
    numbers('minimum_scale', () => null, true),
    numbers('maximum_scale', () => null, true),
    numbers('sql_data_type', (type) => type.dataType),
    numbers('datetime_subcode', () => null, true),
    numbers('num_prec_radix', ({ radix }) => radix, true),
    numbers('interval_precision', () => null, true),
  ])
}
