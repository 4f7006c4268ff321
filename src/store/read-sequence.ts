// Several reads as one: each is opened when the one before is over. For engines that gain nothing by having more than
// one under way.

import type { Batch } from '../column/batch.js'
import { type MaybePromise, PullStream } from '../platform/pull-stream.js'

export class ReadSequence extends PullStream<Batch> {
  readonly #open: readonly (() => PullStream<Batch>)[]
  #at = 0
  #reading: PullStream<Batch> | undefined

  constructor(open: readonly (() => PullStream<Batch>)[]) {
    super()
    this.#open = open
  }

  take(): MaybePromise<Batch | undefined> {
    while (this.#at < this.#open.length) {
      this.#reading ??= this.#open[this.#at]()
      const batch = this.#reading.take()
      if (batch instanceof Promise) return this.#later(batch)
      if (batch !== undefined) return batch
      this.#advance()
    }
    return undefined
  }

  async #later(next: Promise<Batch | undefined>): Promise<Batch | undefined> {
    const batch = await next
    if (batch !== undefined) return batch
    this.#advance()
    return this.take()
  }

  #advance(): void {
    this.#at++
    this.#reading = undefined
  }

  close(): MaybePromise<void> {
    this.#at = this.#open.length
    return this.#reading?.close()
  }
}
