// A read from its first batch to its last: what it reads from is opened when the first is asked for,
// held while there are more, and let go of behind the last, after a failure, and when the reader has
// had enough.

import type { Batch } from '../../../column/batch.js'
import { PullStream, type Soon, stop, take } from '../../../platform/pull-stream.js'

export interface OpenedRead {
  readonly batches: AsyncIterator<Batch, unknown>
  /** A promise only where there is something to wait for. */
  release(): Promise<void> | undefined
}

/** One call of `take` at a time. */
export class OpenRead extends PullStream<Batch> {
  readonly #open: () => OpenedRead | undefined
  #opened: OpenedRead | undefined
  #isNew = true

  /** `open` is called once. */
  constructor(open: () => OpenedRead | undefined) {
    super()
    this.#open = open
  }

  take(): Soon<Batch | undefined> {
    let next: Soon<Batch | undefined>
    try {
      if (this.#isNew) {
        this.#isNew = false
        this.#opened = this.#open()
      }
      next = this.#opened && take(this.#opened.batches)
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
    await this.#end()
    throw error
  }

  async stop(): Promise<void> {
    this.#isNew = false
    if (this.#opened !== undefined) await stop(this.#opened.batches)
    await this.#end()
  }

  #end(): Soon<undefined> {
    const opened = this.#opened
    this.#opened = undefined
    return opened?.release()?.then(() => undefined)
  }
}
