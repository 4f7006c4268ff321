// A read in steps: it runs on the thread that serves everybody, and pauses after so much work to let
// others run.

import type { Batch } from '../../../column/batch.js'

/** What one call of a read gives: a batch, undefined at the end, or the word that it is time to let others run. */
export type ReadStep = Batch | 'pause' | undefined

/** A read that runs as long as it is asked. */
export interface SteppedRead {
  next(): ReadStep
}

/** Values decoded between two looks at the clock: some tenths of a millisecond. */
const valuesPerLook = 30_000
/** A read that has taken so long lets others run. */
const stepMs = 4

/** What a piece costs beside its values, told in values: a series, its pieces, a block answered from statistics. */
const valuesPerPiece = 500

/** Counts the work up to the next pause. */
export class WorkMeter {
  #work = 0
  #endsAt = 0

  /** Adds a piece of so many values; true where it is time to pause. */
  isDue(valueCount: number): boolean {
    this.#work += valueCount + valuesPerPiece
    if (this.#endsAt === 0) this.#endsAt = performance.now() + stepMs
    if (this.#work < valuesPerLook) return false
    this.#work = 0
    if (performance.now() < this.#endsAt) return false
    this.#endsAt = 0
    return true
  }
}
