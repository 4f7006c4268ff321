// Predicates over tags and field values, as closed unions of plain data, so that they can be pushed
// down, stored with a delete, and sent to another engine. An absent tag reads as the empty string,
// as InfluxDB has it.

import type { Value } from './column.js'

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>='

export type TagPredicate =
  | { readonly kind: 'tag'; readonly tag: string; readonly op: '=' | '!='; readonly value: string }
  /** Matches RE2 syntax anywhere in the value. */
  | {
      readonly kind: 'tag-regex'
      readonly tag: string
      readonly pattern: string
      readonly negated: boolean
    }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly TagPredicate[] }
  | { readonly kind: 'not'; readonly part: TagPredicate }

/** A row without the field, or with a value of another type family, does not match (also under `!=`). */
export type ValuePredicate =
  | {
      readonly kind: 'field'
      readonly field: string
      readonly op: Comparison
      readonly value: Value
    }
  | {
      readonly kind: 'field-regex'
      readonly field: string
      readonly pattern: string
      readonly negated: boolean
    }
  | { readonly kind: 'field-present'; readonly field: string }

/** A tree whose leaves look at tags or at field values. */
export type Predicate =
  | TagPredicate
  | ValuePredicate
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Predicate[] }
  | { readonly kind: 'not'; readonly part: Predicate }

/** Whether tags alone decide it, so that an index can. */
export function isTagPredicate(predicate: Predicate): predicate is TagPredicate {
  switch (predicate.kind) {
    case 'tag':
    case 'tag-regex':
      return true
    case 'field':
    case 'field-regex':
    case 'field-present':
      return false
    case 'not':
      return isTagPredicate(predicate.part)
    default:
      return predicate.parts.every(isTagPredicate)
  }
}

/** Fields that the predicate looks at. */
export function predicateFields(predicate: Predicate, into = new Set<string>()): Set<string> {
  if ('field' in predicate) into.add(predicate.field)
  else if (predicate.kind === 'not') predicateFields(predicate.part, into)
  else if (predicate.kind === 'and' || predicate.kind === 'or') {
    for (const part of predicate.parts) predicateFields(part, into)
  }
  return into
}
