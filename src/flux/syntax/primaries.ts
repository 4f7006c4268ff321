// The parser's rules for what an expression is made of: literals, names, strings with expressions inside,
// brackets of all kinds and functions. Only here may a regular expression begin.

import type {
  ArrayExpression,
  Comment,
  DictExpression,
  DictItem,
  Expression,
  Identifier,
  InterpolatedPart,
  Property,
  TextPart,
} from './ast.js'
import { parseExpression, parseExpressionSuffix, parseExpressionsWhileMore } from './expressions.js'
import { parseFunction, parseParameters } from './functions.js'
import { readText } from './literal-text.js'
import {
  badExpression,
  parseDuration,
  parseFloatLiteral,
  parseIdentifier,
  parseInteger,
  parseLabel,
  parseRegex,
  parseStringLiteral,
  parseTime,
  unexpectedExpression,
} from './literals.js'
import { parseObject } from './records.js'
import type { Token } from './token.js'
import { kept, type TokenStream } from './token-stream.js'

export function parsePrimary(tokens: TokenStream): Expression {
  const token = tokens.peekOperand()
  switch (token.kind) {
    case 'IDENT':
      return parseIdentifier(tokens)
    case 'INT':
      return parseInteger(tokens)
    case 'FLOAT':
      return parseFloatLiteral(tokens)
    case 'STRING':
      return parseStringLiteral(tokens)
    case 'QUOTE':
      return parseStringExpression(tokens)
    case 'REGEX':
      return parseRegex(tokens)
    case 'TIME':
      return parseTime(tokens)
    case 'DURATION':
      return parseDuration(tokens)
    case 'PIPE_RECEIVE':
      tokens.next()
      return { type: 'PipeLiteral', ...tokens.base(token, token, token.comments) }
    case 'LBRACK':
      return parseArrayOrDict(tokens)
    case 'LBRACE':
      return parseObject(tokens)
    case 'LPAREN':
      return parseParen(tokens)
    case 'DOT':
      return parseLabel(tokens)
    default:
      // The token stays: those who can go on without it take it.
      return unexpectedExpression(tokens, token)
  }
}

function parseStringExpression(tokens: TokenStream): Expression {
  const start = tokens.expect('QUOTE')
  const parts: (TextPart | InterpolatedPart)[] = []
  for (;;) {
    const token = tokens.nextStringPart()
    if (token.kind === 'TEXT') {
      const read = readText(token.text)
      if ('error' in read) return unexpectedExpression(tokens, token)
      parts.push({ type: 'TextPart', ...tokens.base(token, token), value: read.value })
    } else if (token.kind === 'STRINGEXPR') {
      const expression = parseExpression(tokens)
      const end = tokens.expect('RBRACE')
      parts.push({ type: 'InterpolatedPart', ...tokens.base(token, end), expression })
    } else {
      const isWhole = token.kind === 'QUOTE'
      if (!isWhole) noteBadPart(tokens, token)
      const base = tokens.base(start, token, start.comments)
      return { type: 'StringExpression', ...base, parts: isWhole ? parts : [] }
    }
  }
}

function noteBadPart(tokens: TokenStream, token: Token): void {
  const place = tokens.placeOf(token)
  tokens.note(`got unexpected token in string expression ${place}: ${token.kind}`)
}

function parseArrayOrDict(tokens: TokenStream): Expression {
  const start = tokens.open('LBRACK', 'RBRACK')
  if (tokens.is('COLON')) {
    tokens.next()
    return finishDict(tokens, start, [])
  }
  if (tokens.is('RBRACK')) return finishArray(tokens, start, [], [])
  const first = parseExpression(tokens)
  if (!tokens.is('COLON')) return parseArrayRest(tokens, start, first)
  tokens.next()
  return parseDictRest(tokens, start, first, parseExpression(tokens))
}

function parseArrayRest(tokens: TokenStream, start: Token, first: Expression): Expression {
  if (tokens.is('RBRACK')) return finishArray(tokens, start, [first], [])
  const elements = [first]
  const commas: (readonly Comment[])[] = [tokens.expect('COMMA').comments]
  for (let last = tokens.peek().start; tokens.more(); ) {
    elements.push(parseExpression(tokens))
    commas.push(tokens.is('COMMA') ? tokens.next().comments : [])
    const { start: at } = tokens.peek()
    if (at === last) break
    last = at
  }
  return finishArray(tokens, start, elements, commas)
}

function finishArray(
  tokens: TokenStream,
  start: Token,
  elements: readonly Expression[],
  commas: readonly (readonly Comment[])[],
): ArrayExpression {
  const end = tokens.close('RBRACK')
  return {
    type: 'ArrayExpression',
    ...tokens.base(start, end),
    ...kept('lbrack', start.comments),
    elements,
    ...(commas.some((comments) => comments.length > 0) ? { commas } : {}),
    ...kept('rbrack', end.comments),
  }
}

function parseDictRest(
  tokens: TokenStream,
  start: Token,
  key: Expression,
  val: Expression,
): Expression {
  if (tokens.is('RBRACK')) return finishDict(tokens, start, [{ key, val }])
  const items: DictItem[] = [{ key, val, ...kept('comma', tokens.expect('COMMA').comments) }]
  for (let last = tokens.peek().start; tokens.more(); ) {
    items.push(parseDictItem(tokens))
    const { start: at } = tokens.peek()
    if (at === last) break
    last = at
  }
  return finishDict(tokens, start, items)
}

function parseDictItem(tokens: TokenStream): DictItem {
  const key = parseExpression(tokens)
  tokens.expect('COLON')
  const val = parseExpression(tokens)
  return { key, val, ...kept('comma', tokens.is('COMMA') ? tokens.next().comments : []) }
}

function finishDict(
  tokens: TokenStream,
  start: Token,
  elements: readonly DictItem[],
): DictExpression {
  const end = tokens.close('RBRACK')
  return {
    type: 'DictExpression',
    ...tokens.base(start, end),
    ...kept('lbrack', start.comments),
    elements,
    ...kept('rbrack', end.comments),
  }
}

/** Behind `(` a name decides little: `(a)` is one expression, `(a) =>`, `(a=1)` and `(a, b)` begin functions. */
function parseParen(tokens: TokenStream): Expression {
  const lparen = tokens.open('LPAREN', 'RPAREN')
  const token = tokens.peek()
  if (token.kind === 'RPAREN') return parseFunction(tokens, lparen, tokens.close('RPAREN'), [])
  if (token.kind === 'IDENT') return parseParenName(tokens, lparen, parseIdentifier(tokens))
  const expression = parseExpressionsWhileMore(tokens, null, [])
  return finishParen(tokens, lparen, expression ?? badExpression(tokens, token, token.text))
}

function parseParenName(tokens: TokenStream, lparen: Token, key: Identifier): Expression {
  const token = tokens.peek()
  if (token.kind === 'RPAREN') return parseParenNameOnly(tokens, lparen, key)
  if (token.kind === 'ASSIGN' || token.kind === 'COMMA') {
    const first = parseFirstParameter(tokens, key)
    const others = first.isLast ? [] : parseParameters(tokens)
    const rparen = tokens.close('RPAREN')
    return parseFunction(tokens, lparen, rparen, [first.parameter, ...others])
  }
  const first = parseExpressionSuffix(tokens, key)
  const expression = parseExpressionsWhileMore(tokens, first, []) ?? first
  return finishParen(tokens, lparen, expression)
}

function parseParenNameOnly(tokens: TokenStream, lparen: Token, key: Identifier): Expression {
  const rparen = tokens.close('RPAREN')
  if (tokens.is('ARROW')) {
    const parameter: Property = { type: 'Property', ...tokens.base(key, key), key, value: null }
    return parseFunction(tokens, lparen, rparen, [parameter])
  }
  return parenExpression(tokens, lparen, key, rparen)
}

function parseFirstParameter(
  tokens: TokenStream,
  key: Identifier,
): { parameter: Property; isLast: boolean } {
  if (tokens.is('COMMA')) {
    const comma = kept('comma', tokens.next().comments)
    const base = tokens.base(key, key)
    return { parameter: { type: 'Property', ...base, key, value: null, ...comma }, isLast: false }
  }
  const separator = kept('separator', tokens.next().comments)
  const value = parseExpression(tokens)
  const property: Property = {
    type: 'Property',
    ...tokens.base(key, value),
    key,
    ...separator,
    value,
  }
  if (!tokens.is('COMMA')) return { parameter: property, isLast: true }
  return { parameter: { ...property, ...kept('comma', tokens.next().comments) }, isLast: false }
}

function finishParen(tokens: TokenStream, lparen: Token, expression: Expression): Expression {
  return parenExpression(tokens, lparen, expression, tokens.close('RPAREN'))
}

function parenExpression(
  tokens: TokenStream,
  lparen: Token,
  expression: Expression,
  rparen: Token,
): Expression {
  return {
    type: 'ParenExpression',
    ...tokens.base(lparen, rparen),
    ...kept('lparen', lparen.comments),
    expression,
    ...kept('rparen', rparen.comments),
  }
}
