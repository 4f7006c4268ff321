// A predicate over rows, told to the store for one field of one measurement. Flux has a three-valued logic:
// a row is taken where the predicate is true, and a comparison with a tag that the row does not have is
// neither true nor false. The store has two values, and reads an absent tag as the empty string. So each part
// is turned into when it is true and when it is false, and what is neither falls out of both.

import type { FieldType } from '../../../column/column.js'
import type { Comparison, Predicate } from '../../../column/predicate.js'
import { compareUtf8 } from '../../../column/series.js'
import { regexOf } from '../../value/regexp.js'
import type { Known, RowPredicate } from './row-predicate.js'

export interface Subject {
  readonly measurement: string
  readonly field: string
  readonly type: FieldType
}

/** A boolean where measurement and field alone decide. */
export type Verdict = boolean | Predicate

export function storePredicate(parts: readonly RowPredicate[], subject: Subject): Verdict {
  return allOf(parts.map((part) => verdict(part, subject, true)))
}

/** When the predicate is true, or (`wanted` false) when it is false. */
function verdict(predicate: RowPredicate, subject: Subject, wanted: boolean): Verdict {
  switch (predicate.kind) {
    case 'always':
      return wanted
    case 'not':
      return verdict(predicate.part, subject, !wanted)
    case 'and':
    case 'or': {
      const parts = predicate.parts.map((part) => verdict(part, subject, wanted))
      return (predicate.kind === 'and') === wanted ? allOf(parts) : anyOf(parts)
    }
    case 'exists':
      return existsVerdict(predicate.column, wanted)
    case 'compare':
      return compareVerdict(predicate, subject, wanted)
    case 'among':
      return amongVerdict(predicate, subject, wanted)
    case 'match':
      return matchVerdict(predicate, subject, wanted)
  }
}

export function allOf(parts: readonly Verdict[]): Verdict {
  if (parts.includes(false)) return false
  const rest = parts.filter((part) => typeof part !== 'boolean')
  if (rest.length === 0) return true
  return rest.length === 1 ? rest[0] : { kind: 'and', parts: rest.flatMap(conjunctsOf) }
}

/** Flat, so that the store sees which of them its index can answer. */
function conjunctsOf(part: Predicate): readonly Predicate[] {
  return part.kind === 'and' ? part.parts : [part]
}

export function anyOf(parts: readonly Verdict[]): Verdict {
  if (parts.includes(true)) return true
  const rest = parts.filter((part) => typeof part !== 'boolean')
  if (rest.length === 0) return false
  return rest.length === 1 ? rest[0] : { kind: 'or', parts: rest }
}

/** Rows without a value are not rows of the field at all. */
function existsVerdict(column: string, wanted: boolean): Verdict {
  if (column === '_value' || column === '_field' || column === '_measurement') return wanted
  return { kind: 'tag', tag: column, op: wanted ? '!=' : '=', value: '' }
}

function present(tag: string): Predicate {
  return { kind: 'tag', tag, op: '!=', value: '' }
}

function nameOf(column: string, { measurement, field }: Subject): string | undefined {
  if (column === '_measurement') return measurement
  return column === '_field' ? field : undefined
}

function compareVerdict(
  { column, op, value }: RowPredicate & { kind: 'compare' },
  subject: Subject,
  wanted: boolean,
): Verdict {
  if (column === '_value') return valueVerdict(subject, op, value, wanted)
  if (typeof value !== 'string') return false
  const name = nameOf(column, subject)
  if (name !== undefined) return holds(op, compareUtf8(name, value)) === wanted
  const wantsEqual = (op === '=') === wanted
  if (value === '') return wantsEqual ? false : present(column)
  if (wantsEqual) return { kind: 'tag', tag: column, op: '=', value }
  return { kind: 'and', parts: [{ kind: 'tag', tag: column, op: '!=', value }, present(column)] }
}

function holds(op: Comparison, order: number): boolean {
  switch (op) {
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

/** A value of another type than the field's fits no row, as in InfluxDB's storage. */
function valueVerdict(
  { field, type }: Subject,
  op: Comparison,
  value: Known,
  wanted: boolean,
): Verdict {
  if (familyOf(type) !== familyOfValue(value)) return false
  const leaf: Predicate = { kind: 'field', field, op, value: narrowed(value) }
  return wanted ? leaf : { kind: 'not', part: leaf }
}

function familyOf(type: FieldType): string {
  return type === 'string' || type === 'boolean' ? type : 'number'
}

function familyOfValue(value: Known): string {
  return typeof value === 'bigint' ? 'number' : typeof value
}

/** Comparisons with plain numbers are several times faster, and as exact up to 2^53. */
function narrowed(value: Known): Known {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function amongVerdict(
  { column, values }: RowPredicate & { kind: 'among' },
  subject: Subject,
  wanted: boolean,
): Verdict {
  const name = nameOf(column, subject)
  if (name !== undefined) return values.includes(name) === wanted
  const equal = anyOf(
    values
      .filter((value) => value !== '')
      .map((value): Verdict => ({ kind: 'tag', tag: column, op: '=', value })),
  )
  if (wanted) return equal
  return typeof equal === 'boolean' ? !equal : { kind: 'not', part: equal }
}

function matchVerdict(
  { column, regexp, negated }: RowPredicate & { kind: 'match' },
  subject: Subject,
  wanted: boolean,
): Verdict {
  const name = nameOf(column, subject)
  if (name !== undefined) return (regexOf(regexp).test(name) !== negated) === wanted
  const { pattern } = regexp
  const isNegated = negated === wanted
  if (column === '_value') {
    if (subject.type !== 'string') return false
    return { kind: 'field-regex', field: subject.field, pattern, negated: isNegated }
  }
  const regex: Predicate = { kind: 'tag-regex', tag: column, pattern, negated: isNegated }
  return { kind: 'and', parts: [regex, present(column)] }
}
