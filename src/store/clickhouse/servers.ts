// The servers of a ClickHouse: which shard each of them is a replica of, whether it answers, and statements with the
// settings that they need. A statement that failed for want of a server is sent to the next replica.

import { Readable } from 'node:stream'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { UserError } from '../../errors.js'
import type { StoreLog } from '../store-log.js'
import type { ClickhouseAddress } from './address.js'
import { type Commands, type Dialect, dialectOf, type Server, type Settings } from './dialect.js'
import { explain, isUnreachable, isWorthAnother } from './failures.js'
import { type NativeBase, type ReadBlock, readBlocks } from './native-format.js'

/** Connections to one server at once; others wait for one. */
const connectionsMax = 32
/** A statement may take long, but not for ever. */
const statementMsMax = 3_600_000

export class Servers implements Commands {
  readonly address: ClickhouseAddress
  readonly dialect: Dialect
  readonly #log: StoreLog
  readonly #all: readonly Server[]
  /** By shard, each with its replicas. */
  readonly shards: readonly (readonly Server[])[]
  #next = 0

  private constructor(
    address: ClickhouseAddress,
    dialect: Dialect,
    shards: readonly (readonly Server[])[],
    log: StoreLog,
  ) {
    this.address = address
    this.dialect = dialect
    this.shards = shards
    this.#all = shards.flat()
    this.#log = log
  }

  /** Fails where no server answers, or one is of a version that is not supported. */
  static async open(address: ClickhouseAddress, log: StoreLog): Promise<Servers> {
    const servers = address.endpoints.map((url) => ({ client: clientOf(address, url), name: url }))
    const found: { server: Server; version: string; shard: string }[] = []
    try {
      for (const server of servers) {
        const told = await greeting(server, address.cluster !== undefined).catch((error) => {
          if (!isUnreachable(error)) throw explain(error)
          log('warn', 'a server of the store cannot be reached', { server: server.name })
          return undefined
        })
        if (told !== undefined) found.push({ server, ...told })
      }
      if (found.length === 0) throw explain(Object.assign(new Error(), { code: 'ECONNREFUSED' }))
      const dialect = dialectOf(found.map(({ version }) => version))
      const shards = shardsOf(found, address.cluster !== undefined)
      return new Servers(address, dialect, shards, log)
    } catch (error) {
      await Promise.all(servers.map(({ client }) => client.close()))
      throw error
    }
  }

  /** The rows of a statement, from any server. Columns are of these types, with or without Nullable. */
  async *query(
    sql: string,
    types: readonly NativeBase[],
    signal?: AbortSignal,
    settings: Settings = {},
  ): AsyncGenerator<ReadBlock, void, void> {
    const tries = this.#all.length
    for (let i = 0; ; i++) {
      let hasBegun = false
      try {
        for await (const block of this.#run(this.#turn(), sql, types, signal, settings)) {
          hasBegun = true
          yield block
        }
        return
      } catch (error) {
        signal?.throwIfAborted()
        if (hasBegun || i + 1 >= tries || !isWorthAnother(error)) throw this.#told(error, sql)
      }
    }
  }

  async *#run(
    { client }: Server,
    sql: string,
    types: readonly NativeBase[],
    signal: AbortSignal | undefined,
    settings: Settings,
  ): AsyncGenerator<ReadBlock, void, void> {
    const query = `${sql} FORMAT Native`
    const clickhouse_settings = { ...this.dialect.readSettings, ...settings }
    const params = { query, clickhouse_settings, ...(signal && { abort_signal: signal }) }
    const { stream } = await client.exec(params)
    try {
      yield* readBlocks(stream as AsyncIterable<Uint8Array>, types)
    } finally {
      stream.destroy()
    }
  }

  /** All rows at once, for small answers. */
  async rows(
    sql: string,
    types: readonly NativeBase[],
    signal?: AbortSignal,
    settings?: Settings,
  ): Promise<ReadBlock[]> {
    const blocks: ReadBlock[] = []
    for await (const block of this.query(sql, types, signal, settings)) blocks.push(block)
    return blocks
  }

  /** To one live replica of a shard. Resolves when it is stored as safely as the dialect says. */
  async insert(shard: number, sql: string, body: readonly Uint8Array[]): Promise<void> {
    const replicas = this.shards[shard]
    for (const [i, { client }] of replicas.entries()) {
      try {
        const values = Readable.from([Buffer.concat(body)])
        const clickhouse_settings = this.dialect.insertSettings
        const { stream } = await client.exec({ query: sql, values, clickhouse_settings })
        for await (const _ of stream) {
          // Nothing is answered; the end is what counts.
        }
        return await this.dialect.settle(replicas, i, sql)
      } catch (error) {
        if (i + 1 >= replicas.length || !isWorthAnother(error)) throw this.#told(error, sql)
        this.#log('warn', 'a write goes to another replica of the store', { error })
      }
    }
  }

  /** On one replica of a shard. */
  async command(shard: number, sql: string, settings: Settings = {}): Promise<void> {
    const replicas = this.shards[shard]
    for (const [i, { client }] of replicas.entries()) {
      try {
        await client.command({ query: sql, clickhouse_settings: settings })
        return
      } catch (error) {
        if (i + 1 >= replicas.length || !isWorthAnother(error)) throw this.#told(error, sql)
      }
    }
  }

  /** What one shard answers, where all are asked one by one. */
  async rowsOf(
    shard: number,
    sql: string,
    types: readonly NativeBase[],
    settings: Settings = {},
  ): Promise<ReadBlock[]> {
    const replicas = this.shards[shard]
    for (let i = 0; ; i++) {
      try {
        const blocks: ReadBlock[] = []
        const run = this.#run(replicas[i], sql, types, undefined, settings)
        for await (const block of run) blocks.push(block)
        return blocks
      } catch (error) {
        if (i + 1 >= replicas.length || !isWorthAnother(error)) throw this.#told(error, sql)
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(({ client }) => client.close()))
  }

  #turn(): Server {
    this.#next = (this.#next + 1) % this.#all.length
    return this.#all[this.#next]
  }

  #told(error: unknown, sql: string): unknown {
    const told = explain(error)
    if (told instanceof Error && told.name === 'Error') {
      this.#log('error', 'a statement of the store failed', {
        error: told,
        statement: sql.slice(0, 2000),
      })
    }
    return told
  }
}

function clientOf(address: ClickhouseAddress, url: string): ClickHouseClient {
  const { user, password, database } = address
  return createClient({
    url,
    username: user,
    password,
    database,
    request_timeout: statementMsMax,
    max_open_connections: connectionsMax,
    keep_alive: { enabled: true, idle_socket_ttl: 2000 },
    compression: { request: false, response: false },
    application: 'millrace',
    log: { level: 127 },
  })
}

/** Its version, and which shard it is a replica of. */
async function greeting({ client }: Server, isCluster: boolean) {
  const one = async (query: string) => {
    const { stream } = await client.exec({ query: `${query} FORMAT TSV` })
    const pieces: Uint8Array[] = []
    for await (const piece of stream) pieces.push(piece)
    return Buffer.concat(pieces).toString().trim()
  }
  const version = await one('SELECT version()')
  if (!isCluster) return { version, shard: '' }
  const shard = await one("SELECT substitution FROM system.macros WHERE macro = 'shard'")
  if (shard !== '') return { version, shard }
  throw new UserError('invalid', 'a server of the cluster has no macro "shard"')
}

function shardsOf(found: readonly { server: Server; shard: string }[], isCluster: boolean) {
  const byName = new Map<string, Server[]>()
  for (const { server, shard } of found) {
    const replicas = byName.get(shard) ?? []
    byName.set(shard, replicas)
    replicas.push(server)
  }
  if (!isCluster && found.length > 1) {
    throw new UserError('invalid', 'several servers of a store need ?cluster=NAME in the address')
  }
  // The order of shards decides where a series lies: it must not depend on who answered first.
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, replicas]) => replicas)
}
