// Where the times of a row group are decoded to. The array serves from group to group; regular times
// of a read that hands none of them out are not even copied: everybody looks at the same array.

import type { ByteReader } from './byte-reader.js'
import { knownTimes, readIntegers } from './integer-block.js'

const noTimes = new Float64Array(0)

/** Most groups have up to so many rows. */
const roomMin = 4096

export class TimeBuffer {
  /** What was read last; it may be longer than asked for, and is not to be changed. */
  offsets: Float64Array = noTimes
  readonly #isShared: boolean
  #own = noTimes

  /** `isShared`: nobody outside will get hold of the times. */
  constructor(isShared: boolean) {
    this.#isShared = isShared
  }

  read(reader: ByteReader, count: number): void {
    const known = this.#isShared ? knownTimes(reader, count) : undefined
    if (known === undefined) readIntegers(reader, count, this.#ownFor(count), 0)
    this.offsets = known ?? this.#own
  }

  #ownFor(count: number): Float64Array {
    if (this.#own.length < count) this.#own = new Float64Array(Math.max(roomMin, count))
    return this.#own
  }
}

/** The same into an array of its own, or one that others look at too. */
export function readTimes(reader: ByteReader, count: number): Float64Array {
  const known = knownTimes(reader, count)
  if (known !== undefined) return known
  const times = new Float64Array(count)
  readIntegers(reader, count, times, 0)
  return times
}
