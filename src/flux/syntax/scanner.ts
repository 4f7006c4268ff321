// Text → tokens, on demand, because only the parser knows whether a slash begins a regular expression and
// whether it is inside a string. Where several tokens match, the longest one counts, as in the original
// scanner; every scan moves forward by hand-written loops, so hostile text costs time in its length only.

import { queryWordsMax } from '../../query/limits.js'
import type { Comment } from './ast.js'
import { scanNumber } from './number-text.js'
import { isWordStart, stringTextEnd, wordPartWidth } from './scan-text.js'
import { operatorKind, type Token, type TokenKind, wordKind } from './token.js'

export class Scanner {
  readonly #text: string
  #next = 0
  /** The last text of a string that was measured, see `#stringEnd`. */
  #stringFrom = 0
  #stringTo = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The next token where an operator may stand: a slash divides. */
  scan(): Token {
    return this.#scanToken(false, [])
  }

  /** The next token where an expression may begin: a slash opens a regular expression. */
  scanOperand(): Token {
    return this.#scanToken(true, [])
  }

  /** Reads a token again, as the beginning of an expression. */
  rescanOperand(token: Token): Token {
    this.#next = token.start
    return this.#scanToken(true, [...token.comments])
  }

  /** The next piece of a string with interpolated expressions: text, `${` or the closing quote. */
  scanStringPart(): Token {
    const start = this.#next
    if (start >= this.#text.length) return this.#token('EOF', start, start, [])
    if (this.#text.startsWith('${', start)) return this.#token('STRINGEXPR', start, start + 2, [])
    if (this.#text[start] === '"') return this.#token('QUOTE', start, start + 1, [])
    if (this.#text.startsWith('$"', start)) return this.#token('TEXT', start, start + 1, [])
    const end = stringTextEnd(this.#text, start)
    if (end === start) return this.#illegal(start, [])
    return this.#token('TEXT', start, end, [])
  }

  #scanToken(isOperand: boolean, comments: Comment[]): Token {
    for (;;) {
      const start = this.#skipSpace()
      const isEnd = start >= this.#text.length || comments.length > queryWordsMax
      if (isEnd) return this.#token('EOF', start, start, comments)
      if (!this.#text.startsWith('//', start)) return this.#scanAt(start, isOperand, comments)
      const newline = this.#text.indexOf('\n', start)
      this.#next = newline < 0 ? this.#text.length : newline + 1
      comments.push({ text: this.#text.slice(start, this.#next) })
    }
  }

  #scanAt(start: number, isOperand: boolean, comments: readonly Comment[]): Token {
    const text = this.#text
    const first = text[start]
    if (isOperand && first === '/') {
      const end = regexEnd(text, start)
      if (end > 0) return this.#token('REGEX', start, end, comments)
    }
    if (isWordStart(text, start)) return this.#scanWord(start, comments)
    const number = scanNumber(text, start)
    if (number !== null) return this.#token(number.kind, start, number.end, comments)
    if (first === '"') {
      const end = this.#stringEnd(start)
      if (end > 0) return this.#token('STRING', start, end, comments)
    }
    if (first === '@' && isWordStart(text, start + 1)) {
      return this.#token('ATTRIBUTE', start, wordEnd(text, start + 1), comments)
    }
    const pair = operatorKind(text.slice(start, start + 2))
    if (pair !== null && start + 2 <= text.length) {
      return this.#token(pair, start, start + 2, comments)
    }
    const single = operatorKind(first)
    if (single !== null) return this.#token(single, start, start + 1, comments)
    return this.#illegal(start, comments)
  }

  #scanWord(start: number, comments: readonly Comment[]): Token {
    const end = wordEnd(this.#text, start)
    return this.#token(wordKind(this.#text.slice(start, end)), start, end, comments)
  }

  /**
   * The offset behind the closing quote; 0 if this is no plain string (open, interpolated, a bad escape).
   * A quote inside measured text is an escaped one, and the text behind it has the same end: without this,
   * `"\\"\\"\\"…` in a place where strings are not allowed would be measured once per quote.
   */
  #stringEnd(start: number): number {
    if (start < this.#stringFrom || start >= this.#stringTo) {
      this.#stringFrom = start
      this.#stringTo = stringTextEnd(this.#text, start + 1)
    }
    const end = this.#stringTo
    if (this.#text[end] === '"') return end + 1
    return this.#text.startsWith('$"', end) ? end + 2 : 0
  }

  #illegal(start: number, comments: readonly Comment[]): Token {
    const width = (this.#text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1
    return this.#token('ILLEGAL', start, start + width, comments)
  }

  #token(kind: TokenKind, start: number, end: number, comments: readonly Comment[]): Token {
    this.#next = end
    return { kind, text: this.#text.slice(start, end), start, end, comments }
  }

  #skipSpace(): number {
    while (isSpace(this.#text.charCodeAt(this.#next))) this.#next++
    return this.#next
  }
}

function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13)
}

function wordEnd(text: string, start: number): number {
  let end = start
  for (let width = wordPartWidth(text, end); width > 0; width = wordPartWidth(text, end))
    end += width
  return end
}

/**
 * The end of the regular expression, 0 if there is none. A slash behind a backslash does not end it
 * while there is another one to come; if there is none, the last such slash does.
 */
function regexEnd(text: string, start: number): number {
  let fallback = 0
  for (let at = text.indexOf('/', start + 1); at >= 0; at = text.indexOf('/', at + 1)) {
    if (at === start + 1) return 0
    if (text[at - 1] !== '\\') return at + 1
    fallback = at + 1
  }
  return fallback
}
