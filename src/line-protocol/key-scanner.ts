// Reads measurement and tags of a series that the parser has not met, finds what is wrong with
// them, and makes the canonical key. A comma, space or equals sign right after a backslash never
// separates; every other backslash is an ordinary byte. By that rule each part has exactly one
// spelling, so canonical means only: tags sorted by key. (One exception: an equals sign that opens
// a tag value needs no backslash on the wire and gets one in the key.)

import { backslash, comma, equals, isLineEnd, space } from './characters.js'

/** Largest series key in bytes, and largest key plus separator plus field name. */
export const keyBytesMax = 65535

const reservedTagKeys: readonly (readonly [string, string])[] = [
  ['time', 'time'],
  ['_field', '_field'],
  ['_measurement', '_measurement'],
  ['\x00', '\\x00'],
  ['\xff', '\\xff'],
]

const reservedFirstBytes = reservedTagKeys.map(([key]) => key.charCodeAt(0))

/** Tags for which there is room at first; more make the arrays grow. */
const tagsMin = 64

/** What was found; the arrays are reused from line to line. */
export class KeyScanner {
  reason = ''
  /** Position of the space after the key. */
  end = 0
  measurementEnd = 0
  /** The canonical key where it differs from the bytes on the wire; until the next key is looked at. */
  canonical: Uint8Array | undefined
  #canonicalBytes = new Uint8Array(0)
  #tagCount = 0
  #keyStarts = new Int32Array(tagsMin)
  #keyEnds = new Int32Array(tagsMin)
  #valueEnds = new Int32Array(tagsMin)

  /**
   * False: `reason` says why. The bytes must go on to a newline; the first of them is not blank.
   */
  scan(bytes: Uint8Array, start: number): boolean {
    this.canonical = undefined
    this.#tagCount = 0
    if (bytes[start] === comma) return this.#fail('missing measurement')
    const end = this.#scanMeasurement(bytes, start)
    this.measurementEnd = end
    this.end = end
    if (bytes[end] !== comma && bytes[end] !== space) return this.#fail('missing fields')
    if (bytes[end] === comma && !this.#scanTags(bytes, end + 1)) return false
    if (!this.#checkTags(bytes, start)) return false
    const length = this.end - start
    if (length <= keyBytesMax) return true
    return this.#fail(`max key length exceeded: ${length} > ${keyBytesMax}`)
  }

  #fail(reason: string): false {
    this.reason = reason
    return false
  }

  #scanMeasurement(bytes: Uint8Array, start: number): number {
    for (let i = start + 1; ; i++) {
      const c = bytes[i]
      if (c > comma) continue
      if (c === comma || c === space ? bytes[i - 1] !== backslash : isLineEnd(bytes, i)) return i
    }
  }

  #scanTags(bytes: Uint8Array, start: number): boolean {
    let i = start
    for (;;) {
      const tag = this.#tagCount
      if (tag === this.#keyStarts.length) this.#growTags()
      this.#keyStarts[tag] = i
      i = this.#scanTagKey(bytes, i)
      if (i < 0) return false
      this.#keyEnds[tag] = i
      i = this.#scanTagValue(bytes, i + 1)
      if (i < 0) return false
      this.#valueEnds[tag] = i
      this.#tagCount = tag + 1
      if (bytes[i] === space) {
        this.end = i
        return true
      }
      i++
    }
  }

  /** The position of the equals sign, or -1. */
  #scanTagKey(bytes: Uint8Array, start: number): number {
    const first = bytes[start]
    if (first === space || first === comma || first === equals || isLineEnd(bytes, start)) {
      this.reason = 'missing tag key'
      return -1
    }
    for (let i = start + 1; ; i++) {
      const c = bytes[i]
      if (c > equals) continue
      if (c === equals && bytes[i - 1] !== backslash) return i
      if ((isBetween(c) && bytes[i - 1] !== backslash) || isLineEnd(bytes, i)) {
        this.reason = 'missing tag value'
        return -1
      }
    }
  }

  /** The position of the comma or space after the value, or -1. */
  #scanTagValue(bytes: Uint8Array, start: number): number {
    if (isBetween(bytes[start]) || isLineEnd(bytes, start)) {
      this.reason = 'missing tag value'
      return -1
    }
    for (let i = start + 1; ; i++) {
      const c = bytes[i]
      if (c > equals) continue
      if (isBetween(c) && bytes[i - 1] !== backslash) return i
      if (c === equals && bytes[i - 1] !== backslash) {
        this.reason = 'invalid tag format'
        return -1
      }
      if (isLineEnd(bytes, i)) {
        this.reason = 'missing fields'
        return -1
      }
    }
  }

  #growTags(): void {
    const length = this.#keyStarts.length * 2
    this.#keyStarts = grownInt32(this.#keyStarts, length)
    this.#keyEnds = grownInt32(this.#keyEnds, length)
    this.#valueEnds = grownInt32(this.#valueEnds, length)
  }

  #checkTags(bytes: Uint8Array, start: number): boolean {
    let isCanonical = true
    for (let t = 0; t < this.#tagCount; t++) {
      const to = this.#keyEnds[t]
      const reserved = reservedTagKey(bytes, this.#keyStarts[t], to)
      if (reserved !== '') return this.#fail(`cannot use reserved tag key "${reserved}"`)
      if (bytes[to + 1] === equals) isCanonical = false
      if (t > 0 && this.#compare(bytes, t - 1, t) >= 0) isCanonical = false
    }
    return isCanonical || this.#makeCanonical(bytes, start)
  }

  #makeCanonical(bytes: Uint8Array, start: number): boolean {
    const order = Array.from({ length: this.#tagCount }, (_, t) => t)
    order.sort((a, b) => this.#compare(bytes, a, b))
    for (let i = 1; i < order.length; i++) {
      if (this.#compare(bytes, order[i - 1], order[i]) === 0) return this.#fail('duplicate tags')
    }
    const lengthMax = this.end - start + order.length
    if (this.#canonicalBytes.length < lengthMax)
      this.#canonicalBytes = new Uint8Array(2 * lengthMax)
    const key = this.#canonicalBytes
    let at = this.measurementEnd - start
    key.set(bytes.subarray(start, this.measurementEnd))
    for (const t of order) {
      key[at++] = comma
      const value = this.#keyEnds[t] + 1
      key.set(bytes.subarray(this.#keyStarts[t], value), at)
      at += value - this.#keyStarts[t]
      if (bytes[value] === equals) key[at++] = backslash
      key.set(bytes.subarray(value, this.#valueEnds[t]), at)
      at += this.#valueEnds[t] - value
    }
    this.canonical = key.subarray(0, at)
    return true
  }

  /** Orders two tags by the bytes of their keys as they are without escapes. */
  #compare(bytes: Uint8Array, a: number, b: number): number {
    let i = this.#keyStarts[a]
    let j = this.#keyStarts[b]
    const iEnd = this.#keyEnds[a]
    const jEnd = this.#keyEnds[b]
    for (; i < iEnd && j < jEnd; i++, j++) {
      if (isEscape(bytes, i)) i++
      if (isEscape(bytes, j)) j++
      if (bytes[i] !== bytes[j]) return bytes[i] - bytes[j]
    }
    return iEnd - i - (jEnd - j)
  }
}

/**
 * The space that ends measurement and tags, or -1 if the line ends before. Only for lookups: checks
 * nothing else.
 */
export function findKeyEnd(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; ; i++) {
    const c = bytes[i]
    if (c > space) continue
    if (c === space) {
      if (bytes[i - 1] !== backslash) return i
    } else if (isLineEnd(bytes, i)) return -1
  }
}

/** Comma or space: between tags, or after the last of them. */
function isBetween(c: number): boolean {
  return c === comma || c === space
}

function grownInt32(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length)
  larger.set(array)
  return larger
}

/** The key as messages show it if no tag may have it, else empty. */
function reservedTagKey(bytes: Uint8Array, start: number, end: number): string {
  if (!reservedFirstBytes.includes(bytes[start])) return ''
  for (const [key, shown] of reservedTagKeys) if (isText(bytes, start, end, key)) return shown
  return ''
}

function isEscape(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== backslash) return false
  const next = bytes[at + 1]
  return next === comma || next === space || next === equals
}

function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false
  return true
}
