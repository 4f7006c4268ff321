// The names of columns that a statement computes without naming them, as the v3 products print them:
// `avg(home.temp)`, `count(*)`. They become aliases before the tree is changed, so that no function of ours
// shows in an answer.

import { intervalOf } from './intervals.js'
import { comparisons, type TreeNode, textValue, walk } from './tree.js'

export function nameColumns(tree: TreeNode): void {
  for (const node of walk(tree)) {
    if (node.type !== 'SELECT_NODE') continue
    const table = node.from_table?.type === 'BASE_TABLE' ? node.from_table : undefined
    const name = table === undefined ? undefined : table.alias || table.table_name
    for (const item of node.select_list ?? []) {
      const isNamed = item.alias !== undefined && item.alias !== ''
      const keyword =
        item.class === 'COLUMN_REF' ? keywords.get(item.column_names!.join('.')) : undefined
      if (isNamed || item.class === 'STAR') continue
      if (item.class === 'COLUMN_REF' && keyword === undefined) continue
      const title = keyword ?? titleOf(item, name)
      if (title !== undefined) item.alias = title
    }
  }
}

/** No plain object: a column may be called `constructor`. */
const keywords: ReadonlyMap<string, string> = new Map([
  ['current_timestamp', 'now()'],
  ['current_date', 'current_date()'],
  ['current_time', 'current_time()'],
])

/** Undefined where DuckDB's name will do. */
function titleOf(node: TreeNode, table: string | undefined): string | undefined {
  const title = (each: TreeNode | undefined) =>
    each === undefined ? undefined : titleOf(each, table)
  switch (node.class) {
    case 'COLUMN_REF': {
      const names = node.column_names!
      return names.length === 1 && table !== undefined ? `${table}.${names[0]}` : names.join('.')
    }
    case 'CONSTANT':
      return constantTitle(node)
    case 'CAST':
      return intervalTitle(node) ?? booleanTitle(node) ?? title(node.child)
    case 'COMPARISON':
      return joined([title(node.left), title(node.right)], ` ${comparisons[node.type!] ?? '?'} `)
    case 'CONJUNCTION':
      return joined(node.children!.map(title), node.type === 'CONJUNCTION_AND' ? ' AND ' : ' OR ')
    case 'OPERATOR':
      return operatorTitle(node, title)
    case 'FUNCTION':
      return callTitle(node, title)
    case 'WINDOW': {
      const inside = joined((node.children ?? []).map(title), ',')
      return inside === undefined ? undefined : `${node.function_name}(${inside})`
    }
  }
  return undefined
}

function joined(parts: (string | undefined)[], between: string): string | undefined {
  return parts.every((part) => part !== undefined) ? parts.join(between) : undefined
}

function constantTitle({ value }: TreeNode): string | undefined {
  if (value === undefined || value.is_null) return 'NULL'
  switch (value.type.id) {
    case 'VARCHAR':
      return `Utf8("${value.value}")`
    case 'BOOLEAN':
      return `Boolean(${value.value})`
    case 'INTEGER':
    case 'BIGINT':
      return `Int64(${String(value.value).replace('\0', '')})`
    case 'DOUBLE':
      return `Float64(${value.value})`
    case 'DECIMAL': {
      const { scale } = value.type.type_info as { scale: number }
      return `Float64(${Number(String(value.value).replace('\0', '')) / 10 ** scale})`
    }
  }
  return undefined
}

function intervalTitle(node: TreeNode): string | undefined {
  const interval = node.cast_type?.id === 'INTERVAL' ? intervalOf(node) : undefined
  if (interval === undefined) return undefined
  const { months, ns } = interval
  const inside = `months: ${months}, days: 0, nanoseconds: ${ns}`
  return `IntervalMonthDayNano("IntervalMonthDayNano { ${inside} }")`
}

/** `true` and `false` are texts that are cast, to DuckDB's parser. */
function booleanTitle({ child, cast_type }: TreeNode): string | undefined {
  if (cast_type?.id !== 'BOOLEAN') return undefined
  const text = textValue(child)
  return text === 't' || text === 'f' ? `Boolean(${text === 't'})` : undefined
}

type Title = (node: TreeNode | undefined) => string | undefined

function operatorTitle(node: TreeNode, title: Title): string | undefined {
  const [first, second] = node.children ?? []
  switch (node.type) {
    case 'ARRAY_EXTRACT':
    case 'STRUCT_EXTRACT':
      return joined([title(first), `[${textValue(second) ?? title(second)}]`], '')
    case 'OPERATOR_NOT':
      return joined(['NOT', title(first)], ' ')
    case 'OPERATOR_IS_NULL':
      return joined([title(first), 'IS NULL'], ' ')
    case 'OPERATOR_IS_NOT_NULL':
      return joined([title(first), 'IS NOT NULL'], ' ')
    case 'OPERATOR_COALESCE':
      return joined(['coalesce(', joined((node.children ?? []).map(title), ','), ')'], '')
  }
  return undefined
}

function callTitle(node: TreeNode, title: Title): string | undefined {
  const name = node.function_name!
  if (name === 'count_star') return 'count(*)'
  const interval = /^to_/.test(name) ? intervalOf(node) : undefined
  if (interval !== undefined) return undefined
  const parts = (node.children ?? []).map(title)
  if (node.is_operator === true && parts.length === 2) return joined(parts, ` ${name} `)
  const inside = joined(parts, ',')
  if (inside === undefined) return undefined
  return `${name}(${node.distinct === true ? 'DISTINCT ' : ''}${inside})`
}
