// The parser's rules for literals and names. A literal that cannot be read is a bad expression, or carries
// an error and an empty value, whichever Flux does for its kind.

import type {
  BadExpression,
  Expression,
  Identifier,
  IntegerLiteral,
  LabelLiteral,
  RegexpLiteral,
  StringLiteral,
} from './ast.js'
import { readDuration, readInteger, readRegex, readString, readTime } from './literal-text.js'
import { checkRegex } from './regex-check.js'
import type { Token } from './token.js'
import type { TokenStream } from './token-stream.js'

export function parseIdentifier(tokens: TokenStream): Identifier {
  const token = tokens.expectOrSkip('IDENT')
  return { type: 'Identifier', ...tokens.base(token, token, token.comments), name: token.text }
}

export function parsePropertyKey(tokens: TokenStream): Identifier | StringLiteral {
  const token = tokens.expect('IDENT', 'STRING')
  if (token.kind === 'STRING') return stringLiteral(tokens, token)
  return { type: 'Identifier', ...tokens.base(token, token, token.comments), name: token.text }
}

export function parseStringLiteral(tokens: TokenStream): StringLiteral {
  return stringLiteral(tokens, tokens.expect('STRING'))
}

function stringLiteral(tokens: TokenStream, token: Token): StringLiteral {
  const read = readString(token.text)
  if ('error' in read) tokens.note(read.error)
  const value = 'error' in read ? '' : read.value
  return { type: 'StringLiteral', ...tokens.base(token, token, token.comments), value }
}

export function parseLabel(tokens: TokenStream): LabelLiteral {
  const dot = tokens.expect('DOT')
  const token = tokens.expect('IDENT', 'STRING')
  const base = tokens.base(dot, token, dot.comments)
  const value = token.kind === 'STRING' ? stringLiteral(tokens, token).value : token.text
  return { type: 'LabelLiteral', ...base, value }
}

export function parseInteger(tokens: TokenStream): IntegerLiteral {
  const token = tokens.expect('INT')
  const value = readInteger(token.text)
  const isPadded = token.text.length > 1 && token.text.startsWith('0')
  if (isPadded) noteBadInteger(tokens, token, 'nonzero value cannot start with 0')
  else if (value === null) noteBadInteger(tokens, token, 'value out of range')
  const base = tokens.base(token, token, token.comments)
  return { type: 'IntegerLiteral', ...base, value: isPadded ? '0' : String(value ?? 0n) }
}

function noteBadInteger(tokens: TokenStream, token: Token, reason: string): void {
  tokens.note(`invalid integer literal "${token.text}": ${reason}`)
}

export function parseFloatLiteral(tokens: TokenStream): Expression {
  const token = tokens.expect('FLOAT')
  const base = tokens.base(token, token, token.comments)
  return { type: 'FloatLiteral', ...base, value: Number(token.text) }
}

export function parseRegex(tokens: TokenStream): RegexpLiteral {
  const token = tokens.expect('REGEX')
  const read = checkRegex(readRegex(token.text))
  if ('error' in read) tokens.note(read.error)
  const base = tokens.base(token, token, token.comments)
  return { type: 'RegexpLiteral', ...base, value: 'error' in read ? '' : read.value }
}

export function parseTime(tokens: TokenStream): Expression {
  const token = tokens.expect('TIME')
  const value = readTime(token.text)
  if (value === null) {
    return badExpression(tokens, token, 'invalid date time literal, missing time offset')
  }
  return { type: 'DateTimeLiteral', ...tokens.base(token, token, token.comments), value }
}

export function parseDuration(tokens: TokenStream): Expression {
  const token = tokens.expect('DURATION')
  const values = readDuration(token.text)
  if (values === null) return unexpectedExpression(tokens, token)
  return { type: 'DurationLiteral', ...tokens.base(token, token, token.comments), values }
}

/** Where no expression can begin with this token. */
export function unexpectedExpression(tokens: TokenStream, token: Token): BadExpression {
  return badExpression(tokens, token, `invalid token for primary expression: ${token.kind}`)
}

/** A bad expression is an error itself and leaves those that wait to the node around it. */
export function badExpression(tokens: TokenStream, token: Token, text: string): BadExpression {
  return { type: 'BadExpression', location: tokens.locate(token, token), text }
}
