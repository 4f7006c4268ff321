// Opens the store on ClickHouse, makes its tables, and says what is missing. Whoever serves needs no right to make
// tables: they are made once, by whoever may.

import { UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { StoreLog } from '../store-log.js'
import { type ClickhouseAddress, requireAddress } from './address.js'
import { ClickhouseStore } from './clickhouse-store.js'
import { modern } from './dialect.js'
import { explain } from './failures.js'
import { indexTables, tableNames } from './layout.js'
import type { RegistryStorage } from './registry.js'
import type { Server } from './server.js'
import { Servers } from './servers.js'

export interface OpenClickhouse {
  readonly address: string
  readonly password?: string | undefined
  readonly registry: RegistryStorage
  readonly clock: Clock
  readonly log: StoreLog
  /** Replicas of a shard that must have a write; 0: those that are there. */
  readonly writeQuorum?: number | undefined
  /** Series that one statement names. */
  readonly seriesPerStatementMax?: number | undefined
}

export async function openClickhouse(options: OpenClickhouse): Promise<ClickhouseStore> {
  const { registry, clock, log, writeQuorum = 0, seriesPerStatementMax } = options
  const address = requireAddress(options.address, options.password)
  const servers = await Servers.open({ address, log, registry, seriesPerStatementMax })
  try {
    if (servers.dialect.name === 'legacy') log('warn', 'ClickHouse 18.16 is for tests only')
    await agreeOnShards(servers, registry)
    requireQuorum(servers, writeQuorum)
    for (const server of servers.all) if (server.place !== undefined) await requireTables(server)
  } catch (error) {
    await servers.close()
    throw error
  }
  const store = new ClickhouseStore({ servers, registry, clock, log, writeQuorum })
  await store.start()
  return store
}

/** The number of shards decides where a series lies: it is fixed with the first start. */
async function agreeOnShards({ shardCount }: Servers, registry: RegistryStorage): Promise<void> {
  const agreed = await registry.agree('shards', `${shardCount}`)
  if (agreed === `${shardCount}`) return
  const what = `the points of this catalog lie on ${agreed} shards, and the store has ${shardCount}`
  const how = 'move them to a new catalog and database, see "More shards" in docs/cluster.md'
  throw new UserError('invalid', `${what}: ${how}`)
}

function requireQuorum({ replicaCounts }: Servers, writeQuorum: number): void {
  const fewest = Math.min(...replicaCounts)
  if (writeQuorum <= fewest) return
  const what = `--write-quorum wants ${writeQuorum} replicas`
  throw new UserError('invalid', `${what}, and a shard of the store has ${fewest}`)
}

/** What `millrace store init` does, on every server. */
export async function makeTables(address: ClickhouseAddress, log: StoreLog): Promise<void> {
  const servers = await Servers.open({ address: { ...address, database: 'default' }, log })
  try {
    const missing = servers.all.filter(({ place }) => place === undefined)
    if (missing.length > 0) {
      const names = missing.map(({ url }) => url).join(', ')
      throw new UserError('invalid', `tables are made on all servers, and ${names} do not answer`)
    }
    const statements = servers.dialect.createStatements(address)
    for (const server of servers.all) {
      for (const sql of statements) {
        await server.command(sql).catch((error: unknown) => {
          throw explain(error)
        })
      }
    }
  } finally {
    await servers.close()
  }
}

/** What whoever may make tables would send to one server of those that are supported. */
export function tableStatements(address: ClickhouseAddress): string[] {
  return modern.createStatements(address, true)
}

export interface StoreCheck {
  readonly lines: readonly string[]
  readonly isGood: boolean
}

/** What `millrace store check` tells: who answers, in which version, and whether the tables are there. */
export async function checkStore(address: ClickhouseAddress, log: StoreLog): Promise<StoreCheck> {
  const servers = await Servers.open({ address, log })
  try {
    const { shards, all, dialect } = servers
    const lines = shards.map((shard) => {
      const own = all.filter(({ place }) => place?.shard === shard)
      const names = own.map(({ url, place }) => `${url} (${place?.name})`).join(', ')
      return `shard ${shard + 1} of ${shards.length}: ${names || 'nobody answers'}`
    })
    const silent = all.filter(({ place }) => place === undefined)
    for (const { url } of silent) lines.push(`${url} does not answer`)
    lines.push(`dialect: ${dialect.name}`)
    const missing = new Set<string>()
    for (const server of all) {
      if (server.place === undefined) continue
      for (const name of await missingTables(server)) missing.add(name)
    }
    lines.push(missing.size === 0 ? 'all tables are there' : `missing: ${[...missing].join(', ')}`)
    return { lines, isGood: silent.length === 0 && missing.size === 0 }
  } finally {
    await servers.close()
  }
}

async function requireTables(server: Server): Promise<void> {
  const missing = await missingTables(server)
  if (missing.length === 0) return requireColumns(server)
  const what = `the database of the store has no tables ${missing.join(', ')} on ${server.url}`
  throw new UserError('invalid', `${what}: run "millrace store init" first`)
}

/** Tables are made once, and not changed: those of an earlier layout are told apart by what they lack. */
async function requireColumns(server: Server): Promise<void> {
  const sql = `SELECT count() FROM system.columns WHERE database = currentDatabase() AND name = 'generation'`
  if (Number(await server.text(sql)) === Object.keys(indexTables).length) return
  const what = `the tables of the store on ${server.url} were made by an earlier version`
  throw new UserError('invalid', `${what}: make a new database and catalog, and move the points`)
}

async function missingTables(server: Server): Promise<string[]> {
  const sql = 'SELECT name FROM system.tables WHERE database = currentDatabase()'
  const text = await server.text(sql).catch((error: unknown) => {
    throw explain(error)
  })
  const found = new Set(text.split('\n'))
  return tableNames.filter((name) => !found.has(name))
}
