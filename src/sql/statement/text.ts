// The text of a statement, made ready for DuckDB's parser: names folded as `names.ts` has it, parameters
// replaced by their values, comments gone, and what the v3 products spell otherwise respelled. Strings are
// left alone. What kind of statement it is shows in its first words; anything that could change something
// is refused here already.

import { UserError } from '../../errors.js'
import { planningError } from './failure.js'
import { insideName, quoteName, quoteText } from './names.js'

export type StatementText =
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'explain'; readonly isAnalyzed: boolean; readonly text: string }
  | { readonly kind: 'show-tables' }
  | { readonly kind: 'show-settings' }
  /** The table as DuckDB would be told. */
  | { readonly kind: 'show-columns'; readonly table: string }
  | { readonly kind: 'describe'; readonly table: string }

type TokenKind = 'word' | 'name' | 'string' | 'number' | 'symbol' | 'space'

interface Token {
  readonly kind: TokenKind
  /** As DuckDB gets it. */
  readonly text: string
}

export type Params = ReadonlyMap<string, unknown>

/** What takes a text apart takes a hundred times its size; a list of ten thousand names fits in. */
const statementCharactersMax = 256 * 1024

export function readStatement(text: string, params: Params): StatementText {
  if (text.length > statementCharactersMax) {
    const most = `a statement has at most ${statementCharactersMax} characters`
    throw new UserError('request too large', `${most}, not ${text.length}`)
  }
  if (text.includes('\0')) throw syntaxError('the text holds a zero byte')
  const tokens = respell(scan(text, params))
  const words = tokens.filter(({ kind }) => kind !== 'space')
  const [first] = words
  if (first === undefined)
    throw planningError('No SQL statements were provided in the query string')
  requireSingle(words)
  const head = first.kind === 'word' ? first.text : ''
  switch (head) {
    case 'select':
    case 'with':
    case 'values':
      return { kind: 'query', text: textOf(tokens) }
    case 'explain':
      return readExplain(tokens)
    case 'show':
      return readShow(words)
    case 'describe':
    case 'desc':
      return { kind: 'describe', table: tableName(words.slice(1)) }
  }
  if (first.text === '(') return { kind: 'query', text: textOf(tokens) }
  throw refusal(first)
}

const definitions = new Set(['create', 'drop', 'alter', 'truncate', 'comment'])
const changes = new Set(['insert', 'update', 'delete', 'merge', 'copy'])

function refusal(first: Token): UserError {
  if (first.kind !== 'word') return syntaxError(`Expected: an SQL statement, found: ${first.text}`)
  const word = first.text.toUpperCase()
  if (definitions.has(first.text)) return planningError(`DDL not supported: ${word}`)
  if (changes.has(first.text)) return planningError(`DML not supported: ${word}`)
  return planningError(`Statement not supported: ${word}`)
}

function requireSingle(words: readonly Token[]): void {
  const end = words.findIndex(({ kind, text }) => kind === 'symbol' && text === ';')
  if (end < 0 || words.slice(end).every(({ text }) => text === ';')) return
  const rule = 'The context currently only supports a single SQL statement'
  throw new UserError(
    'invalid',
    `Error while planning query: This feature is not implemented: ${rule}`,
  )
}

function textOf(tokens: readonly Token[]): string {
  const text = tokens.map((token) => token.text).join('')
  return text.replace(/[;\s]+$/, '')
}

function readExplain(tokens: readonly Token[]): StatementText {
  let at = tokens.findIndex(({ text }) => text === 'explain') + 1
  let isAnalyzed = false
  for (; at < tokens.length; at++) {
    const { kind, text } = tokens[at]
    if (kind === 'space' || text === 'verbose') continue
    if (text !== 'analyze') break
    isAnalyzed = true
  }
  const head = tokens[at]
  const isQuery = head !== undefined && ['select', 'with', 'values', '('].includes(head.text)
  if (!isQuery) throw refusal(head ?? { kind: 'symbol', text: 'end of input' })
  return { kind: 'explain', isAnalyzed, text: textOf(tokens.slice(at)) }
}

function readShow(words: readonly Token[]): StatementText {
  const rest = words.filter(({ text }) => text !== ';').map(({ text }) => text)
  if (rest.length === 2 && rest[1] === 'tables') return { kind: 'show-tables' }
  if (rest.length === 2 && rest[1] === 'all') return { kind: 'show-settings' }
  const isColumns = rest[1] === 'columns' && (rest[2] === 'from' || rest[2] === 'in')
  if (isColumns) return { kind: 'show-columns', table: tableName(words.slice(3)) }
  throw planningError(`Statement not supported: ${rest.slice(0, 2).join(' ').toUpperCase()}`)
}

/** `t`, `iox.t` or `public.iox.t`, and nothing behind it. */
function tableName(words: readonly Token[]): string {
  const rest = words.filter(({ text }) => text !== ';')
  const names = rest.filter((_, i) => i % 2 === 0)
  const areDots = rest.every(({ text }, i) => i % 2 === 0 || text === '.')
  const areNames = names.every(({ kind }) => kind === 'word' || kind === 'name')
  if (rest.length % 2 === 0 || !areDots || !areNames || names.length > 3) {
    throw syntaxError('Expected: a table name')
  }
  const parts = names.map(({ kind, text }) => (kind === 'name' ? unquote(text) : text))
  const table = parts[parts.length - 1]
  const qualifiers = ['public', 'iox'].slice(3 - parts.length)
  if (parts.slice(0, -1).every((part, i) => part === qualifiers[i])) return table
  throw planningError(`table '${parts.join('.')}' not found`, 'not found')
}

function unquote(name: string): string {
  return name.slice(1, -1).replaceAll('""', '"')
}

function syntaxError(message: string): UserError {
  return new UserError(
    'invalid',
    `Error while planning query: SQL error: ParserError("${message}")`,
  )
}

type PieceKind = Exclude<TokenKind, 'symbol'> | 'parameter'

const patterns: readonly (readonly [PieceKind | 'dollar', RegExp])[] = [
  ['space', /\s+|--[^\n]*/y],
  ['dollar', /\$(?:[A-Za-z_]\w*)?\$/y],
  ['parameter', /\$\w+/y],
  // Escapes with a backslash, where an E stands in front.
  ['string', /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y],
  ['string', /'(?:[^']|'')*'/y],
  ['name', /"(?:[^"]|"")*"/y],
  ['number', /\d[\w.]*/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
]

function* scan(text: string, params: Params): Generator<Token, void, void> {
  let at = 0
  while (at < text.length) {
    if (text.startsWith('/*', at)) {
      at = commentEnd(text, at)
      yield { kind: 'space', text: ' ' }
      continue
    }
    const found = match(text, at)
    if (found === undefined) {
      if (text[at] === "'" || text[at] === '"') throw syntaxError('Unterminated string literal')
      yield { kind: 'symbol', text: text[at] }
      at++
      continue
    }
    const [kind, piece] = found
    at += piece.length
    if (kind !== 'dollar') yield tokenOf(kind, piece, params)
    else {
      const end = text.indexOf(piece, at)
      if (end < 0) throw syntaxError('Unterminated dollar-quoted string')
      yield { kind: 'string', text: quoteText(text.slice(at, end)) }
      at = end + piece.length
    }
  }
}

function match(text: string, at: number) {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) return [kind, found[0]] as const
  }
  return undefined
}

/** Comments hold comments. */
function commentEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text.startsWith('/*', at)) {
      depth++
      at++
    } else if (text.startsWith('*/', at)) {
      depth--
      at++
      if (depth === 0) return at + 1
    }
  }
  throw syntaxError('Unterminated comment')
}

/** DuckDB keeps these for statements that are refused here; in the v3 products they are names like any other. */
const freeWords = new Set(
  `analyse check column constraint deferrable do foreign initially only pivot pivot_longer pivot_wider primary
  references returning summarize unique unpivot variadic`.split(/\s+/),
)

function tokenOf(kind: PieceKind, piece: string, params: Params): Token {
  switch (kind) {
    case 'space':
      return { kind, text: piece.startsWith('--') ? ' ' : piece }
    case 'name':
      return { kind, text: quoteName(insideName(unquote(piece))) }
    case 'word': {
      const text = piece.toLowerCase()
      return freeWords.has(text) ? { kind: 'name', text: quoteName(text) } : { kind, text }
    }
    case 'number':
      return { kind, text: piece.toLowerCase() }
    case 'parameter':
      return { kind: 'number', text: literal(piece, params) }
    default:
      return { kind, text: piece }
  }
}

function literal(placeholder: string, params: Params): string {
  const value = params.get(placeholder.slice(1))
  switch (typeof value) {
    case 'string':
      if (value.includes('\0')) throw syntaxError(`the value of ${placeholder} holds a zero byte`)
      return ` ${quoteText(value)} `
    case 'boolean':
      return ` ${value} `
    case 'bigint':
      return ` (${value}) `
    case 'number':
      // With an exponent it is a float to DuckDB, and not a decimal.
      return Number.isSafeInteger(value) ? ` (${value}) ` : ` (${value.toExponential()}) `
  }
  if (value === null) return ' NULL '
  if (value !== undefined) throw planningError(`the value of ${placeholder} is no plain value`)
  throw planningError(`No value found for placeholder with id ${placeholder}`)
}

const unsignedTypes: Readonly<Record<string, string>> = {
  tinyint: 'utinyint',
  smallint: 'usmallint',
  int: 'uinteger',
  integer: 'uinteger',
  bigint: 'ubigint',
}

/** `LEFT SEMI JOIN` is `SEMI JOIN` in DuckDB, `BIGINT UNSIGNED` is `UBIGINT`, and `#` is `^`. */
function respell(source: Iterable<Token>): Token[] {
  const tokens: Token[] = []
  for (const token of source) {
    const before = tokens.findLastIndex(({ kind }) => kind !== 'space')
    const previous = tokens[before]?.kind === 'word' ? tokens[before].text : ''
    if (
      token.kind === 'word' &&
      token.text === 'unsigned' &&
      Object.hasOwn(unsignedTypes, previous)
    ) {
      tokens[before] = { kind: 'word', text: unsignedTypes[previous] }
    } else if (token.kind === 'word' && /^(semi|anti)$/.test(token.text) && previous === 'left') {
      tokens[before] = token
    } else if (token.kind === 'symbol' && token.text === '#') {
      tokens.push({ kind: 'symbol', text: '^' })
    } else tokens.push(token)
  }
  return tokens
}
