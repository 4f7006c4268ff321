// The rows of a group that make up one block of it, and then the next block, and so on: of each run those
// up to a moment. Every run goes on where it stopped, and its rows are taken one after the other and put
// where they belong. That is three times as fast as to look for what belongs in each place: the arrays of a
// run are found once for all of its rows.

import type { RowMemory } from '../../query/row-memory.js'
import type { GroupRun } from './copied-batch.js'
import { timeRanks } from './time-order.js'

/** Rows are numbered as they came, run after run. */
export class BlockRows {
  /** Of the block. */
  count = 0
  /** Of each row its place in the order of all. */
  readonly #ranks: Uint32Array
  readonly #offsets: Float64Array
  /** By run: which of its rows are in the block, and where all of them end. */
  readonly #starts: Uint32Array
  readonly #stops: Uint32Array
  readonly #ends: Uint32Array
  /** By run: what has to be added to a row's number to find it in its batch. */
  readonly #shifts: Int32Array
  /** The place in the order that the block begins with. */
  #first = 0

  /** `base`: what times are counted from. */
  constructor(runs: readonly GroupRun[], base: bigint, descending: boolean, memory: RowMemory) {
    this.#starts = new Uint32Array(runs.length)
    this.#stops = new Uint32Array(runs.length)
    this.#ends = new Uint32Array(runs.length)
    this.#shifts = new Int32Array(runs.length)
    let count = 0
    for (const [r, { run }] of runs.entries()) {
      this.#stops[r] = count
      this.#shifts[r] = run.start - count
      count += run.stop - run.start
      this.#ends[r] = count
    }
    this.#offsets = memory.floats(count)
    for (const [r, { batch, run }] of runs.entries()) {
      const distance = Number(batch.times.base - base)
      copyShifted(batch.times.offsets, run.start, run.stop, distance, this.#offsets, this.#stops[r])
    }
    this.#ranks = timeRanks(this.#offsets, this.#ends, descending, memory)
  }

  /** On to the block of the next so many rows. */
  next(count: number): void {
    const ranks = this.#ranks
    this.#first += this.count
    this.count = count
    const beyond = this.#first + count
    for (let r = 0; r < this.#ends.length; r++) {
      let row = this.#stops[r]
      this.#starts[r] = row
      while (row < this.#ends[r] && ranks[row] < beyond) row++
      this.#stops[r] = row
    }
  }

  /** When the rows were. */
  putOffsets(to: Float64Array): void {
    const offsets = this.#offsets
    const ranks = this.#ranks
    const first = this.#first
    for (let r = 0; r < this.#starts.length; r++) {
      const stop = this.#stops[r]
      for (let row = this.#starts[r]; row < stop; row++) {
        to[ranks[row] - first] = offsets[row]
      }
    }
  }

  /** The runs that the rows are of. */
  putRuns(to: Uint32Array): void {
    const ranks = this.#ranks
    const first = this.#first
    for (let r = 0; r < this.#starts.length; r++) {
      const stop = this.#stops[r]
      for (let row = this.#starts[r]; row < stop; row++) to[ranks[row] - first] = r
    }
  }

  /** The numbers of the rows; with `inBatches` those that they have in their batches. */
  putRows(to: Uint32Array, inBatches: boolean): void {
    const ranks = this.#ranks
    const first = this.#first
    for (let r = 0; r < this.#starts.length; r++) {
      const stop = this.#stops[r]
      const shift = inBatches ? this.#shifts[r] : 0
      for (let row = this.#starts[r]; row < stop; row++) {
        to[ranks[row] - first] = row + shift
      }
    }
  }

  /** What the rows have in their batches; `from`: by run. One loop for both kinds of arrays takes a fifth longer. */
  putNumbers(from: readonly Float64Array[], to: Float64Array): void {
    const ranks = this.#ranks
    const first = this.#first
    for (let r = 0; r < from.length; r++) {
      const stop = this.#stops[r]
      const shift = this.#shifts[r]
      const values = from[r]
      for (let row = this.#starts[r]; row < stop; row++)
        to[ranks[row] - first] = values[row + shift]
    }
  }

  putBytes(from: readonly Uint8Array[], to: Uint8Array): void {
    const ranks = this.#ranks
    const first = this.#first
    for (let r = 0; r < from.length; r++) {
      const stop = this.#stops[r]
      const shift = this.#shifts[r]
      const values = from[r]
      for (let row = this.#starts[r]; row < stop; row++)
        to[ranks[row] - first] = values[row + shift]
    }
  }
}

function copyShifted(
  from: Float64Array,
  start: number,
  stop: number,
  distance: number,
  to: Float64Array,
  at: number,
): void {
  for (let row = start; row < stop; row++) to[at + row - start] = from[row] + distance
}
