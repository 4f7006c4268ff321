// Strings as JSON the way Go's encoder spells them, which is what InfluxDB's clients are used to see:
// `<`, `>` and `&` and the two line separators of Unicode are escaped, other control characters than
// line feed, carriage return and tab as \u00xx, and each byte that is no UTF-8 becomes \ufffd.

import type { ByteWriter } from './byte-writer.js'
import { putAscii } from './byte-writer.js'

const quote = 34
const backslash = 92
const hex = '0123456789abcdef'

/** 1 for the ASCII characters that stand for themselves. */
const plain = new Uint8Array(256)
for (let code = 0x20; code < 0x80; code++) plain[code] = 1
for (const special of '"\\<>&') plain[special.charCodeAt(0)] = 0

/** A byte becomes six at most. */
export function jsonStringBytesMax(length: number): number {
  return length * 6 + 2
}

/** Room must have been made. */
export function putJsonString(
  view: DataView,
  start: number,
  source: Uint8Array,
  from: number,
  to: number,
): number {
  let at = start
  view.setUint8(at++, quote)
  for (let i = from; i < to; i++) {
    const byte = source[i]
    if (plain[byte] === 0) {
      at = putEscaped(view, at, source, i, to)
      break
    }
    view.setUint8(at++, byte)
  }
  view.setUint8(at++, quote)
  return at
}

function putEscaped(
  view: DataView,
  start: number,
  source: Uint8Array,
  from: number,
  to: number,
): number {
  let at = start
  for (let i = from; i < to; ) {
    const byte = source[i]
    if (plain[byte] === 1) {
      view.setUint8(at++, byte)
      i++
    } else if (byte < 0x80) {
      at = putEscape(view, at, byte)
      i++
    } else {
      const length = sequenceLength(source, i, to)
      if (length === 0) at = putAscii(view, at, '\\ufffd')
      else if (isLineSeparator(source, i))
        at = putAscii(view, at, `\\u202${hex[source[i + 2] & 15]}`)
      else for (let k = 0; k < length; k++) view.setUint8(at++, source[i + k])
      i += Math.max(length, 1)
    }
  }
  return at
}

function putEscape(view: DataView, at: number, byte: number): number {
  switch (byte) {
    case quote:
    case backslash:
      view.setUint8(at, backslash)
      view.setUint8(at + 1, byte)
      return at + 2
    case 10:
      return putAscii(view, at, '\\n')
    case 13:
      return putAscii(view, at, '\\r')
    case 9:
      return putAscii(view, at, '\\t')
    default:
      return putAscii(view, at, `\\u00${hex[byte >> 4]}${hex[byte & 15]}`)
  }
}

/** U+2028 and U+2029. */
function isLineSeparator(source: Uint8Array, at: number): boolean {
  return source[at] === 0xe2 && source[at + 1] === 0x80 && (source[at + 2] & 0xfe) === 0xa8
}

/** Bytes of the UTF-8 sequence that starts here with a byte beyond ASCII; 0: it is none. */
function sequenceLength(source: Uint8Array, at: number, end: number): number {
  const first = source[at]
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (length === 0 || at + length > end) return 0
  const second = source[at + 1]
  // Longer than needed, surrogates, beyond U+10FFFF.
  if (first === 0xe0 && second < 0xa0) return 0
  if (first === 0xed && second > 0x9f) return 0
  if (first === 0xf0 && second < 0x90) return 0
  if (first === 0xf4 && second > 0x8f) return 0
  for (let i = 1; i < length; i++) if ((source[at + i] & 0xc0) !== 0x80) return 0
  return length
}

/** Names and tags are mostly plain and short, and go character by character without a buffer for each. */
export function writeJsonString(out: ByteWriter, text: string): void {
  out.reserve(text.length + 2)
  const { view } = out
  let at = out.length
  view.setUint8(at++, quote)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0x80 || plain[code] === 0) return writeEscapedString(out, text)
    view.setUint8(at++, code)
  }
  view.setUint8(at, quote)
  out.length = at + 1
}

function writeEscapedString(out: ByteWriter, text: string): void {
  const source = Buffer.from(text)
  writeJsonBytes(out, source, 0, source.length)
}

export function writeJsonBytes(
  out: ByteWriter,
  source: Uint8Array,
  from: number,
  to: number,
): void {
  out.reserve(jsonStringBytesMax(to - from))
  out.length = putJsonString(out.view, out.length, source, from, to)
}
