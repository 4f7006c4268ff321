// What the store can be told of a WHERE clause: bounds of time, and comparisons of tags and fields with
// constants. What is not understood is not told, and DuckDB looks at the whole clause again, so that a
// condition may be told too widely but never too narrowly.

import type { Comparison, Predicate } from '../../column/predicate.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { comparisons, type TreeNode, textValue, walk, wholeNumber } from '../statement/tree.js'
import type { TableColumn, TableSchema } from './schema.js'

/** A bound of time whose value DuckDB is asked for. */
export interface TimeBound {
  readonly op: '<' | '<=' | '>' | '>=' | '='
  readonly value: TreeNode
}

/** Moments of constant expressions, in nanoseconds; undefined where one of them is none. */
export type Evaluate = (values: readonly TreeNode[]) => Promise<bigint[] | undefined>

export interface PushedConditions {
  readonly bounds: readonly TimeBound[]
  readonly predicates: readonly Predicate[]
  /** A row without any of the fields that are looked at cannot pass. */
  readonly needsValue: boolean
  /** Nothing but bounds of time and conditions on tags: true of rows of a window as of each row in it. */
  readonly isOfSeries: boolean
}

const turned: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

export function pushConditions(
  conjuncts: readonly TreeNode[],
  schema: TableSchema,
): PushedConditions {
  const bounds: TimeBound[] = []
  const predicates: Predicate[] = []
  let needsValue = false
  let isOfSeries = true
  for (const conjunct of conjuncts) {
    const times = timeBounds(conjunct)
    if (times !== undefined) {
      bounds.push(...times)
      continue
    }
    if (!namesTagsOnly(conjunct, schema)) isOfSeries = false
    const predicate = predicateOf(conjunct, schema)
    if (predicate === undefined) continue
    predicates.push(predicate)
    if ('field' in predicate) needsValue = true
  }
  return { bounds, predicates, needsValue, isOfSeries }
}

function namesTagsOnly(conjunct: TreeNode, schema: TableSchema): boolean {
  for (const node of walk(conjunct)) {
    if (node.subquery !== undefined) return false
    if (node.class === 'COLUMN_REF' && columnOf(node, schema)?.kind !== 'tag') return false
  }
  return true
}

function columnOf(node: TreeNode | undefined, schema: TableSchema): TableColumn | undefined {
  if (node?.class !== 'COLUMN_REF') return undefined
  return schema.columns.find(({ insideName }) => insideName === node.column_names!.at(-1))
}

export function isTime(node: TreeNode | undefined): boolean {
  return node?.class === 'COLUMN_REF' && node.column_names!.at(-1) === 'time'
}

const keywords = new Set(['current_timestamp', 'current_date'])

/** Its value does not depend on a row. */
export function isConstant(node: TreeNode | undefined): node is TreeNode {
  if (node === undefined) return false
  for (const each of walk(node)) {
    if (each.subquery !== undefined || each.class === 'STAR' || each.class === 'WINDOW')
      return false
    if (each.function_name === 'random' || each.function_name === 'uuid') return false
    if (each.class !== 'COLUMN_REF') continue
    if (each.column_names!.length !== 1 || !keywords.has(each.column_names![0])) return false
  }
  return true
}

export function timeBounds(node: TreeNode): TimeBound[] | undefined {
  if (node.class === 'BETWEEN' && node.type === 'COMPARE_BETWEEN' && isTime(node.input)) {
    if (!isConstant(node.lower) || !isConstant(node.upper)) return undefined
    return [
      { op: '>=', value: node.lower },
      { op: '<=', value: node.upper },
    ]
  }
  const compared = comparison(node)
  if (compared === undefined || compared.op === '!=') return undefined
  const { op, left, right } = compared
  if (isTime(left) && isConstant(right)) return [{ op, value: right }]
  if (isTime(right) && isConstant(left)) {
    return [{ op: turned[op] as TimeBound['op'], value: left }]
  }
  return undefined
}

function comparison(node: TreeNode) {
  const op = node.class === 'COMPARISON' ? comparisons[node.type!] : undefined
  if (op === undefined || node.left === undefined || node.right === undefined) return undefined
  return { op, left: node.left, right: node.right }
}

function predicateOf(node: TreeNode, schema: TableSchema): Predicate | undefined {
  if (node.class === 'CONJUNCTION') {
    const parts = node.children!.map((child) => predicateOf(child, schema))
    const known = parts.filter((part) => part !== undefined)
    if (node.type === 'CONJUNCTION_AND') {
      return known.length === 0 ? undefined : { kind: 'and', parts: known }
    }
    return known.length === parts.length ? { kind: 'or', parts: known } : undefined
  }
  if (node.type === 'OPERATOR_IS_NOT_NULL') {
    const column = columnOf(node.children![0], schema)
    return column?.kind === 'field' ? { kind: 'field-present', field: column.name } : undefined
  }
  if (node.type === 'COMPARE_IN' || node.type === 'COMPARE_NOT_IN') return membership(node, schema)
  const compared = comparison(node)
  if (compared === undefined) return undefined
  const { op, left, right } = compared
  const column = columnOf(left, schema)
  if (column !== undefined) return comparisonWith(column, op, right)
  const other = columnOf(right, schema)
  return other === undefined ? undefined : comparisonWith(other, turned[op], left)
}

function membership(node: TreeNode, schema: TableSchema): Predicate | undefined {
  const [subject, ...members] = node.children!
  const column = columnOf(subject, schema)
  const values = members.map(textValue)
  if (column?.kind !== 'tag' || !values.every((value) => value !== undefined)) return undefined
  const isIn = node.type === 'COMPARE_IN'
  const op = isIn ? '=' : '!='
  const parts = values.map(
    (value) => ({ kind: 'tag' as const, tag: column.name, op, value }) as const,
  )
  return { kind: isIn ? 'or' : 'and', parts }
}

function comparisonWith(
  column: TableColumn,
  op: Comparison,
  value: TreeNode,
): Predicate | undefined {
  const text = textValue(value)
  if (column.kind === 'tag') {
    if (text === undefined || (op !== '=' && op !== '!=')) return undefined
    return { kind: 'tag', tag: column.name, op, value: text }
  }
  if (column.kind !== 'field') return undefined
  const field = column.name
  if (column.type === 'string') {
    return text === undefined || op !== '=' ? undefined : { kind: 'field', field, op, value: text }
  }
  const number = wholeNumber(value)
  // What is beyond a float's exact numbers is left to DuckDB.
  if (number === undefined || number > 2n ** 53n || number < -(2n ** 53n)) return undefined
  if (column.type === 'integer') return { kind: 'field', field, op, value: number }
  return column.type === 'float' ? { kind: 'field', field, op, value: Number(number) } : undefined
}

/** Undefined: no moment lies within. */
export function boundedRange(
  bounds: readonly TimeBound[],
  values: readonly bigint[] | undefined,
): TimeRange | undefined {
  let { start, stop } = allTime
  // What is not known ahead narrows nothing.
  bounds.forEach(({ op }, i) => {
    const value = values?.[i]
    if (value === undefined) return
    const from = op === '>' ? value + 1n : value
    const to = op === '<' ? value : value + 1n
    if ((op === '>' || op === '>=' || op === '=') && from > start) start = from
    if ((op === '<' || op === '<=' || op === '=') && to < stop) stop = to
  })
  return start < stop ? { start, stop } : undefined
}
