// Where a statement reads tables: each place with what it stands for, the conditions that its rows must
// meet, and whether all of its columns are wanted. Names of WITH clauses hide tables, and tables of other
// schemas do not exist.

import { missingTable, planningError } from './failure.js'
import { outsideName } from './names.js'
import { type TreeNode, walk } from './tree.js'

export interface TableUse {
  /** In the tree; its name is changed once its rows lie somewhere. */
  readonly node: TreeNode
  readonly schema: 'iox' | 'information_schema'
  /** As it is stored. */
  readonly name: string
  /** What columns of it may be called by. */
  readonly alias: string
  needsAll: boolean
  /** Parts of WHERE that can be about this table alone. */
  readonly conjuncts: TreeNode[]
  /** The query that names it. */
  query: TreeNode | undefined
  /** No other table stands beside it. */
  isAlone: boolean
}

const queryTypes = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'RECURSIVE_CTE_NODE',
  'CTE_NODE',
  'BASE_TABLE',
  'SUBQUERY',
  'JOIN',
  'TABLE_FUNCTION',
  'EXPRESSION_LIST',
  'EMPTY',
  'EMPTY_FROM',
])
const expressionClasses = new Set([
  'COLUMN_REF',
  'CONSTANT',
  'FUNCTION',
  'OPERATOR',
  'CONJUNCTION',
  'COMPARISON',
  'BETWEEN',
  'CASE',
  'CAST',
  'SUBQUERY',
  'WINDOW',
  'STAR',
  'LAMBDA',
])

/** Throws where the tree has what no statement needs and what could reach beyond the database. */
export function checkShape(tree: TreeNode): void {
  for (const node of walk(tree)) {
    if (node.class !== undefined && !expressionClasses.has(node.class)) {
      throw planningError(`Unsupported expression: ${node.class}`)
    }
    if (node.class === 'STAR' && node.columns === true) {
      throw planningError("Invalid function 'columns'.")
    }
    const isTable = 'sample' in node || 'from_table' in node || 'setop_type' in node
    if (isTable && node.class === undefined && !queryTypes.has(node.type ?? '')) {
      throw planningError(`Unsupported relation: ${node.type}`)
    }
    if ((node as { sample?: unknown }).sample != null) {
      throw planningError('Unsupported relation: TABLESAMPLE')
    }
  }
}

export function tableUses(tree: TreeNode): TableUse[] {
  const uses: TableUse[] = []
  visit(tree, new Set(), uses)
  return uses
}

function visit(value: unknown, names: ReadonlySet<string>, uses: TableUse[]): void {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    for (const each of value) visit(each, names, uses)
    return
  }
  const node = value as TreeNode
  if (node.type === 'BASE_TABLE') {
    const use = useOf(node, names)
    if (use !== undefined) uses.push(use)
    return
  }
  let inside = names
  if (node.cte_map?.map !== undefined) {
    inside = new Set([...names, ...node.cte_map.map.map(({ key }) => key)])
  }
  const { cte_name: own } = node as { cte_name?: string }
  if (own !== undefined) inside = new Set([...inside, own])
  for (const child of Object.values(node)) visit(child, inside, uses)
  if (node.type === 'SELECT_NODE') bindQuery(node, uses)
}

function useOf(node: TreeNode, names: ReadonlySet<string>): TableUse | undefined {
  const { catalog_name = '', schema_name = '', table_name = '' } = node
  if (catalog_name === '' && schema_name === '' && names.has(table_name)) return undefined
  const name = outsideName(table_name)
  const schema = schema_name === '' ? 'iox' : schema_name
  const isOurs = catalog_name === '' || catalog_name === 'public'
  if (!isOurs || (schema !== 'iox' && schema !== 'information_schema')) {
    throw missingTable(name, outsideName(schema))
  }
  const alias = node.alias || table_name
  const conjuncts: TreeNode[] = []
  const found = { query: undefined, isAlone: false, needsAll: false }
  return { node, schema, name, alias, conjuncts, ...found }
}

/** What a query says about the tables that stand in its own FROM. */
function bindQuery(query: TreeNode, uses: readonly TableUse[]): void {
  const { tables, isNatural, count } = directTables(query.from_table)
  const own = uses.filter(({ node }) => tables.has(node))
  const stars = [...ownNodes(query.select_list)].filter((node) => node.class === 'STAR')
  for (const use of own) {
    use.query = query
    use.isAlone = count === 1
    use.needsAll = isNatural || stars.some(({ relation_name }) => isOf(relation_name, use))
    for (const conjunct of conjunctsOf(query.where_clause)) {
      if (use.isAlone || namesOnly(conjunct, use)) use.conjuncts.push(conjunct)
    }
  }
}

function isOf(relation: string | undefined, use: TableUse): boolean {
  return relation === undefined || relation === '' || relation === use.alias
}

function directTables(from: TreeNode | null | undefined) {
  const tables = new Set<TreeNode>()
  let isNatural = false
  let count = 0
  const visitTable = (node: TreeNode | null | undefined): void => {
    if (node == null) return
    if (node.type === 'JOIN') {
      if (node.ref_type === 'NATURAL') isNatural = true
      visitTable(node.left)
      visitTable(node.right)
      return
    }
    count++
    if (node.type === 'BASE_TABLE') tables.add(node)
  }
  visitTable(from)
  return { tables, isNatural, count }
}

/** Not those of queries within. */
function* ownNodes(value: unknown): Generator<TreeNode, void, void> {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    for (const each of value) yield* ownNodes(each)
    return
  }
  const node = value as TreeNode
  if (node.type === 'SELECT_NODE') return
  yield node
  for (const child of Object.values(node)) yield* ownNodes(child)
}

export function conjunctsOf(condition: TreeNode | null | undefined): TreeNode[] {
  if (condition == null) return []
  if (condition.type !== 'CONJUNCTION_AND') return [condition]
  return condition.children!.flatMap(conjunctsOf)
}

/** Every column is called by the table's name. */
function namesOnly(condition: TreeNode, use: TableUse): boolean {
  for (const { class: kind, column_names } of walk(condition)) {
    if (kind === 'COLUMN_REF' && column_names!.at(-2) !== use.alias) return false
  }
  return true
}

/** All names that could be a column's, wherever they stand. */
export function columnNames(tree: TreeNode): Set<string> {
  const names = new Set<string>()
  for (const { column_names = [], using_columns = [] } of walk(tree)) {
    for (const name of [...column_names, ...using_columns]) names.add(name)
  }
  return names
}

/** `iox.t.c` and `public.iox.t.c` are `t.c`. */
export function shortenNames(tree: TreeNode): void {
  for (const node of walk(tree)) {
    const names = node.column_names
    if (names === undefined || names.length < 3) continue
    if (names[0] === 'public' && names[1] === 'iox') node.column_names = names.slice(2)
    else if (names[0] === 'iox') node.column_names = names.slice(1)
  }
}

/** What it is joined with, or put in more than one place by, could make DuckDB go through a table again. */
const rereading = new Set(['JOIN', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE'])

/** The statement reads this table and no other, and goes through it once: what it names by WITH, it reads once. */
export function isReadOnce(tree: TreeNode, table: TreeNode): boolean {
  const named = new Set<string>()
  for (const node of walk(tree)) {
    if (node.class === 'SUBQUERY' || rereading.has(node.type ?? '')) return false
    for (const { key } of node.cte_map?.map ?? []) {
      const name = key.toLowerCase()
      if (named.has(name)) return false
      named.add(name)
    }
  }
  for (const node of walk(tree)) {
    if (node.type !== 'BASE_TABLE' || node === table) continue
    if (!named.delete(node.table_name!.toLowerCase())) return false
  }
  return true
}
