// How an encoded answer leaves: small ones whole, with their length, in one write; others as a stream
// that waits for its reader. Packed with gzip where the client takes it.

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import { letYoungMemoryGrow } from '../../platform/engine-tuning.js'
import { stop, take } from '../../platform/pull-stream.js'
import type { AnswerHead } from '../answer-head.js'

/** Numbers and repeated names pack well at once; more effort takes several times as long. */
const gzipLevel = 1

/** Answers of more than this are worth the memory that makes them quicker. */
const largeAnswerBytes = 2 << 20

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

/** An answer that is written without the framework's help, which is told so. */
export interface RawReply {
  readonly raw: ServerResponse
  /** Whether it is under way. */
  readonly sent: boolean
  hijack(): unknown
}

/** An encoder's chunks, each valid until the next one is asked for. */
export interface Chunks extends AsyncIterableIterator<Uint8Array> {
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
  const taken = take(chunks)
  const first = taken instanceof Promise ? await taken : taken
  const begun = first ?? nothing
  onSent(begun.length)
  head.push('content-type', contentType)
  if (isGzip) head.push('content-encoding', 'gzip')
  if (!isChunked && (first === undefined || chunks.isLast === true)) {
    sendWhole(reply, head, begun, isGzip)
    const stopped = stop(chunks)
    if (stopped instanceof Promise) await stopped
    return
  }
  // Its memory is written again as soon as more is asked for.
  const kept = Buffer.from(begun)
  const second = isChunked ? undefined : await take(chunks)
  if (!isChunked && second === undefined) return sendWhole(reply, head, kept, isGzip)
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, head)
  try {
    await stream(raw, isGzip, kept, second, chunks, onSent)
  } catch (error) {
    // The answer has begun: only its breaking off can tell that something is wrong.
    raw.destroy()
    throw error
  } finally {
    await stop(chunks)
  }
}

const nothing = new Uint8Array(0)

/**
 * Head and body in one write. Node joins the two only where the body is a text; Latin-1 is the one in which every byte
 * stands for itself.
 */
function sendWhole(reply: RawReply, head: AnswerHead, body: Uint8Array, isGzip: boolean): void {
  const text = latin1(isGzip ? gzipSync(body, { level: gzipLevel }) : body)
  head.push('content-length', text.length)
  reply.hijack()
  if (staysByItself(reply.raw.req)) reply.raw.removeHeader('connection')
  reply.raw.writeHead(200, head)
  reply.raw.end(text, 'latin1')
}

/**
 * Whether the connection stays without a word about it, which InfluxDB does not say either. What Node would say by
 * itself its own clients set a clock by, for each answer, and that takes longer than all else in a small answer's head.
 */
function staysByItself({ httpVersion, headers }: IncomingMessage): boolean {
  const { connection } = headers
  return httpVersion === '1.1' && (connection === undefined || connection === 'keep-alive')
}

function latin1(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return buffer.toString('latin1')
}

async function stream(
  raw: ServerResponse,
  isGzip: boolean,
  head: Uint8Array,
  second: Uint8Array | undefined,
  chunks: Chunks,
  onSent: (bytes: number) => void,
): Promise<void> {
  const sink = new Sink(raw, isGzip)
  await sink.write(head)
  if (second !== undefined) {
    onSent(second.length)
    await sink.write(second)
  }
  let sent = 0
  for await (const chunk of chunks) {
    onSent(chunk.length)
    sent += chunk.length
    if (sent > largeAnswerBytes) letYoungMemoryGrow()
    await sink.write(chunk)
  }
  await sink.end()
}

class Sink {
  readonly #raw: ServerResponse
  readonly #stream: Writable
  /** Of whoever waits for a write. */
  #reject: ((error: Error) => void) | undefined

  constructor(raw: ServerResponse, isGzip: boolean) {
    this.#raw = raw
    this.#stream = isGzip ? gzipInto(raw) : raw
    // Streams tell of errors by events that end the process when nobody listens.
    raw.on('error', () => undefined)
    // A write between the end of the connection and this event is never called back.
    raw.once('close', () => this.#reject?.(closed()))
  }

  /** Resolves when the bytes are not needed any more. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#raw.destroyed) return reject(closed())
      this.#reject = reject
      this.#stream.write(bytes, (error) => {
        if (error == null) resolve()
        else reject(error)
      })
    })
  }

  async end(): Promise<void> {
    this.#stream.end()
    if (!this.#raw.writableFinished && !this.#raw.destroyed) await once(this.#raw, 'close')
  }
}

function gzipInto(raw: ServerResponse): Writable {
  const gzip = createGzip({ level: gzipLevel, chunkSize: 64 * 1024 })
  gzip.on('error', () => undefined)
  gzip.pipe(raw)
  raw.once('close', () => gzip.destroy())
  return gzip
}

function closed(): Error {
  return new Error('the connection was closed')
}
