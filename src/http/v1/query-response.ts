// How an encoded answer leaves: small ones whole, with their length, in one write; others as a stream
// that waits for its reader. Packed with gzip where the client takes it.

import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import type { PullStream } from '../../platform/pull-stream.js'
import type { AnswerHead } from '../answer-head.js'
import type { RawReply } from '../raw-reply.js'

/** Numbers and repeated names pack well at once; more effort takes several times as long. */
const gzipLevel = 1

export interface ResponseOptions {
  /** The headers of the answer; what the reply knows of others is not sent. Those of the body are added. */
  readonly head: AnswerHead
  readonly contentType: string
  /** Each chunk is sent as soon as it is there, be the answer small or not. */
  readonly isChunked: boolean
  readonly isGzip: boolean
  /** Told of all bytes of the answer, before they are packed. */
  readonly onSent: (bytes: number) => void
}

/** An encoder's chunks, each valid until the next one is asked for. */
export interface Chunks extends PullStream<Uint8Array> {
  /** Whether nothing comes behind the chunk given last; absent: only asking tells. */
  readonly isLast?: boolean
}

/**
 * Sends the answer; resolves when all of it was handed to the connection. Rejects without having sent anything where
 * `chunks` fails before its second piece, and where the client goes away.
 */
export async function sendChunks(
  reply: RawReply,
  chunks: Chunks,
  options: ResponseOptions,
): Promise<void> {
  const { head, contentType, isChunked, isGzip, onSent } = options
  const taken = chunks.take()
  const first = taken instanceof Promise ? await taken : taken
  const begun = first ?? nothing
  onSent(begun.length)
  head.push('content-type', contentType)
  if (isGzip) head.push('content-encoding', 'gzip')
  if (!isChunked && (first === undefined || chunks.isLast === true)) {
    sendWhole(reply, head, begun, isGzip)
    const closed = chunks.close()
    if (closed instanceof Promise) await closed
    return
  }
  // Its memory is written again as soon as more is asked for.
  const kept = Buffer.from(begun)
  const second = isChunked ? undefined : await chunks.take()
  if (!isChunked && second === undefined) return sendWhole(reply, head, kept, isGzip)
  const body = reply.begin(head)
  try {
    await stream(body, isGzip, kept, second, chunks, onSent)
  } catch (error) {
    // The answer has begun: only its breaking off can tell that something is wrong.
    body.destroy()
    throw error
  } finally {
    await chunks.close()
  }
}

const nothing = new Uint8Array(0)

function sendWhole(reply: RawReply, head: AnswerHead, body: Uint8Array, isGzip: boolean): void {
  reply.sendWhole(head, isGzip ? gzipSync(body, { level: gzipLevel }) : body)
}

async function stream(
  body: Writable,
  isGzip: boolean,
  head: Uint8Array,
  second: Uint8Array | undefined,
  chunks: Chunks,
  onSent: (bytes: number) => void,
): Promise<void> {
  const sink = new Sink(body, isGzip)
  await sink.write(head)
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
    // Streams tell of errors by events that end the process when nobody listens.
    body.on('error', () => undefined)
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
