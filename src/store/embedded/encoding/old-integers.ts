// Integer blocks as segments of version 1 have them, in the place of those that are written since:
//
//   u8 scheme, u8[3] zero, f64 base, then
//   offset    sequence of value - base                        (base is the smallest value)
//   delta     sequence of zigzag(value - previous)            (base is the first value; sums fit int32)
//   stepped   f64 step, f64 scale, sequence of zigzag((value - previous - step) / scale)   (base is the first value)
//   xor bits  the float64 bit patterns as an XOR block        (values beyond 2^50; base unused)

import type { ByteReader } from './byte-reader.js'
import { readSequence } from './old-sequence.js'
import { readXorBlock } from './old-xor-block.js'

// Persisted: never change.
const schemeOffset = 2
const schemeDelta = 3
const schemeStepped = 4
const schemeXorBits = 5

export function isOldScheme(scheme: number): boolean {
  return scheme >= schemeOffset && scheme <= schemeXorBits
}

export function readOldIntegers(reader: ByteReader, count: number): Float64Array {
  const scheme = reader.u32()
  const base = reader.f64()
  if (scheme === schemeOffset) return readSequence(reader, count).map((offset) => base + offset)
  if (scheme === schemeDelta) return addSteps(base, 0, 1, readSequence(reader, count))
  if (scheme === schemeStepped) {
    const step = reader.f64()
    const scale = reader.f64()
    return addSteps(base, step, scale, readSequence(reader, count))
  }
  return readXorBlock(reader, new Float64Array(count))
}

function addSteps(base: number, step: number, scale: number, zigzags: Float64Array): Float64Array {
  let sum = 0
  return zigzags.map((zigzag, i) => {
    sum += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
    return base + step * i + sum * scale
  })
}
