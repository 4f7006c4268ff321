// Encoded bytes as text, one line per field: `offset-offset: hex # meaning`. It reads the bytes by
// itself, from the drawings beside the encoders and not through the engine's readers, so that a
// golden file tests drawing and code both.

const hexBytesMax = 24

export class ByteDump {
  readonly bytes: Uint8Array
  readonly lines: string[] = []
  at: number
  readonly #view: DataView
  #depth = 0

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get done(): boolean {
    return this.at >= this.bytes.length
  }

  heading(text: string): void {
    this.lines.push(`${'  '.repeat(this.#depth)}${text}`)
  }

  /** What `body` dumps is indented under a heading. */
  within(text: string, body: () => void): void {
    this.heading(text)
    this.#depth++
    body()
    this.#depth--
  }

  raw(count: number, meaning: string): Uint8Array {
    const bytes = this.bytes.subarray(this.at, this.at + count)
    const shown = Buffer.from(bytes.subarray(0, hexBytesMax)).toString('hex')
    const hex = count > hexBytesMax ? `${shown}...` : shown
    const place = `${pad(this.at)}-${pad(this.at + count)}`
    this.lines.push(`${'  '.repeat(this.#depth)}${place}: ${hex} # ${meaning}`)
    this.at += count
    return bytes
  }

  u8(meaning: string): number {
    const value = this.bytes[this.at]
    this.raw(1, `${meaning} ${value}`)
    return value
  }

  u32(meaning: string): number {
    const value = this.#view.getUint32(this.at, true)
    this.raw(4, `${meaning} ${value}`)
    return value
  }

  crc(meaning: string): void {
    this.raw(4, `CRC-32 of ${meaning}`)
  }

  i64(meaning: string): bigint {
    const value = this.#view.getBigInt64(this.at, true)
    this.raw(8, `${meaning} ${value}`)
    return value
  }

  f64(meaning: string): number {
    const value = this.#view.getFloat64(this.at, true)
    this.raw(8, `${meaning} ${value}`)
    return value
  }

  varint(meaning: string): number {
    let value = 0
    let length = 0
    let byte: number
    do {
      byte = this.bytes[this.at + length]
      value += (byte & 0x7f) * 2 ** (7 * length++)
    } while (byte >= 0x80)
    this.raw(length, `${meaning} ${value}`)
    return value
  }

  text(meaning: string): string {
    const length = this.varint(`length of ${meaning}`)
    const value = Buffer.from(this.bytes.subarray(this.at, this.at + length)).toString()
    this.raw(length, `${meaning} ${JSON.stringify(value)}`)
    return value
  }

  magic(): void {
    const value = Buffer.from(this.bytes.subarray(this.at, this.at + 8)).toString('latin1')
    this.raw(8, `magic ${JSON.stringify(value)}`)
  }

  align4(): void {
    if (this.at % 4 !== 0) this.raw(4 - (this.at % 4), 'padding')
  }
}

function pad(offset: number): string {
  return String(offset).padStart(4, '0')
}
