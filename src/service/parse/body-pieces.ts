// A body as columns, piece by piece, wherever it is parsed: on a thread, or here, where it waits for its turn among
// others that want to begin on the thread that serves.

import type { LineProtocolParser, Precision, WriteRest } from '../../line-protocol/parser.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import type { Beginnings } from '../base/beginnings.js'
import type { Caller } from '../base/fair-queue.js'
import type { ParsePool } from './parse-pool.js'
import type { ParsedPiece, ThreadBody } from './parse-thread.js'
import type { ParserRegistry } from './parsers.js'

export interface ParseParts {
  readonly parsers: ParserRegistry
  readonly pool: ParsePool
  readonly beginnings: Beginnings
}

export interface BodyToParse {
  readonly bucketId: string
  readonly bytes: Uint8Array
  readonly precision: Precision
  readonly now: bigint
}

export class BodyPieces {
  readonly #parts: ParseParts
  readonly #caller: Caller
  readonly #body: BodyToParse
  #onThread: ThreadBody | undefined
  #parser: LineProtocolParser | undefined
  #last: ParsedPiece | undefined
  /** Of a body that is parsed here. */
  #rest: WriteRest | undefined

  constructor(parts: ParseParts, caller: Caller, body: BodyToParse) {
    this.#parts = parts
    this.#caller = caller
    this.#body = body
  }

  /**
   * Who gets it may begin with what follows. The piece before, and at the end the last one, must not be looked at any
   * more: their memory is used again.
   */
  next(tableBytesMax: number): MaybePromise<ParsedPiece> {
    if (this.#onThread !== undefined) return this.#moreOnThread(this.#onThread, tableBytesMax)
    if (this.#last !== undefined) return this.#here(tableBytesMax)
    const place = this.#parts.pool.place(this.#caller, this.#body.bytes)
    return place === undefined ? this.#here(tableBytesMax) : this.#placed(place, tableBytesMax)
  }

  end(): void {
    this.#onThread?.end()
    this.#release()
  }

  async #placed(
    place: Promise<ThreadBody | undefined>,
    tableBytesMax: number,
  ): Promise<ParsedPiece> {
    this.#onThread = await place
    const piece = await this.#onThread?.first({ ...this.#body, tableBytesMax })
    if (piece === undefined) {
      this.#onThread = undefined
      return this.#here(tableBytesMax)
    }
    await this.#parts.beginnings.enter(this.#caller)
    return piece
  }

  async #moreOnThread(body: ThreadBody, tableBytesMax: number): Promise<ParsedPiece> {
    const piece = await body.next(tableBytesMax)
    await this.#parts.beginnings.enter(this.#caller)
    return piece
  }

  #here(tableBytesMax: number): MaybePromise<ParsedPiece> {
    this.#release()
    // Not awaited where it may begin: others that are as far would be told so too, before this one has used its time.
    const waiting = this.#parts.beginnings.enter(this.#caller)
    if (waiting !== undefined) return waiting.then(() => this.#parse(tableBytesMax))
    return this.#parse(tableBytesMax)
  }

  #parse(tableBytesMax: number): ParsedPiece {
    const { bucketId, bytes, precision, now } = this.#body
    const parser = this.#parts.parsers.of(bucketId)
    const parsed = parser.parse(bytes, { precision, now, from: this.#rest, tableBytesMax })
    const { batch, errors, errorCount, rest } = parsed
    this.#parser = parser
    this.#rest = rest
    const { columnCount = 0, measurements } = rest ?? {}
    const left = measurements && { columnCount, measurementCount: measurements.size }
    this.#last = { batch, errors, errorCount, rest: left }
    return this.#last
  }

  #release(): void {
    if (this.#last !== undefined) this.#parser?.release(this.#last.batch)
  }
}
