// Slots for the windows of groups: where ranges have few windows, one for each in every group, else for those that are
// met.

import type { Batch, Run } from '../../../column/batch.js'
import { floorDiv, type TimeRange } from '../../../column/time.js'
import type { WindowAggregate } from '../../store.js'
import { nearMax } from './window-rows.js'

/** Ranges of up to so many windows have a slot for each in every group; others for those that there are. */
const denseWindowsMax = 10_000

/** The number of the window that a moment lies in, counted from the one that begins in 1970. */
export function windowNumber(time: bigint, everyNs: bigint, offsetNs = 0n): bigint {
  return floorDiv(time - offsetNs, everyNs)
}

/** Windows `windows[0]` up to `windows[count - 1]`, which start at `origin + offsets[0]` and so on. */
export interface FilledWindows {
  /** The slot of window 0. */
  first: number
  count: number
  origin: bigint
  readonly windows: Int32Array
  readonly offsets: Float64Array
  /** The window behind them: those from there on are too far away for the same origin. */
  next: number
}

/** Which slot a window of a group has. */
export class WindowSlots {
  readonly #everyNs: bigint
  /** The number of the first window, and where it begins. */
  readonly #first: bigint
  readonly #origin: bigint
  readonly #start: bigint
  /** 0: windows get slots as they are met. */
  readonly #dense: number
  readonly #met: Map<number | bigint, number>[] = []
  #metCount = 0
  #slots = new Int32Array(256)
  #filled: FilledWindows | undefined

  constructor({ everyNs, offsetNs = 0n }: WindowAggregate, { start, stop }: TimeRange) {
    this.#start = start
    if (everyNs === undefined) {
      this.#everyNs = 0n
      this.#first = 0n
      this.#origin = start
      this.#dense = 1
      return
    }
    this.#everyNs = everyNs
    this.#first = windowNumber(start, everyNs, offsetNs)
    this.#origin = this.#first * everyNs + offsetNs
    const count = Number(windowNumber(stop - 1n, everyNs, offsetNs) - this.#first) + 1
    this.#dense = count <= denseWindowsMax ? count : 0
  }

  /** Of windows that have a slot in every group; 0: windows get slots as they are met. */
  get denseCount(): number {
    return this.#dense
  }

  /** Of these, so many can be told from one origin. */
  get nearCount(): number {
    if (this.#everyNs === 0n) return 1
    return Math.max(1, Math.min(this.#dense, Math.floor(nearMax / Number(this.#everyNs))))
  }

  /** So many slots are in use, with groups up to this number. */
  count(groupCount: number): number {
    return this.#dense > 0 ? groupCount * this.#dense : this.#metCount
  }

  /** By row of the run, whose times are numbers of windows: its slot. Valid until the next call. */
  find({ times: { base, offsets } }: Batch, { start, stop }: Run, group: number): Int32Array {
    if (this.#slots.length < stop) this.#slots = new Int32Array(2 * stop)
    const slots = this.#slots
    const baseWindow = base - this.#first
    if (this.#dense > 0) {
      const first = group * this.#dense + Number(baseWindow)
      for (let row = start; row < stop; row++) slots[row] = first + offsets[row]
      return slots
    }
    this.#met[group] ??= new Map()
    for (let row = start; row < stop; row++) {
      slots[row] = this.#slotOf(group, baseWindow, offsets[row])
    }
    return slots
  }

  #slotOf(group: number, baseWindow: bigint, after: number): number {
    const near = Number(baseWindow) + after
    const window = Number.isSafeInteger(near) ? near : baseWindow + BigInt(after)
    const met = this.#met[group]
    let slot = met.get(window)
    if (slot === undefined) {
      slot = this.#metCount++
      met.set(window, slot)
    }
    return slot
  }

  /**
   * The windows of a group from one on whose slots are marked, as many as can be told from one origin; until the next
   * call. Only where each has a slot.
   */
  filled(group: number, marks: Uint8Array, from: number): FilledWindows {
    const near = this.nearCount
    this.#filled ??= {
      first: 0,
      count: 0,
      origin: this.#origin,
      windows: new Int32Array(near),
      offsets: new Float64Array(near),
      next: 0,
    }
    const filled = this.#filled
    const { windows, offsets } = filled
    const first = group * this.#dense
    const every = Number(this.#everyNs)
    const next = Math.min(this.#dense, from + near)
    // The first window may begin before the range does.
    const cut = from === 0 ? Number(this.#start - this.#origin) : 0
    let count = 0
    for (let w = from; w < next; w++) {
      if (marks[first + w] === 0) continue
      windows[count] = w
      offsets[count++] = w === from ? 0 : (w - from) * every - cut
    }
    filled.first = first
    filled.count = count
    filled.origin = from === 0 ? this.#start : this.#origin + BigInt(from) * this.#everyNs
    filled.next = next
    return filled
  }

  /** Whether the slots of a group, of which there is one for each window, are marked alike. */
  isSame(group: number, one: Uint8Array, other: Uint8Array): boolean {
    const first = group * this.#dense
    for (let slot = first; slot < first + this.#dense; slot++) {
      if (one[slot] !== other[slot]) return false
    }
    return true
  }

  /** The slots of a group with the times of their rows, oldest first. */
  *inOrder(group: number): Generator<{ slot: number; time: bigint }, void, void> {
    if (this.#dense > 0) {
      for (let w = 0; w < this.#dense; w++) {
        yield { slot: group * this.#dense + w, time: this.#timeOf(BigInt(w)) }
      }
      return
    }
    const met = [...this.#met[group]].sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [window, slot] of met) yield { slot, time: this.#timeOf(BigInt(window)) }
  }

  /** The first window may begin before the range does. */
  #timeOf(window: bigint): bigint {
    const time = this.#origin + window * this.#everyNs
    return time < this.#start ? this.#start : time
  }
}
