// The servers of a ClickHouse, by shard: statements with the settings that they need, sent to a replica that has
// everything, and to the next one where it fails for want of a server. Every statement is about one shard: which
// replica answers is decided here and not by the servers, so that nobody reads from one that has missed a write.

import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { UnavailableError } from '../../errors.js'
import type { StoreLog } from '../store-log.js'
import type { ClickhouseAddress } from './address.js'
import { type Dialect, dialectOf, type Settings } from './dialect.js'
import { explain, isUnreachable, isWorthAnother } from './failures.js'
import type { NativeBase, ReadBlock } from './native-format.js'
import { idleMsMax, ReadConnections, statementMsMax } from './read-connections.js'
import { type ReplicaStorage, Replicas } from './replicas.js'
import { connectionsMax } from './requests.js'
import { Server, type ServerClients } from './server.js'
import { checkTogether, type Greeting, greet } from './topology.js'

/** Connections for words, which take no time. */
const wordsMax = 8

export interface OpenServers {
  readonly address: ClickhouseAddress
  readonly log: StoreLog
  /** Where processes agree on replicas. Absent: nothing is read or written. */
  readonly registry?: ReplicaStorage
  readonly seriesPerStatementMax?: number | undefined
}

/** What reads need of them. */
export type AskedServers = Pick<
  Servers,
  'dialect' | 'shardCount' | 'shards' | 'seriesPerStatementMax' | 'query'
>

export class Servers {
  readonly address: ClickhouseAddress
  readonly dialect: Dialect
  readonly log: StoreLog
  readonly all: readonly Server[]
  /** Undefined where there is one server and nothing to choose. */
  readonly replicas: Replicas | undefined
  /** How many replicas each shard has, by the servers' configuration. */
  readonly replicaCounts: readonly number[]
  /** Series that one statement names: a list of them is text. */
  readonly seriesPerStatementMax: number
  #next = 0
  #sentCount = 0

  private constructor(
    { address, log, registry, seriesPerStatementMax = 20_000 }: OpenServers,
    all: readonly Server[],
    { version, replicaCounts }: Greeting,
  ) {
    this.address = address
    this.log = log
    this.all = all
    this.dialect = dialectOf([version])
    this.replicaCounts = replicaCounts
    this.seriesPerStatementMax = seriesPerStatementMax
    const isCluster = address.cluster !== undefined && registry !== undefined
    this.replicas = isCluster ? new Replicas(registry, all, log) : undefined
  }

  /** Fails where no server answers, or those who do make no cluster. */
  static async open(options: OpenServers): Promise<Servers> {
    const { address } = options
    const all = address.endpoints.map((url) => new Server(clientsOf(address, url), url))
    try {
      const greetings = await Promise.all(all.map((server) => greeting(server, options)))
      const found = all.flatMap((server, i) => {
        const one = greetings[i]
        return one === undefined ? [] : [{ server, greeting: one }]
      })
      if (found.length === 0) throw explain(Object.assign(new Error(), { code: 'ECONNREFUSED' }))
      checkTogether(found, all.length)
      for (const one of found) one.server.place = one.greeting.place
      const servers = new Servers(options, all, found[0].greeting)
      for (const { server } of found) await servers.replicas?.meet(server)
      return servers
    } catch (error) {
      await Promise.all(all.map((server) => server.close()))
      throw error
    }
  }

  get shardCount(): number {
    return this.replicaCounts.length
  }

  /** Statements sent, whatever became of them. */
  get sentCount(): number {
    return this.#sentCount
  }

  /** Numbers of all shards. */
  get shards(): readonly number[] {
    return this.replicaCounts.map((_, shard) => shard)
  }

  /** Replicas of a shard that may be asked, the best one first. */
  async readable(shard: number): Promise<readonly Server[]> {
    const servers =
      this.replicas === undefined
        ? this.all.filter(({ place }) => place?.shard === shard)
        : await this.replicas.readable(shard, this.#next++)
    if (servers.length === 0) throw new UnavailableError('the store cannot be reached')
    return servers
  }

  /** The rows of a statement about one shard. Columns are of these types, with or without Nullable. */
  async *query(
    shard: number,
    sql: string,
    types: readonly NativeBase[],
    signal?: AbortSignal,
    settings?: Settings,
  ): AsyncGenerator<ReadBlock, void, void> {
    const { readSettings } = this.dialect
    const all = settings === undefined ? readSettings : { ...readSettings, ...settings }
    const found = await this.readable(shard)
    // A connection that was kept may have been closed there at that moment: the only one that there is is asked again.
    const servers = found.length === 1 ? [found[0], found[0]] : found
    for (const [i, server] of servers.entries()) {
      let hasBegun = false
      this.#sentCount++
      try {
        if (this.replicas !== undefined) await server.mustBeWhole()
        for await (const block of server.blocks(sql, types, all, signal)) {
          hasBegun = true
          yield block
        }
        return
      } catch (error) {
        signal?.throwIfAborted()
        const isLast = i + 1 >= servers.length
        if (hasBegun || isLast || !isWorthAnother(error)) throw this.told(error, sql)
      }
    }
  }

  /** All rows at once, for small answers. */
  async rows(
    shard: number,
    sql: string,
    types: readonly NativeBase[],
    signal?: AbortSignal,
    settings?: Settings,
  ): Promise<ReadBlock[]> {
    const blocks: ReadBlock[] = []
    for await (const block of this.query(shard, sql, types, signal, settings)) blocks.push(block)
    return blocks
  }

  /** The same of every shard, for what does not depend on the order of rows. */
  async rowsOfAll(
    sql: string,
    types: readonly NativeBase[],
    signal?: AbortSignal,
    settings?: Settings,
  ): Promise<ReadBlock[]> {
    const each = this.shards.map((shard) => this.rows(shard, sql, types, signal, settings))
    return (await Promise.all(each)).flat()
  }

  /** Places a server that answers for the first time. */
  async place(server: Server): Promise<void> {
    const found = await greeting(server, this)
    if (found === undefined) return
    const isSame = `${found.replicaCounts}` === `${this.replicaCounts}`
    if (!isSame || dialectOf([found.version]) !== this.dialect) {
      this.log('error', 'a server of the store does not belong to the others', {
        server: server.url,
      })
      return
    }
    server.place = found.place
    await this.replicas?.meet(server)
  }

  /** Whatever is under way fails. */
  breakOff(): void {
    for (const server of this.all) server.breakOff()
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((server) => server.close()))
  }

  /** What is told above; what is our own mistake is logged with its statement. */
  told(error: unknown, sql: string): unknown {
    const told = explain(error)
    if (told instanceof Error && told.name === 'Error') {
      this.log('error', 'a statement of the store failed', {
        error: told,
        statement: sql.slice(0, 2000),
      })
    }
    return told
  }
}

/** undefined: it does not answer. */
async function greeting(
  server: Server,
  { address, log }: Pick<OpenServers, 'address' | 'log'>,
): Promise<Greeting | undefined> {
  try {
    return await greet(server, address.cluster)
  } catch (error) {
    if (!isUnreachable(error)) throw explain(error)
    log('warn', 'a server of the store cannot be reached', { server: server.url })
    server.leave()
    return undefined
  }
}

function clientsOf(address: ClickhouseAddress, url: string): ServerClients {
  const [work, words] = [connectionsMax, wordsMax].map((most) => clientOf(address, url, most))
  return { work, words, reads: new ReadConnections(address, url, connectionsMax) }
}

function clientOf(address: ClickhouseAddress, url: string, most: number): ClickHouseClient {
  const { user, password, database } = address
  return createClient({
    url,
    username: user,
    password,
    database,
    request_timeout: statementMsMax,
    max_open_connections: most,
    keep_alive: { enabled: true, idle_socket_ttl: idleMsMax },
    compression: { request: false, response: false },
    application: 'millrace',
    log: { level: 127 },
  })
}
