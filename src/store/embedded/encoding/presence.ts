// Which rows of a column have a value: drawn, written and read in `kernels/presence.ts`. Here are the counts that come
// with it.

import type { ByteReader } from './byte-reader.js'
import type { Codec } from './codec.js'

/** Values before the first part that was read, in the parts read, and in all. */
export interface PresentCounts {
  readonly before: number
  readonly within: number
  readonly total: number
}

/**
 * The codec's validity of a row is 1 or 0, for the parts that hold rows `from` up to `to`. The reader moves behind the
 * marks.
 */
export function decodePresence(
  reader: ByteReader,
  rowCount: number,
  codec: Codec,
  from: number,
  to: number,
): PresentCounts {
  codec.readPresence(reader, rowCount, from, to)
  const { presentBefore, presentWithin, presentTotal } = codec.kernels
  return { before: presentBefore.value, within: presentWithin.value, total: presentTotal.value }
}
