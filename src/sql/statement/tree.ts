// The tree of a statement as DuckDB's parser writes it to JSON, and what is done to every tree: reading it
// without losing digits, walking it, copying it, making nodes. One open interface instead of a closed
// union: the tree is DuckDB's, and only the parts named here are looked at.

import type { Comparison } from '../../column/predicate.js'

export interface TreeNode {
  /** Of an expression: COLUMN_REF, CONSTANT, FUNCTION, ... */
  class?: string
  type?: string
  alias?: string
  query_location?: number
  // Expressions.
  column_names?: string[]
  function_name?: string
  schema?: string
  catalog?: string
  children?: TreeNode[]
  child?: TreeNode
  left?: TreeNode
  right?: TreeNode
  input?: TreeNode
  lower?: TreeNode
  upper?: TreeNode
  filter?: TreeNode | null
  distinct?: boolean
  is_operator?: boolean
  order_bys?: TreeNode | null
  value?: TreeValue
  cast_type?: TreeType
  relation_name?: string
  columns?: boolean
  subquery?: { node: TreeNode }
  try_cast?: boolean
  // Tables.
  table_name?: string
  schema_name?: string
  catalog_name?: string
  ref_type?: string
  join_type?: string
  using_columns?: string[]
  function?: TreeNode
  condition?: TreeNode | null
  // Queries.
  select_list?: TreeNode[]
  from_table?: TreeNode | null
  where_clause?: TreeNode | null
  group_expressions?: TreeNode[]
  group_sets?: number[][]
  having?: TreeNode | null
  qualify?: TreeNode | null
  modifiers?: TreeNode[]
  orders?: { type: string; null_order: string; expression: TreeNode }[]
  cte_map?: { map: { key: string; value: { query: { node: TreeNode } } }[] }
}

/** What stands in the place of a node while a statement runs; the tree itself stays as it was parsed. */
export type TreeChanges = ReadonlyMap<TreeNode, TreeNode>

export interface TreeType {
  id: string
  type_info?: unknown
}

export interface TreeValue {
  type: TreeType
  is_null: boolean
  value?: unknown
}

/** By DuckDB's names. */
export const comparisons: Readonly<Record<string, Comparison>> = {
  COMPARE_EQUAL: '=',
  COMPARE_NOTEQUAL: '!=',
  COMPARE_LESSTHAN: '<',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHAN: '>',
  COMPARE_GREATERTHANOREQUALTO: '>=',
}

/** Digits beyond what a float holds travel as text with this in front; no text of a statement has a zero byte. */
const bigMark = '\0'
const bigNumbers = /"(value|lower|upper)":(-?\d{16,})(?=[,}])/g
const bigTexts = /"(value|lower|upper)":"\\u0000(-?\d+)"/g

export function parseTree(json: string): TreeNode {
  return JSON.parse(json.replace(bigNumbers, '"$1":"\\u0000$2"')) as TreeNode
}

/** Without places in the text: those that are not known are numbers that JavaScript has not. */
export function printTree(tree: unknown): string {
  const json = JSON.stringify(tree, (key, value) => (key === 'query_location' ? undefined : value))
  return json.replace(bigTexts, '"$1":$2')
}

/** The whole number that a constant holds, if it holds one. */
export function wholeNumber(node: TreeNode): bigint | undefined {
  const { value } = node
  if (node.class !== 'CONSTANT' || value === undefined || value.is_null) return undefined
  if (!/^U?(TINY|SMALL|BIG)?INT(EGER)?$/.test(value.type.id)) return undefined
  return BigInt(String(value.value).replace(bigMark, ''))
}

/** The text that a constant holds, if it holds one. */
export function textValue(node: TreeNode | undefined): string | undefined {
  const isText = node?.class === 'CONSTANT' && node.value?.type.id === 'VARCHAR'
  return isText && !node.value!.is_null ? (node.value!.value as string) : undefined
}

/** Every object of the tree, parents first. */
export function* walk(node: unknown): Generator<TreeNode, void, void> {
  if (node === null || typeof node !== 'object') return
  if (!Array.isArray(node)) yield node as TreeNode
  for (const child of Object.values(node)) yield* walk(child)
}

/** A new tree in which `change` stands in for the nodes that it gives something for; those are not entered. */
export function replaceNodes<T>(node: T, change: (node: TreeNode) => TreeNode | undefined): T {
  if (node === null || typeof node !== 'object') return node
  if (Array.isArray(node)) return node.map((each) => replaceNodes(each, change)) as T
  const changed = change(node as TreeNode)
  if (changed !== undefined) return changed as T
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, replaceNodes(value, change)]),
  ) as T
}

/** The same wherever it stands and whatever it is called. */
export function fingerprint(node: TreeNode): string {
  return JSON.stringify({ ...node, alias: '' }, (key, value) =>
    key === 'query_location' ? undefined : value,
  )
}

export function column(...names: string[]): TreeNode {
  return { class: 'COLUMN_REF', type: 'COLUMN_REF', alias: '', column_names: names }
}

export function call(name: string, ...children: TreeNode[]): TreeNode {
  return {
    class: 'FUNCTION',
    type: 'FUNCTION',
    alias: '',
    function_name: name,
    schema: '',
    children,
    filter: null,
    order_bys: { type: 'ORDER_MODIFIER', orders: [] },
    distinct: false,
    is_operator: false,
  }
}

export function text(value: string): TreeNode {
  return constant('VARCHAR', value)
}

export function whole(value: bigint): TreeNode {
  const isBig = value > BigInt(Number.MAX_SAFE_INTEGER) || value < -BigInt(Number.MAX_SAFE_INTEGER)
  return constant('BIGINT', isBig ? bigMark + value : Number(value))
}

function constant(id: string, value: unknown): TreeNode {
  const held = { type: { id, type_info: null }, is_null: false, value }
  return { class: 'CONSTANT', type: 'VALUE_CONSTANT', alias: '', value: held }
}

export function cast(child: TreeNode, id: string): TreeNode {
  const cast_type = { id, type_info: null }
  return { class: 'CAST', type: 'OPERATOR_CAST', alias: '', child, cast_type, try_cast: false }
}

export function operator(type: string, ...children: TreeNode[]): TreeNode {
  return { class: 'OPERATOR', type, alias: '', children }
}

/** A query without tables. */
export function select(...select_list: TreeNode[]): TreeNode {
  const none = { group_expressions: [], group_sets: [], aggregate_handling: 'STANDARD_HANDLING' }
  return {
    type: 'SELECT_NODE',
    modifiers: [],
    cte_map: { map: [] },
    select_list,
    from_table: { type: 'EMPTY', alias: '' },
    ...none,
  }
}
