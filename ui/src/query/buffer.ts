// What the service's parsers use of Node's `Buffer`, for the browser: the build puts it in the place of that name. Only
// texts as UTF-8, Latin-1 and hexadecimal digits, and views of bytes.

const decoder = new TextDecoder()
const encoder = new TextEncoder()

export class Buffer extends Uint8Array {
  static override from(
    value: string | ArrayBufferLike | ArrayLike<unknown> | Iterable<unknown>,
    encodingOrOffset?: unknown,
    length?: unknown,
  ): Buffer {
    if (typeof value === 'string') {
      return copyOf(encodingOrOffset === 'hex' ? hexBytes(value) : encoder.encode(value))
    }
    if (!(value instanceof ArrayBuffer)) return copyOf(value as ArrayLike<number>)
    return new Buffer(value, (encodingOrOffset as number | undefined) ?? 0, length as number)
  }

  static concat(parts: readonly Uint8Array[]): Buffer {
    const whole = new Buffer(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }

  static byteLength(text: string): number {
    return encoder.encode(text).length
  }

  override toString(encoding = 'utf8', start = 0, end = this.length): string {
    const bytes = this.subarray(start, end)
    if (encoding !== 'latin1') return decoder.decode(bytes)
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    return text
  }
}

function copyOf(bytes: ArrayLike<number>): Buffer {
  const copy = new Buffer(bytes.length)
  copy.set(bytes)
  return copy
}

function hexBytes(text: string): number[] {
  return (text.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16))
}
