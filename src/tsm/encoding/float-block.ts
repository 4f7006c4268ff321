// Floats of a block: each is XORed with the one before, and of what is left only the bits that count are kept. Bits
// come from the high end of each byte, after one byte that names the encoding.
//
//   the first value, 64 bits
//   0                      the same value again
//   1 0 bits               as many bits at the same place as last time
//   1 1 zeros length bits  5 bits: leading zeros; 6 bits: how many follow, 0 for 64
//
// A value that no writer sends, a NaN with the bits 7FF8000000000001, ends the block.

import { DamageError } from './damage.js'

const endHigh = 0x7ff80000
const endLow = 1

export function decodeFloats(bytes: Uint8Array, count: number): Float64Array {
  if (bytes.length < 9 || bytes[0] >>> 4 !== 1) throw new DamageError('floats cannot be read')
  const bits = new BitReader(bytes)
  const values = new Float64Array(count)
  const halves = new Uint32Array(values.buffer)
  let high = bits.read(32)
  let low = bits.read(32)
  let trailing = 0
  let length = 64
  for (let i = 0; ; i++) {
    if (high === endHigh && low === endLow) {
      if (i !== count) throw new DamageError(`${i} values for ${count} times`)
      return values
    }
    if (i === count) throw new DamageError(`more than ${count} values`)
    halves[2 * i] = low
    halves[2 * i + 1] = high
    if (bits.read(1) === 0) continue
    if (bits.read(1) === 1) {
      const leading = bits.read(5)
      length = bits.read(6) || 64
      trailing = 64 - leading - length
      if (trailing < 0) throw new DamageError('a float has more than 64 bits')
    }
    if (length <= 32) {
      const significant = bits.read(length)
      if (trailing >= 32) high ^= significant << (trailing - 32)
      else {
        if (trailing > 0) high ^= significant >>> (32 - trailing)
        low ^= significant << trailing
      }
    } else {
      const upper = bits.read(length - 32)
      const lower = bits.read(32)
      high ^= upper << trailing
      if (trailing > 0) high ^= lower >>> (32 - trailing)
      low ^= lower << trailing
    }
    high >>>= 0
    low >>>= 0
  }
}

class BitReader {
  readonly #bytes: Uint8Array
  /** Of the next bit. */
  #position = 8
  readonly #end: number

  constructor(bytes: Uint8Array) {
    // Room behind the end, so that no read has to look for it.
    this.#bytes = new Uint8Array(bytes.length + 8)
    this.#bytes.set(bytes)
    this.#end = bytes.length * 8
  }

  /** From 1 to 32 bits. */
  read(count: number): number {
    const position = this.#position
    if (position + count > this.#end) throw new DamageError('floats end too early')
    this.#position = position + count
    const bytes = this.#bytes
    const at = position >>> 3
    const shift = position & 7
    const first = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
    const word = shift === 0 ? first : (first << shift) | (bytes[at + 4] >>> (8 - shift))
    return word >>> (32 - count)
  }
}
