// Times that come again, as the beginnings of JSON rows: spelt once and copied from then on, four bytes
// at a time. All tables of an answer by windows have the same times, and a dashboard asks for the same
// windows again. Kept by what they say and not by the object, whose arrays may be written again; a few
// only, and short ones: 16 of 2,000 rows take 2 MB at most, or 4.5 MB if all are indented.

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
}

/** How times are written. */
export interface TimeStyle {
  /** Undefined: as RFC3339. */
  readonly unit: EpochUnit | undefined
  readonly marks: RowMarks
}

const rowsMax = 2000
const keptMax = 16

/** Those that were met once: what is met only once is not worth more than this. */
const met: { base: bigint; count: number; lastOffset: number }[] = []
let nextMet = 0
const kept: JsonTimes[] = []
let nextKept = 0

/** The times as they are kept; undefined where they are not, and have to be spelt row by row. */
export function keptTimes(
  times: TimeColumn,
  count: number,
  zone: string | undefined,
  style: TimeStyle,
): JsonTimes | undefined {
  if (count === 0 || count > rowsMax) return undefined
  for (let i = 0; i < kept.length; i++) {
    if (kept[i].says(times, count, zone, style)) return kept[i]
  }
  if (!wasMet(times, count)) return undefined
  const spelt = new JsonTimes(times, count, zone, style)
  kept[nextKept] = spelt
  nextKept = (nextKept + 1) % keptMax
  return spelt
}

function wasMet({ base, offsets }: TimeColumn, count: number): boolean {
  const lastOffset = offsets[count - 1]
  for (let i = 0; i < met.length; i++) {
    const one = met[i]
    if (one.count === count && one.lastOffset === lastOffset && one.base === base) return true
  }
  met[nextMet] = { base, count, lastOffset }
  nextMet = (nextMet + 1) % keptMax
  return false
}

/**
 * For each row what ends the row before, what stands between the two, what opens the row, and its time. Who writes the
 * first row of all leaves out what belongs to the one before.
 */
export class JsonTimes {
  readonly #base: bigint
  readonly #offsets: Float64Array
  readonly #zone: string | undefined
  readonly #style: TimeStyle
  readonly #text: DataView
  /** By row, and the end of the last one. */
  readonly #starts: Uint32Array

  constructor(times: TimeColumn, count: number, zone: string | undefined, style: TimeStyle) {
    this.#base = times.base
    this.#offsets = times.offsets.slice(0, count)
    this.#zone = zone
    this.#style = style
    this.#starts = new Uint32Array(count + 1)
    const { close, next, open } = style.marks
    const before = Buffer.concat([close, next, open])
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

  says(times: TimeColumn, count: number, zone: string | undefined, style: TimeStyle): boolean {
    const own = this.#offsets
    const { base, offsets } = times
    if (own.length !== count || own[count - 1] !== offsets[count - 1]) return false
    if (this.#base !== base || this.#zone !== zone) return false
    if (this.#style.unit !== style.unit || this.#style.marks !== style.marks) return false
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
