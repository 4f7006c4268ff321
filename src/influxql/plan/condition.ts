// A WHERE clause is two things: a time range and the rest. Comparisons with `time` are gathered from
// the whole tree as if joined by AND, as InfluxDB does it; what is left is the condition on tags and
// fields.

import { timeMax, timeMin } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { Binary, BinaryOperator, Expression } from '../syntax/ast.js'
import { goTypes } from '../syntax/go-types.js'
import { printExpression } from '../syntax/printer.js'
import { joinBooleans, leftSpine, reduce, reduceInside } from './reduce.js'
import { isTimeLiteral, parseTimeLiteral, printSeconds } from './time-literals.js'

/** Both ends belong to it. Undefined: open on that side. */
export interface TimeBounds {
  readonly min?: bigint | undefined
  readonly max?: bigint | undefined
}

export interface SplitCondition {
  readonly bounds: TimeBounds
  /** Undefined: nothing is asked of tags and fields. */
  readonly condition?: Expression | undefined
}

interface Moment {
  readonly now: bigint
  readonly zone: string | undefined
}

export function splitCondition(
  condition: Expression | undefined,
  now: bigint,
  zone: string | undefined,
): SplitCondition {
  if (condition === undefined) return { bounds: {} }
  const { bounds, condition: rest } = split(condition, { now, zone })
  const bare = rest?.kind === 'paren' ? rest.inner : rest
  if (bare === undefined || (bare.kind === 'boolean' && bare.value)) return { bounds }
  return { bounds, condition: bare }
}

export function intersect(a: TimeBounds, b: TimeBounds): TimeBounds {
  const min = later(a.min, b.min)
  const max = earlier(a.max, b.max)
  return { min, max }
}

function later(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a > b ? a : b
}

function earlier(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}

function split(condition: Expression, moment: Moment): SplitCondition {
  switch (condition.kind) {
    case 'binary': {
      const { op, left, right } = condition
      if (op === 'AND' || op === 'OR') return splitJoined(condition, moment)
      if (isTime(left)) return { bounds: boundsOf(op, right, moment) }
      if (isTime(right)) return { bounds: boundsOf(mirrored[op] ?? op, left, moment) }
      return { bounds: {}, condition: reduceInside(condition, moment) }
    }
    case 'paren': {
      const { bounds, condition: inner } = split(condition.inner, moment)
      if (inner === undefined) return { bounds }
      return { bounds, condition: inner.kind === 'binary' ? { kind: 'paren', inner } : inner }
    }
    case 'boolean':
      return { bounds: {}, condition }
    default:
      throw new UserError('invalid', `invalid condition expression: ${printExpression(condition)}`)
  }
}

/** A chain of ANDs and ORs, from its left end: it may be thousands long. */
function splitJoined(condition: Binary, moment: Moment): SplitCondition {
  const chain = leftSpine(condition)
  const length = chain.findIndex(({ op }) => op !== 'AND' && op !== 'OR')
  const joints = length < 0 ? chain : chain.slice(0, length)
  let all = split(joints[joints.length - 1].left, moment)
  for (let i = joints.length - 1; i >= 0; i--) {
    all = join(joints[i].op, all, split(joints[i].right, moment))
  }
  return all
}

function join(op: BinaryOperator, a: SplitCondition, b: SplitCondition): SplitCondition {
  const bounds = intersect(a.bounds, b.bounds)
  if (a.condition === undefined || b.condition === undefined) {
    const condition = a.condition ?? b.condition
    return condition === undefined ? { bounds } : { bounds, condition }
  }
  const both: Expression = { kind: 'binary', op, left: a.condition, right: b.condition }
  return { bounds, condition: joinBooleans(op, a.condition, b.condition) ?? both }
}

/** What a comparison is when its sides change places. */
export const mirrored: Partial<Record<BinaryOperator, BinaryOperator>> = {
  '>': '<',
  '<': '>',
  '>=': '<=',
  '<=': '>=',
}

function isTime(expression: Expression): boolean {
  return expression.kind === 'reference' && expression.name.toLowerCase() === 'time'
}

function boundsOf(op: BinaryOperator, other: Expression, moment: Moment): TimeBounds {
  const value = timeValue(other, moment)
  switch (op) {
    case '>':
      return { min: value + 1n }
    case '>=':
      return { min: value }
    case '<':
      return { max: value - 1n }
    case '<=':
      return { max: value }
    case '=':
      return { min: value, max: value }
    default:
      throw new UserError('invalid', `invalid time comparison operator: ${op}`)
  }
}

function timeValue(other: Expression, moment: Moment): bigint {
  const isTimeText = other.kind === 'string' && isTimeLiteral(other.value)
  const literal: Expression = isTimeText
    ? { kind: 'time', ns: parseTimeLiteral(other.value, moment.zone) }
    : reduce(other, moment)
  switch (literal.kind) {
    case 'time':
      if (literal.ns > timeMax) throw beyond(literal.ns, 'overflows')
      if (literal.ns <= timeMin) throw beyond(literal.ns, 'underflows')
      return literal.ns
    case 'duration':
      return literal.ns
    case 'number':
      return BigInt(Math.trunc(literal.value))
    case 'integer':
      return literal.value
    default: {
      const type = goTypes[literal.kind]
      throw new UserError('invalid', `invalid operation: time and ${type} are not compatible`)
    }
  }
}

function beyond(ns: bigint, verb: string): UserError {
  return new UserError('invalid', `time ${printSeconds(ns)} ${verb} time literal`)
}
