// The twin of ByteWriter. Reading past the end is a CorruptionError that names the file and the
// offset in it: every byte that comes here was on a disk.

import { CorruptionError } from '../../../errors.js'

export class ByteReader {
  readonly bytes: Uint8Array
  readonly file: string
  /** Where `bytes` begin in the file, for messages. */
  fileOffset: number
  /** The whole of `bytes` as 32-bit words; `bytes` starts on a multiple of 4 of its buffer. */
  readonly words: Uint32Array
  offset = 0
  /** Reading stops here. */
  #end: number
  readonly #view: DataView
  /** The same bytes, made when the first text is read. */
  #text: Buffer | undefined

  constructor(bytes: Uint8Array, file: string, fileOffset = 0) {
    this.bytes = bytes
    this.file = file
    this.fileOffset = fileOffset
    this.#end = bytes.length
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const aligned = (bytes.byteOffset & 3) === 0
    this.words = aligned
      ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2)
      : new Uint32Array(0)
  }

  get remaining(): number {
    return this.#end - this.offset
  }

  /** Goes on with a part of the same bytes: one reader serves many blocks. */
  select(start: number, end: number): void {
    this.offset = start
    this.#end = end
  }

  fail(message: string): never {
    throw new CorruptionError(this.file, this.fileOffset + this.offset, message)
  }

  u8(): number {
    this.#need(1)
    return this.bytes[this.offset++]
  }

  u16(): number {
    this.#need(2)
    const value = this.#view.getUint16(this.offset, true)
    this.offset += 2
    return value
  }

  u32(): number {
    this.#need(4)
    const value = this.#view.getUint32(this.offset, true)
    this.offset += 4
    return value
  }

  f64(): number {
    this.#need(8)
    const value = this.#view.getFloat64(this.offset, true)
    this.offset += 8
    return value
  }

  i64(): bigint {
    this.#need(8)
    const value = this.#view.getBigInt64(this.offset, true)
    this.offset += 8
    return value
  }

  varint(): number {
    let value = 0
    let scale = 1
    for (let count = 0; count < 8; count++) {
      const byte = this.u8()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 0x80
    }
    return this.fail('number too long')
  }

  raw(length: number): Uint8Array {
    this.#need(length)
    const bytes = this.bytes.subarray(this.offset, this.offset + length)
    this.offset += length
    return bytes
  }

  /** What `raw` does for those who look at the bytes elsewhere: a view takes as long as to read ten numbers. */
  skip(length: number): void {
    this.#need(length)
    this.offset += length
  }

  blob(): Uint8Array {
    return this.raw(this.varint())
  }

  text(): string {
    const length = this.varint()
    this.#need(length)
    const start = this.offset
    this.offset += length
    // Many short names are read: a decoder takes three times as long, and would drop a byte order mark.
    const { buffer, byteOffset, byteLength } = this.bytes
    this.#text ??= Buffer.from(buffer, byteOffset, byteLength)
    return this.#text.toString('utf8', start, start + length)
  }

  align4(): void {
    this.offset = (this.offset + 3) & ~3
  }

  #need(count: number): void {
    if (this.offset + count > this.#end) this.fail('unexpected end')
  }
}
