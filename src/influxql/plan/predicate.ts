// The condition of a SELECT as far as the store can check it, and what is left for the executor:
// arithmetic, functions, fields compared with each other. Says for one measurement what its names are;
// a missing tag reads as the empty string, and a missing field matches nothing.

import type { Predicate } from '../../column/predicate.js'
import type { BinaryOperator, Expression, Literal, Reference } from '../syntax/ast.js'
import { mapExpression } from '../syntax/walk.js'
import { mirrored } from './condition.js'
import { isLiteral } from './reduce.js'
import type { ResolvedMeasurement } from './resolved.js'

export interface PushedCondition {
  readonly predicate?: Predicate | undefined
  /** Holds for a row as well as `predicate` where the condition does. */
  readonly residual?: Expression | undefined
}

export function pushCondition(
  condition: Expression | undefined,
  source: ResolvedMeasurement,
): PushedCondition {
  if (condition === undefined) return {}
  const predicates: Predicate[] = []
  const residuals: Expression[] = []
  for (const part of conjuncts(condition)) {
    const predicate = predicateOf(part, source)
    if (predicate === undefined) residuals.push(part)
    else if (predicate.kind === 'and') predicates.push(...predicate.parts)
    else predicates.push(predicate)
  }
  return {
    predicate: predicates.length === 0 ? undefined : joined(predicates),
    residual: residuals.length === 0 ? undefined : withMissingTags(residuals.reduce(both), source),
  }
}

/**
 * A missing tag reads as the empty string, and is that beside a literal. Beside a field it has no value: neither = nor
 * != holds. Tags that are both missing are not equal.
 */
function withMissingTags(residual: Expression, source: ResolvedMeasurement): Expression {
  return mapExpression(residual, (node) => {
    if (node.kind !== 'binary' || (node.op !== '=' && node.op !== '!=')) return node
    const { op, left, right } = node
    if (isLiteral(left) || isLiteral(right)) return node
    const tags = [left, right].filter((side) => isTag(side, source))
    if (tags.length === 0) return node
    if (tags.length === 1 || op === '=') return both(node, comparedToNothing('!=', tags[0]))
    return { kind: 'binary', op: 'OR', left: node, right: comparedToNothing('=', tags[0]) }
  })
}

function comparedToNothing(op: '=' | '!=', tag: Expression): Expression {
  return { kind: 'binary', op, left: tag, right: { kind: 'string', value: '' } }
}

function isTag(expression: Expression, source: ResolvedMeasurement): boolean {
  if (expression.kind !== 'reference') return false
  const { name, type } = expression
  return type === 'tag' || (type === undefined && !source.fields.has(name))
}

function joined(predicates: readonly Predicate[]): Predicate {
  return predicates.length === 1 ? predicates[0] : { kind: 'and', parts: predicates }
}

function both(left: Expression, right: Expression): Expression {
  return { kind: 'binary', op: 'AND', left, right }
}

function conjuncts(condition: Expression): Expression[] {
  if (condition.kind === 'paren') return conjuncts(condition.inner)
  return condition.kind === 'binary' && condition.op === 'AND'
    ? operands(condition, 'AND').flatMap(conjuncts)
    : [condition]
}

/** What a chain of one operator joins, from left to right: it may be thousands of parts. */
function operands(condition: Expression, op: BinaryOperator): Expression[] {
  const parts: Expression[] = []
  let at = condition
  while (at.kind === 'binary' && at.op === op) {
    parts.push(at.right)
    at = at.left
  }
  return [at, ...parts.reverse()]
}

const never: Predicate = { kind: 'or', parts: [] }
const always: Predicate = { kind: 'and', parts: [] }

/** Undefined: the store has no words for it. */
function predicateOf(condition: Expression, source: ResolvedMeasurement): Predicate | undefined {
  switch (condition.kind) {
    case 'paren':
      return predicateOf(condition.inner, source)
    case 'boolean':
      return condition.value ? always : never
    case 'binary': {
      const { op, left, right } = condition
      if (op === 'AND' || op === 'OR') {
        const asked = operands(condition, op)
        const parts = asked.map((part) => predicateOf(part, source))
        const known = parts.filter((part) => part !== undefined)
        if (known.length < asked.length) return undefined
        return { kind: op === 'AND' ? 'and' : 'or', parts: known }
      }
      if (left.kind === 'reference' && isLiteral(right)) return comparison(left, op, right, source)
      if (right.kind === 'reference' && isLiteral(left)) {
        return comparison(right, mirrored[op] ?? op, left, source)
      }
      return undefined
    }
    default:
      return undefined
  }
}

function comparison(
  reference: Reference,
  op: BinaryOperator,
  literal: Literal,
  source: ResolvedMeasurement,
): Predicate | undefined {
  const { name, type } = reference
  const own = source.fields.get(name)
  if (isTag(reference, source)) return tagComparison(name, op, literal)
  if (own === undefined) return never
  // A cast changes what is compared: the executor casts.
  if (type !== undefined && type !== 'field' && type !== own) return undefined
  return fieldComparison(name, op, literal, own)
}

function tagComparison(tag: string, op: BinaryOperator, literal: Literal): Predicate | undefined {
  if (literal.kind === 'string') {
    return op === '=' || op === '!=' ? { kind: 'tag', tag, op, value: literal.value } : never
  }
  if (literal.kind === 'regex') {
    if (op !== '=~' && op !== '!~') return never
    return { kind: 'tag-regex', tag, pattern: literal.pattern, negated: op === '!~' }
  }
  return never
}

function fieldComparison(
  field: string,
  op: BinaryOperator,
  literal: Literal,
  type: string,
): Predicate | undefined {
  if (op === '=~' || op === '!~') {
    const isText = type === 'string' && literal.kind === 'regex'
    if (!isText) return never
    return { kind: 'field-regex', field, pattern: literal.pattern, negated: op === '!~' }
  }
  const isNumber = type !== 'string' && type !== 'boolean'
  const isEquality = op === '=' || op === '!='
  if (!isEquality && op !== '<' && op !== '<=' && op !== '>' && op !== '>=') return undefined
  switch (literal.kind) {
    case 'number':
      return isNumber ? { kind: 'field', field, op, value: literal.value } : never
    case 'integer':
    case 'unsigned': {
      if (!isNumber) return never
      const number = Number(literal.value)
      const value = Number.isSafeInteger(number) ? number : literal.value
      return { kind: 'field', field, op, value }
    }
    case 'string':
      return type === 'string' && isEquality
        ? { kind: 'field', field, op, value: literal.value }
        : never
    case 'boolean':
      return type === 'boolean' && isEquality
        ? { kind: 'field', field, op, value: literal.value }
        : never
    default:
      return never
  }
}
