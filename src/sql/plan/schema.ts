// The tables of a database: one for each measurement, with `time`, its tags and its fields as columns, in
// the order of their names. A name that is a tag's and a field's is the tag's, as a table has every name
// once.

import type { FieldType } from '../../column/column.js'
import { collectPages } from '../../store/schema-pages.js'
import type { Aggregate, BucketId, Store } from '../../store/store.js'
import type { FeedColumn } from '../engine/feed-column.js'
import { insideName } from '../statement/names.js'

export type TableColumn =
  | { readonly kind: 'time'; readonly name: 'time'; readonly insideName: string }
  | { readonly kind: 'tag'; readonly name: string; readonly insideName: string }
  | {
      readonly kind: 'field'
      readonly name: string
      readonly insideName: string
      readonly type: FieldType
    }

export interface TableSchema {
  readonly name: string
  readonly columns: readonly TableColumn[]
}

/** A group or bin with points is a row, whatever fields they have: whether points may be in fields besides these. */
export function hasOtherFields(
  { columns }: TableSchema,
  aggregates: readonly Pick<Aggregate, 'field'>[],
): boolean {
  const named = new Set(aggregates.map(({ field }) => field))
  return columns.some(({ kind, name }) => kind === 'field' && !named.has(name))
}

export const duckdbTypes: Readonly<Record<FieldType, string>> = {
  float: 'DOUBLE',
  integer: 'BIGINT',
  unsigned: 'UBIGINT',
  boolean: 'BOOLEAN',
  string: 'VARCHAR',
}

export const arrowTypes: Readonly<Record<FieldType, string>> = {
  float: 'Float64',
  integer: 'Int64',
  unsigned: 'UInt64',
  boolean: 'Boolean',
  string: 'Utf8',
}

function duckdbType(column: TableColumn): string {
  if (column.kind === 'time') return 'TIMESTAMP_NS'
  return column.kind === 'tag' ? 'VARCHAR' : duckdbTypes[column.type]
}

export function arrowType(column: TableColumn): string {
  if (column.kind === 'time') return 'Timestamp(Nanosecond, None)'
  return column.kind === 'tag' ? 'Dictionary(Int32, Utf8)' : arrowTypes[column.type]
}

export function tableNames(store: Store, bucket: BucketId): Promise<readonly string[]> {
  return collectPages(store.names({ kind: 'measurements', bucket }))
}

/** Undefined where there is no such measurement. */
export async function tableSchema(
  store: Store,
  bucket: BucketId,
  measurement: string,
): Promise<TableSchema | undefined> {
  const { version, fields, tagKeys } = await store.measurementSchema(bucket, measurement)
  if (version === 0) return undefined
  const columns = new Map<string, TableColumn>()
  for (const { name, type } of fields) {
    columns.set(name, { kind: 'field', name, insideName: insideName(name), type })
  }
  for (const name of tagKeys) {
    columns.set(name, { kind: 'tag', name, insideName: insideName(name) })
  }
  columns.set('time', { kind: 'time', name: 'time', insideName: 'time' })
  const sorted = [...columns.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { name: measurement, columns: sorted }
}

/** As it is fed to DuckDB; `fields` are those that are read. */
export function feedColumn(column: TableColumn, fields: readonly string[]): FeedColumn {
  const [name, type] = [column.insideName, duckdbType(column)]
  if (column.kind === 'time') return { name, type, kind: 'time' }
  if (column.kind === 'tag') return { name, type, kind: 'tag', tag: column.name }
  return { name, type, kind: 'field', field: fields.indexOf(column.name) }
}
