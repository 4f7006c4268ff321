// Which rows of a group are wanted: those of a series, and of these the ones in a time range. The
// rows are known when the times have been looked at; before, the bounds are.

/** Times that can be searched. */
export interface SearchableTimes {
  /** The first of rows `start` up to `stop`, all of one series, that is not before a moment. */
  lowerBound(start: number, stop: number, offset: number): number
}

export class RowCut {
  start = 0
  stop = 0
  #minOffset = 0
  #maxOffset = 0
  /** Whether rows outside the time range are left out already. */
  #isNarrow = true

  /** Rows `start` up to `stop`, whatever their times. */
  setRows(start: number, stop: number): this {
    this.start = start
    this.stop = stop
    this.#isNarrow = true
    return this
  }

  /** Of these rows those from one moment to another, the last one included. */
  setRange(start: number, stop: number, minOffset: number, maxOffset: number): this {
    this.start = start
    this.stop = stop
    this.#minOffset = minOffset
    this.#maxOffset = maxOffset
    this.#isNarrow = false
    return this
  }

  narrow(times: SearchableTimes): void {
    if (this.#isNarrow) return
    this.#isNarrow = true
    this.start = times.lowerBound(this.start, this.stop, this.#minOffset)
    this.stop = times.lowerBound(this.start, this.stop, this.#maxOffset + 1)
  }
}
