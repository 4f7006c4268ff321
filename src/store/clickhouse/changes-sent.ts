// Inserts and deletes: sent to one replica, and done when every replica that anybody reads from has them. One that
// cannot take them is put out first. An insert whose end is unknown is not repeated elsewhere before it is certain that
// the server will not do it later: it would undo what was written since.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { UnavailableError } from '../../errors.js'
import { keeperPath } from './dialect.js'
import { isUnreachable, isWorthAnother } from './failures.js'
import { tableNames } from './layout.js'
import type { StoredReplica } from './registry.js'
import { SilenceError } from './requests.js'
import { isRefusal, type Server } from './server.js'
import type { Servers } from './servers.js'
import { textLiteral } from './sql-text.js'

/** How long a replica may take to fetch what another has. */
const syncMsMax = 30_000
/** How long it may stay unknown whether a silent server has done an insert. */
const doubtMsMax = 60_000
const lookMs = 250
const insertTriesMax = 3
const lookMsMax = 2000

export class ChangesSent {
  readonly #servers: Servers
  readonly #quorum: number

  /** `quorum`: replicas that must have a write; 0: all that are there, be it one. */
  constructor(servers: Servers, quorum: number) {
    this.#servers = servers
    this.#quorum = quorum
  }

  /** Into one table of a shard. Resolves when whoever reads, reads it. */
  async insert(shard: number, sql: string, body: readonly Uint8Array[]): Promise<void> {
    await this.#requireQuorum(shard)
    for (let tries = 0; !(await this.#tryInsert(shard, sql, body)); tries++) {
      if (tries === insertTriesMax) {
        throw new UnavailableError('the store cannot do this now: its replicas are changing')
      }
    }
    await this.#requireQuorum(shard)
  }

  /**
   * False: to be done again. Others have nothing left to fetch also when the one that had it has lost its disk before
   * they came: then nobody has it.
   */
  async #tryInsert(shard: number, sql: string, body: readonly Uint8Array[]): Promise<boolean> {
    const servers = this.#servers
    const table = /^INSERT INTO (\w+)/.exec(sql)?.[1] ?? ''
    let starts = 0
    const target = await this.#onOne(shard, sql, async (server) => {
      const id = randomUUID()
      starts = server.starts
      try {
        await server.insert(sql, body, servers.dialect.insertSettings, id)
      } catch (error) {
        if (isUnreachable(error) && servers.replicas !== undefined) {
          await this.#becomeCertain(server, shard, table, id)
        }
        throw error
      }
    })
    if (servers.replicas === undefined) return true
    await this.#everywhere(shard, target, (server) => this.#sync(server, table))
    return target.isStill(starts)
  }

  /** On all shards. Resolves when the rows are gone for whoever reads. */
  async delete(table: string, where: string): Promise<void> {
    await Promise.all(this.#servers.shards.map((shard) => this.#deleteIn(shard, table, where)))
  }

  async #deleteIn(shard: number, table: string, where: string): Promise<void> {
    const { dialect } = this.#servers
    await this.#requireQuorum(shard)
    const sql = dialect.delete(table, where)
    let last = ''
    const target = await this.#onOne(shard, sql, async (server) => {
      await server.command(sql, dialect.deleteSettings)
      last = await server.text(
        `SELECT max(mutation_id) FROM system.mutations WHERE ${mutationsOf(table)}`,
      )
      await this.#mutated(server, table, last)
    })
    await this.#everywhere(shard, target, (server) => this.#mutated(server, table, last))
  }

  /** Until what was begun there is done. Of replicated tables the number says which. */
  async #mutated(server: Server, table: string, last: string): Promise<void> {
    const isNumbered = /^\d+$/.test(last)
    const upTo = isNumbered ? ` AND mutation_id <= '${last}'` : ''
    const heard = isNumbered ? `max(mutation_id) >= '${last}'` : '1'
    const sql = `SELECT ${heard}, countIf(is_done = 0${upTo}) FROM system.mutations WHERE ${mutationsOf(table)}`
    for (let wait = 5; (await server.text(sql)) !== '1\t0'; wait = Math.min(wait * 2, 200)) {
      await pause(wait)
    }
  }

  /** Until it has everything that any other has, be it that it started with an empty disk. */
  async catchUp(server: Server): Promise<void> {
    const shardMacro = await server.text(shardMacroSql, lookMsMax)
    const until = performance.now() + syncMsMax
    for (const table of tableNames) {
      await this.#fetchMissing(server, this.#keptOf(server, shardMacro, table), until)
      await this.#sync(server, table)
    }
  }

  /**
   * What a server misses on its disk when it starts, it writes down with the keeper; it begins to fetch that only when
   * its session of before has ended there, and until then has nothing to do and is not out of step by its own account.
   */
  async #fetchMissing(server: Server, kept: string, until: number): Promise<void> {
    const fetches = `system.zookeeper WHERE path = ${textLiteral(`${kept}/queue`)} AND value LIKE '%\\nget\\n%'`
    const newest = await server.text(`SELECT max(name) FROM ${fetches}`, lookMsMax)
    const left = `SELECT count() FROM ${fetches} AND name <= ${textLiteral(newest)}`
    while ((await server.text(left, lookMsMax)) !== '0') {
      if (performance.now() > until) throw new UnavailableError('it still fetches what it misses')
      await pause(lookMs)
    }
  }

  /** Where the keeper has what it knows of a table on a server. */
  #keptOf({ place }: Server, shardMacro: string, table: string): string {
    const { cluster, database } = this.#servers.address
    const replica = place?.name.replace(/^\d+\//, '') ?? ''
    return `${keeperPath(cluster, shardMacro, database, table)}/replicas/${replica}`
  }

  async #sync(server: Server, table: string): Promise<void> {
    const { dialect } = this.#servers
    await server.command(dialect.sync(table), { receive_timeout: syncMsMax / 1000 }, syncMsMax)
  }

  /** Who has done it. */
  async #onOne(
    shard: number,
    sql: string,
    work: (server: Server) => Promise<void>,
  ): Promise<Server> {
    const all = await this.#servers.readable(shard)
    for (const [i, server] of all.entries()) {
      try {
        await work(server)
        return server
      } catch (error) {
        if (i + 1 >= all.length || !isWorthAnother(error)) throw this.#servers.told(error, sql)
        this.#servers.log('warn', 'a change goes to another replica of the store', { error })
      }
    }
    throw new UnavailableError('the store cannot be reached')
  }

  /** On every replica that is read from, or is about to be, besides the one that has it. */
  async #everywhere(
    shard: number,
    target: Server,
    work: (server: Server) => Promise<void>,
  ): Promise<void> {
    const { replicas } = this.#servers
    if (replicas === undefined) return
    const done = new Set<string>()
    for (;;) {
      const { version } = replicas
      const open = (await replicas.of(shard)).filter(
        ({ name, state }) => state !== 'out' && !done.has(name),
      )
      await Promise.all(
        open.map(async (replica) => {
          const server = replicas.serverOf(replica)
          if (server !== target && !(await this.#reaches(replica, server, work))) return
          done.add(replica.name)
        }),
      )
      // A replica that came back meanwhile has to have it too.
      if (version === replicas.version) return
    }
  }

  /** False: it is out now. */
  async #reaches(
    replica: StoredReplica,
    server: Server | undefined,
    work: (server: Server) => Promise<void>,
  ): Promise<boolean> {
    try {
      if (server?.answers !== true) throw new SilenceError()
      await work(server)
      return true
    } catch (error) {
      this.#servers.log('warn', 'a replica of the store does not keep up', {
        replica: replica.name,
        error,
      })
      await this.#servers.replicas!.putOut(replica)
      return false
    }
  }

  async #requireQuorum(shard: number): Promise<void> {
    const { replicas } = this.#servers
    if (this.#quorum === 0 || replicas === undefined) return
    const there = (await replicas.of(shard)).filter(({ state }) => state !== 'out').length
    if (there >= this.#quorum) return
    const need = `--write-quorum wants ${this.#quorum}`
    throw new UnavailableError(`the store cannot do this now: ${there} replicas are there, ${need}`)
  }

  /** Until a server that broke off has certainly done an insert, or certainly will not. */
  async #becomeCertain(server: Server, shard: number, table: string, id: string): Promise<void> {
    const until = performance.now() + doubtMsMax
    for (let quiet = 0; quiet < 2; ) {
      if (performance.now() > until) {
        throw new UnavailableError('it is not known whether the store has taken the write')
      }
      try {
        const sql = `SELECT count() FROM system.processes WHERE query_id = '${id}'`
        quiet = (await server.text(sql, lookMsMax)) === '0' ? quiet + 1 : 0
      } catch (error) {
        if (isRefusal(error) || (await this.#hasLostKeeper(server, shard, table))) return
        quiet = 0
      }
      if (quiet < 2) await pause(lookMs)
    }
  }

  /** Without its session it can no longer finish an insert. Another replica sees that. */
  async #hasLostKeeper(server: Server, shard: number, table: string): Promise<boolean> {
    for (const other of this.#servers.all) {
      if (other === server || other.place?.shard !== shard || !other.answers) continue
      const shardMacro = await other.text(shardMacroSql, lookMsMax).catch(() => undefined)
      if (shardMacro === undefined) continue
      const kept = textLiteral(this.#keptOf(server, shardMacro, table))
      const sql = `SELECT countIf(name = 'is_active') FROM system.zookeeper WHERE path = ${kept}`
      if ((await other.text(sql, lookMsMax).catch(() => '')) === '0') return true
    }
    return false
  }
}

const shardMacroSql = "SELECT substitution FROM system.macros WHERE macro = 'shard'"

const mutationsOf = (table: string) => `database = currentDatabase() AND table = '${table}'`
