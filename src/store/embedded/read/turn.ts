// Counts up to the end of a turn: reads run on the thread that serves everybody, and let others run
// after so much work.

/** Values decoded between two looks at the event loop: about 10 ms. */
const valuesPerTurn = 2_000_000

/** What a step costs beside its values, told in values: a series, its pieces, a block answered from statistics. */
const valuesPerStep = 500

export class Turn {
  #work = 0

  /** True where it is time to let others run. */
  isOver(valueCount: number): boolean {
    this.#work += valueCount + valuesPerStep
    if (this.#work < valuesPerTurn) return false
    this.#work = 0
    return true
  }
}
