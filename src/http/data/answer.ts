// How the answer of a query leaves, in whichever language and format: small ones whole, with their length, in one
// write; others as a stream that waits for its reader. Packed with gzip where the client takes it. The query ends
// with it.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import { UserError } from '../../errors.js'
import type { PullStream } from '../../platform/pull-stream.js'
import type { QueryRun } from '../../service/query/query-run.js'
import type { AnswerHead } from '../base/answer-head.js'
import type { Exchange } from './exchange.js'

/** Numbers and repeated names pack well at once; more effort takes several times as long. */
const gzipLevel = 1

/** An encoder's chunks, each valid until the next one is asked for. */
export interface Chunks extends PullStream<Uint8Array> {
  /** Whether nothing comes behind the chunk given last; absent: only asking tells. */
  readonly isLast?: boolean
}

export interface QueryAnswer {
  readonly chunks: Chunks
  readonly contentType: string
  /** Each chunk is sent as soon as it is there, be the answer small or not. */
  readonly isChunked?: boolean
  /** Headers besides those of every answer, names and values in turn. */
  readonly headers?: readonly string[]
}

/** Rejects where the query failed before anything was sent. Later failures break the answer off. */
export async function answerQuery<Piece>(
  exchange: Exchange,
  run: QueryRun<Piece>,
  answer: (run: QueryRun<Piece>) => QueryAnswer,
): Promise<void> {
  exchange.onGone(() => run.stop(new UserError('invalid', 'query interrupted')))
  try {
    await sendChunks(exchange, answer(run), (bytes) => run.sent(bytes))
  } catch (error) {
    // Nobody is left to be told of a client that went, and nothing to be told in a stream cut off.
    if (!exchange.response.headersSent && !exchange.isGone) throw error
    if (!run.isStopped && !exchange.isGone) exchange.failureText(error as Error)
  } finally {
    run.end()
  }
}

/**
 * Resolves when all of the answer was handed to the connection. Rejects without having sent anything where `chunks`
 * fails before its second piece, and where the client goes away. `onSent` is told of all bytes, before they are packed.
 */
async function sendChunks(
  exchange: Exchange,
  answer: QueryAnswer,
  onSent: (bytes: number) => void,
): Promise<void> {
  const { chunks, contentType, isChunked = false, headers = [] } = answer
  const isGzip = takesGzip(exchange.headers['accept-encoding'])
  const taken = chunks.take()
  const first = taken instanceof Promise ? await taken : taken
  const begun = first ?? nothing
  onSent(begun.length)
  const head = exchange.head()
  head.push(...headers, 'content-type', contentType)
  if (isGzip) head.push('content-encoding', 'gzip')
  if (!isChunked && (first === undefined || chunks.isLast === true)) {
    sendWhole(exchange, head, begun, isGzip)
    const closed = chunks.close()
    if (closed instanceof Promise) await closed
    return
  }
  // Its memory is written again as soon as more is asked for.
  const copied = Buffer.from(begun)
  const second = isChunked ? undefined : await chunks.take()
  if (!isChunked && second === undefined) return sendWhole(exchange, head, copied, isGzip)
  exchange.writeHead(200, head)
  const { response } = exchange
  try {
    await stream(response, isGzip, copied, second, chunks, onSent)
  } catch (error) {
    // The answer has begun: only its breaking off can tell that something is wrong.
    response.destroy()
    throw error
  } finally {
    await chunks.close()
  }
}

const nothing = new Uint8Array(0)

/** Whether an Accept-Encoding takes gzip. */
function takesGzip(acceptEncoding: string | string[] | undefined): boolean {
  if (typeof acceptEncoding !== 'string' || !acceptEncoding.includes('gzip')) return false
  return !/gzip\s*;\s*q=0(\.0*)?\s*(,|$)/.test(acceptEncoding)
}

function sendWhole(exchange: Exchange, head: AnswerHead, body: Uint8Array, isGzip: boolean): void {
  exchange.sendWhole(head, isGzip ? gzipSync(body, { level: gzipLevel }) : body)
}

async function stream(
  body: ServerResponse,
  isGzip: boolean,
  first: Uint8Array,
  second: Uint8Array | undefined,
  chunks: Chunks,
  onSent: (bytes: number) => void,
): Promise<void> {
  const sink = new Sink(body, isGzip)
  await sink.write(first)
  if (second !== undefined) {
    onSent(second.length)
    await sink.write(second)
  }
  for await (const chunk of chunks) {
    onSent(chunk.length)
    await sink.write(chunk)
  }
  await sink.end()
}

class Sink {
  readonly #body: Writable
  readonly #stream: Writable
  /** Of whoever waits for a write. */
  #reject: ((error: Error) => void) | undefined

  constructor(body: Writable, isGzip: boolean) {
    this.#body = body
    this.#stream = isGzip ? gzipInto(body) : body
    // A write between the end of the connection and this event is never called back.
    body.once('close', () => this.#reject?.(closed()))
  }

  /** Resolves when the bytes are not needed any more. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#body.destroyed) return reject(closed())
      this.#reject = reject
      this.#stream.write(bytes, (error) => {
        if (error == null) resolve()
        else reject(error)
      })
    })
  }

  async end(): Promise<void> {
    this.#stream.end()
    if (!this.#body.writableFinished && !this.#body.destroyed) await once(this.#body, 'close')
  }
}

function gzipInto(body: Writable): Writable {
  const gzip = createGzip({ level: gzipLevel, chunkSize: 64 * 1024 })
  gzip.on('error', () => undefined)
  gzip.pipe(body)
  body.once('close', () => gzip.destroy())
  return gzip
}

function closed(): Error {
  return new Error('the connection was closed')
}
