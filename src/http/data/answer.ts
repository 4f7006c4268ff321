// How the answer of a query leaves, in whichever language and format: small ones whole, with their length, in one
// write; others as a stream that waits for its reader. Packed with gzip where the client takes it. The query ends
// with it.

import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import { UserError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import type { AnswerForm, Chunks } from '../../result/answer-form.js'
import type { FailureText } from '../../result/format.js'
import type { BegunAnswer, QueryRun } from '../../service/query/query-run.js'
import type { AnswerHead } from '../base/answer-head.js'
import { gzipLevel, takesGzip } from '../base/packing.js'
import type { Exchange } from './exchange.js'

export interface QueryAnswer {
  readonly chunks: Chunks
  /** What `chunks` are encoded as: by this a query may also be run and printed elsewhere. Absent: only here. */
  readonly form?: AnswerForm
  readonly contentType: string
  /** Each chunk is sent as soon as it is there, be the answer small or not. */
  readonly isChunked?: boolean
  /** Headers besides those of every answer, names and values in turn. */
  readonly headers?: readonly string[]
}

/**
 * Throws or rejects where the query failed before anything was sent. Later failures break the answer off. What is read
 * without waiting and is small, as the answers to most dashboards are, has been sent when this returns.
 */
export function answerQuery<Piece>(
  exchange: Exchange,
  run: QueryRun<Piece>,
  answer: () => QueryAnswer,
): MaybePromise<void> {
  let waiting: Promise<void> | undefined
  try {
    const made = answer()
    if (made.form !== undefined) run.mayMove()
    const first = made.chunks.take()
    if (first instanceof Promise || made.chunks.isLast !== true || made.isChunked === true) {
      waiting = sendLater(exchange, run, made, first, answer)
      return waiting
    }
    sendWhole(exchange, run, made, first)
    void made.chunks.close()
  } finally {
    if (waiting === undefined) run.end()
  }
}

async function sendLater<Piece>(
  exchange: Exchange,
  run: QueryRun<Piece>,
  answer: QueryAnswer,
  first: MaybePromise<Uint8Array | undefined>,
  makeAnswer: () => QueryAnswer,
): Promise<void> {
  exchange.onGone(() => run.stop(new UserError('invalid', 'query interrupted')))
  try {
    const { chunks, first: chunk } = await beginning(run, answer, first, makeAnswer)
    await sendChunks(exchange, run, { ...answer, chunks }, chunk)
  } catch (error) {
    // Nobody is left to be told of a client that went, and nothing to be told in a stream cut off.
    if (!exchange.response.headersSent && !exchange.isGone) throw error
    if (!run.isStopped && !exchange.isGone) exchange.failureText(error as Error)
  } finally {
    run.end()
  }
}

/** How failures read in an answer. One that has only begun here is not failing: it runs elsewhere. */
export function failureTextOf<Piece>(exchange: Exchange, run: QueryRun<Piece>): FailureText {
  return (error) => (run.isMoving ? error.message : exchange.failureText(error))
}

/** The first chunk, from wherever the query runs: one that is to run elsewhere has only begun here. */
async function beginning<Piece>(
  run: QueryRun<Piece>,
  answer: QueryAnswer,
  first: MaybePromise<Uint8Array | undefined>,
  makeAnswer: () => QueryAnswer,
): Promise<BegunAnswer> {
  try {
    const chunk = await first
    if (!run.isMoving) {
      run.stays()
      return { chunks: answer.chunks, first: chunk }
    }
  } catch (error) {
    if (!run.isMoving) {
      await answer.chunks.close()
      throw error
    }
  }
  await answer.chunks.close()
  return run.move(answer.form!, () => makeAnswer().chunks)
}

/**
 * Resolves when all of the answer was handed to the connection. Rejects without having sent anything where `chunks`
 * fails before its second piece, and where the client goes away.
 */
async function sendChunks<Piece>(
  exchange: Exchange,
  run: QueryRun<Piece>,
  answer: QueryAnswer,
  first: Uint8Array | undefined,
): Promise<void> {
  const { chunks, isChunked = false } = answer
  try {
    if (!isChunked && (first === undefined || chunks.isLast === true)) {
      return sendWhole(exchange, run, answer, first)
    }
    // Its memory is written again as soon as more is asked for.
    const copied = Buffer.from(first ?? nothing)
    const second = isChunked ? undefined : await chunks.take()
    if (!isChunked && second === undefined) return sendWhole(exchange, run, answer, copied)
    exchange.writeHead(200, headOf(exchange, run, answer))
    await sendParts(exchange, run, second === undefined ? [copied] : [copied, second], chunks)
  } finally {
    await chunks.close()
  }
}

async function sendParts<Piece>(
  { response, headers }: Exchange,
  run: QueryRun<Piece>,
  begun: readonly Uint8Array[],
  rest: Chunks,
): Promise<void> {
  try {
    const sink = new Sink(response, takesGzip(headers['accept-encoding']))
    const send = (chunk: Uint8Array) => {
      // Counted before they are packed.
      run.sent(chunk.length)
      return sink.write(chunk)
    }
    for (const chunk of begun) await send(chunk)
    for await (const chunk of rest) {
      await send(chunk)
      await run.nextTurn()
    }
    await sink.end()
  } catch (error) {
    // The answer has begun: only its breaking off can tell that something is wrong.
    response.destroy()
    throw error
  }
}

function sendWhole<Piece>(
  exchange: Exchange,
  run: QueryRun<Piece>,
  answer: QueryAnswer,
  body: Uint8Array = nothing,
): void {
  run.sent(body.length)
  const sent = takesGzip(exchange.headers['accept-encoding'])
    ? gzipSync(body, { level: gzipLevel })
    : body
  exchange.sendWhole(headOf(exchange, run, answer), sent)
}

function headOf<Piece>(
  exchange: Exchange,
  run: QueryRun<Piece>,
  { headers = [], contentType }: QueryAnswer,
): AnswerHead {
  const head = exchange.head()
  head.push(...headers, 'content-type', contentType, 'server-timing', timingOf(run))
  if (takesGzip(exchange.headers['accept-encoding'])) head.push('content-encoding', 'gzip')
  return head
}

/** Milliseconds until the answer began to leave, as browsers show them. */
function timingOf<Piece>(run: QueryRun<Piece>): string {
  const { queuedMs, spentMs } = run.timing()
  return `queue;dur=${queuedMs.toFixed(1)}, run;dur=${spentMs.toFixed(1)}`
}

const nothing = new Uint8Array(0)

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
