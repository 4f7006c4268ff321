// A growing buffer with a cursor: little-endian numbers, varints, texts. Every format of the engine
// is written through it, so that widths and byte order are stated in one place.

const encoder = new TextEncoder()

const shortText = 64

export class ByteWriter {
  bytes: Uint8Array
  length = 0
  #view: DataView

  constructor(capacity = 1024) {
    this.bytes = new Uint8Array(capacity)
    this.#view = new DataView(this.bytes.buffer)
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.bytes.length) return
    let capacity = this.bytes.length * 2
    while (capacity < needed) capacity *= 2
    const grown = new Uint8Array(capacity)
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
    this.#view = new DataView(grown.buffer)
  }

  u8(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  u16(value: number): void {
    this.reserve(2)
    this.#view.setUint16(this.length, value, true)
    this.length += 2
  }

  u32(value: number): void {
    this.reserve(4)
    this.#view.setUint32(this.length, value, true)
    this.length += 4
  }

  f64(value: number): void {
    this.reserve(8)
    this.#view.setFloat64(this.length, value, true)
    this.length += 8
  }

  i64(value: bigint): void {
    this.reserve(8)
    this.#view.setBigInt64(this.length, value, true)
    this.length += 8
  }

  /** Unsigned, up to 2^53 - 1, seven bits a byte, low bits first. */
  varint(value: number): void {
    this.reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.bytes[this.length++] = rest
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** UTF-8 with its length in front. */
  text(value: string): void {
    const { length } = value
    if (length > shortText) return this.blob(encoder.encode(value))
    // Names are short and ASCII: a loop takes a fifth of the time that the encoder needs to begin.
    const start = this.length
    this.varint(length)
    this.reserve(length)
    for (let i = 0; i < length; i++) {
      const c = value.charCodeAt(i)
      if (c > 127) {
        this.length = start
        return this.blob(encoder.encode(value))
      }
      this.bytes[this.length + i] = c
    }
    this.length += length
  }

  blob(bytes: Uint8Array): void {
    this.varint(bytes.length)
    this.raw(bytes)
  }

  /** Zero bytes up to the next multiple of 4: bit-packed words are read as aligned 32-bit words. */
  align4(): void {
    while (this.length & 3) this.u8(0)
  }

  setU8(at: number, value: number): void {
    this.bytes[at] = value
  }

  setU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true)
  }

  /** What was written so far; valid until the next write. */
  written(from = 0): Uint8Array {
    return this.bytes.subarray(from, this.length)
  }

  clear(): void {
    this.length = 0
  }
}
