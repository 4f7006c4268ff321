// A small spelling of predicates for tests, so that text cases can say them:
//
//     host = 'a' and not (rack =~ /^1/ or $usage >= 1.5)
//
// A bare name is a tag, a name after `$` a field; names in backquotes may hold anything. Values:
// 'text', 1.5, 3i, 3u, true, false. `or` binds weaker than `and`, `and` weaker than `not`.

import type { Value } from '../../src/column/column.js'
import {
  type Comparison,
  isTagPredicate,
  type Predicate,
  type TagPredicate,
} from '../../src/column/predicate.js'

const token = new RegExp(
  [
    '\\s*(?:([()])',
    '(!=|=~|!~|<=|>=|[=<>])',
    "'((?:[^'\\\\]|\\\\.)*)'",
    '/((?:[^/\\\\]|\\\\.)*)/',
    '(\\$?(?:[A-Za-z_]\\w*|`[^`]*`))',
    '(-?[\\d.]+(?:e[-+]?\\d+)?[iu]?))',
  ].join('|'),
  'y',
)

type Token =
  | { readonly kind: 'paren' | 'operator' | 'text' | 'regex' | 'word' | 'number'; text: string }
  | { readonly kind: 'end'; text: '' }

export function parsePredicate(text: string): Predicate {
  const parser = new PredicateParser(tokensOf(text))
  const predicate = parser.or()
  parser.expectEnd()
  return predicate
}

/** For schema questions and deletes: no field may stand in it. */
export function parseTagPredicate(text: string): TagPredicate {
  const predicate = parsePredicate(text)
  if (!isTagPredicate(predicate)) throw new Error(`only tags may be compared here: ${text}`)
  return predicate
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  token.lastIndex = 0
  while (token.lastIndex < end) {
    const from = token.lastIndex
    const match = token.exec(text)
    if (match === null) throw new Error(`cannot read the predicate from here: ${text.slice(from)}`)
    const [, paren, operator, quoted, regex, word, number] = match
    if (paren !== undefined) tokens.push({ kind: 'paren', text: paren })
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator })
    else if (quoted !== undefined) {
      tokens.push({ kind: 'text', text: quoted.replace(/\\(.)/g, '$1') })
    } else if (regex !== undefined) {
      tokens.push({ kind: 'regex', text: regex.replaceAll('\\/', '/') })
    } else if (word !== undefined) tokens.push({ kind: 'word', text: word.replaceAll('`', '') })
    else tokens.push({ kind: 'number', text: number })
  }
  return tokens
}

class PredicateParser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  or(): Predicate {
    return this.#chain('or', () => this.#chain('and', () => this.#unary()))
  }

  expectEnd(): void {
    if (this.#peek().kind !== 'end') throw new Error(`unexpected ${this.#peek().text}`)
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' }
  }

  #take(kind: Token['kind'], text?: string): string {
    const next = this.#peek()
    if (next.kind !== kind || (text !== undefined && next.text !== text)) {
      throw new Error(`${text ?? kind} expected, found ${next.text}`)
    }
    this.#at++
    return next.text
  }

  #takes(kind: Token['kind'], text: string): boolean {
    const next = this.#peek()
    if (next.kind !== kind || next.text !== text) return false
    this.#at++
    return true
  }

  #chain(kind: 'and' | 'or', part: () => Predicate): Predicate {
    const parts = [part()]
    while (this.#takes('word', kind)) parts.push(part())
    return parts.length === 1 ? parts[0] : { kind, parts }
  }

  #unary(): Predicate {
    if (this.#takes('word', 'not')) return { kind: 'not', part: this.#unary() }
    if (this.#takes('paren', '(')) {
      const inner = this.or()
      this.#take('paren', ')')
      return inner
    }
    return this.#leaf()
  }

  #leaf(): Predicate {
    const name = this.#take('word')
    const op = this.#take('operator')
    if (op === '=~' || op === '!~') {
      const pattern = this.#take('regex')
      const negated = op === '!~'
      if (!name.startsWith('$')) return { kind: 'tag-regex', tag: name, pattern, negated }
      return { kind: 'field-regex', field: name.slice(1), pattern, negated }
    }
    if (name.startsWith('$')) {
      return { kind: 'field', field: name.slice(1), op: op as Comparison, value: this.#value() }
    }
    if (op !== '=' && op !== '!=') throw new Error(`tags are not compared with ${op}`)
    return { kind: 'tag', tag: name, op, value: this.#take('text') }
  }

  #value(): Value {
    const { kind, text } = this.#peek()
    this.#at++
    if (kind === 'text') return text
    if (kind === 'word') return text === 'true'
    return /[iu]$/.test(text) ? BigInt(text.slice(0, -1)) : Number(text)
  }
}
