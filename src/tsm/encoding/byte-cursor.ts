// Walks over bytes from the front: numbers are big-endian, lengths are varints. Whoever reads beyond the end gets a
// DamageError and never bytes of a neighbour.

import { DamageError } from './damage.js'

export class ByteCursor {
  readonly bytes: Uint8Array
  at: number
  readonly end: number
  readonly #view: DataView

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = start
    this.end = end
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isAtEnd(): boolean {
    return this.at >= this.end
  }

  /** Moves on and answers where it was. */
  skip(length: number): number {
    const start = this.at
    if (length > this.end - start) throw new DamageError('it ends too early')
    this.at = start + length
    return start
  }

  take(length: number): Uint8Array {
    const start = this.skip(length)
    return this.bytes.subarray(start, start + length)
  }

  uint8(): number {
    return this.bytes[this.skip(1)]
  }

  uint16(): number {
    return this.#view.getUint16(this.skip(2))
  }

  uint32(): number {
    return this.#view.getUint32(this.skip(4))
  }

  int64(): bigint {
    return this.#view.getBigInt64(this.skip(8))
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.skip(8))
  }

  float64(): number {
    return this.#view.getFloat64(this.skip(8))
  }

  /** Up to 64 bits. */
  uvarint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.uint8()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) {
        if (value >= 1n << 64n) break
        return value
      }
    }
    throw new DamageError('a number has more than 64 bits')
  }

  /** A varint that counts something: at most 2^32 - 1. */
  length(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
      const byte = this.uint8()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new DamageError('a length has more than 32 bits')
  }
}
