// Times as the beginnings of JSON rows, printed once and copied from then on, four bytes at a time: all
// tables of an answer by windows have the same times. They are recognized by what they say and not by the
// object, whose arrays may be written again.

import type { TimeColumn } from '../column/time.js'
import { overshoot } from './byte-writer.js'
import { type EpochUnit, MomentText, momentBytesMax } from './moment-text.js'

/** What stands around rows and values; one byte each unless indented. */
export interface RowMarks {
  readonly open: Uint8Array
  readonly comma: Uint8Array
  readonly close: Uint8Array
  /** Between rows. */
  readonly next: Uint8Array
  /** What ends a row and opens the next: `close`, `next` and `open`. */
  readonly between: Uint8Array
}

/** How times are written. */
export interface TimeStyle {
  /** Undefined: as RFC3339. */
  readonly unit: EpochUnit | undefined
  readonly marks: RowMarks
}

/** Longer ones are printed row by row: 2,000 of them take 280 KB at most, indented. */
const rowsMax = 2000

/** The times of one answer that were met last, once they have come twice. */
export class RepeatedTimes {
  readonly #style: TimeStyle
  /** Not the arrays, which may be written again. */
  #met = { base: 0n, count: 0, lastOffset: 0 }
  #printed: JsonTimes | undefined

  constructor(style: TimeStyle) {
    this.#style = style
  }

  /** Undefined: they have to be printed row by row. */
  find(times: TimeColumn, count: number, zone: string | undefined): JsonTimes | undefined {
    if (count === 0 || count > rowsMax) return undefined
    if (this.#printed?.isOf(times, count, zone) === true) return this.#printed
    const { base, offsets } = times
    const lastOffset = offsets[count - 1]
    const met = this.#met
    if (met.count !== count || met.lastOffset !== lastOffset || met.base !== base) {
      this.#met = { base, count, lastOffset }
      return undefined
    }
    this.#printed = new JsonTimes(times, count, zone, this.#style)
    return this.#printed
  }
}

/**
 * For each row what ends the row before, what stands between the two, what opens the row, and its time. Who writes the
 * first row of all leaves out what belongs to the one before.
 */
export class JsonTimes {
  readonly #base: bigint
  readonly #offsets: Float64Array
  readonly #zone: string | undefined
  readonly #text: DataView
  /** By row, and the end of the last one. */
  readonly #starts: Uint32Array

  constructor(times: TimeColumn, count: number, zone: string | undefined, style: TimeStyle) {
    this.#base = times.base
    this.#offsets = times.offsets.slice(0, count)
    this.#zone = zone
    this.#starts = new Uint32Array(count + 1)
    const before = style.marks.between
    const bytes = Buffer.alloc(count * (before.length + momentBytesMax + 2) + overshoot)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const moments = new MomentText()
    moments.use(times, zone)
    let at = 0
    for (let row = 0; row < count; row++) {
      this.#starts[row] = at
      bytes.set(before, at)
      at = putTime(view, at + before.length, moments, row, style.unit)
    }
    this.#starts[count] = at
    this.#text = new DataView(view.buffer.slice(view.byteOffset, view.byteOffset + at + overshoot))
  }

  isOf(times: TimeColumn, count: number, zone: string | undefined): boolean {
    const own = this.#offsets
    const { base, offsets } = times
    if (own.length !== count || own[count - 1] !== offsets[count - 1]) return false
    if (this.#base !== base || this.#zone !== zone) return false
    for (let i = 0; i < count; i++) if (own[i] !== offsets[i]) return false
    return true
  }

  /** Room must have been made. `skipped`: bytes in front that are left out. */
  put(view: DataView, at: number, row: number, skipped: number): number {
    const text = this.#text
    const start = this.#starts[row] + skipped
    const end = this.#starts[row + 1]
    const distance = at - start
    for (let i = start; i < end; i += 4) {
      view.setInt32(i + distance, text.getInt32(i, true), true)
    }
    return end + distance
  }
}

const quote = 34

function putTime(
  view: DataView,
  at: number,
  moments: MomentText,
  row: number,
  unit: EpochUnit | undefined,
): number {
  if (unit !== undefined) return moments.putEpoch(view, at, row, unit)
  view.setUint8(at, quote)
  const end = moments.putRfc3339(view, at + 1, row)
  view.setUint8(end, quote)
  return end + 1
}
