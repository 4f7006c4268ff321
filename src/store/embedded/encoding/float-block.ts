// Blocks of floats: drawn, written and read in `kernels/floats.ts`. Those of version 1 are told by
// their schemes, and by those of the integers in them.

import type { ByteReader } from './byte-reader.js'
import type { Codec } from './codec.js'
import { isOldBlock } from './integer-block.js'
import { readOldIntegers } from './old-integers.js'
import { readXorBlock } from './old-xor-block.js'

// Persisted: never change. The others are known to the kernels.
const schemeDecimal = 1
const schemeXor = 2

/** Values `from` up to `to` of the block that the reader stands at go to the codec's values. */
export function decodeFloats(
  reader: ByteReader,
  count: number,
  codec: Codec,
  from: number,
  to: number,
): void {
  reader.align4()
  if (isOld(reader)) codec.take(readOldFloats(reader, count), count)
  else codec.decode(codec.kernels.decodeFloats, reader, count, from, to)
}

/** Version 1 knew no exceptions. */
function isOld(reader: ByteReader): boolean {
  const scheme = reader.bytes[reader.offset]
  return scheme === schemeXor || (scheme === schemeDecimal && isOldBlock(reader, reader.offset + 4))
}

function readOldFloats(reader: ByteReader, count: number): Float64Array {
  const head = reader.u32()
  if ((head & 0xff) === schemeXor) return readXorBlock(reader, new Float64Array(count))
  const power = Number(`1e${(head >>> 8) & 0xff}`)
  return readOldIntegers(reader, count).map((value) => value / power)
}
