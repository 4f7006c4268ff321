// Slots for the windows of groups: where ranges have few windows, one for each in every group, else for those that are
// met.

import type { Batch, Run } from '../../../column/batch.js'
import { floorDiv, type TimeRange, timeOffsetMax } from '../../../column/time.js'
import type { WindowAggregate } from '../../store.js'

/** Ranges of up to so many windows have a slot for each in every group; others for those that there are. */
const denseWindowsMax = 10_000

/** Windows `windows[0]` up to `windows[count - 1]`, which start at `origin + offsets[0]` and so on. */
export interface FilledWindows {
  /** The slot of window 0. */
  first: number
  count: number
  readonly origin: bigint
  readonly windows: Int32Array
  readonly offsets: Float64Array
}

/** Which slot a window of a group has. */
export class WindowSlots {
  readonly #everyNs: bigint
  /** Where window 0 begins. */
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
      this.#origin = start
      this.#dense = 1
      return
    }
    this.#everyNs = everyNs
    const first = floorDiv(start - offsetNs, everyNs)
    this.#origin = first * everyNs + offsetNs
    const count = Number(floorDiv(stop - 1n - offsetNs, everyNs) - first) + 1
    const isExact = count * Number(everyNs) < timeOffsetMax
    this.#dense = count <= denseWindowsMax && isExact ? count : 0
  }

  /** Of windows that have a slot in every group; 0: windows get slots as they are met. */
  get denseCount(): number {
    return this.#dense
  }

  /** So many slots are in use, with groups up to this number. */
  count(groupCount: number): number {
    return this.#dense > 0 ? groupCount * this.#dense : this.#metCount
  }

  /** By row of the run: its slot. Valid until the next call. */
  find({ times: { base, offsets } }: Batch, { start, stop }: Run, group: number): Int32Array {
    if (this.#slots.length < stop) this.#slots = new Int32Array(2 * stop)
    const slots = this.#slots
    if (this.#everyNs === 0n) return slots.fill(group, start, stop)
    // The window of the base, and how far into it: what follows is exact in floats.
    const baseWindow = floorDiv(base - this.#origin, this.#everyNs)
    const into = Number(base - this.#origin - baseWindow * this.#everyNs)
    const every = Number(this.#everyNs)
    if (this.#dense > 0) {
      const first = group * this.#dense + Number(baseWindow)
      for (let row = start; row < stop; row++) {
        slots[row] = first + Math.floor((offsets[row] + into) / every)
      }
      return slots
    }
    this.#met[group] ??= new Map()
    const isExact = every < timeOffsetMax / 2
    for (let row = start; row < stop; row++) {
      const after = isExact
        ? Math.floor((offsets[row] + into) / every)
        : Number(floorDiv(base + BigInt(offsets[row]) - this.#origin, this.#everyNs) - baseWindow)
      slots[row] = this.#slotOf(group, baseWindow, after)
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

  /** The windows of a group whose slots are marked, until the next call; undefined: there is no slot for each. */
  filled(group: number, marks: Uint8Array): FilledWindows | undefined {
    const dense = this.#dense
    if (dense === 0) return undefined
    this.#filled ??= {
      first: 0,
      count: 0,
      origin: this.#origin,
      windows: new Int32Array(dense),
      offsets: new Float64Array(dense),
    }
    const { windows, offsets } = this.#filled
    const first = group * dense
    const every = Number(this.#everyNs)
    // The first window may begin before the range does.
    const cut = Number(this.#start - this.#origin)
    let count = 0
    for (let w = 0; w < dense; w++) {
      if (marks[first + w] === 0) continue
      windows[count] = w
      offsets[count++] = w === 0 ? cut : w * every
    }
    this.#filled.first = first
    this.#filled.count = count
    return this.#filled
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
