// Connections of reads: a statement is a request of node's own `http`, and its answer is the stream that this gives.
// The client that writes and words go through waits for a timer before each request and wraps every answer, which
// together took longer than a small read itself (2.1 ms against 0.5 for `SELECT 1`, and 1.2 ms of processor time
// against 0.4). A connection that the server closes at that moment fails like a lost one: whoever reads asks again.

import http from 'node:http'
import https from 'node:https'
import type { ClickhouseAddress } from './address.js'
import type { Settings } from './dialect.js'

/** A statement may take long, but not for ever. */
export const statementMsMax = 3_600_000
/** Servers close connections that nobody has used for some seconds: never be the later one. */
export const idleMsMax = 2000
/** What is kept of what a server says of a failure. */
const failureBytesMax = 64 * 1024

export interface Statement {
  readonly query: string
  readonly settings: Settings
  /** By which the server knows it. */
  readonly id: string
  readonly signal: AbortSignal
}

export class ReadConnections {
  readonly #options: http.RequestOptions
  readonly #request: typeof http.request
  readonly #agent: http.Agent
  readonly #path: string
  /** By the settings' object, of which there is one for each kind of read. */
  readonly #settingsTexts = new WeakMap<Settings, string>()

  constructor(
    { user, password, database }: ClickhouseAddress,
    url: string,
    connectionsMax: number,
  ) {
    const { protocol, hostname, port } = new URL(url)
    const kept = { keepAlive: true, maxSockets: connectionsMax, timeout: idleMsMax }
    const isPlain = protocol === 'http:'
    this.#request = isPlain ? http.request : https.request
    this.#agent = isPlain ? new http.Agent(kept) : new https.Agent(kept)
    this.#path = `/?database=${encodeURIComponent(database)}`
    const secret = Buffer.from(`${user}:${password}`).toString('base64')
    this.#options = {
      // An address of version 6 stands in brackets in a URL, and nowhere else.
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      method: 'POST',
      agent: this.#agent,
      timeout: statementMsMax,
      headers: { authorization: `Basic ${secret}`, 'user-agent': 'millrace' },
    }
  }

  /** The answer, as it comes; whoever does not read it to its end destroys it. */
  async send({ query, settings, id, signal }: Statement): Promise<http.IncomingMessage> {
    const path = `${this.#path}${this.#settingsText(settings)}&query_id=${id}`
    const answer = await this.#answer(path, Buffer.from(query), signal)
    if (answer.statusCode === 200) return answer
    throw await failureOf(answer)
  }

  #answer(path: string, body: Buffer, signal: AbortSignal): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { ...this.#options.headers, 'content-length': body.length }
      const request = this.#request({ ...this.#options, path, headers, signal }, resolve)
      request.on('error', reject)
      request.on('timeout', () => request.destroy(new Error('Timeout error')))
      request.end(body)
    })
  }

  #settingsText(settings: Settings): string {
    let text = this.#settingsTexts.get(settings)
    if (text === undefined) {
      const pairs = Object.entries(settings).map(([name, value]) => {
        return `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`
      })
      text = pairs.join('')
      this.#settingsTexts.set(settings, text)
    }
    return text
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** With ClickHouse's own code, where it tells one. */
async function failureOf(answer: http.IncomingMessage): Promise<Error> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of answer) {
    if (length < failureBytesMax) pieces.push(piece as Uint8Array)
    length += (piece as Uint8Array).length
  }
  const text = Buffer.concat(pieces).toString('utf8', 0, failureBytesMax).trim()
  const code = /^Code: (\d+)/.exec(text)?.[1] ?? answer.headers['x-clickhouse-exception-code']
  const message = text.replace(/^Code: \d+\. /, '') || `status ${answer.statusCode}`
  return code === undefined ? new Error(message) : Object.assign(new Error(message), { code })
}
