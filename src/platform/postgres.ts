// PostgreSQL as a database of the house's own: a pool of connections, and one that listens. Where a script names a
// PostgreSQL of somebody else, it is reached through `postgres-client.ts`.

import { Socket } from 'node:net'
import pg from 'pg'
import { networkCodes } from './network-codes.js'
import type { Random } from './random.js'

/** Enough for the catalog's small statements; a server takes a hundred by default, of all its clients together. */
const connectionsMax = 10
const connectMsMax = 10_000
/** No statement of the catalog takes long: one that does waits for a lock of somebody who is gone. */
const statementMsMax = 30_000

/** Who says nothing for longer is gone, though nobody has said so: a line that lost what was sent. */
const silenceMsMax = statementMsMax + 5000

const int8Type = 20

/** 64-bit integers as numbers: what is counted here stays far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    type === int8Type
      ? Number
      : pg.types.getTypeParser(type, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
}

/** Every statement and transaction is serializable: whoever opens it repeats those that fail for it. */
export function openPool(url: string, silenceMs = silenceMsMax): pg.Pool {
  const pool = new pg.Pool({
    ...settingsOf(url, 'millrace'),
    max: connectionsMax,
    types,
    statement_timeout: statementMsMax,
    idle_in_transaction_session_timeout: statementMsMax,
    options: '-c default_transaction_isolation=serializable',
    stream: () => attentiveSocket(silenceMs),
  })
  // Whoever waits for an answer of a lost connection is told; the pool makes others.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
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

/** Connection lost or refused, or a server that starts, ends or has no place left. */
export function isUnreachable(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return /^(?:08|57P0[123]|53300)/.test(state)
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string') return networkCodes.has(error.code)
  return /^Connection terminated|connection timeout|timeout exceeded|not queryable/.test(
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
}

const waitMsMin = 50
const waitMsMax = 2000

/** A connection that hears what is told on some channels, and is made anew when it was lost. */
export class Listener {
  readonly #options: ListenerOptions
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
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
    const client = new pg.Client(settingsOf(url, name))
    const lost = () => this.#lost(client)
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ channel, payload = '' }) => onNotice(channel, payload))
    this.#client = client
    try {
      await client.connect()
      for (const channel of channels) await client.query(`LISTEN ${channel}`)
    } catch (error) {
      lost()
      throw error
    }
    this.#waitMs = waitMsMin
    onConnected()
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
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
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => undefined)
  }
}
