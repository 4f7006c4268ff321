// Opens the store on ClickHouse, makes its tables, and says what is missing. Whoever serves needs no right to make
// tables: they are made once, by whoever may.

import { UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { StoreLog } from '../store-log.js'
import { type ClickhouseAddress, requireAddress } from './address.js'
import { ClickhouseStore } from './clickhouse-store.js'
import { modern } from './dialect.js'
import { eachTable, indexTables } from './layout.js'
import type { RegistryStorage } from './registry.js'
import { Servers } from './servers.js'

export interface OpenClickhouse {
  readonly address: string
  readonly password?: string | undefined
  readonly registry: RegistryStorage
  readonly clock: Clock
  readonly log: StoreLog
}

export async function openClickhouse(options: OpenClickhouse): Promise<ClickhouseStore> {
  const { registry, clock, log } = options
  const address = requireAddress(options.address, options.password)
  const servers = await Servers.open(address, log)
  try {
    if (servers.dialect.name === 'legacy') log('warn', 'ClickHouse 18.16 is for tests only')
    await requireTables(servers)
  } catch (error) {
    await servers.close()
    throw error
  }
  const store = new ClickhouseStore({ servers, registry, clock, log })
  store.maintenance.start()
  return store
}

/** What `millrace store init` does. */
export async function makeTables(address: ClickhouseAddress, log: StoreLog): Promise<void> {
  const servers = await Servers.open({ ...address, database: 'default' }, log)
  try {
    for (const sql of servers.dialect.createStatements(address)) await servers.command(0, sql)
  } finally {
    await servers.close()
  }
}

/** What `makeTables` would send to a server that is supported. */
export function tableStatements(address: ClickhouseAddress): string[] {
  return modern.createStatements(address)
}

export interface StoreCheck {
  readonly lines: readonly string[]
  readonly isGood: boolean
}

/** What `millrace store check` tells: who answers, in which version, and whether the tables are there. */
export async function checkStore(address: ClickhouseAddress, log: StoreLog): Promise<StoreCheck> {
  const servers = await Servers.open(address, log)
  try {
    const lines = servers.shards.map((replicas, shard) => {
      const names = replicas.map(({ name }) => name).join(', ')
      return `shard ${shard + 1} of ${servers.shards.length}: ${names}`
    })
    const reached = servers.shards.flat().length
    const missing = address.endpoints.length - reached
    if (missing > 0) lines.push(`${missing} of ${address.endpoints.length} servers do not answer`)
    lines.push(`dialect: ${servers.dialect.name}`)
    const tables = await missingTables(servers)
    lines.push(tables.length === 0 ? 'all tables are there' : `missing: ${tables.join(', ')}`)
    return { lines, isGood: missing === 0 && tables.length === 0 }
  } finally {
    await servers.close()
  }
}

async function requireTables(servers: Servers): Promise<void> {
  const missing = await missingTables(servers)
  if (missing.length === 0) return
  const what = `the database of the store has no tables ${missing.join(', ')}`
  throw new UserError('invalid', `${what}: run "millrace store init" first`)
}

async function missingTables(servers: Servers): Promise<string[]> {
  const local = [...eachTable.map(({ name }) => name), indexTables.series, indexTables.tags]
  const { cluster } = servers.address
  const names = cluster === undefined ? local : [...local, ...local.map((name) => `${name}_all`)]
  const missing = new Set<string>()
  const sql = 'SELECT name AS t FROM system.tables WHERE database = currentDatabase()'
  for (let shard = 0; shard < servers.shards.length; shard++) {
    const found = new Set<string>()
    for (const {
      rowCount,
      columns: [column],
    } of await servers.rowsOf(shard, sql, ['String'])) {
      if (column.base !== 'String') continue
      for (let row = 0; row < rowCount; row++) {
        const { offsets, bytes } = column
        found.add(Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString())
      }
    }
    for (const name of names) if (!found.has(name)) missing.add(name)
  }
  return [...missing]
}
