// Windows of one length over a range of time: where they begin, how many there are, and which of them a row
// lies in. The one place where windows are laid that a store computed.

import { floorDiv, type TimeColumn, type TimeRange, timeOffsetMax } from '../column/time.js'

export class WindowGrid {
  /** 0n: the range is one window. */
  readonly everyNs: bigint
  readonly firstStart: bigint
  readonly count: number
  readonly #every: number
  /** By row of the batch that was looked at last. */
  #windows = noWindows

  /** Windows begin at multiples of `everyNs` from `offsetNs`; the first and the last may reach beyond the range. */
  constructor({ start, stop }: TimeRange, everyNs: bigint, offsetNs: bigint) {
    this.everyNs = everyNs
    this.#every = Number(everyNs)
    if (everyNs === 0n) {
      this.firstStart = start
      this.count = 1
      return
    }
    const first = floorDiv(start - offsetNs, everyNs)
    this.firstStart = first * everyNs + offsetNs
    this.count = Number(floorDiv(stop - 1n - offsetNs, everyNs) - first) + 1
  }

  start(window: number): bigint {
    return this.firstStart + BigInt(window) * this.everyNs
  }

  /**
   * By row from `start` up to `stop`: its window, of fewer than 2^31, counted from `first`, until the next call. The
   * window of the base, and how far into it, are taken once: what follows is exact in floats.
   */
  windowsOf({ base, offsets }: TimeColumn, start: number, stop: number, first = 0): Int32Array {
    // A batch of many short groups is looked at group by group: room for all of its rows at once.
    if (this.#windows.length < stop) this.#windows = new Int32Array(offsets.length)
    const windows = this.#windows
    const every = this.#every
    if (every === 0) return windows.fill(first, start, stop)
    const baseWindow = floorDiv(base - this.firstStart, this.everyNs)
    const into = Number(base - this.firstStart - baseWindow * this.everyNs)
    const from = first + Number(baseWindow)
    for (let row = start; row < stop; row++) {
      windows[row] = from + Math.floor((offsets[row] + into) / every)
    }
    return windows
  }

  /**
   * The starts of all windows; undefined: the last is too far from the first to be told by an offset. `before`: of
   * windows of the same length, in the same order; where there are as many, its offsets serve again.
   */
  times(ascending: boolean, before?: TimeColumn): TimeColumn | undefined {
    const { count } = this
    const every = this.#every
    if (before?.offsets.length === count) return { base: this.firstStart, offsets: before.offsets }
    if (every * count > timeOffsetMax) return undefined
    const offsets = new Float64Array(count)
    for (let i = 0; i < count; i++) offsets[i] = (ascending ? i : count - 1 - i) * every
    return { base: this.firstStart, offsets }
  }
}

const noWindows = new Int32Array(0)
