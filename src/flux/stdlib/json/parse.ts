// JSON → values: objects become records with their properties sorted by name, numbers floats. Mistakes
// are told in the words of Go's decoder, whose users' scripts look for them. A reader of its own: no key
// of a text ever becomes a property of a JavaScript object.

import { compareUtf8 } from '../../../column/series.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'
import { comparedPartsMax } from '../../value/size.js'
import { type FluxArray, type FluxValue, MapRecord } from '../../value/value.js'

/** How deep arrays and objects may lie in each other: what walks through values later goes as deep. */
const depthMax = 1_000

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const space = new Set([0x20, 0x09, 0x0a, 0x0d])
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const minus = 0x2d
const zero = 0x30
const nine = 0x39

const escapes: ReadonlyMap<number, string> = new Map(
  [...'"\\/']
    .map((c): [number, string] => [c.charCodeAt(0), c])
    .concat([
      [0x62, '\b'],
      [0x66, '\f'],
      [0x6e, '\n'],
      [0x72, '\r'],
      [0x74, '\t'],
    ]),
)

/** Throws FluxError. `arrayOf` makes what an array becomes of its elements, and may refuse. */
export function parseJson(
  bytes: Uint8Array,
  arrayOf: (elements: FluxArray) => FluxValue = (elements) => elements,
): FluxValue {
  return new JsonReader(bytes, arrayOf).whole()
}

class JsonReader {
  readonly #bytes: Uint8Array
  readonly #arrayOf: (elements: FluxArray) => FluxValue
  #at = 0
  #depth = 0
  #values = 0

  constructor(bytes: Uint8Array, arrayOf: (elements: FluxArray) => FluxValue) {
    this.#bytes = bytes
    this.#arrayOf = arrayOf
  }

  whole(): FluxValue {
    const value = this.#value()
    if (this.#next() !== undefined) this.#refuse('after top-level value')
    return value
  }

  /** The next byte that is not space; undefined: there is none. */
  #next(): number | undefined {
    while (space.has(this.#bytes[this.#at])) this.#at++
    return this.#bytes[this.#at]
  }

  #refuse(where: string): never {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new FluxError('unexpected end of JSON input')
    const text = String.fromCharCode(byte)
    const shown = text === "'" ? "\\'" : text === '"' ? '"' : quoted(text).slice(1, -1)
    throw new FluxError(`invalid character '${shown}' ${where}`)
  }

  #value(): FluxValue {
    if (++this.#values > comparedPartsMax) {
      throw new FluxError(`a text of more than ${comparedPartsMax} values is too large to be read`)
    }
    switch (this.#next()) {
      case openBrace:
        return this.#nested(() => this.#object())
      case openBracket:
        return this.#nested(() => this.#array())
      case quote:
        return this.#string()
      case 0x74:
        return this.#word('true', true)
      case 0x66:
        return this.#word('false', false)
      case 0x6e:
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #nested(read: () => FluxValue): FluxValue {
    if (++this.#depth > depthMax) throw new FluxError('exceeded max depth')
    this.#at++
    const value = read()
    this.#at++
    this.#depth--
    return value
  }

  #array(): FluxValue {
    const elements: FluxValue[] = []
    if (this.#next() === closeBracket) return this.#arrayOf(elements)
    for (;;) {
      elements.push(this.#value())
      const next = this.#next()
      if (next === closeBracket) return this.#arrayOf(elements)
      if (next !== comma) this.#refuse('after array element')
      this.#at++
    }
  }

  #object(): FluxValue {
    const properties = new Map<string, FluxValue>()
    if (this.#next() === closeBrace) return new MapRecord(properties)
    for (;;) {
      if (this.#next() !== quote) this.#refuse('looking for beginning of object key string')
      const name = this.#string()
      if (this.#next() !== colon) this.#refuse('after object key')
      this.#at++
      properties.set(name, this.#value())
      const next = this.#next()
      if (next === closeBrace) break
      if (next !== comma) this.#refuse('after object key:value pair')
      this.#at++
    }
    return new MapRecord(new Map([...properties].sort(([a], [b]) => compareUtf8(a, b))))
  }

  #word(word: string, value: FluxValue): FluxValue {
    for (const letter of word) {
      if (this.#bytes[this.#at] !== letter.charCodeAt(0)) {
        this.#refuse(`in literal ${word} (expecting '${letter}')`)
      }
      this.#at++
    }
    return value
  }

  #number(): number {
    const start = this.#at
    const isNegative = this.#bytes[this.#at] === minus
    if (isNegative) this.#at++
    const where = isNegative ? 'in numeric literal' : 'looking for beginning of value'
    if (this.#bytes[this.#at] === zero) this.#at++
    else this.#digits(where)
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++
      this.#digits('after decimal point in numeric literal')
    }
    if ((this.#bytes[this.#at] | 0x20) === 0x65) {
      this.#at++
      const sign = this.#bytes[this.#at]
      if (sign === minus || sign === 0x2b) this.#at++
      this.#digits('in exponent of numeric literal')
    }
    const text = decoder.decode(this.#bytes.subarray(start, this.#at))
    const value = Number(text)
    if (Number.isFinite(value)) return value
    throw new FluxError(`json: cannot unmarshal number ${text} into Go value of type float64`)
  }

  /** At least one. */
  #digits(where: string): void {
    const start = this.#at
    while (this.#bytes[this.#at] >= zero && this.#bytes[this.#at] <= nine) this.#at++
    if (this.#at === start) this.#refuse(where)
  }

  #string(): string {
    this.#at++
    let text = ''
    let start = this.#at
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined || byte < 0x20) this.#refuse('in string literal')
      if (byte === quote || byte === backslash) {
        text += decoder.decode(this.#bytes.subarray(start, this.#at))
        this.#at++
        if (byte === quote) return text.toWellFormed()
        text += this.#escape()
        start = this.#at
      } else this.#at++
    }
  }

  #escape(): string {
    const byte = this.#bytes[this.#at]
    if (byte === 0x75) return this.#unicode()
    const character = escapes.get(byte) ?? this.#refuse('in string escape code')
    this.#at++
    return character
  }

  /** A unit of UTF-16; halves of a pair find each other in the text. */
  #unicode(): string {
    let code = 0
    for (let i = 0; i < 4; i++) {
      this.#at++
      const digit = Number.parseInt(String.fromCharCode(this.#bytes[this.#at] ?? 0), 16)
      if (Number.isNaN(digit)) this.#refuse('in \\u hexadecimal character escape')
      code = code * 16 + digit
    }
    this.#at++
    return String.fromCharCode(code)
  }
}
