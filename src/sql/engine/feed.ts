// Rows of the store on their way to a source of an engine, as fast as DuckDB takes them. The reading stops when the
// statement has enough, is stopped, or fails.

import type { Batch } from '../../column/batch.js'
import { Turn } from '../../platform/turns.js'
import type { Engine } from './engine.js'
import type { FeedColumn } from './feed-column.js'
import { inputs } from './protocol.js'
import { RowFrames } from './row-frames.js'

export interface FeedRows {
  readonly columns: readonly FeedColumn[]
  /** Of the statement: its turns are those of the feed. */
  readonly signal: AbortSignal
  read(signal: AbortSignal): AsyncIterable<Batch>
  /** Called before a batch is sent; throws where it is too much. */
  count(batch: Batch): void
}

export class Feed {
  readonly #rows: FeedRows
  readonly #stop = new AbortController()
  #done: Promise<void> = Promise.resolve()
  #failure: unknown

  constructor(rows: FeedRows) {
    this.#rows = rows
  }

  /** Why the rows did not come to their end, if it was not for being stopped. */
  get failure(): unknown {
    return this.#failure
  }

  start(engine: Engine): void {
    this.#done = this.#feed(engine)
  }

  /** Resolves when nothing is read or sent any more. */
  stop(): Promise<void> {
    this.#stop.abort()
    return this.#done
  }

  async #feed(engine: Engine): Promise<void> {
    const { columns, read, count, signal: ofStatement } = this.#rows
    const { signal } = this.#stop
    const turn = new Turn()
    try {
      const frames = new RowFrames(columns, (pieces, written) => engine.feed(pieces, written))
      for await (const batch of read(signal)) {
        count(batch)
        frames.add(batch)
        await engine.room(signal)
        // What the store has at hand comes without waiting, and a million series are as many batches.
        if (turn.isOver) await turn.others(ofStatement)
      }
      frames.flush()
      engine.endFeed(inputs.end)
    } catch (error) {
      if (!signal.aborted) this.#failure = error
      engine.endFeed(inputs.stopped)
    }
  }
}
