// Expressions: operators by precedence, calls, references, literals and regexes. Where InfluxDB looks
// at a single character before it decides, so does this, because the place and the words of an error
// depend on it.

import { parseWhole } from '../../query/whole-number.js'
import type {
  Binary,
  BinaryOperator,
  Call,
  DataType,
  DurationLiteral,
  Expression,
  Position,
  Reference,
  RegexLiteral,
  Wildcard,
} from './ast.js'
import { parseDuration } from './durations.js'
import { checkRegex } from './regex-literal.js'
import { precedenceOf, type Token } from './token.js'
import type { TokenReader } from './token-reader.js'
import { someExpression } from './walk.js'

/** A chain of this many makes a tree as deep, and everybody behind walks down it by recursion. */
const operatorsMax = 5000

const int64Max = 9223372036854775807n
const uint64Max = 18446744073709551615n

interface Operator {
  readonly op: BinaryOperator
  readonly precedence: number
  readonly at: Position
}

export function parseExpressionTokens(reader: TokenReader): Expression {
  const operands = [parseOperand(reader)]
  const operators: Operator[] = []
  for (let count = 0; ; count++) {
    const token = reader.read()
    const precedence = precedenceOf(token.kind)
    while (operators.length > 0 && operators.at(-1)!.precedence >= precedence) {
      join(operands, operators.pop()!)
    }
    if (precedence === 0) {
      reader.unread()
      return operands[0]
    }
    if (count === operatorsMax) {
      throw reader.fail(`expression has more than ${operatorsMax} operators`)
    }
    const op = token.kind as BinaryOperator
    operators.push({ op, precedence, at: reader.positionOf(token) })
    operands.push(op === '=~' || op === '!~' ? parseRegex(reader) : parseOperand(reader))
  }
}

function join(operands: Expression[], { op, at }: Operator): void {
  const right = operands.pop()!
  const left = operands.pop()!
  operands.push({ kind: 'binary', op, left, right, at })
}

/** A regex where nothing else may stand. */
export function parseRegex(reader: TokenReader): RegexLiteral {
  const regex = parseOptionalRegex(reader)
  if (regex === undefined) throw reader.unexpected(reader.read(), 'regex')
  return regex
}

/** A regex, if the next character but blanks begins one, or a parameter that is one. */
export function parseOptionalRegex(reader: TokenReader): RegexLiteral | undefined {
  const next = reader.peekCharacter()
  if (next === 32 || next === 9 || next === 10) reader.skipBlanks()
  const first = reader.peekCharacter()
  if (first === dollar) {
    const { kind } = reader.scan()
    reader.unread()
    if (kind !== 'REGEX') return undefined
  } else if (first !== slash) return undefined
  const token = reader.scanRegex()
  if (token.kind === 'BADESCAPE') throw reader.failAt(`bad escape: ${token.text}`, token)
  if (token.kind === 'BADREGEX') throw reader.failAt(`bad regex: ${token.text}`, token)
  if (token.kind !== 'REGEX') throw reader.unexpected(token, 'regex')
  return regexLiteral(reader, token)
}

function regexLiteral(reader: TokenReader, token: Token): RegexLiteral {
  const mistake = checkRegex(token.text)
  if (mistake !== undefined) throw reader.failAt(mistake, token)
  return { kind: 'regex', pattern: token.text, at: reader.positionOf(token) }
}

function parseOperand(reader: TokenReader): Expression {
  const token = reader.read()
  switch (token.kind) {
    case '(':
      return parseParen(reader, token)
    case 'IDENT':
      return parseNamed(reader, token)
    case 'DISTINCT':
      return parseDistinct(reader, token)
    case 'STRING':
      return { kind: 'string', value: token.text, at: reader.positionOf(token) }
    case 'NUMBER':
      return parseNumber(reader, token)
    case 'INTEGER':
      return parseInteger(reader, token)
    case 'TRUE':
    case 'FALSE':
      return { kind: 'boolean', value: token.kind === 'TRUE', at: reader.positionOf(token) }
    case 'DURATIONVAL':
      return parseDurationLiteral(reader, token)
    case '*':
      return parseWildcard(reader, token)
    case 'REGEX':
      return regexLiteral(reader, token)
    case 'BOUNDPARAM':
      throw reader.fail(
        token.text === '$'
          ? 'empty bound parameter'
          : `missing parameter: ${token.text.replace(/^\$/, '')}`,
      )
    case '+':
    case '-':
      return parseSigned(reader, token)
    default:
      throw reader.unexpected(token, 'identifier', 'string', 'number', 'bool')
  }
}

function parseParen(reader: TokenReader, token: Token): Expression {
  const at = reader.positionOf(token)
  const inner = reader.nested(() => parseExpressionTokens(reader))
  reader.expect(')')
  return { kind: 'paren', inner, at }
}

/** A call if the parenthesis follows at once, else a reference. */
function parseNamed(reader: TokenReader, token: Token): Expression {
  if (reader.scan().kind === '(') return parseCall(reader, token, token.text)
  reader.unread()
  reader.unread()
  return parseReference(reader, token)
}

function parseReference(reader: TokenReader, token: Token): Reference {
  const at = reader.positionOf(token)
  const name = reader.segments().join('.')
  if (reader.scan().kind === '::') return { kind: 'reference', name, type: parseType(reader), at }
  reader.unread()
  return { kind: 'reference', name, type: undefined, at }
}

function parseType(reader: TokenReader): DataType {
  const token = reader.scan()
  switch (token.kind) {
    case 'FIELD':
      return 'field'
    case 'TAG':
      return 'tag'
    case 'IDENT': {
      const type = token.text.toLowerCase()
      switch (type) {
        case 'float':
        case 'integer':
        case 'unsigned':
        case 'string':
        case 'boolean':
          return type
      }
      const all = ['float', 'integer', 'unsigned', 'string', 'boolean', 'field', 'tag']
      throw reader.unexpected(token, ...all)
    }
    default:
      throw reader.unexpected(token, 'float', 'integer', 'string', 'boolean', 'field', 'tag')
  }
}

function parseDistinct(reader: TokenReader, token: Token): Expression {
  const next = reader.scan()
  if (next.kind === '(') return parseCall(reader, token, 'distinct')
  if (next.kind !== 'WS') throw reader.unexpected(next, '(', 'identifier')
  return { kind: 'distinct', name: reader.name(), at: reader.positionOf(token) }
}

function parseNumber(reader: TokenReader, token: Token): Expression {
  const value = Number(token.text)
  if (!Number.isFinite(value)) throw reader.failAt('unable to parse number', token)
  return { kind: 'number', value, at: reader.positionOf(token) }
}

function parseInteger(reader: TokenReader, token: Token): Expression {
  const value = parseWhole(token.text)
  if (value > uint64Max) throw reader.failAt('unable to parse integer', token)
  const kind = value > int64Max ? 'unsigned' : 'integer'
  return { kind, value, at: reader.positionOf(token) }
}

function parseDurationLiteral(reader: TokenReader, token: Token): DurationLiteral {
  const parsed = parseDuration(token.text)
  if (parsed.kind === 'error') throw reader.fail(parsed.message)
  const { ns, months } = parsed
  if (months !== 0 && !reader.allowsCalendar) throw reader.fail('invalid duration')
  return { kind: 'duration', ns, months, at: reader.positionOf(token) }
}

function parseWildcard(reader: TokenReader, token: Token): Wildcard {
  const at = reader.positionOf(token)
  if (reader.scan().kind !== '::') {
    reader.unread()
    return { kind: 'wildcard', at }
  }
  const type = reader.scan()
  if (type.kind === 'FIELD') return { kind: 'wildcard', only: 'field', at }
  if (type.kind === 'TAG') return { kind: 'wildcard', only: 'tag', at }
  throw reader.unexpected(type, 'field', 'tag')
}

function parseSigned(reader: TokenReader, sign: Token): Expression {
  const next = reader.read()
  switch (next.kind) {
    case 'NUMBER':
    case 'INTEGER':
    case 'DURATIONVAL':
    case '(':
    case 'IDENT':
      reader.unread()
      return applySign(reader, sign, reader.positionOf(sign), parseOperand(reader))
    default:
      throw reader.unexpected(next, 'identifier', 'number', 'duration', '(')
  }
}

function applySign(
  reader: TokenReader,
  sign: Token,
  at: Position,
  operand: Expression,
): Expression {
  const factor = sign.kind === '-' ? -1n : 1n
  switch (operand.kind) {
    case 'number':
      return { ...operand, value: operand.value * Number(factor), at }
    case 'integer':
      return { ...operand, value: operand.value * factor, at }
    case 'duration':
      return factor === 1n ? { ...operand, at } : negate(operand, at)
    case 'unsigned':
      if (factor === 1n) return { ...operand, at }
      // The smallest int64 has no positive counterpart.
      if (operand.value === int64Max + 1n) return { kind: 'integer', value: -operand.value, at }
      throw reader.fail(`constant -${operand.value} underflows int64`)
    default: {
      const left = { kind: 'integer', value: factor, at } as const
      return { kind: 'binary', op: '*', left, right: operand, at } satisfies Binary
    }
  }
}

function negate({ ns, months }: DurationLiteral, at: Position): DurationLiteral {
  const negative = BigInt.asIntN(64, -ns)
  return { kind: 'duration', ns: negative, months: months === 0 ? 0 : -months, at }
}

/** The name and the opening parenthesis have been read. */
function parseCall(reader: TokenReader, token: Token, name: string): Call {
  const at = reader.positionOf(token)
  const lower = name.toLowerCase()
  const isInterval = reader.inDimension && lower === 'time'
  const args = reader.nested(() => parseArguments(reader, isInterval))
  return { kind: 'call', name: lower, args, at }
}

function parseArguments(reader: TokenReader, isInterval: boolean): Expression[] {
  const allowedCalendar = reader.allowsCalendar
  const wasInDimension = reader.inDimension
  reader.inDimension = false
  reader.allowsCalendar = isInterval
  const args: Expression[] = []
  let arg: Expression | undefined = parseOptionalRegex(reader)
  if (arg === undefined && reader.scan().kind !== ')') {
    reader.unread()
    arg = parseExpressionTokens(reader)
    // Months have no length that could be reckoned with.
    if (isInterval && arg.kind !== 'duration' && someExpression(arg, hasMonths)) {
      throw reader.fail('invalid duration')
    }
  }
  reader.allowsCalendar = false
  if (arg !== undefined) {
    args.push(arg)
    while (reader.accept(','))
      args.push(parseOptionalRegex(reader) ?? parseExpressionTokens(reader))
    const end = reader.scan()
    if (end.kind !== ')') throw reader.unexpected(end, ')')
  }
  reader.allowsCalendar = allowedCalendar
  reader.inDimension = wasInDimension
  return args
}

function hasMonths(expression: Expression): boolean {
  return expression.kind === 'duration' && expression.months !== 0
}

const dollar = 36
const slash = 47
