// Whether a point matches a predicate: the meaning of predicates, leaf by leaf, for engines that look at points one by
// one. Patterns are compiled once, before anything is read, so that a bad one is refused whatever is stored.

import type { Value } from '../column/column.js'
import type { Comparison, Predicate } from '../column/predicate.js'
import { compileRegex } from '../column/regex.js'
import type { Series } from '../column/series.js'

type Row = ReadonlyMap<string, Value>

export type Matches = (series: Series, row: Row) => boolean

export function matcher(predicate: Predicate | undefined): Matches {
  if (predicate === undefined) return () => true
  switch (predicate.kind) {
    case 'tag': {
      const { tag, op, value } = predicate
      return (series) => (tagOf(series, tag) === value) === (op === '=')
    }
    case 'tag-regex': {
      const regex = compileRegex(predicate.pattern)
      return (series) => regex.test(tagOf(series, predicate.tag)) !== predicate.negated
    }
    case 'field':
      return (_, row) => compare(predicate.op, row.get(predicate.field), predicate.value)
    case 'field-regex': {
      const regex = compileRegex(predicate.pattern)
      return (_, row) => {
        const value = row.get(predicate.field)
        return typeof value === 'string' && regex.test(value) !== predicate.negated
      }
    }
    case 'field-present':
      return (_, row) => row.has(predicate.field)
    case 'not': {
      const part = matcher(predicate.part)
      return (series, row) => !part(series, row)
    }
    case 'and': {
      const parts = predicate.parts.map(matcher)
      return (series, row) => parts.every((part) => part(series, row))
    }
    case 'or': {
      const parts = predicate.parts.map(matcher)
      return (series, row) => parts.some((part) => part(series, row))
    }
  }
}

/** An absent tag reads as the empty string. */
export function tagOf({ tags }: Series, tag: string): string {
  return tags.find(({ key }) => key === tag)?.value ?? ''
}

/** Values of another family match nothing. JavaScript compares numbers with bigints exactly. */
function compare(op: Comparison, found: Value | undefined, value: Value): boolean {
  if (found === undefined || family(found) !== family(value)) return false
  return comparisons[op](found < value ? -1 : found > value ? 1 : 0)
}

const comparisons: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

function family(value: Value): string {
  return typeof value === 'bigint' ? 'number' : typeof value
}
