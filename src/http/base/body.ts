// Reads the body of a write into one contiguous buffer: packed or not, with or without a
// Content-Length, never more than the limit. The content type plays no part: clients send all kinds
// of them.
//
// The limit holds for the bytes on the wire and for what they unpack to; unpacking stops there, so
// that a small packed body cannot fill the memory.

import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { UserError, WriteError } from '../../errors.js'
import { copyIntoShared } from '../../platform/shared-copy.js'
import type { BodyPool } from './body-pool.js'

export interface Body {
  readonly bytes: Uint8Array
  /** Bytes on the wire. */
  readonly wireBytes: number
  /** Gives the buffer back; `bytes` must not be touched afterwards. */
  release(): void
}

/** Called before memory is taken; throws where there is no more. */
export type Reserve = (bytes: number) => void

export class BodyReader {
  readonly #pool: BodyPool
  readonly #bytesMax: number

  constructor(pool: BodyPool, bytesMax: number) {
    this.#pool = pool
    this.#bytesMax = bytesMax
  }

  /** `isPacked`: where the headers do not say it. */
  async read(
    raw: IncomingMessage,
    reserve: Reserve,
    isPacked = isGzip(raw.headers['content-encoding']),
  ): Promise<Body> {
    const declared = raw.headers['content-length']
    const length = declared === undefined ? undefined : Number(declared)
    if (length !== undefined && length > this.#bytesMax) throw tooLarge(this.#bytesMax)
    const wire = new Accumulator(this.#pool, reserve, this.#bytesMax, length ?? 0)
    try {
      await collect(raw, wire)
    } catch (error) {
      wire.release()
      throw error
    }
    return isPacked ? this.#unpack(wire, reserve) : bodyOf(wire, wire.length)
  }

  async #unpack(wire: Accumulator, reserve: Reserve): Promise<Body> {
    const packed = wire.bytes()
    const plain = new Accumulator(this.#pool, reserve, this.#bytesMax, unpackedHint(packed))
    try {
      await gunzip(packed, plain)
      return bodyOf(plain, packed.length)
    } catch (error) {
      plain.release()
      throw error
    } finally {
      wire.release()
    }
  }
}

function bodyOf(from: Accumulator, wireBytes: number): Body {
  return { bytes: from.bytes(), wireBytes, release: () => from.release() }
}

/** Throws where it is packed in another way. */
export function isGzip(encoding: string | undefined): boolean {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === 'gzip' || name === 'x-gzip') return true
  if (name === '' || name === 'identity') return false
  throw new UserError(
    'unsupported media type',
    `content encoding "${name}" is not gzip or identity`,
  )
}

export function tooLarge(bytesMax: number): WriteError {
  const message = `unable to read data: points batch is too large, the maximum is ${bytesMax} bytes`
  return new WriteError(message, { maxLength: bytesMax }, 413)
}

/** gzip ends with the unpacked size. It may lie, so it is only where to start. */
function unpackedHint(packed: Uint8Array): number {
  if (packed.length < 18) return 0
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  // Deflate packs to no less than 1/1032: beyond that the hint is a lie, and memory is not given
  // for it.
  return Math.min(view.getUint32(packed.length - 4, true), packed.length * 1032)
}

/** One buffer from the pool that is exchanged for a larger one as bytes arrive. */
class Accumulator {
  readonly #pool: BodyPool
  readonly #reserve: Reserve
  readonly #bytesMax: number
  #buffer: Buffer | undefined
  #length = 0

  constructor(pool: BodyPool, reserve: Reserve, bytesMax: number, expectedBytes: number) {
    this.#pool = pool
    this.#reserve = reserve
    this.#bytesMax = bytesMax
    const capacity = Math.min(expectedBytes, bytesMax)
    if (capacity === 0) return
    reserve(capacity)
    this.#buffer = pool.take(capacity)
  }

  get length(): number {
    return this.#length
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (length > this.#bytesMax) throw tooLarge(this.#bytesMax)
    if (this.#buffer === undefined || length > this.#buffer.length) this.#grow(length)
    if (this.#buffer !== undefined) put(this.#buffer, chunk, this.#length)
    this.#pool.pieces.note(chunk.length)
    this.#length = length
  }

  #grow(length: number): void {
    const old = this.#buffer
    const capacity = Math.min(Math.max(length, 2 * (old?.length ?? 0)), this.#bytesMax)
    this.#reserve(capacity - (old?.length ?? 0))
    const larger = this.#pool.take(capacity)
    if (old !== undefined) {
      put(larger, old.subarray(0, this.#length), 0)
      this.#pool.give(old)
    }
    this.#buffer = larger
  }

  bytes(): Uint8Array {
    return this.#buffer?.subarray(0, this.#length) ?? new Uint8Array(0)
  }

  release(): void {
    if (this.#buffer === undefined) return
    this.#pool.give(this.#buffer)
    this.#buffer = undefined
    this.#length = 0
  }
}

function put(buffer: Buffer, bytes: Uint8Array, at: number): void {
  if (buffer.buffer instanceof SharedArrayBuffer) copyIntoShared(buffer, bytes, at)
  else buffer.set(bytes, at)
}

/** What is left unread after a failure is discarded by Node once the answer was sent. */
function collect(raw: IncomingMessage, into: Accumulator): Promise<void> {
  return new Promise((resolve, reject) => {
    // A client that left while its credential was looked up sends no event any more.
    if (raw.destroyed && !raw.readableEnded) {
      reject(closedWithin())
      return
    }
    const settle = (error: Error | undefined) => {
      raw.off('data', onData)
      raw.off('end', onEnd)
      raw.off('close', onClose)
      // The error listener stays: a connection that breaks later must not end the process.
      if (error === undefined) resolve()
      else reject(error)
    }
    const onData = (chunk: Buffer) => {
      try {
        into.append(chunk)
      } catch (error) {
        settle(error as Error)
      }
    }
    const onEnd = () => settle(undefined)
    const onClose = () => settle(closedWithin())
    raw.on('data', onData)
    raw.on('end', onEnd)
    raw.on('close', onClose)
    raw.on('error', onClose)
  })
}

function closedWithin(): UserError {
  return new UserError('invalid', 'the connection closed within the body')
}

/** Output per step: large, because each step is a round through the thread pool. */
const gunzipChunkBytes = 256 * 1024

function gunzip(packed: Uint8Array, into: Accumulator): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = createGunzip({ chunkSize: gunzipChunkBytes })
    stream.on('data', (chunk: Buffer) => {
      try {
        into.append(chunk)
      } catch (error) {
        stream.destroy()
        reject(error)
      }
    })
    stream.on('end', () => resolve())
    stream.on('error', (error) => {
      reject(new UserError('invalid', `unable to read data: gzip: ${error.message}`))
    })
    stream.end(packed)
  })
}
