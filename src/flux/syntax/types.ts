// The parser's rules for types: `(<-tables: stream[A], ?n: int) => stream[B] where A: Record, B: Record`.
// They stand behind `builtin name :` and in the signatures of the library.

import type {
  FunctionType,
  Identifier,
  LabelType,
  MonoType,
  ParameterType,
  PropertyType,
  RecordType,
  StringLiteral,
  TypeConstraint,
  TypeExpression,
} from './ast.js'
import { parseIdentifier, parseLabel, parsePropertyKey } from './literals.js'
import type { TokenStream } from './token-stream.js'

export function parseTypeExpression(tokens: TokenStream): TypeExpression {
  const monotype = parseMonoType(tokens)
  if (!tokens.isWord('where')) {
    const base = tokens.base(monotype, monotype)
    return { type: 'TypeExpression', ...base, monotype, constraints: [] }
  }
  tokens.next()
  const constraints = [parseConstraint(tokens)]
  while (tokens.is('COMMA')) {
    tokens.next()
    constraints.push(parseConstraint(tokens))
  }
  const base = tokens.base(monotype, constraints[constraints.length - 1])
  return { type: 'TypeExpression', ...base, monotype, constraints }
}

function parseConstraint(tokens: TokenStream): TypeConstraint {
  const tvar = parseIdentifier(tokens)
  tokens.expect('COLON')
  const kinds = [parseIdentifier(tokens)]
  while (tokens.is('ADD')) {
    tokens.next()
    kinds.push(parseIdentifier(tokens))
  }
  const base = tokens.base(tvar, kinds[kinds.length - 1])
  return { type: 'TypeConstraint', ...base, tvar, kinds }
}

function parseMonoType(tokens: TokenStream): MonoType {
  return tokens.nested(() => parseMonoTypeHere(tokens)) ?? parseSkippedType(tokens)
}

/** In place of a type that is nested too deep: its first token. */
function parseSkippedType(tokens: TokenStream): MonoType {
  const token = tokens.next()
  const base = tokens.base(token, token)
  return { type: 'NamedType', ...base, name: { type: 'Identifier', ...base, name: token.text } }
}

function parseMonoTypeHere(tokens: TokenStream): MonoType {
  const token = tokens.peek()
  if (token.kind === 'LBRACK') return parseArrayOrDictType(tokens)
  if (token.kind === 'LBRACE') return parseRecordType(tokens)
  if (token.kind === 'LPAREN') return parseFunctionType(tokens)
  if (token.kind === 'DOT') return parseLabelType(tokens)
  if (tokens.isWord('stream')) return parseContainerType(tokens, 'StreamType')
  if (tokens.isWord('vector')) return parseContainerType(tokens, 'VectorType')
  if (tokens.isWord('dynamic')) {
    tokens.next()
    return { type: 'DynamicType', ...tokens.base(token, token, token.comments) }
  }
  const name = parseIdentifier(tokens)
  const isVariable = token.text.length === 1 || /^[A-Z][0-9]*$/.test(token.text)
  return { type: isVariable ? 'TvarType' : 'NamedType', location: name.location, name }
}

function parseArrayOrDictType(tokens: TokenStream): MonoType {
  const start = tokens.open('LBRACK', 'RBRACK')
  const element = parseMonoType(tokens)
  if (tokens.is('RBRACK')) {
    const end = tokens.close('RBRACK')
    return { type: 'ArrayType', ...tokens.base(start, end), element }
  }
  tokens.expect('COLON')
  const val = parseMonoType(tokens)
  const end = tokens.close('RBRACK')
  return { type: 'DictType', ...tokens.base(start, end), key: element, val }
}

function parseContainerType(tokens: TokenStream, type: 'StreamType' | 'VectorType'): MonoType {
  const start = tokens.expect('IDENT')
  tokens.open('LBRACK', 'RBRACK')
  const element = parseMonoType(tokens)
  const end = tokens.close('RBRACK')
  return { type, ...tokens.base(start, end), element }
}

function parseLabelType(tokens: TokenStream): LabelType {
  const label = parseLabel(tokens)
  return { ...label, type: 'LabelType' }
}

function parseFunctionType(tokens: TokenStream): FunctionType {
  const start = tokens.open('LPAREN', 'RPAREN')
  const parameters = ['PIPE_RECEIVE', 'QUESTION_MARK', 'IDENT'].includes(tokens.peek().kind)
    ? parseList(tokens, parseParameterType)
    : []
  tokens.close('RPAREN')
  tokens.expect('ARROW')
  const monotype = parseMonoType(tokens)
  const base = tokens.base(start, monotype, start.comments)
  return { type: 'FunctionType', ...base, parameters, monotype }
}

/** Items up to the end of the bracket; commas may be left out, and an item that takes no token ends the list. */
function parseList<Item>(tokens: TokenStream, parse: (tokens: TokenStream) => Item): Item[] {
  const items: Item[] = []
  for (let last = tokens.peek().start; tokens.more(); ) {
    items.push(parse(tokens))
    if (tokens.is('COMMA')) tokens.next()
    const { start } = tokens.peek()
    if (start === last) break
    last = start
  }
  return items
}

function parseParameterType(tokens: TokenStream): ParameterType {
  if (tokens.is('QUESTION_MARK')) return parseOptionalParameter(tokens)
  if (tokens.is('PIPE_RECEIVE')) return parsePipeParameter(tokens)
  const name = parseIdentifier(tokens)
  tokens.expect('COLON')
  const monotype = parseMonoType(tokens)
  return { type: 'Required', ...tokens.base(name, monotype), name, monotype }
}

function parseOptionalParameter(tokens: TokenStream): ParameterType {
  const mark = tokens.next()
  const name = parseIdentifier(tokens)
  tokens.expect('COLON')
  const monotype = parseMonoType(tokens)
  if (!tokens.is('ASSIGN')) {
    return { type: 'Optional', ...tokens.base(mark, monotype, mark.comments), name, monotype }
  }
  tokens.next()
  const label = parseLabelType(tokens)
  const base = tokens.base(mark, monotype, mark.comments)
  return { type: 'Optional', ...base, name, monotype, default: label }
}

function parsePipeParameter(tokens: TokenStream): ParameterType {
  const arrow = tokens.next()
  const name = tokens.is('IDENT') ? parseIdentifier(tokens) : null
  tokens.expect('COLON')
  const monotype = parseMonoType(tokens)
  const base = tokens.base(arrow, monotype, arrow.comments)
  return name === null
    ? { type: 'Pipe', ...base, monotype }
    : { type: 'Pipe', ...base, name, monotype }
}

function parseRecordType(tokens: TokenStream): RecordType {
  const start = tokens.open('LBRACE', 'RBRACE')
  const { tvar, properties } = parseRecordTypeBody(tokens)
  const end = tokens.close('RBRACE')
  const base = tokens.base(start, end, start.comments)
  if (tvar === null) return { type: 'RecordType', ...base, properties }
  return { type: 'RecordType', ...base, tvar, properties }
}

interface RecordTypeBody {
  readonly tvar: Identifier | null
  readonly properties: readonly PropertyType[]
}

function parseRecordTypeBody(tokens: TokenStream): RecordTypeBody {
  if (!tokens.is('IDENT') && !tokens.is('STRING')) return { tvar: null, properties: [] }
  const key = parsePropertyKey(tokens)
  if (key.type === 'Identifier' && tokens.isWord('with')) {
    tokens.next()
    return { tvar: key, properties: parsePropertyTypes(tokens, parsePropertyKey(tokens)) }
  }
  // A name alone is an error, which is told by the missing end of the record.
  if (key.type === 'Identifier' && !tokens.is('COLON')) return { tvar: null, properties: [] }
  return { tvar: null, properties: parsePropertyTypes(tokens, key) }
}

function parsePropertyTypes(
  tokens: TokenStream,
  firstKey: Identifier | StringLiteral,
): PropertyType[] {
  const first = parsePropertyTypeOf(tokens, firstKey)
  if (tokens.is('COMMA')) tokens.next()
  const others = parseList(tokens, () => parsePropertyTypeOf(tokens, parsePropertyKey(tokens)))
  return [first, ...others]
}

function parsePropertyTypeOf(tokens: TokenStream, name: Identifier | StringLiteral): PropertyType {
  tokens.expect('COLON')
  const monotype = parseMonoType(tokens)
  return { type: 'PropertyType', ...tokens.base(name, monotype), name, monotype }
}
