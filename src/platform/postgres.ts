// PostgreSQL as a database of the house's own: a pool of connections, and one that listens. Where a script names a
// PostgreSQL of somebody else, it is reached through `postgres-client.ts`.

import { Socket } from 'node:net'
import pg from 'pg'
import { networkCodes } from './network-codes.js'
import type { Random } from './random.js'

/** Enough for the catalog's small statements; a server takes a hundred by default, of all its clients together. */
const connectionsMax = 10
/** A request may need several statements one after the other, and is answered in time although each waits so long. */
const connectMsMax = 5000
/** No statement of the catalog takes long: one that does waits for a lock of somebody who is gone. */
const statementMsMax = 10_000

/** Who says nothing for longer is gone, though nobody has said so: a line that lost what was sent. */
const silenceMsMax = statementMsMax + 2000

const int8Type = 20

/** 64-bit integers as numbers: what is counted here stays far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    type === int8Type
      ? Number
      : pg.types.getTypeParser(type, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
}

export interface PoolOptions {
  /** Every statement and transaction is serializable: whoever opens it repeats those that fail for it. */
  readonly isSerializable: boolean
  readonly connectionsMax?: number
  readonly silenceMs?: number
}

export function openPool(url: string, options: PoolOptions): pg.Pool {
  const { isSerializable, connectionsMax: max = connectionsMax, silenceMs = silenceMsMax } = options
  const isolation = isSerializable ? 'serializable' : 'read\\ committed'
  const pool = new pg.Pool({
    ...settingsOf(url, 'millrace'),
    max,
    types,
    statement_timeout: statementMsMax,
    idle_in_transaction_session_timeout: statementMsMax,
    options: `-c default_transaction_isolation=${isolation}`,
    stream: () => attentiveSocket(silenceMs),
  })
  // Whoever waits for an answer of a lost connection is told; the pool makes others.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Statements that a connection has prepared; their texts must not have values in them. */
const preparedMax = 100

/** A connection of a pool, for whoever asks it texts with values and nothing else. */
type PlainClient = Pick<pg.PoolClient, 'query' | 'release'>

/** The same pool, where the server parses and plans each text once for a connection, and not each time it comes. */
export function preparing(pool: pg.Pool) {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= preparedMax) return known
    names.set(text, `s${names.size}`)
    return names.get(text)
  }
  const clients = new WeakMap<pg.PoolClient, PlainClient>()
  return {
    async connect(): Promise<PlainClient> {
      const inner = await pool.connect()
      let client = clients.get(inner)
      if (client === undefined) {
        const query = (text: string, values: unknown[]) => {
          // What has no values begins and ends transactions.
          const name = values.length === 0 ? undefined : nameOf(text)
          return inner.query(name === undefined ? { text, values } : { name, text, values })
        }
        client = { query: query as pg.PoolClient['query'], release: () => inner.release() }
        clients.set(inner, client)
      }
      return client
    },
    end: () => pool.end(),
  }
}

/** Idle connections of a pool are closed long before they are taken for silent. */
function attentiveSocket(silenceMs: number): Socket {
  const socket = new Socket()
  socket.setTimeout(silenceMs, () => {
    socket.destroy(new Error('Connection terminated: the server is silent'))
  })
  return socket
}

function settingsOf(url: string, name: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
  }
}

/** `23505`, `40001`, ...; undefined where the server did not say so. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Connection lost or refused, a server that starts, ends or has no place left, or a statement that took too long. */
export function isUnreachable(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return /^(?:08|57P0[123]|57014|53300)/.test(state)
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string') return networkCodes.has(error.code)
  return /^Connection terminated|connection timeout|timeout ex(?:ceeded|pired)|not queryable/.test(
    error.message,
  )
}

export interface ListenerOptions {
  readonly url: string
  readonly channels: readonly string[]
  /** What the server shows as the connection's name, for as long as there is one. */
  readonly name: string
  /** Also after each (re)connection: what was told meanwhile was not heard. */
  readonly onNotice: (channel: string, payload: string) => void
  readonly onConnected: () => void
  readonly random: Random
  /** How often it is asked whether anybody is there, and how long that may take. */
  readonly pulseEveryMs?: number
  readonly pulseMsMax?: number
}

const waitMsMin = 50
const waitMsMax = 2000
/** A line that is silent is not told from one on which nothing happens, unless somebody asks. */
const pulseEveryMs = 5000
const pulseMsMax = 5000

/** A connection that hears what is told on some channels, and is made anew when it was lost or is silent. */
export class Listener {
  readonly #options: ListenerOptions
  #client: pg.Client | undefined
  #socket: Socket | undefined
  #timer: NodeJS.Timeout | undefined
  #pulse: NodeJS.Timeout | undefined
  #waitMs = waitMsMin
  #isClosed = false

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Resolves with the first connection, or fails with it; later ones are made behind the scenes. */
  async open(): Promise<void> {
    await this.#connect()
  }

  async #connect(): Promise<void> {
    const { url, name, channels, onNotice, onConnected } = this.#options
    const socket = new Socket()
    const client = new pg.Client({ ...settingsOf(url, name), stream: () => socket })
    const lost = () => this.#lost(client)
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ channel, payload = '' }) => onNotice(channel, payload))
    this.#client = client
    this.#socket = socket
    try {
      await client.connect()
      for (const channel of channels) await this.#answered(client, `LISTEN ${channel}`)
    } catch (error) {
      lost()
      throw error
    }
    this.#waitMs = waitMsMin
    this.#pulseLater(client)
    onConnected()
  }

  #pulseLater(client: pg.Client): void {
    if (this.#client !== client) return
    this.#pulse = setTimeout(() => {
      this.#answered(client, 'SELECT 1').then(
        () => this.#pulseLater(client),
        () => this.#lost(client),
      )
    }, this.#options.pulseEveryMs ?? pulseEveryMs)
    this.#pulse.unref()
  }

  /** Fails where nobody answers in time. */
  async #answered(client: pg.Client, sql: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise<never>((_, reject) => {
      const silent = () => reject(new Error('Connection terminated: the server is silent'))
      timer = setTimeout(silent, this.#options.pulseMsMax ?? pulseMsMax)
      timer.unref()
    })
    try {
      await Promise.race([client.query(sql), silence])
    } finally {
      clearTimeout(timer)
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    clearTimeout(this.#pulse)
    // A farewell would not be heard either.
    this.#socket?.destroy()
    client.end().catch(() => undefined)
    if (!this.#isClosed) this.#reconnectLater()
  }

  #reconnectLater(): void {
    const wait = this.#waitMs * (0.5 + this.#options.random.bytes(1)[0] / 256)
    this.#waitMs = Math.min(this.#waitMs * 2, waitMsMax)
    this.#timer = setTimeout(() => {
      this.#connect().catch(() => undefined)
    }, wait)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#pulse)
    const client = this.#client
    this.#client = undefined
    if (client === undefined) return
    const late = setTimeout(() => this.#socket?.destroy(), pulseMsMax)
    await client.end().catch(() => undefined)
    clearTimeout(late)
  }
}
