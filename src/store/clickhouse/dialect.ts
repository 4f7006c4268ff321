// What differs between the versions of ClickHouse: engines of tables, how rows that were written in pieces are
// brought together, how points are deleted, and settings. *Modern* is what is supported (26.3 and newer): rows with
// the same key are merged by the server, the later value of each field wins. *Legacy* is 18.16, which Debian has: for
// tests. It has no such tables; rows are brought together as they are read, on one thread, because only then do they
// come in the order in which they were written.

import type { ClickHouseClient } from '@clickhouse/client'
import { UserError } from '../../errors.js'
import type { ClickhouseAddress } from './address.js'
import { eachTable, indexTables, type PointTable, slotsOf } from './layout.js'
import type { NativeBase, ReadBlock } from './native-format.js'

export type Settings = Readonly<Record<string, string | number>>

export interface Server {
  readonly client: ClickHouseClient
  readonly name: string
}

/** What a dialect needs of the servers. */
export interface Commands {
  readonly shards: readonly (readonly Server[])[]
  /** On one replica of a shard. */
  command(shard: number, sql: string, settings?: Settings): Promise<void>
  rowsOf(shard: number, sql: string, types: readonly NativeBase[]): Promise<ReadBlock[]>
}

export interface Dialect {
  readonly name: 'modern' | 'legacy'
  readonly readSettings: Settings
  readonly insertSettings: Settings
  /** Makes everything that is not there yet. The first statement makes the database. */
  createStatements(address: ClickhouseAddress): string[]
  /** Rows with the newest value of each column, as something to select `series`, `time` and the columns from. */
  merged(from: string, columns: readonly string[], where: string): string
  /** After an insert: until the other replicas have it too. */
  settle(replicas: readonly Server[], at: number, sql: string): Promise<void>
  /** Resolves when the rows are gone. */
  delete(servers: Commands, table: string, where: string): Promise<void>
}

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
    skip_unavailable_shards: 0,
    distributed_product_mode: 'local',
    max_replica_delay_for_distributed_queries: 1,
    fallback_to_stale_replicas_for_distributed_queries: 0,
  },
  insertSettings: { insert_deduplicate: 0, optimize_on_insert: 0, async_insert: 0 },
  createStatements: (address) => createStatements(address, modernColumns),
  merged: (from, columns, where) =>
    `(SELECT ${['series', 'time', ...columns].join(', ')} FROM ${from} FINAL WHERE ${where})`,
  settle: async () => undefined,
  async delete(servers, table, where) {
    for (let shard = 0; shard < servers.shards.length; shard++) {
      const settings = { lightweight_deletes_sync: 2 }
      await servers.command(shard, `DELETE FROM ${table} WHERE ${where}`, settings)
    }
  },
}

const legacy: Dialect = {
  name: 'legacy',
  readSettings: { ...roomForLists, max_threads: 1, distributed_product_mode: 'local' },
  insertSettings: { insert_deduplicate: 0 },
  createStatements: (address) => createStatements(address, legacyColumns),
  merged(from, columns, where) {
    const newest = columns.map((column) => `, anyLast(${column}) AS ${column}`).join('')
    return `(SELECT series, time${newest} FROM ${from} WHERE ${where} GROUP BY series, time)`
  },
  // Its quorum takes one insert at a time: the others are told to fetch instead.
  async settle(replicas, at, sql) {
    const table = /^INSERT INTO (\w+)/.exec(sql)?.[1]
    const others = replicas.filter((_, i) => i !== at)
    await Promise.allSettled(
      others.map(({ client }) => client.command({ query: `SYSTEM SYNC REPLICA ${table}` })),
    )
  },
  async delete(servers, table, where) {
    for (let shard = 0; shard < servers.shards.length; shard++) {
      await servers.command(shard, `ALTER TABLE ${table} DELETE WHERE ${where}`)
    }
    for (let shard = 0; shard < servers.shards.length; shard++) {
      while (await hasMutations(servers, shard, table)) await pause()
    }
  },
}

async function hasMutations(servers: Commands, shard: number, table: string): Promise<boolean> {
  const where = `database = currentDatabase() AND table = '${table}' AND is_done = 0`
  const sql = `SELECT toUInt64(count()) AS c FROM system.mutations WHERE ${where}`
  const blocks = await servers.rowsOf(shard, sql, ['UInt64'])
  return blocks.some(({ columns: [count] }) => count.base === 'UInt64' && count.values[0] > 0n)
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10))

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

function createStatements(address: ClickhouseAddress, words: ColumnWords): string[] {
  const { database, cluster } = address
  const onCluster = cluster === undefined ? '' : ` ON CLUSTER \`${cluster}\``
  const statements = [`CREATE DATABASE IF NOT EXISTS ${database}${onCluster}`]
  const add = (name: string, columns: string, engine: string, clauses: string) => {
    const path = `'/clickhouse/tables/${cluster}/{shard}/${database}/${name}', '{replica}'`
    const full = cluster === undefined ? `${engine}()` : `Replicated${engine}(${path})`
    const head = `CREATE TABLE IF NOT EXISTS ${database}.`
    statements.push(`${head}${name}${onCluster} (${columns}) ENGINE = ${full} ${clauses}`)
    if (cluster === undefined) return
    const distributed = `Distributed('${cluster}', '${database}', '${name}', series)`
    statements.push(`${head}${name}_all${onCluster} AS ${database}.${name} ENGINE = ${distributed}`)
  }
  for (const table of eachTable) {
    const clauses = 'PARTITION BY (class, span) ORDER BY (m, series, chunk, time)'
    add(table.name, pointColumns(table, words), words.engine, clauses)
  }
  const { numbers, texts } = words
  const common = `m UInt32${numbers}, span Int64${numbers}, series UInt64${numbers}, class UInt8${numbers}`
  const partition = 'PARTITION BY (class, intDiv(span, 4)) ORDER BY'
  const engine = 'ReplacingMergeTree'
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
