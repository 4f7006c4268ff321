// A WHERE clause as the store can be told it, to the letter: no row that the store hands over has to be looked at
// again for these conditions. What cannot be told that way is left over.

import { type Comparison, type Predicate, predicateFields } from '../../column/predicate.js'
import { type TimeBound, timeBounds } from '../plan/conditions.js'
import type { TableColumn } from '../plan/schema.js'
import { conjunctsOf } from '../statement/table-uses.js'
import { comparisons, type TreeNode, textValue, wholeNumber } from '../statement/tree.js'

export interface ExactConditions {
  readonly bounds: readonly TimeBound[]
  readonly predicate: Predicate | undefined
  /** A row without a value in a field of the conditions cannot pass. */
  readonly needsValue: boolean
  /** Fields that are looked at. */
  readonly fields: readonly string[]
  /** What must hold besides. */
  readonly rest: readonly TreeNode[]
}

export type ColumnOf = (node: TreeNode | undefined) => TableColumn | undefined

export function exactConditions(
  clause: TreeNode | null | undefined,
  columnOf: ColumnOf,
): ExactConditions {
  const bounds: TimeBound[] = []
  const parts: Predicate[] = []
  const rest: TreeNode[] = []
  for (const conjunct of conjunctsOf(clause)) {
    const times = timeBounds(conjunct)
    if (times !== undefined) bounds.push(...times)
    else {
      const part = predicateOf(conjunct, columnOf)
      if (part === undefined) rest.push(conjunct)
      else parts.push(part)
    }
  }
  return {
    bounds,
    predicate: parts.length <= 1 ? parts[0] : { kind: 'and', parts },
    needsValue: parts.some((part) => 'field' in part),
    fields: parts.flatMap((part) => [...predicateFields(part)]),
    rest,
  }
}

function predicateOf(node: TreeNode, columnOf: ColumnOf): Predicate | undefined {
  if (node.class === 'CONJUNCTION') {
    const parts = node.children!.map((child) => predicateOf(child, columnOf))
    const kind = node.type === 'CONJUNCTION_AND' ? 'and' : 'or'
    return parts.every((part) => part !== undefined) ? { kind, parts } : undefined
  }
  if (node.class === 'OPERATOR') return presenceTest(node, columnOf) ?? tagTest(node, columnOf)
  const op = node.class === 'COMPARISON' ? comparisons[node.type!] : undefined
  const column = columnOf(node.left)
  if (op === undefined || column === undefined || node.right === undefined) return undefined
  if (column.kind !== 'tag') return fieldTest(column, op, node.right)
  const value = textValue(node.right)
  if (!value || (op !== '=' && op !== '!=')) return undefined
  return tagIs(column.name, op, [value])
}

function presenceTest(node: TreeNode, columnOf: ColumnOf): Predicate | undefined {
  const column = columnOf(node.children![0])
  if (column?.kind !== 'field' || node.type !== 'OPERATOR_IS_NOT_NULL') return undefined
  return { kind: 'field-present', field: column.name }
}

function tagTest(node: TreeNode, columnOf: ColumnOf): Predicate | undefined {
  const [subject, ...members] = node.children!
  const column = columnOf(subject)
  if (column?.kind !== 'tag') return undefined
  switch (node.type) {
    case 'OPERATOR_IS_NULL':
      return { kind: 'tag', tag: column.name, op: '=', value: '' }
    case 'OPERATOR_IS_NOT_NULL':
      return { kind: 'tag', tag: column.name, op: '!=', value: '' }
  }
  if (node.type !== 'COMPARE_IN' && node.type !== 'COMPARE_NOT_IN') return undefined
  const values = members.map(textValue)
  // An absent tag reads as the empty text in the store, and is none in SQL.
  if (!values.every((value) => value !== undefined && value !== '')) return undefined
  return tagIs(column.name, node.type === 'COMPARE_IN' ? '=' : '!=', values as string[])
}

function tagIs(tag: string, op: '=' | '!=', values: readonly string[]): Predicate {
  const parts = (op === '=' ? values : [...values, '']).map(
    (value) => ({ kind: 'tag', tag, op, value }) as const,
  )
  if (parts.length === 1) return parts[0]
  return { kind: op === '=' ? 'or' : 'and', parts }
}

function fieldTest(column: TableColumn, op: Comparison, constant: TreeNode): Predicate | undefined {
  if (column.kind !== 'field') return undefined
  const field = column.name
  if (column.type === 'string') {
    const value = textValue(constant)
    if (value === undefined || (op !== '=' && op !== '!=')) return undefined
    return { kind: 'field', field, op, value }
  }
  const whole = wholeNumber(constant)
  if (column.type === 'integer') {
    return whole === undefined ? undefined : { kind: 'field', field, op, value: whole }
  }
  if (column.type !== 'float') return undefined
  const value = whole === undefined ? decimal(constant) : Number(whole)
  return value === undefined ? undefined : { kind: 'field', field, op, value }
}

function decimal({ value }: TreeNode): number | undefined {
  if (value?.type.id !== 'DECIMAL') return undefined
  const { scale } = value.type.type_info as { scale: number }
  return Number(`${value.value}e-${scale}`)
}
