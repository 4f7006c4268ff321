// What differs between the versions of ClickHouse: engines of tables, how rows that were written in pieces are
// brought together, how points are deleted, and settings. *Modern* is what is supported (26.3 and newer): rows with
// the same key are merged by the server, the later value of each field wins. *Legacy* is 18.16, which Debian has: for
// tests. It has no such tables; rows are brought together as they are read, on one thread, because only then do they
// come in the order in which they were written.

import { UserError } from '../../errors.js'
import type { ClickhouseAddress } from './address.js'
import { eachTable, indexTables, type PointTable, slotsOf } from './layout.js'

export type Settings = Readonly<Record<string, string | number>>

export interface Dialect {
  readonly name: 'modern' | 'legacy'
  readonly readSettings: Settings
  readonly insertSettings: Settings
  /** Makes everything that is not there yet, on one server or by itself on all. The first one makes the database. */
  createStatements(address: ClickhouseAddress, onCluster?: boolean): string[]
  /** Rows with the newest value of each column, as something to select the keys and the columns from. */
  merged(from: string, keys: RowKeys, columns: readonly string[], where: string): string
  /** On a replica: until it has everything that any other has. */
  sync(table: string): string
  /** Begins a deletion; what it has to do is in system.mutations then. */
  delete(table: string, where: string): string
  readonly deleteSettings: Settings
}

/** What rows differ by. Where only one series is asked for, `time` alone is cheaper by a fifth of a small read. */
export type RowKeys = 'series, time' | 'time'

const versionMin = [26, 3]
const legacyVersion = /^18\.16\./

export function dialectOf(versions: readonly string[]): Dialect {
  if (versions.every((version) => legacyVersion.test(version))) return legacy
  for (const version of versions) {
    const [major, minor] = version.split('.').map(Number)
    const isOld = major < versionMin[0] || (major === versionMin[0] && minor < versionMin[1])
    if (!isOld) continue
    const need = `${versionMin.join('.')} or newer is needed`
    throw new UserError('invalid', `a server of the store is ClickHouse ${version}: ${need}`)
  }
  return modern
}

/** Lists of series are long texts. */
const roomForLists: Settings = {
  max_query_size: 256 * 1024 * 1024,
  max_ast_elements: 10_000_000,
  max_expanded_ast_elements: 10_000_000,
}

/** Parts whose rows are merged while nobody looks are synced as the server's settings say. */
export const modern: Dialect = {
  name: 'modern',
  readSettings: {
    ...roomForLists,
    do_not_merge_across_partitions_select_final: 1,
    optimize_move_to_prewhere_if_final: 0,
  },
  insertSettings: { insert_deduplicate: 0, optimize_on_insert: 0, async_insert: 0 },
  createStatements: (address, all = false) => createStatements(address, modernColumns, all),
  merged: (from, keys, columns, where) =>
    `(SELECT ${[keys, ...columns].join(', ')} FROM ${from} FINAL WHERE ${where})`,
  sync: (table) => `SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`,
  delete: (table, where) => `DELETE FROM ${table} WHERE ${where}`,
  deleteSettings: { lightweight_deletes_sync: 0 },
}

const legacy: Dialect = {
  name: 'legacy',
  // Conditions stand where they belong: looking for a better place takes longer than a small read.
  readSettings: { ...roomForLists, max_threads: 1, enable_optimize_predicate_expression: 0 },
  insertSettings: { insert_deduplicate: 0 },
  createStatements: (address, all = false) => createStatements(address, legacyColumns, all),
  merged(from, keys, columns, where) {
    const newest = columns.map((column) => `, anyLast(${column}) AS ${column}`).join('')
    return `(SELECT ${keys}${newest} FROM ${from} WHERE ${where} GROUP BY ${keys})`
  },
  sync: (table) => `SYSTEM SYNC REPLICA ${table}`,
  delete: (table, where) => `ALTER TABLE ${table} DELETE WHERE ${where}`,
  deleteSettings: {},
}

interface ColumnWords {
  readonly engine: string
  readonly numbers: string
  readonly texts: string
  readonly time: string
  value(base: string): string
}

const modernColumns: ColumnWords = {
  engine: 'AggregatingMergeTree',
  numbers: ' CODEC(ZSTD(1))',
  texts: ' CODEC(ZSTD(1))',
  time: ' CODEC(DoubleDelta, ZSTD(1))',
  value(base) {
    const codec = { Float64: 'Delta(8), ', Int64: 'T64, ', String: '' }[base]
    return `SimpleAggregateFunction(anyLast, Nullable(${base})) CODEC(${codec}ZSTD(1))`
  },
}

const legacyColumns: ColumnWords = {
  engine: 'MergeTree',
  numbers: '',
  texts: '',
  time: '',
  value: (base) => `Nullable(${base})`,
}

/** Where replicas of a table find each other. */
export function keeperPath(
  cluster: string | undefined,
  shard: string,
  database: string,
  table: string,
): string {
  return `/clickhouse/tables/${cluster}/${shard}/${database}/${table}`
}

function createStatements(
  address: ClickhouseAddress,
  words: ColumnWords,
  isOnAll: boolean,
): string[] {
  const { database, cluster } = address
  const onCluster = cluster === undefined || !isOnAll ? '' : ` ON CLUSTER \`${cluster}\``
  const statements = [`CREATE DATABASE IF NOT EXISTS ${database}${onCluster}`]
  const add = (name: string, columns: string, engine: string, clauses: string) => {
    const path = `'${keeperPath(cluster, '{shard}', database, name)}', '{replica}'`
    const [kind, ...own] = engine.split(' ')
    const full =
      cluster === undefined ? `${kind}(${own})` : `Replicated${kind}(${[path, ...own].join(', ')})`
    const head = `CREATE TABLE IF NOT EXISTS ${database}.`
    statements.push(`${head}${name}${onCluster} (${columns}) ENGINE = ${full} ${clauses}`)
  }
  for (const table of eachTable) {
    const clauses = 'PARTITION BY (class, span) ORDER BY (m, series, chunk, time)'
    add(table.name, pointColumns(table, words), words.engine, clauses)
  }
  const { numbers, texts } = words
  const common = ['m UInt32', 'span Int64', 'series UInt64', 'class UInt8', 'generation UInt32']
    .map((column) => `${column}${numbers}`)
    .join(', ')
  const partition = 'PARTITION BY (class, intDiv(span, 4)) ORDER BY'
  // Of equal rows that of the latest generation stays.
  const engine = 'ReplacingMergeTree generation'
  add(indexTables.series, `${common}, key String${texts}`, engine, `${partition} (m, span, series)`)
  const tags = `${common}, tag String${texts}, value String${texts}`
  add(indexTables.tags, tags, engine, `${partition} (m, tag, value, span, series)`)
  return statements
}

function pointColumns(table: PointTable, words: ColumnWords): string {
  const { numbers, time } = words
  const values = slotsOf(table).map((slot) => `${slot} ${words.value(table.base)}`)
  return [
    `m UInt32${numbers}`,
    `series UInt64${numbers}`,
    `chunk UInt16${numbers}`,
    `time Int64${time}`,
    `class UInt8${numbers}`,
    `span Int64${numbers}`,
    ...values,
  ].join(', ')
}
