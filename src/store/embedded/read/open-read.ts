// A read from its first batch to its last: what it reads from is opened when the first is asked for,
// held while there are more, and let go of behind the last, after a failure, and when the reader has
// had enough.

import type { Batch } from '../../../column/batch.js'

export interface OpenedRead {
  readonly batches: AsyncIterator<Batch>
  release(): Promise<void>
}

/** One call of `next` at a time. */
export class OpenRead implements AsyncIterableIterator<Batch> {
  readonly #open: () => OpenedRead | undefined
  #opened: OpenedRead | undefined
  #state: 'new' | 'open' | 'over' = 'new'

  /** `open` is called once. */
  constructor(open: () => OpenedRead | undefined) {
    this.#open = open
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    try {
      if (this.#state === 'new') {
        this.#state = 'open'
        this.#opened = this.#open()
      }
      if (this.#opened !== undefined) {
        const next = await this.#opened.batches.next()
        if (next.done !== true) return next
      }
    } catch (error) {
      await this.#end()
      throw error
    }
    await this.#end()
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    await this.#opened?.batches.return?.()
    await this.#end()
    return { done: true, value: undefined }
  }

  async #end(): Promise<void> {
    const opened = this.#opened
    this.#state = 'over'
    this.#opened = undefined
    await opened?.release()
  }
}
