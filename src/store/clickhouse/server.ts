// One server of the store: requests to it, and whether it answers. A server that stays silent is *gone* like one that
// refuses: requests under way to it are broken off then, so that nobody waits for it longer than it takes to notice.

import { Readable } from 'node:stream'
import type { ClickHouseClient } from '@clickhouse/client'
import type { Settings } from './dialect.js'
import { isUnreachable } from './failures.js'
import { type NativeBase, type ReadBlock, readBlocks } from './native-format.js'
import type { ReadConnections } from './read-connections.js'
import { Requests, type ServerRequest, SilenceError } from './requests.js'

/** Which replica of which shard a server is. */
export interface ServerPlace {
  /** Counted from 0. */
  readonly shard: number
  /** By which all processes know it, whatever address they have for it. */
  readonly name: string
}

/** A look may take so long; a server that misses two is gone, one that nobody can stand in for when it misses more. */
const lookMsMax = 3000
const missedMax = 2
const missedAloneMax = 10
/** A word is answered at once, unless nobody is there. */
const wordMsMax = 30_000

/** Words have connections of their own: a look that waited behind long work would find the server silent. */
export interface ServerClients {
  readonly work: ClickHouseClient
  readonly words: ClickHouseClient
  readonly reads: ReadConnections
}

export class Server {
  readonly url: string
  readonly #clients: ServerClients
  /** Undefined: it has not answered since the start. */
  place: ServerPlace | undefined
  readonly #requests: Requests
  readonly #words = new Requests()
  #missed = 0
  #isGone = false
  #isWhole = false
  /** When its process began, by the last look that it answered. */
  #begun: number | undefined
  /** Its process is the one of the last look: since then nothing that was sent to it was left without an answer. */
  #isSame = false
  /** Grows when the server may have started anew. */
  #starts = 0

  constructor(clients: ServerClients, url: string, requests = new Requests()) {
    this.#clients = clients
    this.url = url
    this.#requests = requests
  }

  async close(): Promise<void> {
    this.#clients.reads.close()
    await Promise.all([this.#clients.work.close(), this.#clients.words.close()])
  }

  /** It answered when it was looked at last. */
  get answers(): boolean {
    return !this.#isGone
  }

  /**
   * Nothing that it should have is missing on it, as was found out since its process began: one that starts anew may do
   * so with an empty disk, and answers before it has fetched from others what was there.
   */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** `fetchAll` resolves when it has everything. */
  async makeWhole(fetchAll: () => Promise<void>): Promise<void> {
    const starts = this.#starts
    await fetchAll()
    if (starts === this.#starts) this.#isWhole = true
  }

  /** When its process began, in seconds by its own clock. */
  async begun(): Promise<number> {
    return Number(await this.text('SELECT toUnixTimestamp(now()) - uptime()', lookMsMax))
  }

  /**
   * Before it is read from: throws where something is missing on it. One that has left a request without an answer may
   * be another process by now.
   */
  async mustBeWhole(): Promise<void> {
    if (!this.#isSame) await this.#meetAgain()
    if (!this.#isWhole) throw new SilenceError()
  }

  /** Another number when its process may be another one. */
  get starts(): number {
    return this.#starts
  }

  /** Whether its process is the one of that number: what it had then it has. */
  async isStill(starts: number): Promise<boolean> {
    // Where it does not answer that is not known.
    if (!this.#isSame) await this.#meetAgain().catch(() => undefined)
    return this.#isSame && this.#starts === starts
  }

  async #meetAgain(): Promise<void> {
    const begun = await this.begun()
    if (this.#begun !== undefined && !isSameMoment(begun, this.#begun)) this.#startsAnew()
    this.#begun = begun
    this.#isSame = true
  }

  /** Whether it answers; a silent one is given further chances. */
  async look(isAlone = false): Promise<boolean> {
    try {
      await this.#meetAgain()
      this.#missed = 0
      this.#isGone = false
      await this.#requests.breakOffLost(() => this.#running())
    } catch (error) {
      this.#missed++
      this.#isSame = false
      if (isRefusal(error)) this.#startsAnew()
      if (isRefusal(error) || this.#missed >= (isAlone ? missedAloneMax : missedMax)) this.leave()
      // What was sent before may have been lost with the connection, and others can answer it.
      else if (!isAlone) this.breakOff()
    }
    return !this.#isGone
  }

  /** Ids of the queries that it has. */
  async #running(): Promise<ReadonlySet<string>> {
    const ids = await this.text('SELECT query_id FROM system.processes', lookMsMax)
    return new Set(ids.split('\n'))
  }

  #startsAnew(): void {
    this.#starts++
    this.#isWhole = false
  }

  /** Nobody waits for it any more. */
  leave(): void {
    this.#isGone = true
    this.breakOff()
  }

  /** Requests under way fail as if it were gone, and may be sent again. */
  breakOff(): void {
    this.#requests.breakOff()
    this.#words.breakOff()
  }

  async *blocks(
    query: string,
    types: readonly NativeBase[],
    settings: Settings,
    signal?: AbortSignal,
  ): AsyncGenerator<ReadBlock, void, void> {
    const request = this.#requests.begin({ signal })
    try {
      const { id, signal: own } = request
      const sent = { query: `${query} FORMAT Native`, settings, id, signal: own }
      const stream = await this.#clients.reads.send(sent)
      try {
        yield* readBlocks(request.pieces(stream), types)
      } finally {
        stream.destroy()
      }
    } catch (error) {
      throw this.#told(request, error)
    } finally {
      request.end()
    }
  }

  /** All rows at once, for small answers. */
  async rows(query: string, types: readonly NativeBase[], settings: Settings = {}) {
    const blocks: ReadBlock[] = []
    for await (const block of this.blocks(query, types, settings)) blocks.push(block)
    return blocks
  }

  /** A number or a word: it does not wait behind work. */
  async text(query: string, msMax = wordMsMax): Promise<string> {
    const request = this.#words.begin({ msMax })
    try {
      const { stream } = await this.#clients.words.exec({
        query: `${query} FORMAT TSV`,
        query_id: request.id,
        abort_signal: request.signal,
      })
      const pieces: Uint8Array[] = []
      for await (const piece of request.pieces(stream)) pieces.push(piece)
      return Buffer.concat(pieces).toString().trim()
    } catch (error) {
      throw request.told(error)
    } finally {
      request.end()
    }
  }

  async command(query: string, settings: Settings = {}, msMax?: number): Promise<void> {
    const request = this.#requests.begin({ msMax })
    try {
      await this.#clients.work.command({
        query,
        clickhouse_settings: settings,
        query_id: request.id,
        abort_signal: request.signal,
      })
    } catch (error) {
      throw this.#told(request, error)
    } finally {
      request.end()
    }
  }

  #told(request: ServerRequest, error: unknown): unknown {
    const told = request.told(error)
    if (isUnreachable(told)) this.#isSame = false
    return told
  }

  /** `id`: by which it can be found there while it is under way. */
  async insert(
    query: string,
    body: readonly Uint8Array[],
    settings: Settings,
    id: string,
  ): Promise<void> {
    const request = this.#requests.begin({ id })
    try {
      const { stream } = await this.#clients.work.exec({
        query,
        values: Readable.from([Buffer.concat(body)]),
        clickhouse_settings: settings,
        query_id: id,
        abort_signal: request.signal,
      })
      for await (const _ of stream) {
        // Nothing is answered; the end is what counts.
      }
    } catch (error) {
      throw this.#told(request, error)
    } finally {
      request.end()
    }
  }
}

/** Of two starts of a server: two clocks of whole seconds are subtracted for each. */
export function isSameMoment(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1
}

/** Nobody is there. A connection that breaks may have been old; one that is refused is not. */
export function isRefusal(error: unknown): boolean {
  return isUnreachable(error) && (error as { code?: unknown }).code === 'ECONNREFUSED'
}
