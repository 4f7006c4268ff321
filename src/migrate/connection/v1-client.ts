// A server of v1 as a migration talks to it, InfluxDB 1.x or another Millrace: statements, answers in msgpack that keep
// every type exact, and line protocol. A server that is busy or away for a moment is asked again; one that fails in
// the middle of an answer has failed, whatever status it began with.

import { UserError } from '../../errors.js'
import type { Precision } from '../../line-protocol/parser.js'
import { MsgpackStream } from './msgpack.js'

export interface V1Series {
  readonly name: string
  readonly tags?: Readonly<Record<string, string>>
  readonly columns: readonly string[]
  /** Integers and times are bigint, floats numbers; null: no value. */
  readonly values?: readonly (readonly unknown[])[]
}

export interface V1Result {
  readonly series?: readonly V1Series[]
  readonly error?: string
}

/** What a server did not do, in its words; of a write with the lines that it names. */
export class ServerRefusal extends UserError {
  readonly answerStatus: number
  readonly lines: readonly { readonly line: number; readonly reason: string }[]

  constructor(message: string, status: number, lines: ServerRefusal['lines']) {
    super('invalid', message)
    this.answerStatus = status
    this.lines = lines
  }
}

export interface V1Credentials {
  readonly token?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
}

export interface LongAnswer {
  readonly headers: Headers
  readonly bytes: AsyncIterable<Uint8Array>
}

/** As v1 calls them. */
const v1Precisions: Readonly<Record<Precision, string>> = {
  ns: 'n',
  us: 'u',
  ms: 'ms',
  s: 's',
  m: 'm',
  h: 'h',
}

/** How often a request that found nobody, or a busy server, is made again: about two minutes. */
const attemptsMax = 12
const waitMsMax = 15_000

/** Rows of one chunk of an answer. */
const chunkRows = 10_000

export class V1Client {
  readonly url: string
  readonly #base: URL
  /** The header of that name. */
  readonly authorization: string | undefined
  /** Of bodies of long answers, as they came out of their packing. */
  receivedBytes = 0

  /** Throws UserError where it is no address. */
  constructor(url: string, credentials: V1Credentials) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw new UserError('invalid', `"${url}" is not a URL such as http://127.0.0.1:8086`)
    }
    const base = new URL(url.endsWith('/') ? url : `${url}/`)
    const username = credentials.username ?? decodeURIComponent(base.username)
    const password = credentials.password ?? decodeURIComponent(base.password)
    base.username = ''
    base.password = ''
    this.#base = base
    this.url = base.href
    if (credentials.token !== undefined) this.authorization = `Token ${credentials.token}`
    else if (username !== '') {
      this.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    }
  }

  /** All results of the statements. Throws UserError with the server's words for the first that failed. */
  async query(text: string, database?: string, signal?: AbortSignal): Promise<readonly V1Result[]> {
    const results: V1Result[] = []
    for await (const result of this.#results(text, database, false, signal)) results.push(result)
    return results
  }

  /** Of one statement, as it comes. */
  async *series(text: string, database: string): AsyncGenerator<V1Series> {
    for await (const { series = [] } of this.#results(text, database, true)) yield* series
  }

  async *#results(
    text: string,
    db = '',
    isChunked: boolean,
    signal: AbortSignal | null = null,
  ): AsyncGenerator<V1Result> {
    const body = new URLSearchParams({ q: text, epoch: 'ns' })
    if (db !== '') body.set('db', db)
    if (isChunked) {
      body.set('chunked', 'true')
      body.set('chunk_size', String(chunkRows))
    }
    const headers = { accept: 'application/x-msgpack' }
    const response = await this.#send('query', { method: 'POST', body, headers, signal })
    const stream = new MsgpackStream()
    for await (const chunk of response.body ?? []) {
      this.receivedBytes += chunk.length
      for (const document of stream.push(chunk)) yield* resultsOf(document)
    }
    if (stream.isBroken) throw new Error(`the answer of ${this.url} broke off`)
  }

  /** Throws UserError where the server refuses points. */
  async write(
    database: string,
    policy: string,
    lines: Uint8Array,
    precision: Precision = 'ns',
  ): Promise<void> {
    const parameters = new URLSearchParams({ db: database, precision: v1Precisions[precision] })
    if (policy !== '') parameters.set('rp', policy)
    await this.text(`write?${parameters}`, { method: 'POST', body: Buffer.from(lines) })
  }

  /** The same by the name of a bucket. */
  async writeBucket(
    bucket: string,
    org: string | undefined,
    precision: Precision,
    lines: Uint8Array,
  ): Promise<void> {
    const parameters = new URLSearchParams({ bucket, precision, refused: 'list' })
    if (org !== undefined) parameters.set('org', org)
    await this.text(`api/v2/write?${parameters}`, { method: 'POST', body: Buffer.from(lines) })
  }

  /** Of any request. */
  async text(path: string, init: RequestInit): Promise<string> {
    return (await this.#send(path, init)).text()
  }

  /** Of a long answer, as it comes. Throws where it breaks off. */
  async *bytes(path: string, init: RequestInit = { method: 'GET' }): AsyncGenerator<Uint8Array> {
    const { bytes } = await this.answer(path, init)
    yield* bytes
  }

  /** The same with its head. */
  async answer(path: string, init: RequestInit = { method: 'GET' }): Promise<LongAnswer> {
    const { headers, body } = await this.#send(path, init)
    return { headers, bytes: this.#counted(body ?? []) }
  }

  async *#counted(chunks: AsyncIterable<Uint8Array> | Uint8Array[]): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.receivedBytes += chunk.length
      yield chunk
    }
  }

  /** An answer as it is, whatever its status. */
  async look(path: string): Promise<{ readonly headers: Headers; readonly text: string }> {
    const response = await this.#ask(path, { method: 'GET' })
    return { headers: response.headers, text: await response.text() }
  }

  /** Throws ServerRefusal for what is no success. */
  async #send(path: string, init: RequestInit): Promise<Response> {
    const answer = await this.#ask(path, init)
    if (answer.ok) return answer
    throw await refusalOf(answer, this.url)
  }

  async #ask(path: string, init: RequestInit): Promise<Response> {
    const url = new URL(path, this.#base)
    const headers = new Headers(init.headers)
    if (this.authorization !== undefined) headers.set('authorization', this.authorization)
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(url, { ...init, headers }).catch((error: unknown) => error)
      init.signal?.throwIfAborted()
      const isBusy = answer instanceof Response && (answer.status === 429 || answer.status === 503)
      if (answer instanceof Response && !isBusy) return answer
      if (attempt === attemptsMax || (attempt > 2 && isRefused(answer))) {
        const reason =
          answer instanceof Response
            ? (await refusalOf(answer, this.url)).message
            : reasonOf(answer)
        throw new Error(`cannot reach ${this.url}: ${reason}`)
      }
      const wanted = answer instanceof Response ? Number(answer.headers.get('retry-after') ?? 0) : 0
      const waitMs = Math.min(waitMsMax, Math.max(wanted * 1000, 250 * 2 ** attempt))
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

/** Nobody listens there at all: waiting for minutes would help nobody. */
function isRefused(answer: unknown): boolean {
  return !(answer instanceof Response) && /ECONNREFUSED|ENOTFOUND/.test(reasonOf(answer))
}

function* resultsOf(document: unknown): Generator<V1Result> {
  const { results = [], error } = document as { results?: V1Result[]; error?: string }
  if (error !== undefined) throw new UserError('invalid', error)
  for (const result of results) {
    if (result.error !== undefined) throw new UserError('invalid', result.error)
    yield result
  }
}

async function refusalOf(response: Response, url: string): Promise<ServerRefusal> {
  const text = await response.text()
  let told: Record<string, unknown> = {}
  try {
    told = JSON.parse(text) ?? {}
  } catch {
    // Not every server answers with JSON.
  }
  const words = told.message ?? told.error
  const shown = typeof words === 'string' ? words : text.slice(0, 200)
  const message = `${url} answered with status ${response.status}${shown === '' ? '' : `: ${shown}`}`
  return new ServerRefusal(message, response.status, [
    ...namedLines(shown),
    ...listedLines(told.refused),
  ])
}

/** `error writing line 3 (1-based): reason`, a line each. */
function namedLines(message: string): ServerRefusal['lines'] {
  const found = message.matchAll(/error (?:writing|parsing) line (\d+) \(1-based\): (.*)/g)
  return Array.from(found, ([, line, reason]) => ({ line: Number(line), reason }))
}

/** What a write with `refused=list` is answered with. */
function listedLines(list: unknown): ServerRefusal['lines'] {
  if (!Array.isArray(list)) return []
  return list.map(({ line, message }) => ({ line: Number(line), reason: String(message) }))
}

/** `fetch failed` says nothing; what it failed of stands behind it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error as { cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || error.message
}
