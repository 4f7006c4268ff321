// Opens the store on ClickHouse, makes its tables, and says what is missing. Whoever serves needs no right to make
// tables: they are made once, by whoever may.

import { UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { StoreLog } from '../store-log.js'
import { type ClickhouseAddress, requireAddress } from './address.js'
import { ClickhouseStore } from './clickhouse-store.js'
import { dialectOf } from './dialect.js'
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
  return dialectOf([]).createStatements(address)
}

async function requireTables(servers: Servers): Promise<void> {
  const local = [...eachTable.map(({ name }) => name), indexTables.series, indexTables.tags]
  const { cluster } = servers.address
  const names = cluster === undefined ? local : [...local, ...local.map((name) => `${name}_all`)]
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
    const missing = names.filter((name) => !found.has(name))
    if (missing.length === 0) continue
    const what = `the database of the store has no tables ${missing.join(', ')}`
    throw new UserError('invalid', `${what}: run "millrace store init" first`)
  }
}
