// The encoding of an answer: pieces of results in, bytes out, as much at a time as is worth sending.
// Memory stays bounded however large the answer is (msgpack apart, whose documents are held whole).
//
// Each chunk of bytes is valid until the next one is asked for: its memory is then written again.

import { UserError } from '../errors.js'
import { type MaybePromise, PullStream } from '../platform/pull-stream.js'
import type { ResultBatch, ResultPiece } from '../query/language.js'
import type { FailureText, ResultEncoder, ResultFormat } from './format.js'
import { V1Csv } from './v1-csv.js'
import { V1Json } from './v1-json.js'
import { V1Msgpack } from './v1-msgpack.js'

export interface EncodingOptions {
  readonly failureText?: FailureText
  /**
   * What is thrown instead of being told in a result, of a failure that comes before anything else. Where this is
   * given, what the source throws before then is thrown on as well: the answer has not begun.
   */
  readonly refusal?: (error: Error) => Error | undefined
}

/**
 * What the source throws ends the answer: as the failure of its result where it is the user's doing, or where bytes
 * have left already and nothing else can tell; otherwise it is thrown on.
 */
export function encodeResults(
  pieces: PullStream<ResultPiece>,
  format: ResultFormat,
  options: EncodingOptions = {},
): EncodedResults {
  return new EncodedResults(pieces, format, options)
}

/** Must be read to its end, or told to return. */
export class EncodedResults extends PullStream<Uint8Array> {
  readonly #encoder: ResultEncoder
  readonly #source: PullStream<ResultPiece>
  /** Who reads an answer in chunks wants each as soon as it is there, and not when the next one is. */
  readonly #isPrompt: boolean
  readonly #refusal: EncodingOptions['refusal']
  #pending: Promise<ResultPiece | undefined> | undefined
  /** The batch that is being encoded, and its row to go on with. */
  #batch: ResultBatch | undefined
  #row = 0
  #result = 0
  /** Until the first piece that is no start of the first result. */
  #isBeginning: boolean
  #hasSourceEnded = false
  #isLast = false
  #isReleased = false

  constructor(
    pieces: PullStream<ResultPiece>,
    format: ResultFormat,
    { failureText = messageOf, refusal }: EncodingOptions,
  ) {
    super()
    this.#encoder = makeEncoder(format, failureText)
    this.#source = pieces
    this.#isPrompt = format.chunkRows !== undefined
    this.#refusal = refusal
    this.#isBeginning = refusal !== undefined
  }

  /** Whether nothing comes behind the chunk that was given last. */
  get isLast(): boolean {
    return this.#isLast
  }

  take(): MaybePromise<Uint8Array | undefined> {
    if (this.#isLast || this.#isPrompt) return this.#takeLater()
    try {
      while (!this.#encodeRows()) {
        const piece = this.#source.take()
        if (piece instanceof Promise) {
          this.#pending = piece
          return this.#takeLater()
        }
        if (!this.#use(piece)) break
      }
    } catch (error) {
      return this.#tell(error as Error)
    }
    return this.#chunk()
  }

  async #takeLater(): Promise<Uint8Array | undefined> {
    if (this.#isLast) return this.#over()
    try {
      while (!(this.#encodeRows() || (this.#isPrompt && (await this.#isWaiting())))) {
        const next = this.#pending ?? this.#source.take()
        const piece = next instanceof Promise ? await next : next
        this.#pending = undefined
        if (!this.#use(piece)) break
      }
    } catch (error) {
      return this.#tell(error as Error)
    }
    return this.#chunk()
  }

  #chunk(): MaybePromise<Uint8Array | undefined> {
    return this.#encoder.out.length === 0 ? this.#over() : this.#encoder.out.take()
  }

  async #over(): Promise<undefined> {
    await this.close()
    return undefined
  }

  async #tell(error: Error): Promise<Uint8Array | undefined> {
    await this.#fail(error)
    return this.#chunk()
  }

  /** Lets the source go, where its end was not seen, and the memory of what was read. */
  close(): MaybePromise<void> {
    if (this.#isLast && !this.#isReleased) {
      this.#isReleased = true
      this.#encoder.out.release()
    }
    this.#isLast = true
    if (!this.#hasSourceEnded) return this.#close()
  }

  /** Goes on with the batch until it is done, where it returns false, or until there is enough to be sent. */
  #encodeRows(): boolean {
    const encoder = this.#encoder
    const batch = this.#batch
    if (batch === undefined) return encoder.out.isFull && encoder.maySend
    do {
      this.#row = encoder.rows(batch, this.#row)
      if (this.#row >= batch.rowCount) this.#batch = undefined
      if (encoder.out.isFull && encoder.maySend) return true
    } while (this.#batch !== undefined)
    return false
  }

  /** Whether something is to be sent while the next piece is not there. */
  async #isWaiting(): Promise<boolean> {
    if (this.#pending !== undefined) return false
    this.#pending = Promise.resolve(this.#source.take())
    if (await settlesAtOnce(this.#pending)) return false
    return this.#encoder.maySend && this.#encoder.out.length > 0
  }

  /** False: there are no more. */
  #use(piece: ResultPiece | undefined): boolean {
    if (piece === undefined) {
      this.#hasSourceEnded = true
      this.#end()
      return false
    }
    if (this.#isBeginning) this.#begin(piece)
    this.#result = piece.result
    if (piece.kind === 'start') this.#encoder.start(piece)
    else if (piece.kind === 'failure') this.#encoder.failure(piece)
    else {
      this.#batch = piece
      this.#row = 0
    }
    return true
  }

  #begin(piece: ResultPiece): void {
    const refused = piece.kind === 'failure' ? this.#refusal?.(piece.error) : undefined
    if (refused !== undefined) throw refused
    this.#isBeginning = piece.kind === 'start' && piece.result === 0
  }

  /** Tells of it in the answer, or throws it where that has not begun. */
  async #fail(error: Error): Promise<void> {
    const { out } = this.#encoder
    const isTold = !this.#isBeginning && (error instanceof UserError || out.takes > 0)
    if (isTold) this.#encoder.failure({ kind: 'failure', result: this.#result, error })
    this.#batch = undefined
    await this.#close()
    if (!isTold) throw error
    this.#end()
  }

  #end(): void {
    this.#isLast = true
    this.#encoder.end()
  }

  async #close(): Promise<void> {
    if (this.#hasSourceEnded) return
    this.#hasSourceEnded = true
    await this.#source.return?.()
  }
}

function messageOf(error: Error): string {
  return error.message
}

/** Whether it settles before the event loop turns. */
function settlesAtOnce(promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setImmediate(() => resolve(false))
    const settled = () => {
      clearImmediate(timer)
      resolve(true)
    }
    promise.then(settled, settled)
  })
}

function makeEncoder(format: ResultFormat, failureText: FailureText): ResultEncoder {
  switch (format.encoding) {
    case 'json':
      return new V1Json(format, failureText)
    case 'csv':
      return new V1Csv(format, failureText)
    case 'msgpack':
      return new V1Msgpack(format, failureText)
  }
}
