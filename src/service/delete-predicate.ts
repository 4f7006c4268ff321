// The language in which a delete says which series it means: `_measurement="m" AND host="a"`, with
// `=` and `!=`, parentheses, and names and values bare or in quotes. Small on purpose: what the
// language of others has beyond it is refused with the place where it stands.
//
//   expression = term { AND term }
//   term       = key ( "=" | "!=" ) value | "(" expression ")"
//   key        = identifier | quoted
//   value      = identifier | number | quoted, the first two with an optional "-"
//
// Positions count characters from 0.

import type { TagPredicate } from '../column/predicate.js'
import { UserError } from '../errors.js'

/** `none`: two conditions contradict each other, so that nothing matches. */
export type DeletePredicate =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'series'
      readonly measurement: string | undefined
      readonly predicate: TagPredicate | undefined
    }

export function parseDeletePredicate(text: string): DeletePredicate {
  const terms = new Parser(tokensOf(text), text.length).parse()
  const measurements = new Set<string>()
  const parts: TagPredicate[] = []
  for (const term of terms) {
    if (term.key === '_measurement') measurements.add(measurementOf(term))
    else parts.push(tagPredicate(term))
  }
  if (measurements.size > 1) return { kind: 'none' }
  const predicate: TagPredicate | undefined = parts.length > 1 ? { kind: 'and', parts } : parts[0]
  return { kind: 'series', measurement: [...measurements][0], predicate }
}

interface Term {
  readonly key: string
  readonly op: '=' | '!='
  readonly value: string
  readonly position: number
}

function measurementOf(term: Term): string {
  if (term.op === '=') return term.value
  throw invalid(`operator: "!=" at position: ${term.position} is not supported for _measurement`)
}

function tagPredicate(term: Term): TagPredicate {
  const { key, op, value, position } = term
  if (key === '_field') {
    throw new UserError('not implemented', 'delete by field is not supported')
  }
  if (key === '_time' || key === '_value') {
    throw invalid(`delete by ${key} is not supported, at position ${position}`)
  }
  return { kind: 'tag', tag: key, op, value }
}

type Token = {
  readonly kind: 'word' | 'quoted' | 'operator' | '(' | ')' | 'end'
  readonly text: string
  readonly position: number
}

const patterns = {
  blank: /\s+/y,
  word: /-?[\p{L}\p{N}_.]+/uy,
  quoted: /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/suy,
  operator: /=~|!~|!=|<>|>=|<=|=|<|>/y,
  parenthesis: /[()]/y,
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  for (;;) {
    take(patterns.blank)
    const position = at
    if (at >= text.length) return tokens
    const parenthesis = take(patterns.parenthesis)
    const operator = parenthesis ?? take(patterns.operator)
    const word = operator ?? take(patterns.word)
    const quoted = word ?? take(patterns.quoted)
    if (quoted === undefined) throw unreadable(text, position)
    if (parenthesis !== undefined) {
      tokens.push({ kind: parenthesis as '(' | ')', text: parenthesis, position })
    } else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator, position })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, position })
    else tokens.push({ kind: 'quoted', text: unquoted(quoted), position })
  }
}

function unreadable(text: string, position: number): UserError {
  const isQuote = text[position] === '"' || text[position] === "'"
  const what = isQuote ? 'quote is not closed' : `unexpected character "${text[position]}"`
  return invalid(`bad logical expression: ${what} at position ${position}`)
}

/** A backslash stands before a quote or another one, and `\n` is a line break; else it is itself. */
function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(["'\\n])/g, (_, c: string) => (c === 'n' ? '\n' : c))
}

/** Deeper ones are nobody's, and would exhaust the stack. */
const depthMax = 100

class Parser {
  readonly #tokens: readonly Token[]
  readonly #end: Token
  #next = 0

  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens
    this.#end = { kind: 'end', text: 'the end', position: length }
  }

  parse(): Term[] {
    const terms: Term[] = []
    if (this.#peek().kind === 'end') return terms
    this.#expression(terms, 0)
    if (this.#peek().kind !== 'end') throw this.#unexpected('AND or the end')
    return terms
  }

  #expression(terms: Term[], depth: number): void {
    this.#term(terms, depth)
    while (this.#isJoined()) {
      this.#next++
      this.#term(terms, depth)
    }
  }

  #isJoined(): boolean {
    const token = this.#peek()
    if (isKeyword(token, 'OR')) {
      const text = 'the logical operator OR is not supported yet'
      throw invalid(`${text} at position ${token.position}`)
    }
    return isKeyword(token, 'AND')
  }

  #term(terms: Term[], depth: number): void {
    if (this.#peek().kind !== '(') {
      terms.push(this.#comparison())
      return
    }
    if (depth >= depthMax) throw invalid(`parentheses are nested deeper than ${depthMax}`)
    this.#next++
    this.#expression(terms, depth + 1)
    if (this.#peek().kind !== ')') throw this.#unexpected('AND or )')
    this.#next++
  }

  #comparison(): Term {
    const key = this.#peek()
    const isBare = key.kind === 'word' && /^[\p{L}_]/u.test(key.text)
    const isReserved = isKeyword(key, 'AND') || isKeyword(key, 'OR')
    if (isReserved || (!isBare && key.kind !== 'quoted') || key.text === '') {
      throw this.#unexpected('a tag key')
    }
    this.#next++
    const op = this.#operator()
    const value = this.#peek()
    if (value.kind !== 'word' && value.kind !== 'quoted') throw this.#unexpected('a tag value')
    this.#next++
    return { key: key.text, op, value: value.text, position: key.position }
  }

  #operator(): '=' | '!=' {
    const { kind, text, position } = this.#peek()
    if (kind !== 'operator') throw this.#unexpected('an operator')
    this.#next++
    if (text === '=' || text === '!=') return text
    throw invalid(`operator: "${text}" at position: ${position} is not supported yet`)
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? this.#end
  }

  #unexpected(wanted: string): UserError {
    const { kind, text, position } = this.#peek()
    const found = kind === 'end' ? 'end' : `"${text}"`
    const where = `at position ${position}`
    return invalid(`bad logical expression, ${where}: expected ${wanted}, found ${found}`)
  }
}

function isKeyword(token: Token, keyword: string): boolean {
  return token.kind === 'word' && token.text.toUpperCase() === keyword
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
