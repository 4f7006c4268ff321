// The parser's view of the tokens: read one, step back, and take the small things that every
// statement is made of, such as names, numbers and lists, or fail with InfluxDB's words. Bind
// parameters take the place of `$name` here, so that one may stand wherever its value could.

import { UserError } from '../../errors.js'
import { queryWordsMax } from '../../query/limits.js'
import { parseWhole } from '../../query/whole-number.js'
import type { Position } from './ast.js'
import { parseDuration } from './durations.js'
import { Lexer } from './lexer.js'
import { bindParameter } from './parameters.js'
import { quoteSegments } from './quoting.js'
import { describeToken, type Keyword, type Token, type TokenKind } from './token.js'

/** No step back is longer than this. */
const ringSize = 4
/** Deeper nesting of parentheses, calls and subqueries is refused; 400 levels take a third of the stack. */
const depthMax = 400

const int32Max = 2147483647n
const int64Max = 9223372036854775807n
const uint64Max = 18446744073709551615n

export class TokenReader {
  readonly #lexer: Lexer
  readonly #params: ReadonlyMap<string, unknown>
  readonly #ring: Token[] = new Array(ringSize)
  #last = 0
  /** How many tokens have been stepped back over. */
  #unread = 0
  #depth = 0
  /** Tokens but for blanks and comments, of the whole text. */
  #words = 0
  /** Whether the next duration may be one of months and years. */
  allowsCalendar = false
  /** Inside GROUP BY, where `time()` takes such durations. */
  inDimension = false

  constructor(text: string, params: ReadonlyMap<string, unknown>) {
    this.#lexer = new Lexer(text)
    this.#params = params
  }

  /** The next token, blanks and comments too. */
  scan(): Token {
    return this.#bind(this.#unread > 0 ? this.#again() : this.#keep(this.#lexer.scan()))
  }

  /** The next token that says something. */
  read(): Token {
    let token = this.scan()
    while (token.kind === 'WS' || token.kind === 'COMMENT') token = this.scan()
    return token
  }

  /** Steps back over the last token, be it a blank. */
  unread(): void {
    this.#unread++
  }

  /** The next token is a regex if a slash comes now; a token that was stepped back over goes before. */
  scanRegex(): Token {
    return this.#bind(this.#unread > 0 ? this.#again() : this.#keep(this.#lexer.scanRegex()))
  }

  /** The character behind all tokens read so far, also behind those that were stepped back over. */
  peekCharacter(): number {
    return this.#lexer.peek()
  }

  skipBlanks(): void {
    if (this.scan().kind !== 'WS') this.unread()
  }

  /** Reads the token if it is of this kind. */
  accept(kind: TokenKind): boolean {
    if (this.read().kind === kind) return true
    this.unread()
    return false
  }

  /** As `accept`, for words that are reserved only where they are expected. */
  acceptWord(word: string): boolean {
    const { kind, text } = this.read()
    if (kind === 'IDENT' && text.toUpperCase() === word) return true
    this.unread()
    return false
  }

  expect(...kinds: readonly (Keyword | '=' | '(' | ')' | ':')[]): void {
    for (const kind of kinds) {
      const token = this.read()
      if (token.kind !== kind) throw this.unexpected(token, kind)
    }
  }

  name(): string {
    const token = this.read()
    if (token.kind !== 'IDENT') throw this.unexpected(token, 'identifier')
    return token.text
  }

  names(): string[] {
    const names = [this.name()]
    while (this.accept(',')) names.push(this.name())
    return names
  }

  /** `"db"."rp".m`, `"db"..m`; what is left out is empty. Stops before a regex and before a colon. */
  segments(): string[] {
    const segments = [this.name()]
    for (;;) {
      if (this.scan().kind !== '.') {
        this.unread()
        break
      }
      const next = this.peekCharacter()
      if (next === slash || next === colon) break
      segments.push(next === dot ? '' : this.name())
    }
    if (segments.length > 3) {
      throw this.failAt(`too many segments in ${quoteSegments(segments)}`, undefined)
    }
    return segments
  }

  string(): string {
    const token = this.read()
    if (token.kind !== 'STRING') throw this.unexpected(token, 'string')
    return token.text
  }

  strings(): string[] {
    const strings = [this.string()]
    while (this.accept(',')) strings.push(this.string())
    return strings
  }

  /** A whole number from 1 to what 32 bits hold. */
  count(): number {
    const token = this.#integer()
    const value = parseWhole(token.text)
    if (value > int64Max) throw this.failAt(outOfRange('Atoi', token.text), token)
    if (value < 1n || value > int32Max) {
      throw this.failAt(`invalid value ${value}: must be 1 <= n <= ${int32Max}`, token)
    }
    return Number(value)
  }

  id(): bigint {
    const token = this.#integer()
    const value = parseWhole(token.text)
    if (token.text.startsWith('-')) {
      throw this.failAt(`strconv.ParseUint: parsing "${token.text}": invalid syntax`, token)
    }
    if (value > uint64Max) throw this.failAt(outOfRange('ParseUint', token.text), token)
    return value
  }

  /** `LIMIT 5`, or 0. More than anybody can have is as good as the most that a number can say. */
  optionalCount(kind: 'LIMIT' | 'OFFSET' | 'SLIMIT' | 'SOFFSET'): number {
    if (!this.accept(kind)) return 0
    const token = this.#integer()
    const value = Number(token.text)
    if (value < 0) throw this.failAt(`${kind} must be >= 0`, token)
    return Math.min(value, Number.MAX_SAFE_INTEGER)
  }

  /** Nanoseconds, 0 for INF. */
  durationOrInf(): bigint {
    const token = this.read()
    if (token.kind === 'INF') return 0n
    return this.#duration(token)
  }

  duration(): bigint {
    return this.#duration(this.read())
  }

  /** Runs `parse` one level deeper. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > depthMax) throw this.fail(`query is nested deeper than ${depthMax} levels`)
    const result = parse()
    this.#depth--
    return result
  }

  positionOf(token: Token): Position {
    return this.#lexer.positionOf(token.at)
  }

  /** `found X, expected Y, Z at line 1, char 2` */
  unexpected(token: Token, ...expected: readonly string[]): UserError {
    return this.failAt(`found ${describeToken(token)}, expected ${expected.join(', ')}`, token)
  }

  /** Without a token InfluxDB names the first character of the text. */
  failAt(message: string, token: Token | undefined): UserError {
    const { line, char } = token === undefined ? { line: 0, char: 0 } : this.positionOf(token)
    return this.fail(`${message} at line ${line + 1}, char ${char + 1}`)
  }

  fail(message: string): UserError {
    return new UserError('invalid', `error parsing query: ${message}`)
  }

  #integer(): Token {
    const token = this.read()
    if (token.kind !== 'INTEGER') throw this.unexpected(token, 'integer')
    return token
  }

  #duration(token: Token): bigint {
    if (token.kind !== 'DURATIONVAL') throw this.unexpected(token, 'duration')
    const parsed = parseDuration(token.text)
    if (parsed.kind === 'error') throw this.failAt(parsed.message, token)
    if (parsed.months !== 0) throw this.failAt('invalid duration', token)
    return parsed.ns
  }

  #keep(token: Token): Token {
    if (token.kind !== 'WS' && token.kind !== 'COMMENT' && ++this.#words > queryWordsMax) {
      throw this.fail(`query has more than ${queryWordsMax} words and signs`)
    }
    this.#last = (this.#last + 1) % ringSize
    this.#ring[this.#last] = token
    return token
  }

  #again(): Token {
    this.#unread--
    return this.#ring[(this.#last - this.#unread + ringSize) % ringSize]
  }

  #bind(token: Token): Token {
    if (token.kind !== 'BOUNDPARAM') return token
    const name = token.text.slice(1)
    if (name === '' || !this.#params.has(name)) return token
    return { ...bindParameter(this.#params.get(name)), at: token.at }
  }
}

const dot = 46
const slash = 47
const colon = 58

function outOfRange(call: string, text: string): string {
  return `strconv.${call}: parsing "${text}": value out of range`
}
