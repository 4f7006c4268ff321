// Windows that begin and end within one stretch of rows, found in one go, so that each aggregate
// computes all of them in one loop straight into its column of the answer: windows of a few rows cost
// more by the calls for each of them than by their values.

import { lowerBound } from './cursor.js'

const windowsExpected = 64

export class WindowSpans {
  count = 0
  /** By window: where it starts, and the row behind its last one. Its first row is where the one before ends. */
  starts: Float64Array
  ends: Uint32Array
  firstRow = 0

  constructor() {
    // One piece of memory: to allocate another takes as long as to find the windows.
    const memory = new ArrayBuffer(windowsExpected * 12)
    this.starts = new Float64Array(memory, 0, windowsExpected)
    this.ends = new Uint32Array(memory, windowsExpected * 8, windowsExpected)
  }

  /** The last row of the last window + 1. */
  get stopRow(): number {
    return this.count === 0 ? this.firstRow : this.ends[this.count - 1]
  }

  /**
   * At most `max` windows of rows `from` up to `stop`, `every` long, which start as far from `start` as multiples of
   * `every`. The last one is left out: rows to come may belong to it.
   */
  find(
    offsets: Float64Array,
    from: number,
    stop: number,
    start: number,
    every: number,
    max: number,
  ): void {
    this.count = 0
    this.firstRow = from
    let row = from
    let rows = 1
    while (row < stop && this.count < max) {
      const begin = start + Math.floor((offsets[row] - start) / every) * every
      const end = windowEnd(offsets, row, stop, begin + every, rows)
      if (end === stop) return
      if (this.count === this.starts.length) this.#grow()
      this.starts[this.count] = begin
      this.ends[this.count++] = end
      rows = end - row
      row = end
    }
  }

  #grow(): void {
    const starts = new Float64Array(this.count * 2)
    starts.set(this.starts)
    this.starts = starts
    const ends = new Uint32Array(this.count * 2)
    ends.set(this.ends)
    this.ends = ends
  }
}

/**
 * The first row that is not before `offset`. It is looked for `rows` away, where it is when points come at regular
 * times, then near by, and then by halves.
 */
export function windowEnd(
  offsets: Float64Array,
  start: number,
  stop: number,
  offset: number,
  rows: number,
): number {
  const guess = start + rows
  if (guess < stop && offsets[guess] >= offset && offsets[guess - 1] < offset) return guess
  let step = 1
  let low = start
  while (low + step < stop && offsets[low + step] < offset) {
    low += step
    step *= 2
  }
  return lowerBound(offsets, low, Math.min(stop, low + step + 1), offset)
}
