// A read from its first batch to its last: what it reads from is opened when the first is asked for,
// held while there are more, and released behind the last, after a failure, and when the reader has
// had enough.

import type { Batch } from '../../../column/batch.js'
import { type MaybePromise, PullStream } from '../../../platform/pull-stream.js'

export interface OpenedRead {
  readonly batches: PullStream<Batch>
  /** A promise only where there is something to wait for. */
  release(): Promise<void> | undefined
}

/** One call of `take` at a time. */
export class OpenRead extends PullStream<Batch> {
  readonly #open: () => OpenedRead | undefined
  readonly #onFailure: (error: unknown) => void
  #opened: OpenedRead | undefined
  #isNew = true

  /** `open` is called once; `onFailure` hears of what the read fails with. */
  constructor(open: () => OpenedRead | undefined, onFailure: (error: unknown) => void) {
    super()
    this.#open = open
    this.#onFailure = onFailure
  }

  take(): MaybePromise<Batch | undefined> {
    let next: MaybePromise<Batch | undefined>
    try {
      if (this.#isNew) {
        this.#isNew = false
        this.#opened = this.#open()
      }
      next = this.#opened?.batches.take()
    } catch (error) {
      return this.#fail(error)
    }
    if (next instanceof Promise) return this.#later(next)
    return next ?? this.#end()
  }

  async #later(next: Promise<Batch | undefined>): Promise<Batch | undefined> {
    try {
      const batch = await next
      if (batch !== undefined) return batch
    } catch (error) {
      return this.#fail(error)
    }
    return this.#end()
  }

  async #fail(error: unknown): Promise<never> {
    this.#onFailure(error)
    await this.#end()
    throw error
  }

  async close(): Promise<void> {
    this.#isNew = false
    if (this.#opened !== undefined) await this.#opened.batches.close()
    await this.#end()
  }

  #end(): MaybePromise<undefined> {
    const opened = this.#opened
    this.#opened = undefined
    return opened?.release()?.then(() => undefined)
  }
}
