// Which tag keys a statement asks about: WITH KEY, and conditions on `_tagKey`, which InfluxDB reads
// as more of the same.

import { compileRegex } from '../../column/regex.js'
import { UserError } from '../../errors.js'
import type { Expression, TagKeyFilter } from '../syntax/ast.js'
import { nameMatches } from './tag-condition.js'

export type TagKeyPredicate = (key: string) => boolean

export function tagKeyCondition(filter: TagKeyFilter): TagKeyPredicate {
  switch (filter.op) {
    case '=':
      return (key) => key === filter.key
    case '!=':
      return (key) => key !== filter.key
    case 'in': {
      const keys = new Set(filter.keys)
      return (key) => keys.has(key)
    }
    case '=~':
    case '!~': {
      const regex = compileRegex(filter.regex.pattern)
      return (key) => regex.test(key) === (filter.op === '=~')
    }
  }
}

/** Throws where a comparison does not begin with a name, as InfluxDB does for tag values. */
export function filterTagKeys(
  condition: Expression | undefined,
  filter: TagKeyFilter,
): TagKeyPredicate {
  const asked = tagKeyCondition(filter)
  const also = condition === undefined ? undefined : conditionOf(condition)
  return also === undefined ? asked : (key) => also(key) && asked(key)
}

/** Undefined: it says nothing about keys. */
function conditionOf(condition: Expression): TagKeyPredicate | undefined {
  if (condition.kind === 'paren') return conditionOf(condition.inner)
  if (condition.kind !== 'binary') return undefined
  const { op, left, right } = condition
  if (op === 'AND' || op === 'OR') {
    const a = conditionOf(left)
    const b = conditionOf(right)
    if (a === undefined || b === undefined) return a ?? b
    return op === 'AND' ? (key) => a(key) && b(key) : (key) => a(key) || b(key)
  }
  if (left.kind !== 'reference') {
    throw new UserError('invalid', `left side of '${op}' must be a tag key`)
  }
  return left.name === '_tagKey' ? (key) => nameMatches(op, right, key) : undefined
}
