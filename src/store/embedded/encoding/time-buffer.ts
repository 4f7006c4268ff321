// Where the times of a row group are decoded to. The array serves from group to group; regular times
// of a read that hands none of them out are not even copied: everybody looks at the same array.

import type { ByteReader } from './byte-reader.js'
import { findRegular, noteRegular } from './regular-times.js'
import { type SeriesEnds, TimeBlock } from './time-block.js'

const noTimes = new Float64Array(0)

/** Most groups have up to so many rows. */
const roomMin = 4096

export class TimeBuffer {
  /** What was read last; it may be longer than asked for, and is not to be changed. */
  offsets: Float64Array = noTimes
  readonly #isShared: boolean
  /** Made when first needed: times that are cached need none. */
  #block: TimeBlock | undefined
  #own = noTimes

  /** `isShared`: nobody outside will get hold of the times. */
  constructor(isShared: boolean) {
    this.#isShared = isShared
  }

  /** Opens a block without decoding it: good until the reader goes on. */
  open(reader: ByteReader, rowCount: number, series: SeriesEnds | undefined): TimeBlock {
    this.#block ??= new TimeBlock()
    return this.#block.open(reader, rowCount, series)
  }

  /** The block that was opened last. */
  get opened(): TimeBlock {
    return this.#block!
  }

  /** Rows `from` up to `to`, at least, of the block that was opened. */
  read(from: number, to: number): void {
    const block = this.#block!
    const isWhole = from === 0 && to === block.rowCount
    const known = this.#isShared && isWhole ? regularTimes(block) : undefined
    if (known === undefined) block.read(this.#ownFor(block.rowCount), from, to)
    this.offsets = known ?? this.#own
  }

  #ownFor(count: number): Float64Array {
    if (this.#own.length < count) this.#own = new Float64Array(Math.max(roomMin, count))
    return this.#own
  }
}

/** Of a block of one series at equal distances, where they were asked for before: not to be changed, perhaps more. */
function regularTimes(block: TimeBlock): Float64Array | undefined {
  if (!block.isRegular) return undefined
  const known = findRegular(block.first, block.step, block.rowCount)
  if (known === undefined) noteRegular(block.first, block.step, block.rowCount)
  return known
}

/** All times of a block into an array of its own, or one that others look at too. */
export function readTimes(
  reader: ByteReader,
  rowCount: number,
  series: SeriesEnds | undefined,
): Float64Array {
  const block = new TimeBlock().open(reader, rowCount, series)
  const known = regularTimes(block)
  if (known !== undefined) return known
  const times = new Float64Array(rowCount)
  block.read(times, 0, rowCount)
  return times
}
