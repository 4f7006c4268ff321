// The printed answer of a query on another thread, as whoever sends it sees it: chunks as they come. The thread goes on
// while some are on their way, and waits when they are not taken.

import { type MaybePromise, PullStream } from '../../platform/pull-stream.js'

interface Piece {
  readonly memory: number
  readonly bytes: Uint8Array
}

export interface AnswerSide {
  /** The thread may write there again. */
  taken(memory: number): void
  /** Nobody wants the rest. */
  stop(): void
}

export class ThreadAnswer extends PullStream<Uint8Array> {
  readonly #side: AnswerSide
  readonly #waiting: Piece[] = []
  /** The one that was given last. */
  #given: Piece | undefined
  #hasEnded = false
  #isClosed = false
  #failure: Error | undefined
  #wake: () => void = () => undefined

  constructor(side: AnswerSide) {
    super()
    this.#side = side
  }

  take(): MaybePromise<Uint8Array | undefined> {
    this.#giveBack()
    const piece = this.#waiting.shift()
    if (piece === undefined) return this.#hasEnded ? this.#over() : this.#later()
    this.#given = piece
    return piece.bytes
  }

  async #later(): Promise<Uint8Array | undefined> {
    while (this.#waiting.length === 0 && !this.#hasEnded) await this.#news()
    return this.take()
  }

  #over(): undefined {
    if (this.#failure !== undefined) throw this.#failure
    return undefined
  }

  /** Resolves when the thread has nothing of the query in use any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#giveBack()
    this.#drop()
    if (!this.#hasEnded) this.#side.stop()
    while (!this.#hasEnded) await this.#news()
  }

  came(memory: number, bytes: Uint8Array): void {
    this.#waiting.push({ memory, bytes })
    if (this.#isClosed) this.#drop()
    this.#wake()
  }

  ended(failure: Error | undefined): void {
    this.#hasEnded = true
    this.#failure ??= failure
    this.#wake()
  }

  #giveBack(): void {
    if (this.#given !== undefined) this.#side.taken(this.#given.memory)
    this.#given = undefined
  }

  #drop(): void {
    for (const { memory } of this.#waiting.splice(0)) this.#side.taken(memory)
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
