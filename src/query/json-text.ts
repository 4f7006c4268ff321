// JSON as Go's decoder reads it: numbers keep their digits, text behind the first value is ignored,
// and what is wrong is said in Go's words, which clients of the query endpoint see. Objects become
// maps, so that no key means anything to JavaScript.

import { jsonValuesMax } from '../column/json-bounds.js'

/** A number as it was written. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export class JsonSyntaxError extends Error {}

/** Go allows 10,000; a parameter needs two. */
const depthMax = 200

/** null, boolean, string, JsonNumber, array, or Map. Throws JsonSyntaxError. */
export function parseJson(text: string): unknown {
  return new JsonText(text).value()
}

class JsonText {
  readonly #text: string
  #next = 0
  #depth = 0
  #values = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): unknown {
    if (++this.#values > jsonValuesMax)
      throw new JsonSyntaxError(`more than ${jsonValuesMax} values`)
    const code = this.#skipBlanks()
    switch (code) {
      case '{':
        return this.#nested(() => this.#object())
      case '[':
        return this.#nested(() => this.#array())
      case '"':
        return this.#string()
      case 't':
        return this.#literal('true', true)
      case 'f':
        return this.#literal('false', false)
      case 'n':
        return this.#literal('null', null)
      case undefined:
        throw new JsonSyntaxError(this.#depth === 0 ? 'EOF' : 'unexpected EOF')
      default:
        if (code === '-' || isDigit(code)) return this.#number()
        throw this.#unexpected('looking for beginning of value')
    }
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > depthMax) throw new JsonSyntaxError('exceeded max depth')
    this.#next++
    const result = parse()
    this.#depth--
    return result
  }

  #object(): Map<string, unknown> {
    const entries = new Map<string, unknown>()
    if (this.#skipBlanks() === '}') {
      this.#next++
      return entries
    }
    for (;;) {
      if (this.#skipBlanks() !== '"') {
        throw this.#unexpected('looking for beginning of object key string')
      }
      const key = this.#string()
      if (this.#skipBlanks() !== ':') throw this.#unexpected('after object key')
      this.#next++
      entries.set(key, this.value())
      const code = this.#skipBlanks()
      if (code !== ',' && code !== '}') throw this.#unexpected('after object key:value pair')
      this.#next++
      if (code === '}') return entries
    }
  }

  #array(): unknown[] {
    const items: unknown[] = []
    if (this.#skipBlanks() === ']') {
      this.#next++
      return items
    }
    for (;;) {
      items.push(this.value())
      const code = this.#skipBlanks()
      if (code !== ',' && code !== ']') throw this.#unexpected('after array element')
      this.#next++
      if (code === ']') return items
    }
  }

  #string(): string {
    const from = this.#next++
    let hasEscapes = false
    for (;;) {
      const code = this.#text[this.#next]
      if (code === '"') break
      if (code === undefined || code < ' ') throw this.#unexpected('in string literal')
      this.#next++
      if (code !== '\\') continue
      this.#skipEscape()
      hasEscapes = true
    }
    const text = this.#text.slice(from + 1, this.#next++)
    // Put together piece by piece, a text of many escapes would take several times its size. Half of a pair means
    // nothing alone.
    return (hasEscapes ? (JSON.parse(`"${text}"`) as string) : text).toWellFormed()
  }

  #skipEscape(): void {
    const code = this.#text[this.#next]
    if (code !== undefined && shortEscapes.includes(code)) {
      this.#next++
      return
    }
    if (code !== 'u') throw this.#unexpected('in string escape code')
    const end = ++this.#next + 4
    for (; this.#next < end; this.#next++) {
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#next] ?? '')) {
        throw this.#unexpected('in \\u hexadecimal character escape')
      }
    }
  }

  #number(): JsonNumber {
    const from = this.#next
    if (this.#text[this.#next] === '-') this.#next++
    if (this.#text[this.#next] === '0') this.#next++
    else this.#digits('in numeric literal')
    if (this.#text[this.#next] === '.') {
      this.#next++
      this.#digits('after decimal point in numeric literal')
    }
    if (this.#text[this.#next] === 'e' || this.#text[this.#next] === 'E') {
      this.#next++
      if (this.#text[this.#next] === '+' || this.#text[this.#next] === '-') this.#next++
      this.#digits('in exponent of numeric literal')
    }
    return new JsonNumber(this.#text.slice(from, this.#next))
  }

  #digits(where: string): void {
    if (!isDigit(this.#text[this.#next])) throw this.#unexpected(where)
    while (isDigit(this.#text[this.#next])) this.#next++
  }

  #literal<T>(word: string, value: T): T {
    for (const letter of word) {
      if (this.#text[this.#next] !== letter) {
        throw this.#unexpected(`in literal ${word} (expecting '${letter}')`)
      }
      this.#next++
    }
    return value
  }

  #skipBlanks(): string | undefined {
    for (;;) {
      const code = this.#text[this.#next]
      if (code !== ' ' && code !== '\t' && code !== '\n' && code !== '\r') return code
      this.#next++
    }
  }

  #unexpected(where: string): JsonSyntaxError {
    if (this.#next >= this.#text.length) return new JsonSyntaxError('unexpected EOF')
    const character = quote(this.#text.codePointAt(this.#next)!)
    return new JsonSyntaxError(`invalid character ${character} ${where}`)
  }
}

const shortEscapes = '"\\/bfnrt'

function isDigit(code: string | undefined): boolean {
  return code !== undefined && code >= '0' && code <= '9'
}

/** Go looks at bytes, and so names the first byte of a character as if it were Latin-1. */
function quote(point: number): string {
  const byte = Buffer.from(String.fromCodePoint(point))[0]
  if (byte === 39) return "'\\''"
  if (byte === 92) return "'\\\\'"
  const short = '\x07a\bb\ff\nn\rr\tt\vv'.indexOf(String.fromCharCode(byte))
  if (short >= 0 && short % 2 === 0) return `'\\${'abfnrtv'[short / 2]}'`
  if (byte < 32 || byte === 127) return `'\\x${byte.toString(16).padStart(2, '0')}'`
  return `'${String.fromCharCode(byte)}'`
}
