// Reading: cursors over memtables and segments are merged series by series, and the rows pass
// through filter, order and limit, or into window aggregates, and out as batches. The same code
// runs where the request came in and on the threads that share a big scan.

import { setImmediate } from 'node:timers/promises'
import type { Batch } from '../../../column/batch.js'
import type { ByteTableView } from '../../../column/byte-table.js'
import type { Plan } from './plan.js'
import { RowRead } from './row-read.js'
import { SeriesMerge } from './series-merge.js'
import { openCursors, type Walk } from './sources.js'
import { WindowRead } from './window-read.js'

/** What one call of a read gives: a batch, undefined at the end, or the word that it is time to let others run. */
export type ReadStep = Batch | 'pause' | undefined

/** A read that runs as long as it is asked. */
export interface SteppedRead {
  next(): ReadStep
}

/**
 * Batches, each at once where that can be. Not a generator: a small read is over in some ten microseconds, and each
 * async generator on its way costs several.
 */
export interface Batches {
  /** The next one; undefined: there are no more. Not to be called before the last one is there. */
  next(): Batch | undefined | Promise<Batch | undefined>
  /** Stops what is under way where not all batches are taken. */
  stop(): Promise<void> | undefined
}

/** Carries out a plan. The signal is looked at between turns. `rowsTogether`: see RowRead. */
export function readWalks(
  plan: Plan,
  walks: readonly Walk[],
  keys: ByteTableView,
  signal: AbortSignal,
  rowsTogether?: number,
): Batches {
  signal.throwIfAborted()
  const merge = new SeriesMerge(openCursors(walks), keys)
  const read =
    plan.window === undefined
      ? new RowRead(plan, keys, merge, rowsTogether)
      : new WindowRead(plan, plan.window, keys, merge)
  return new TurnByTurn(read, signal)
}

/** Batches that are made at once, unless it is time to let others run. */
class TurnByTurn implements Batches {
  readonly #read: SteppedRead
  readonly #signal: AbortSignal

  constructor(read: SteppedRead, signal: AbortSignal) {
    this.#read = read
    this.#signal = signal
  }

  next(): Batch | undefined | Promise<Batch | undefined> {
    const step = this.#read.next()
    return step === 'pause' ? this.#nextTurn() : step
  }

  async #nextTurn(): Promise<Batch | undefined> {
    await setImmediate()
    this.#signal.throwIfAborted()
    return this.next()
  }

  stop(): undefined {
    return undefined
  }
}
