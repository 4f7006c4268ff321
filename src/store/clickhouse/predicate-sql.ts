// Predicates as conditions of SQL. A condition may choose too much where ClickHouse means something else by the same
// words (regular expressions, the order of texts) and is then said not to be exact: whoever reads checks the rows
// again. It never chooses too little.

import type { Value } from '../../column/column.js'
import type { Predicate, TagPredicate } from '../../column/predicate.js'
import { compileRegex } from '../../column/regex.js'
import { indexTables, type PlacedField, slotName } from './layout.js'
import { numberLiteral, textLiteral } from './sql-text.js'

export interface Condition {
  readonly sql: string
  readonly isExact: boolean
}

const always: Condition = { sql: '1', isExact: true }
const never: Condition = { sql: '0', isExact: true }
const perhaps: Condition = { sql: '1', isExact: false }

function exact(sql: string): Condition {
  return { sql, isExact: true }
}

function joined(kind: 'and' | 'or', parts: readonly Condition[]): Condition {
  if (parts.length === 0) return kind === 'and' ? always : never
  const sql = `(${parts.map((part) => part.sql).join(kind === 'and' ? ' AND ' : ' OR ')})`
  return { sql, isExact: parts.every(({ isExact }) => isExact) }
}

/** What is too much for the part is too little for its opposite. */
function negated({ sql, isExact }: Condition): Condition {
  return isExact ? exact(`NOT (${sql})`) : perhaps
}

/** Numbers of the series that a predicate means, where one look into the index of tags tells them. */
export function numbersByTag(predicate: TagPredicate, scope: string): string | undefined {
  if (predicate.kind !== 'tag' || predicate.op !== '=' || predicate.value === '') return undefined
  return seriesWith(scope, predicate.tag, `value = ${textLiteral(predicate.value)}`)
}

/** On the column `series`. `scope`: a condition on measurement and span. */
export function tagCondition(predicate: TagPredicate, scope: string): Condition {
  switch (predicate.kind) {
    case 'tag': {
      const { tag, op, value } = predicate
      // An absent tag reads as the empty text, and an empty one is never stored.
      const has =
        value === ''
          ? `series NOT IN (${seriesWith(scope, tag)})`
          : `series IN (${seriesWith(scope, tag, `value = ${textLiteral(value)}`)})`
      return op === '=' ? exact(has) : negated(exact(has))
    }
    case 'tag-regex':
      return regexCondition(predicate.tag, predicate.pattern, predicate.negated, scope)
    case 'not':
      return negated(tagCondition(predicate.part, scope))
    default:
      return joined(
        predicate.kind,
        predicate.parts.map((part) => tagCondition(part, scope)),
      )
  }
}

function seriesWith(scope: string, tag: string, more?: string): string {
  const condition = more === undefined ? '' : ` AND ${more}`
  const own = `${scope} AND tag = ${textLiteral(tag)}${condition}`
  return `SELECT series FROM ${indexTables.tags} WHERE ${own}`
}

function regexCondition(
  tag: string,
  pattern: string,
  isNegated: boolean,
  scope: string,
): Condition {
  // A bad pattern is refused here, in our own words.
  const matchesEmpty = compileRegex(pattern).test('')
  const match = regexMatch('value', pattern)
  if (match === undefined) return perhaps
  const found = matchesEmpty
    ? negated(exact(`series IN (${seriesWith(scope, tag, `NOT ${match.sql}`)})`))
    : exact(`series IN (${seriesWith(scope, tag, match.sql)})`)
  // Both say too much with a match that says too much.
  const condition = { sql: found.sql, isExact: match.isExact }
  return isNegated ? negated(condition) : condition
}

/** Letters, digits, what joins them, and the plainest operators: the same in every dialect of RE2. */
const plainPattern = /^[\w :;,@%&=<>~/#!"^$|().*+?[\]-]*$/

/** undefined: it is not known what ClickHouse would make of it. A dot may match a line end there. */
function regexMatch(column: string, pattern: string): Condition | undefined {
  if (!plainPattern.test(pattern) || /\(\?/.test(pattern)) return undefined
  return { sql: `match(${column}, ${textLiteral(pattern)})`, isExact: !pattern.includes('.') }
}

/** On slots of one place; `placeOf`: undefined where there is no such field, null where it lies elsewhere. */
export function valueCondition(
  predicate: Predicate,
  placeOf: (field: string) => PlacedField | null | undefined,
): Condition {
  switch (predicate.kind) {
    case 'field': {
      const place = placeOf(predicate.field)
      if (place === null) return perhaps
      return place === undefined ? never : comparison(place, predicate.op, predicate.value)
    }
    case 'field-regex': {
      const place = placeOf(predicate.field)
      compileRegex(predicate.pattern)
      if (place === null) return perhaps
      if (place?.type !== 'string') return never
      const slot = slotName(place.slot)
      const match = regexMatch(`assumeNotNull(${slot})`, predicate.pattern)
      if (match === undefined) return perhaps
      if (!predicate.negated) return { ...match, sql: `(isNotNull(${slot}) AND ${match.sql})` }
      return match.isExact ? exact(`(isNotNull(${slot}) AND NOT ${match.sql})`) : perhaps
    }
    case 'field-present': {
      const place = placeOf(predicate.field)
      if (place === null) return perhaps
      return place === undefined ? never : exact(`isNotNull(${slotName(place.slot)})`)
    }
    case 'not':
      return negated(valueCondition(predicate.part, placeOf))
    case 'tag':
    case 'tag-regex':
      return perhaps
    default:
      return joined(
        predicate.kind,
        predicate.parts.map((part) => valueCondition(part, placeOf)),
      )
  }
}

function comparison({ slot, type }: PlacedField, op: string, value: Value): Condition {
  const column = slotName(slot)
  const compare = (left: string, right: string) => exact(`ifNull(${left} ${op} ${right}, 0)`)
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return never
      // The order of texts beyond U+FFFF is not that of their bytes everywhere above.
      return op === '=' || op === '!=' ? compare(column, textLiteral(value)) : perhaps
    case 'boolean':
      if (typeof value !== 'boolean') return never
      return compare(column, value ? '1' : '0')
    default:
      if (typeof value !== 'number' && typeof value !== 'bigint') return never
      return compare(type === 'unsigned' ? `toUInt64(${column})` : column, numberLiteral(value))
  }
}

/** Of a conjunction the parts that tags alone decide, and the others. */
export function splitPredicate(
  predicate: Predicate | undefined,
  isTags: (part: Predicate) => part is TagPredicate,
): { readonly tags: TagPredicate | undefined; readonly values: Predicate | undefined } {
  if (predicate === undefined) return { tags: undefined, values: undefined }
  if (isTags(predicate)) return { tags: predicate, values: undefined }
  if (predicate.kind !== 'and') return { tags: undefined, values: predicate }
  const parts = predicate.parts as readonly Predicate[]
  const tags = parts.filter(isTags)
  const values = parts.filter((part) => !isTags(part))
  return {
    tags: tags.length === 0 ? undefined : { kind: 'and', parts: tags },
    values: { kind: 'and', parts: values },
  }
}
