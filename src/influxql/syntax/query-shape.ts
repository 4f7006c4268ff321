// The shape of a query: its text without the literals that stand behind comparison operators. Dashboards
// ask the same query with another time and another host each time; what was made for the shape serves all
// of them. One pass over the characters, without tokens: it runs for every query. Whatever it is not sure of
// has no shape, and is prepared as it is: other statements than SELECT, escapes, comments, characters
// beyond ASCII. Whether each literal really stands where the tree has a place for it is checked when the
// shape is first prepared (`literal-slots.ts`).

import type { QueryShape } from '../../query/language.js'
import { parseWhole } from '../../query/whole-number.js'
import type { Literal } from './ast.js'
import { parseDuration } from './durations.js'

export type SlotLiteral = Extract<Literal, { kind: 'string' | 'integer' | 'number' | 'duration' }>

export interface InfluxqlShape extends QueryShape {
  readonly literals: readonly SlotLiteral[]
  /** Where in the text each of them begins. */
  readonly places: readonly number[]
}

/** Classes of characters; those that are none of these mean nothing here. */
const ordinary = 0
const blank = 1
const quote = 2
const comparison = 3
const dash = 4
const slash = 5
const unknown = 6

const classes = new Uint8Array(128).fill(ordinary)
for (let code = 0; code < 32; code++) classes[code] = unknown
for (const code of [9, 32]) classes[code] = blank
for (const character of '\'"') classes[character.charCodeAt(0)] = quote
for (const character of '=<>!') classes[character.charCodeAt(0)] = comparison
for (const character of '\\$\x7f') classes[character.charCodeAt(0)] = unknown
classes['-'.charCodeAt(0)] = dash
classes['/'.charCodeAt(0)] = slash

const singleQuote = 39
const closing = 41
const star = 42
const dot = 46
const semicolon = 59
const tilde = 126

/** Longer texts are written by programs, each for itself, and every few characters of them may be a literal. */
const shapeTextMax = 65_536

/** Undefined: it has none, or nothing in it would ever change. */
export function shapeOf(text: string): InfluxqlShape | undefined {
  if (text.length > shapeTextMax) return undefined
  return beginsWithSelect(text) ? new ShapeReader(text).read() : undefined
}

function beginsWithSelect(text: string): boolean {
  const start = skipBlanks(text, 0)
  return text.slice(start, start + 6).toLowerCase() === 'select'
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && classes[text.charCodeAt(at)] === blank) at++
  return at
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}

/** Behind what cannot be understood. */
const lost = Number.POSITIVE_INFINITY

class ShapeReader {
  readonly #text: string
  readonly #literals: SlotLiteral[] = []
  readonly #places: number[] = []
  #key = ''
  /** What is in the key. */
  #copied = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): InfluxqlShape | undefined {
    const text = this.#text
    let at = 0
    while (at < text.length) {
      const code = text.charCodeAt(at)
      const kind = code < 128 ? classes[code] : unknown
      if (kind === ordinary || kind === blank) at++
      else if (kind === comparison) at = this.#comparison(at)
      else if (kind === quote) at = this.#quoted(at)
      else if (kind === slash) at = this.#division(at)
      else if (kind === dash && text.charCodeAt(at + 1) !== code) at++
      else return undefined
    }
    if (at === lost || this.#literals.length === 0) return undefined
    const key = this.#key + text.slice(this.#copied)
    return { key, literals: this.#literals, places: this.#places }
  }

  /** From the operator to what stands behind its right side, where that is a literal or a regex. */
  #comparison(from: number): number {
    const text = this.#text
    let at = from + 1
    while (classes[text.charCodeAt(at)] === comparison) at++
    if (text.charCodeAt(at) === tilde) return this.#regex(skipBlanks(text, at + 1))
    at = skipBlanks(text, at)
    const code = text.charCodeAt(at)
    if (code === singleQuote) return this.#string(at)
    return isDigit(code) ? this.#number(at) : at
  }

  #string(from: number): number {
    const end = this.#quoted(from)
    if (end !== lost && this.#isAlone(end)) {
      const value = this.#text.slice(from + 1, end - 1)
      this.#add({ kind: 'string', value, at: undefined }, 's', from, end)
    }
    return end
  }

  /** Nothing but a comparison: no arithmetic goes on behind it. */
  #isAlone(end: number): boolean {
    const next = skipBlanks(this.#text, end)
    const code = this.#text.charCodeAt(next)
    return next === this.#text.length || code === closing || code === semicolon || isLetter(code)
  }

  #add(literal: SlotLiteral, kind: string, from: number, end: number): void {
    // No character of the text that is left is a NUL.
    this.#key += `${this.#text.slice(this.#copied, from)}\0${kind}`
    this.#copied = end
    this.#literals.push(literal)
    this.#places.push(from)
  }

  #number(from: number): number {
    const text = this.#text
    let end = this.#digits(from)
    if (text.charCodeAt(end) === dot) {
      const whole = end
      end = this.#digits(whole + 1)
      const isPlain = end > whole + 1 && !isLetter(text.charCodeAt(end))
      if (!isPlain || !this.#isAlone(end)) return end
      const value = Number(text.slice(from, end))
      if (Number.isFinite(value))
        this.#add({ kind: 'number', value, at: undefined }, 'n', from, end)
      return end
    }
    const unit = end
    while (isLetter(text.charCodeAt(end))) end++
    const isWord = isDigit(text.charCodeAt(end)) || text.charCodeAt(end) === dot
    if (isWord || !this.#isAlone(end)) return end
    if (end > unit) this.#duration(from, end)
    else this.#integer(from, end)
    return end
  }

  #digits(from: number): number {
    let end = from
    while (isDigit(this.#text.charCodeAt(end))) end++
    return end
  }

  #duration(from: number, end: number): void {
    const parsed = parseDuration(this.#text.slice(from, end))
    if (parsed.kind === 'error' || parsed.months !== 0) return
    const { ns } = parsed
    this.#add({ kind: 'duration', ns, months: 0, at: undefined }, 'd', from, end)
  }

  /** What int64 does not hold is of another kind to the planner. */
  #integer(from: number, end: number): void {
    if (end - from > 18 && (end - from > 19 || this.#text.slice(from, end) > int64Max)) return
    const value = parseWhole(this.#text.slice(from, end))
    this.#add({ kind: 'integer', value, at: undefined }, 'i', from, end)
  }

  /** A name or a text, up to what stands behind it. */
  #quoted(from: number): number {
    const text = this.#text
    const end = text.charCodeAt(from)
    for (let at = from + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === end) return at + 1
      if (code > 127 || classes[code] === unknown) return lost
    }
    return lost
  }

  #regex(from: number): number {
    const text = this.#text
    if (classes[text.charCodeAt(from)] !== slash) return lost
    for (let at = from + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (classes[code] === slash) return at + 1
      if (code === backslash) at++
      else if (code > 126 || code < 32) return lost
    }
    return lost
  }

  /** Where something can be divided; elsewhere a slash begins a regex or a comment. */
  #division(at: number): number {
    const text = this.#text
    let before = at - 1
    while (before >= 0 && classes[text.charCodeAt(before)] === blank) before--
    const code = text.charCodeAt(before)
    const isDivision = (code === closing || isDigit(code)) && text.charCodeAt(at + 1) !== star
    return isDivision ? at + 1 : lost
  }
}

const backslash = 92
const int64Max = '9223372036854775807'
