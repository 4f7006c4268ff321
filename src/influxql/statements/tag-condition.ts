// Conditions of statements about series: which series of a measurement they select. InfluxDB reads
// such a condition from its index, which knows tags and measurements (`_name`) but no values: what a
// condition says about fields counts as true there, and as false where series are counted one by one.

import type { TagPredicate } from '../../column/predicate.js'
import { compileRegex } from '../../column/regex.js'
import { UserError } from '../../errors.js'
import type { Binary, BinaryOperator, Expression } from '../syntax/ast.js'

export interface TagConditionRules {
  /** What a comparison counts as that is about fields, or about nothing known. */
  readonly others: boolean
  /** Whether a tag that a series does not have reads as the empty string, or equals and differs from nothing. */
  readonly absentIsEmpty: boolean
  /** Whether `name::field` is taken at its word. */
  readonly readsTypes: boolean
}

/** As the index reads conditions. */
export const indexRules: TagConditionRules = { others: true, absentIsEmpty: true, readsTypes: true }

/** As series are counted. */
export const countRules: TagConditionRules = {
  others: false,
  absentIsEmpty: true,
  readsTypes: true,
}

const always: TagPredicate = { kind: 'and', parts: [] }
const never: TagPredicate = { kind: 'or', parts: [] }

/** The series of a measurement that a condition selects. Undefined: all of them. */
export function selectedSeries(
  condition: Expression | undefined,
  measurement: string,
  rules: TagConditionRules,
): TagPredicate | undefined {
  if (condition === undefined) return undefined
  const predicate = predicateOf(condition, measurement, rules)
  return isAlways(predicate) ? undefined : predicate
}

/** Nothing can match it: no need to ask. */
export function isNever(predicate: TagPredicate | undefined): boolean {
  return predicate?.kind === 'or' && predicate.parts.length === 0
}

function isAlways(predicate: TagPredicate): boolean {
  return predicate.kind === 'and' && predicate.parts.length === 0
}

function predicateOf(
  condition: Expression,
  measurement: string,
  rules: TagConditionRules,
): TagPredicate {
  switch (condition.kind) {
    case 'paren':
      return predicateOf(condition.inner, measurement, rules)
    case 'boolean':
      return condition.value ? always : never
    case 'binary': {
      const { op, left, right } = condition
      if (op !== 'AND' && op !== 'OR') return comparison(condition, measurement, rules)
      const parts = [left, right].map((side) => predicateOf(side, measurement, rules))
      return op === 'AND' ? both(parts) : either(parts)
    }
    default:
      return rules.others ? always : never
  }
}

function both(parts: readonly TagPredicate[]): TagPredicate {
  if (parts.some(isNever)) return never
  const rest = parts.filter((part) => !isAlways(part))
  return rest.length === 1 ? rest[0] : { kind: 'and', parts: rest }
}

function either(parts: readonly TagPredicate[]): TagPredicate {
  if (parts.some(isAlways)) return always
  const rest = parts.filter((part) => !isNever(part))
  return rest.length === 1 ? rest[0] : { kind: 'or', parts: rest }
}

function comparison(
  { op, left, right }: Binary,
  measurement: string,
  rules: TagConditionRules,
): TagPredicate {
  const other = rules.others ? always : never
  const [key, value] = left.kind === 'reference' ? [left, right] : [right, left]
  if (key.kind !== 'reference' || !isTagOperator(op)) return other
  if (key.name === '_name') return nameMatches(op, value, measurement) ? always : never
  if (isSystemName(key.name)) return always
  const isField = key.type !== undefined && key.type !== 'tag'
  if (isField && rules.readsTypes) return other
  const tag = key.name
  switch (value.kind) {
    case 'string':
      if (op !== '=' && op !== '!=') return other
      return present(tag, { kind: 'tag', tag, op, value: value.value }, rules)
    case 'regex': {
      const { pattern } = value
      return present(tag, { kind: 'tag-regex', tag, pattern, negated: op === '!~' }, rules)
    }
    case 'reference':
      return twoTags(tag, value.name, op, rules)
    default:
      return other
  }
}

function present(tag: string, leaf: TagPredicate, rules: TagConditionRules): TagPredicate {
  return rules.absentIsEmpty ? leaf : both([hasTag(tag), leaf])
}

export function hasTag(tag: string): TagPredicate {
  return { kind: 'tag', tag, op: '!=', value: '' }
}

/**
 * InfluxDB compares no two tags. In the index `a = b` asks for both to be there, `a != b` for the first alone; where
 * series are counted, no two are equal.
 */
function twoTags(a: string, b: string, op: BinaryOperator, rules: TagConditionRules): TagPredicate {
  if (rules.others) {
    const second: TagPredicate = { kind: 'tag', tag: b, op: op === '=' ? '!=' : '=', value: '' }
    return both([hasTag(a), second])
  }
  if (op !== '!=') return never
  return rules.absentIsEmpty ? always : both([hasTag(a), hasTag(b)])
}

export function isTagOperator(op: BinaryOperator): boolean {
  return op === '=' || op === '!=' || op === '=~' || op === '!~'
}

/** Whether a name satisfies `= 'text'` or `=~ /pattern/`; anything else is satisfied by none. */
export function nameMatches(op: BinaryOperator, value: Expression, name: string): boolean {
  if (value.kind === 'string' && op === '=') return name === value.value
  if (value.kind === 'string' && op === '!=') return name !== value.value
  if (value.kind !== 'regex') return false
  return compileRegex(value.pattern).test(name) === (op === '=~')
}

const systemNames = new Set([
  '_fieldKeys',
  '_measurements',
  '_name',
  '_series',
  '_tagKey',
  '_tagKeys',
  '_tags',
])

/** Names that stand for something else than a tag in conditions. */
export function isSystemName(name: string): boolean {
  return systemNames.has(name)
}

/** Throws where something else than equality and patterns is asked of tags. */
export function requireTagOperators(condition: Expression | undefined): void {
  switch (condition?.kind) {
    case 'paren':
      return requireTagOperators(condition.inner)
    case 'binary':
      if (condition.op !== 'AND' && condition.op !== 'OR' && !isTagOperator(condition.op)) {
        throw new UserError('invalid', 'invalid tag comparison operator')
      }
      requireTagOperators(condition.left)
      requireTagOperators(condition.right)
  }
}

/** Whether a condition compares `time` with something: some statements do not know it. */
export function hasTime(condition: Expression | undefined): boolean {
  if (condition?.kind === 'paren') return hasTime(condition.inner)
  if (condition?.kind !== 'binary') return false
  const { op, left, right } = condition
  if (op === 'AND' || op === 'OR') return hasTime(left) || hasTime(right)
  return left.kind === 'reference' && left.name.toLowerCase() === 'time'
}

/** The condition without the comparisons that are not wanted; undefined where nothing is left. */
export function pruned(
  condition: Expression | undefined,
  isWanted: (comparison: Binary) => boolean,
): Expression | undefined {
  if (condition === undefined) return undefined
  if (condition.kind === 'paren') {
    const inner = pruned(condition.inner, isWanted)
    return inner === undefined ? undefined : { kind: 'paren', inner }
  }
  if (condition.kind !== 'binary') return condition
  const { op } = condition
  if (op !== 'AND' && op !== 'OR') return isWanted(condition) ? condition : undefined
  const left = pruned(condition.left, isWanted)
  const right = pruned(condition.right, isWanted)
  if (left === undefined || right === undefined) return left ?? right
  return { kind: 'binary', op, left, right }
}
