// The moments of a block, ascending. The first byte has the encoding in its upper half and a power of ten, by which
// differences were divided, in its lower.
//
//   0  differences of 8 bytes, the first from 1970
//   1  the first moment in 8 bytes, then differences in simple8b
//   2  the first moment in 8 bytes, one difference (varint), how many moments (varint)
//
// They are decoded as offsets from a base that the caller chooses, exact where they lie within 2^53 ns of it. A block
// that spans more than that goes the slow way through bigint; what is far from the base then is rounded, and the
// caller, who asked for moments near the base, leaves it out.

import { ByteCursor } from './byte-cursor.js'
import { DamageError } from './damage.js'
import { countSimple8b, unpackSimple8b, unpackSimple8bExact } from './simple8b.js'

/** Far more than any writer puts into one block: 1,000, or 10,000 after a full compaction. */
export const blockPointsMax = 1_000_000

/** The fields of a series mostly have the same moments: those of the block before are decoded once and shared. */
export class TimesMemo {
  #bytes: Uint8Array = new Uint8Array(0)
  #base = 0n
  #isNarrow = false
  #offsets: Float64Array = new Float64Array(0)

  /** Nobody writes into what it returns. */
  decode(bytes: Uint8Array, base: bigint, isNarrow: boolean): Float64Array {
    const isKnown =
      this.#isNarrow === isNarrow &&
      this.#base === base &&
      bytes.length > 0 &&
      Buffer.compare(this.#bytes, bytes) === 0
    if (isKnown) return this.#offsets
    this.#offsets = decodeTimes(bytes, base, isNarrow)
    this.#bytes = bytes
    this.#base = base
    this.#isNarrow = isNarrow
    return this.#offsets
  }
}

export function decodeTimes(bytes: Uint8Array, base: bigint, isNarrow: boolean): Float64Array {
  if (bytes.length < 1) throw new DamageError('a block has no times')
  const encoding = bytes[0] >>> 4
  const scale = 10 ** (bytes[0] & 15)
  if (encoding === 0) return rawTimes(bytes, base)
  if (encoding === 1) return packedTimes(bytes, base, scale, isNarrow)
  if (encoding === 2) return regularTimes(bytes, base, scale, isNarrow)
  throw new DamageError(`times have the unknown encoding ${encoding}`)
}

function rawTimes(bytes: Uint8Array, base: bigint): Float64Array {
  const cursor = new ByteCursor(bytes, 1)
  const count = (bytes.length - 1) / 8
  if (!Number.isInteger(count)) throw new DamageError('times do not end with a whole number')
  const offsets = new Float64Array(limited(count))
  let time = -base
  for (let i = 0; i < count; i++) {
    time += cursor.int64()
    offsets[i] = Number(time)
  }
  return offsets
}

function packedTimes(
  bytes: Uint8Array,
  base: bigint,
  scale: number,
  isNarrow: boolean,
): Float64Array {
  const first = new ByteCursor(bytes, 1).int64()
  const count = limited(1 + countSimple8b(bytes, 9, bytes.length))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const offsets = new Float64Array(count)
  if (isNarrow && unpackSimple8b(view, 9, bytes.length, offsets, 1)) {
    let offset = Number(first - base)
    offsets[0] = offset
    for (let i = 1; i < count; i++) {
      offset += offsets[i] * scale
      offsets[i] = offset
    }
    return offsets
  }
  const differences = new BigUint64Array(count)
  unpackSimple8bExact(view, 9, bytes.length, differences, 1)
  let time = first - base
  for (let i = 0; i < count; i++) {
    time += differences[i] * BigInt(scale)
    offsets[i] = Number(time)
  }
  return offsets
}

function regularTimes(
  bytes: Uint8Array,
  base: bigint,
  scale: number,
  isNarrow: boolean,
): Float64Array {
  const cursor = new ByteCursor(bytes, 1)
  const first = cursor.int64()
  const step = cursor.uvarint() * BigInt(scale)
  const count = limited(cursor.length())
  const offsets = new Float64Array(count)
  const start = Number(first - base)
  if (isNarrow) {
    const narrowStep = Number(step)
    for (let i = 0; i < count; i++) offsets[i] = start + i * narrowStep
  } else {
    for (let i = 0; i < count; i++) offsets[i] = Number(first - base + BigInt(i) * step)
  }
  return offsets
}

/** How many moments there are, without decoding them. */
export function countTimes(bytes: Uint8Array): number {
  const encoding = bytes[0] >>> 4
  if (encoding === 0) return (bytes.length - 1) / 8
  if (encoding === 1) return 1 + countSimple8b(bytes, 9, bytes.length)
  const cursor = new ByteCursor(bytes, 9)
  cursor.uvarint()
  return cursor.length()
}

function limited(count: number): number {
  if (count <= blockPointsMax) return count
  throw new DamageError(`a block of ${count} points is more than ${blockPointsMax}`)
}
