// A read from its first batch to its last: what it reads from is opened when the first is asked for,
// held while there are more, and let go of behind the last, after a failure, and when the reader has
// had enough.

import type { Batch } from '../../../column/batch.js'
import type { Batches } from './read.js'

export interface OpenedRead {
  readonly batches: Batches
  /** A promise only where there is something to wait for. */
  release(): Promise<void> | undefined
}

type Next = IteratorResult<Batch, undefined>

/** One call of `next` at a time. Without async functions: what is there at once costs one promise, and no more. */
export class OpenRead implements AsyncIterableIterator<Batch> {
  readonly #open: () => OpenedRead | undefined
  #opened: OpenedRead | undefined
  #isNew = true

  /** `open` is called once. */
  constructor(open: () => OpenedRead | undefined) {
    this.#open = open
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Next> {
    try {
      if (this.#isNew) {
        this.#isNew = false
        this.#opened = this.#open()
      }
      const next = this.#opened?.batches.next()
      if (next instanceof Promise) return this.#later(next)
      if (next !== undefined) return Promise.resolve({ done: false, value: next })
    } catch (error) {
      return this.#fail(error)
    }
    return this.#end()
  }

  async #later(next: Promise<Batch | undefined>): Promise<Next> {
    let batch: Batch | undefined
    try {
      batch = await next
    } catch (error) {
      return this.#fail(error)
    }
    return batch === undefined ? this.#end() : { done: false, value: batch }
  }

  async #fail(error: unknown): Promise<never> {
    await this.#end()
    throw error
  }

  async return(): Promise<Next> {
    this.#isNew = false
    await this.#opened?.batches.stop()
    return this.#end()
  }

  #end(): Promise<Next> {
    const opened = this.#opened
    this.#opened = undefined
    const released = opened?.release()
    if (released === undefined) return Promise.resolve({ done: true, value: undefined })
    return released.then(() => ({ done: true, value: undefined }))
  }
}
