// Text → tokens, one at a time and on demand, because only the parser knows whether a slash begins a
// regex. Places in error messages must be InfluxDB's to the character, and they follow from the way
// its scanner reads ahead and steps back; `#next` therefore moves exactly as that reader would:
//
// - It may run past the end of the text, once for every read there. Only the first such step counts.
// - A NUL character is the end of the text to whoever looks at it, although more may follow.
// - The place of a string or a regex is that of the character before it.

import type { Position } from './ast.js'
import { keywordOf, type Token, type TokenKind } from './token.js'

const tab = 9
const newline = 10
const space = 32
const doubleQuote = 34
const singleQuote = 39
const slash = 47
const star = 42
const dash = 45
const dot = 46
const equals = 61
const greater = 62
const backslash = 92
const tilde = 126
const micro = 0xb5

interface Place {
  index: number
  line: number
  char: number
  /** Behind the end, or a NUL, characters are no longer counted. */
  ended: boolean
}

const start: Readonly<Place> = { index: 0, line: 0, char: 0, ended: false }
const markStep = 64

export class Lexer {
  readonly #text: string
  /** The next character to be read. */
  #next = 0
  #mark: Readonly<Place> = start
  /** One line of ASCII: characters are counted by their index. */
  readonly #isPlain: boolean

  constructor(text: string) {
    this.#text = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
    this.#isPlain = /^[ -~\t]*$/.test(this.#text)
  }

  /** The next character without reading it, 0 at the end. InfluxDB reads the end even so. */
  peek(): number {
    const code = this.#codeAt(this.#next)
    if (code === 0) this.#next++
    return code
  }

  scan(): Token {
    const at = this.#next
    const code = this.#codeAt(at)
    if (isBlank(code)) return this.#blanks(at)
    if (isWordStart(code) || code === doubleQuote) return this.#word(at)
    if (isDigit(code)) return this.#number(at)
    this.#next++
    switch (code) {
      case 0:
        return { kind: 'EOF', at, text: '' }
      case singleQuote:
        return this.#string(at)
      case dot:
        if (!isDigit(this.#codeAt(this.#next))) return operator('.', at)
        this.#next = at
        return this.#number(at)
      case 36: // $
        return this.#parameter(at)
      case dash:
        if (this.#codeAt(this.#next) !== dash) return operator('-', at)
        return this.#lineComment(at)
      case slash:
        if (this.#codeAt(this.#next) !== star) return operator('/', at)
        return this.#comment(at)
      default:
        return this.#symbol(code, at)
    }
  }

  /** Reads `/…/` where the parser expects one. */
  scanRegex(): Token {
    const at = this.#next - 1
    let text = ''
    this.#next++
    let from = this.#next
    for (;;) {
      const code = this.#codeAt(this.#next)
      if (code === slash) {
        text += this.#text.slice(from, this.#next++)
        return { kind: 'REGEX', at, text }
      }
      if (code === 0 || code === newline) {
        this.#next++
        return { kind: 'BADREGEX', at, text: '' }
      }
      this.#next++
      if (code !== backslash) continue
      const escaped = this.#codeAt(this.#next)
      if (escaped === slash) {
        text += this.#text.slice(from, this.#next - 1)
        from = this.#next++
      } else if (escaped === 0) {
        this.#next++
        return { kind: 'BADREGEX', at, text: '' }
      }
    }
  }

  /** Line and character of a token, counted as InfluxDB counts: characters, not bytes. */
  positionOf(at: number): Position {
    if (this.#isPlain) {
      const end = this.#text.length + 1
      return { line: 0, char: at < 0 ? 0 : at < end ? at : end }
    }
    const { index, line, char, ended } = at < this.#mark.index ? start : this.#mark
    const place = this.#walk({ index, line, char, ended }, at)
    // Places are asked for nearly in order. A mark now and then keeps long texts from being walked
    // through again and again; it stays behind, because some tokens are counted from before.
    if (at - this.#mark.index > 2 * markStep)
      this.#mark = this.#walk({ ...this.#mark }, at - markStep)
    return { line: place.line, char: place.char }
  }

  #walk(place: Place, to: number): Place {
    for (; place.index < to; place.index++) {
      const code = this.#codeAt(place.index)
      if (code === newline) {
        place.line++
        place.char = 0
      } else if (!place.ended && !isLowSurrogate(code)) place.char++
      if (code === 0) place.ended = true
    }
    return place
  }

  #codeAt(index: number): number {
    return index < this.#text.length ? this.#text.charCodeAt(index) : 0
  }

  #blanks(at: number): Token {
    let end = at + 1
    while (isBlank(this.#codeAt(end))) end++
    this.#next = this.#codeAt(end) === 0 ? end + 1 : end
    return { kind: 'WS', at, text: this.#text.slice(at, end) }
  }

  /** A bare word or a quoted name. A quoted part behind a bare one takes its place, as in InfluxDB. */
  #word(at: number): Token {
    const bare = this.#bareWord()
    if (this.#codeAt(this.#next) === doubleQuote) {
      const quoted = this.#string(this.#next++)
      return quoted.kind === 'STRING' ? { kind: 'IDENT', at, text: quoted.text } : quoted
    }
    const keyword = keywordOf(bare)
    return keyword === undefined ? { kind: 'IDENT', at, text: bare } : operator(keyword, at)
  }

  #bareWord(): string {
    let word = ''
    for (;;) {
      const from = this.#next
      let end = from
      while (isWordPart(this.#codeAt(end))) end++
      word += this.#text.slice(from, end)
      const isEnd = this.#codeAt(end) === 0
      this.#next = isEnd ? end + 1 : end
      // The end is read once more behind a word that reached it, unless it is a NUL with more behind.
      if (!isEnd || end === from) return word
    }
  }

  #parameter(at: number): Token {
    const bare = this.#bareWord()
    if (this.#codeAt(this.#next) !== doubleQuote)
      return { kind: 'BOUNDPARAM', at, text: `$${bare}` }
    const quoted = this.#string(this.#next++)
    const kind = quoted.kind === 'STRING' ? 'BOUNDPARAM' : quoted.kind
    return { kind, at, text: `$${quoted.text}` }
  }

  /** The rest of a string whose opening quote has just been read. */
  #string(open: number): Token {
    const at = open - 1
    const quote = this.#codeAt(open)
    let text = ''
    let from = this.#next
    for (;;) {
      const code = this.#codeAt(this.#next)
      if (code === quote) {
        text += this.#text.slice(from, this.#next++)
        return { kind: 'STRING', at, text }
      }
      if (code === 0 || code === newline) {
        text += this.#text.slice(from, this.#next++)
        return { kind: 'BADSTRING', at, text }
      }
      this.#next++
      if (code !== backslash) continue
      const escaped = this.#codeAt(this.#next)
      text += this.#text.slice(from, this.#next - 1)
      if (escaped === 110) text += '\n'
      else if (escaped === backslash || escaped === doubleQuote || escaped === singleQuote) {
        text += String.fromCharCode(escaped)
      } else return this.#badEscape()
      from = ++this.#next
    }
  }

  #badEscape(): Token {
    const at = this.#next++
    const escaped = at < this.#text.length ? this.#text.codePointAt(at)! : 0
    if (escaped > 0xffff) this.#next++
    return { kind: 'BADESCAPE', at, text: `\\${String.fromCodePoint(escaped)}` }
  }

  #number(at: number): Token {
    let end = at
    while (isDigit(this.#codeAt(end))) end++
    if (this.#codeAt(end) === dot) {
      let stop = end + 1
      if (isDigit(this.#codeAt(stop))) {
        while (isDigit(this.#codeAt(stop))) stop++
        end = stop
      }
      // A dot without digits behind it is swallowed.
      this.#next = stop
      return { kind: 'NUMBER', at, text: this.#text.slice(at, end) }
    }
    const isDuration = isUnit(this.#codeAt(end))
    if (isDuration) {
      while (isUnit(this.#codeAt(end)) || isDigit(this.#codeAt(end))) end++
    }
    this.#next = end
    return { kind: isDuration ? 'DURATIONVAL' : 'INTEGER', at, text: this.#text.slice(at, end) }
  }

  #lineComment(at: number): Token {
    for (;;) {
      const code = this.#codeAt(this.#next++)
      if (code === newline || code === 0) return { kind: 'COMMENT', at, text: '' }
    }
  }

  #comment(at: number): Token {
    this.#next++
    for (;;) {
      let code = this.#codeAt(this.#next++)
      if (code === star) {
        while (code === star) code = this.#codeAt(this.#next++)
        if (code === slash) return { kind: 'COMMENT', at, text: '' }
      }
      if (code === 0) return { kind: 'ILLEGAL', at, text: '' }
    }
  }

  /** Everything that begins with none of the characters above. */
  #symbol(code: number, at: number): Token {
    const single = singles[code]
    if (single !== undefined) return operator(single, at)
    const second = this.#codeAt(this.#next)
    switch (code) {
      case equals:
        return second === tilde ? this.#pair('=~', at) : operator('=', at)
      case 33: // !
        if (second === equals) return this.#pair('!=', at)
        if (second === tilde) return this.#pair('!~', at)
        break
      case greater:
        return second === equals ? this.#pair('>=', at) : operator('>', at)
      case 60: // <
        if (second === equals) return this.#pair('<=', at)
        return second === greater ? this.#pair('!=', at) : operator('<', at)
      case 58: // :
        return second === 58 ? this.#pair('::', at) : operator(':', at)
    }
    const point = this.#text.codePointAt(at)!
    if (point > 0xffff) this.#next++
    return { kind: 'ILLEGAL', at, text: String.fromCodePoint(point) }
  }

  #pair(kind: TokenKind, at: number): Token {
    this.#next++
    return operator(kind, at)
  }
}

const singles: Readonly<Record<number, TokenKind>> = Object.fromEntries(
  (['+', '*', '%', '&', '|', '^', '(', ')', ',', ';'] as const).map((x) => [x.charCodeAt(0), x]),
)

function operator(kind: TokenKind, at: number): Token {
  return { kind, at, text: '' }
}

function isBlank(code: number): boolean {
  return code === space || code === tab || code === newline
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

function isWordStart(code: number): boolean {
  return isLetter(code) || code === 95
}

function isWordPart(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 95
}

function isUnit(code: number): boolean {
  return isLetter(code) || code === micro
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
