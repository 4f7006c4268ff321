// The tables that were defined before their points, of all buckets, in memory while the catalog's are unchanged: every
// query asks whether its measurement is one of them. Nearly every installation has none or a few.

import type { Catalog } from '../../catalog/catalog.js'
import type { SchemaColumn } from '../../catalog/storage/measurement-schemas.js'
import type { TableDefinition } from '../../catalog/storage/table-definitions.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import type { BucketId, FieldSchema } from '../../store/store.js'
import { VersionedCache } from '../base/versioned-cache.js'

export interface DefinedTable {
  readonly name: string
  readonly columns: readonly SchemaColumn[]
  /** Sorted. */
  readonly tagKeys: readonly string[]
  /** By name. */
  readonly fields: readonly FieldSchema[]
}

/** By name. */
export type BucketTables = ReadonlyMap<string, DefinedTable>

export type AllTables = ReadonlyMap<BucketId, BucketTables>

export class DefinedTables {
  readonly #catalog: Catalog
  readonly #tables: VersionedCache<AllTables>

  constructor(catalog: Catalog) {
    this.#catalog = catalog
    this.#tables = new VersionedCache(catalog, ['tables'])
  }

  /** At once, except after a change. */
  all(): MaybePromise<AllTables> {
    return this.#tables.cached('') ?? this.#read()
  }

  /** The same without a promise; undefined where they have to be read. */
  cached(): AllTables | undefined {
    return this.#tables.cached('')
  }

  /** Whether there was one. */
  forget(bucket: BucketId, name: string): Promise<boolean> {
    return this.#catalog.inTransaction(({ tables }) => tables.delete(bucket, name))
  }

  #read(): Promise<AllTables> {
    return this.#tables.find('', async () => {
      const all = new Map<BucketId, Map<string, DefinedTable>>()
      for (const definition of await this.#catalog.tables.all()) {
        const tables = all.get(definition.parentId) ?? new Map<string, DefinedTable>()
        all.set(definition.parentId, tables)
        tables.set(definition.name, tableOf(definition))
      }
      return all
    })
  }
}

function tableOf({ name, body: { columns } }: TableDefinition): DefinedTable {
  const sorted = [...columns].sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    name,
    columns,
    tagKeys: sorted.flatMap((column) => (column.type === 'tag' ? [column.name] : [])),
    fields: sorted.flatMap((column) =>
      column.type === 'field'
        ? [{ measurement: name, name: column.name, type: column.dataType }]
        : [],
    ),
  }
}
