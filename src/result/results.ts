// The encoding of an answer: pieces of results in, bytes out, as much at a time as is worth sending.
// Memory stays bounded however large the answer is (msgpack apart, whose documents are held whole).
//
// Each chunk of bytes is valid until the next one is asked for: its memory is then written again.

import { UserError } from '../errors.js'
import type { ResultPiece } from '../query/language.js'
import type { FailureText, ResultEncoder, ResultFormat } from './format.js'
import { V1Csv } from './v1-csv.js'
import { V1Json } from './v1-json.js'
import { V1Msgpack } from './v1-msgpack.js'

/**
 * What the source throws ends the answer: as the failure of its result where it is the user's doing, or where bytes
 * have left already and nothing else can tell; otherwise it is thrown on.
 */
export async function* encodeResults(
  pieces: AsyncIterable<ResultPiece>,
  format: ResultFormat,
  failureText: FailureText = (error) => error.message,
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = makeEncoder(format, failureText)
  const { out } = encoder
  const source = new Source(pieces, format.chunkRows !== undefined)
  let result = 0
  try {
    for (;;) {
      const piece = await source.next()
      if (piece === 'waiting') {
        if (encoder.maySend && out.length > 0) yield out.take()
        continue
      }
      if (piece === undefined) break
      result = piece.result
      let row = 0
      do {
        row = encodePiece(encoder, piece, row)
        if (out.isFull && encoder.maySend) yield out.take()
      } while (piece.kind === 'batch' && row < piece.rowCount)
    }
  } catch (error) {
    if (!(error instanceof UserError) && out.takes === 0) throw error
    encoder.failure({ kind: 'failure', result, error: error as Error })
  } finally {
    await source.close()
  }
  encoder.end()
  if (out.length > 0) yield out.take()
}

/**
 * The pieces one by one. Who reads an answer in chunks wants each as soon as it is there: `waiting` is said once
 * wherever the next piece is not.
 */
class Source {
  readonly #iterator: AsyncIterator<ResultPiece>
  readonly #saysWaiting: boolean
  #pending: Promise<IteratorResult<ResultPiece>> | undefined
  #hasEnded = false

  constructor(pieces: AsyncIterable<ResultPiece>, saysWaiting: boolean) {
    this.#iterator = pieces[Symbol.asyncIterator]()
    this.#saysWaiting = saysWaiting
  }

  async next(): Promise<ResultPiece | 'waiting' | undefined> {
    if (this.#pending === undefined) {
      this.#pending = this.#iterator.next()
      if (this.#saysWaiting && !(await isPrompt(this.#pending))) return 'waiting'
    }
    try {
      const { done, value } = await this.#pending
      this.#hasEnded = done === true
      return done === true ? undefined : value
    } catch (error) {
      this.#hasEnded = true
      throw error
    } finally {
      this.#pending = undefined
    }
  }

  /** Lets the source go when its end was not seen: the reader went away. */
  async close(): Promise<void> {
    if (!this.#hasEnded) await this.#iterator.return?.()
  }
}

/** Whether it settles before the event loop turns. */
function isPrompt(promise: Promise<unknown>): Promise<boolean> {
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

/** Returns the row to go on with. */
function encodePiece(encoder: ResultEncoder, piece: ResultPiece, row: number): number {
  if (piece.kind === 'batch') return encoder.rows(piece, row)
  if (piece.kind === 'start') encoder.start(piece)
  else encoder.failure(piece)
  return 0
}
