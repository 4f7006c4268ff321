// Folds what can be computed before anything is read: arithmetic on literals, `now()`, booleans joined
// with AND and OR. What is left has the same meaning, and literals where there were only literals.
// Times, durations and strings that look like times mix as InfluxDB lets them.

import { findFunction } from '../functions/functions.js'
import { evaluateMathLiteral } from '../functions/math.js'
import type { Binary, BinaryOperator, Call, Expression, Literal } from '../syntax/ast.js'
import { withArgs, withInner, withSides } from '../syntax/walk.js'
import { isTimeLiteral, parseTimeLiteral } from './time-literals.js'

export interface ReduceOptions {
  /** What `now()` is; undefined: it stays a call. */
  readonly now?: bigint
  readonly zone?: string | undefined
  /** Whether calls of mathematical functions on literals are computed. */
  readonly math?: boolean
}

/** Parentheses around the whole are taken off. */
export function reduce(expression: Expression, options: ReduceOptions = {}): Expression {
  const reduced = reduceInside(expression, options)
  return reduced.kind === 'paren' ? reduced.inner : reduced
}

export function reduceInside(expression: Expression, options: ReduceOptions): Expression {
  switch (expression.kind) {
    case 'binary':
      return reduceBinary(expression, options)
    case 'call':
      return reduceCall(expression, options)
    case 'paren': {
      const inner = reduceInside(expression.inner, options)
      return inner.kind === 'binary' ? withInner(expression, inner) : inner
    }
    default:
      return expression
  }
}

export function isLiteral(expression: Expression): expression is Literal {
  switch (expression.kind) {
    case 'reference':
    case 'call':
    case 'binary':
    case 'paren':
    case 'wildcard':
    case 'distinct':
      return false
    default:
      return true
  }
}

function reduceCall(call: Call, options: ReduceOptions): Expression {
  const args = call.args.map((arg) => reduceInside(arg, options))
  if (call.name === 'now' && args.length === 0 && options.now !== undefined) {
    return { kind: 'time', ns: options.now }
  }
  if (options.math === true && args.length > 0 && args.every(isLiteral)) {
    const spec = findFunction(call.name)
    const computed =
      spec?.kind === 'math' ? evaluateMathLiteral(spec, args.map(literalValue)) : undefined
    if (computed !== undefined) return literalOf(computed)
  }
  return withArgs(call, args)
}

type Plain = number | bigint | string | boolean | null

function literalValue(literal: Literal): Plain {
  switch (literal.kind) {
    case 'integer':
    case 'unsigned':
    case 'number':
    case 'string':
    case 'boolean':
      return literal.value
    default:
      return null
  }
}

function literalOf(value: Plain): Literal {
  if (typeof value === 'number') return { kind: 'number', value }
  if (typeof value === 'bigint') return { kind: 'integer', value }
  if (typeof value === 'string') return { kind: 'string', value }
  if (typeof value === 'boolean') return { kind: 'boolean', value }
  return { kind: 'nil' }
}

/** Chains of operators lean to the left and may be thousands long: their left side is a loop. */
function reduceBinary(binary: Binary, options: ReduceOptions): Expression {
  const chain = leftSpine(binary)
  let left = reduceInside(chain[chain.length - 1].left, options)
  for (let i = chain.length - 1; i >= 0; i--) {
    left = reduceStep(chain[i], left, reduceInside(chain[i].right, options), options)
  }
  return left
}

/** The operator, the one on its left, and so on. */
export function leftSpine(binary: Binary): Binary[] {
  const chain = [binary]
  for (let at = binary.left; at.kind === 'binary'; at = at.left) chain.push(at)
  return chain
}

function reduceStep(
  binary: Binary,
  left: Expression,
  right: Expression,
  options: ReduceOptions,
): Expression {
  const { op } = binary
  const joined = joinBooleans(op, left, right)
  if (joined !== undefined) return joined
  const folded =
    isLiteral(left) && isLiteral(right) ? fold(op, left, right, options.zone) : undefined
  return folded ?? withSides(binary, left, right)
}

/** AND and OR with a boolean on one side; undefined where neither side is one. */
export function joinBooleans(
  op: BinaryOperator,
  left: Expression,
  right: Expression,
): Expression | undefined {
  if (op !== 'AND' && op !== 'OR') return undefined
  // `true` ends an OR and vanishes in an AND; `false` the other way round.
  const ends = op === 'OR'
  for (const [side, other] of [
    [left, right],
    [right, left],
  ]) {
    if (side.kind !== 'boolean') continue
    if (side.value === ends) return { kind: 'boolean', value: ends }
    return other
  }
  return undefined
}

function boolean(value: boolean): Literal {
  return { kind: 'boolean', value }
}

/** Undefined: the two do not go together under this operator. */
function fold(
  op: BinaryOperator,
  left: Literal,
  right: Literal,
  zone: string | undefined,
): Literal | undefined {
  if (left.kind === 'nil') return op === '=' || op === '!=' ? boolean(false) : undefined
  if (right.kind === 'nil') return foldNil(op, left)
  if (left.kind === 'boolean')
    return right.kind === 'boolean' ? foldBooleans(op, left.value, right.value) : undefined
  if (left.kind === 'string') return foldString(op, left.value, right, zone)
  if (left.kind === 'duration') return foldDuration(op, left.ns, right, zone)
  if (left.kind === 'time') return foldTime(op, left.ns, right, zone)
  if (left.kind === 'integer' || left.kind === 'unsigned' || left.kind === 'number') {
    return foldNumber(op, left, right, zone)
  }
  return undefined
}

function foldNil(op: BinaryOperator, left: Literal): Literal | undefined {
  if (left.kind === 'unsigned' || left.kind === 'regex' || left.kind === 'list') return undefined
  if (left.kind === 'string' && op !== '=' && op !== '!=') return undefined
  return boolean(false)
}

function foldBooleans(op: BinaryOperator, left: boolean, right: boolean): Literal | undefined {
  switch (op) {
    case '=':
      return boolean(left === right)
    case '!=':
    case '^':
      return boolean(left !== right)
    case '&':
      return boolean(left && right)
    case '|':
      return boolean(left || right)
    default:
      return undefined
  }
}

function compare<T extends number | bigint | string>(
  op: BinaryOperator,
  left: T,
  right: T,
): Literal | undefined {
  switch (op) {
    case '=':
      return boolean(left === right)
    case '!=':
      return boolean(left !== right)
    case '<':
      return boolean(left < right)
    case '<=':
      return boolean(left <= right)
    case '>':
      return boolean(left > right)
    case '>=':
      return boolean(left >= right)
    default:
      return undefined
  }
}

type NumberLiteral = Extract<Literal, { kind: 'integer' | 'unsigned' | 'number' }>

function foldNumber(
  op: BinaryOperator,
  left: NumberLiteral,
  right: Literal,
  zone: string | undefined,
): Literal | undefined {
  switch (right.kind) {
    case 'number':
      return foldFloats(op, Number(left.value), right.value)
    case 'integer':
    case 'unsigned':
      if (left.kind === 'number') return foldFloats(op, left.value, Number(right.value))
      if (left.kind === 'integer' && right.kind === 'integer') {
        return foldIntegers(op, left.value, right.value)
      }
      return foldUnsigned(op, left.value, right.value)
    case 'duration':
      if (left.kind !== 'integer') return undefined
      if (op === '+') return { kind: 'time', ns: left.value + right.ns }
      if (op === '-') return { kind: 'time', ns: left.value - right.ns }
      return undefined
    case 'time':
    case 'string':
      return left.kind === 'integer' ? foldDuration(op, left.value, right, zone) : undefined
    default:
      return undefined
  }
}

function foldFloats(op: BinaryOperator, left: number, right: number): Literal | undefined {
  const number = (value: number): Literal => ({ kind: 'number', value })
  switch (op) {
    case '+':
      return number(left + right)
    case '-':
      return number(left - right)
    case '*':
      return number(left * right)
    case '/':
      return number(right === 0 ? 0 : left / right)
    case '%':
      return number(left % right)
    default:
      return compare(op, left, right)
  }
}

function foldIntegers(op: BinaryOperator, left: bigint, right: bigint): Literal | undefined {
  if (op === '/') {
    return { kind: 'number', value: right === 0n ? 0 : Number(left) / Number(right) }
  }
  const value = integerArithmetic(op, left, right)
  if (value !== undefined) return { kind: 'integer', value: BigInt.asIntN(64, value) }
  return compare(op, left, right)
}

function foldUnsigned(op: BinaryOperator, left: bigint, right: bigint): Literal | undefined {
  if (op === '&' || op === '|' || op === '^') return undefined
  const value = op === '/' ? quotient(left, right) : integerArithmetic(op, left, right)
  if (value !== undefined) return { kind: 'unsigned', value: BigInt.asUintN(64, value) }
  return compare(op, left, right)
}

function quotient(left: bigint, right: bigint): bigint {
  return right === 0n ? 0n : left / right
}

function integerArithmetic(op: BinaryOperator, left: bigint, right: bigint): bigint | undefined {
  switch (op) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '%':
      return right === 0n ? 0n : left % right
    case '&':
      return left & right
    case '|':
      return left | right
    case '^':
      return left ^ right
    default:
      return undefined
  }
}

function foldDuration(
  op: BinaryOperator,
  left: bigint,
  right: Literal,
  zone: string | undefined,
): Literal | undefined {
  const duration = (ns: bigint): Literal => ({ kind: 'duration', ns, months: 0 })
  switch (right.kind) {
    case 'duration':
      if (op === '+') return duration(left + right.ns)
      if (op === '-') return duration(left - right.ns)
      return compare(op, left, right.ns)
    case 'number':
    case 'integer': {
      const factor = right.kind === 'integer' ? right.value : BigInt(Math.trunc(right.value))
      if (op === '*') return duration(left * factor)
      if (op === '/') return duration(quotient(left, factor))
      return undefined
    }
    case 'time':
      return op === '+' ? { kind: 'time', ns: right.ns + left } : undefined
    case 'string': {
      const time = timeOf(right.value, zone)
      return time === undefined ? undefined : foldDuration(op, left, time, zone)
    }
    default:
      return undefined
  }
}

function foldTime(
  op: BinaryOperator,
  left: bigint,
  right: Literal,
  zone: string | undefined,
): Literal | undefined {
  switch (right.kind) {
    case 'duration':
    case 'integer': {
      const ns = right.kind === 'integer' ? right.value : right.ns
      if (op === '+') return { kind: 'time', ns: left + ns }
      if (op === '-') return { kind: 'time', ns: left - ns }
      return undefined
    }
    case 'time':
      if (op === '-') return { kind: 'duration', ns: left - right.ns, months: 0 }
      return compare(op, left, right.ns)
    case 'string': {
      const time = timeOf(right.value, zone)
      return time === undefined ? undefined : foldTime(op, left, time, zone)
    }
    default:
      return undefined
  }
}

function foldString(
  op: BinaryOperator,
  left: string,
  right: Literal,
  zone: string | undefined,
): Literal | undefined {
  if (right.kind === 'string') {
    if (op === '+') return { kind: 'string', value: left + right.value }
    if (op === '=' || op === '!=') {
      const both = [timeOf(left, zone), timeOf(right.value, zone)]
      // Two spellings of one time are equal.
      if (both[0] !== undefined && both[1] !== undefined) return compare(op, both[0].ns, both[1].ns)
      return compare(op, left, right.value)
    }
  }
  const time = timeOf(left, zone)
  const usable = right.kind !== 'number' && right.kind !== 'unsigned' && right.kind !== 'boolean'
  return time === undefined || !usable ? undefined : foldTime(op, time.ns, right, zone)
}

function timeOf(text: string, zone: string | undefined): (Literal & { kind: 'time' }) | undefined {
  if (!isTimeLiteral(text)) return undefined
  try {
    return { kind: 'time', ns: parseTimeLiteral(text, zone) }
  } catch {
    return undefined
  }
}
