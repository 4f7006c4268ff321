// The tables of a database as SQL and its drivers see them: a table per measurement, with `time`, a column
// per tag and a column per field, in the order of their names.

import type { FieldType } from '../column/column.js'
import type { BucketId, Store } from '../store/store.js'

export interface TableColumn {
  readonly name: string
  readonly role: 'time' | 'tag' | 'field'
  readonly type: FieldType | 'time'
}

export interface DatabaseTable {
  readonly name: string
  /** Sorted by name. */
  readonly columns: readonly TableColumn[]
}

/** `hasColumns` false: the columns are left out. */
export async function databaseTables(
  store: Store,
  bucket: BucketId,
  hasColumns: boolean,
): Promise<DatabaseTable[]> {
  const tables: DatabaseTable[] = []
  for await (const page of store.names({ bucket, kind: 'measurements' })) {
    for (const name of page) {
      tables.push({ name, columns: hasColumns ? await columnsOf(store, bucket, name) : [] })
    }
  }
  return tables
}

async function columnsOf(
  store: Store,
  bucket: BucketId,
  measurement: string,
): Promise<TableColumn[]> {
  const { tagKeys, fields } = await store.measurementSchema(bucket, measurement)
  const columns: TableColumn[] = [{ name: 'time', role: 'time', type: 'time' }]
  for (const name of tagKeys) columns.push({ name, role: 'tag', type: 'string' })
  for (const { name, type } of fields) {
    if (!columns.some((column) => column.name === name)) columns.push({ name, role: 'field', type })
  }
  return columns.sort((a, b) => (a.name < b.name ? -1 : 1))
}
