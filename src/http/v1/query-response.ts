// How an encoded answer leaves: small ones whole, with their length, in one write; others as a stream
// that waits for its reader. Packed with gzip where the client takes it.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/** Numbers and repeated names pack well at once; more effort takes several times as long. */
const gzipLevel = 1

export interface ResponseOptions {
  readonly contentType: string
  /** Each chunk is sent as soon as it is there, be the answer small or not. */
  readonly isChunked: boolean
  readonly isGzip: boolean
  /** Told of all bytes of the answer, before they are packed. */
  readonly onSent: (bytes: number) => void
}

/**
 * Sends the answer; resolves when all of it was handed to the connection. Rejects without having sent anything where
 * `chunks` fails before its second piece, and where the client goes away.
 */
export async function sendChunks(
  reply: FastifyReply,
  chunks: AsyncGenerator<Uint8Array, void, void>,
  options: ResponseOptions,
): Promise<void> {
  const { contentType, isChunked, isGzip, onSent } = options
  const first = await chunks.next()
  // Its memory is written again as soon as more is asked for.
  const head = first.done === true ? Buffer.alloc(0) : Buffer.from(first.value)
  const second = isChunked ? undefined : await chunks.next()
  reply.header('content-type', contentType)
  if (isGzip) reply.header('content-encoding', 'gzip')
  onSent(head.length)
  if (second?.done === true) {
    sendWhole(reply, isGzip ? gzipSync(head, { level: gzipLevel }) : head)
    return
  }
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  try {
    await stream(raw, isGzip, head, second?.value, chunks, onSent)
  } catch (error) {
    // The answer has begun: only its breaking off can tell that something is wrong.
    raw.destroy()
    throw error
  } finally {
    await chunks.return()
  }
}

/**
 * Head and body in one write. Node joins the two only where the body is a text; Latin-1 is the one in which every byte
 * stands for itself.
 */
function sendWhole(reply: FastifyReply, body: Buffer): void {
  reply.hijack()
  reply.header('content-length', body.length)
  reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  reply.raw.end(body.toString('latin1'), 'latin1')
}

async function stream(
  raw: ServerResponse,
  isGzip: boolean,
  head: Uint8Array,
  second: Uint8Array | undefined,
  chunks: AsyncGenerator<Uint8Array, void, void>,
  onSent: (bytes: number) => void,
): Promise<void> {
  const sink = new Sink(raw, isGzip)
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
