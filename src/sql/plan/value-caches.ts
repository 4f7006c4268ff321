// `last_cache('table', 'name')` and `distinct_cache('table', 'name')`: what a database has defined as caches of its
// tables, read as a query of the table itself. A call becomes that query, in brackets:
//
//   last_cache      the newest rows of each key that are young enough, keys first
//   distinct_cache  the combinations of values that were seen lately, in order
//
// Nothing is kept between two statements: the store finds the newest rows fast enough.

import type { BucketId } from '../../store/store.js'
import type { Session } from '../engine/session.js'
import { cacheFunctions } from '../statement/allowed-functions.js'
import { planningError } from '../statement/failure.js'
import { insideName, quoteName } from '../statement/names.js'
import { type TreeNode, textValue, walk } from '../statement/tree.js'
import { type TableSchema, tableSchema } from './schema.js'
import type { DistinctCache, LastCache, SqlScope } from './scope.js'

export interface CacheContext {
  readonly session: Session
  readonly scope: SqlScope
  readonly bucket: BucketId
}

/** Changes the tree where it calls caches. */
export async function readCaches(tree: TreeNode, context: CacheContext): Promise<TreeNode> {
  const calls = [...walk(tree)].filter(
    ({ type, function: called }) =>
      type === 'TABLE_FUNCTION' && cacheFunctions.has(called?.function_name ?? ''),
  )
  for (const node of calls) {
    const called = node.function!
    const alias = node.alias || called.function_name!
    const query = await queryOf(called, context)
    const parsed = await context.session.parse(`SELECT * FROM (${query}) AS ${quoteName(alias)}`)
    // Names of the columns, where the statement gives some.
    const { column_name_alias } = node as { column_name_alias?: unknown }
    for (const key of Object.keys(node)) delete node[key as keyof TreeNode]
    Object.assign(node, parsed.from_table, { column_name_alias })
  }
  return tree
}

async function queryOf(called: TreeNode, context: CacheContext): Promise<string> {
  const [first, second, ...others] = called.children ?? []
  const [table, name] = [textValue(first), textValue(second)]
  if (table === undefined || others.length > 0) {
    throw planningError('first argument must be the table name as a string')
  }
  if (second !== undefined && name === undefined) {
    throw planningError('second argument, if passed, must be the cache name as a string')
  }
  const { scope, bucket } = context
  const schema = await tableSchema(scope.store, bucket, table)
  if (schema === undefined) throw planningError(`provided table name (${table}) is invalid`)
  const now = scope.clock.now()
  if (called.function_name === 'last_cache') {
    const cache = await scope.caches?.last(table, name)
    if (cache === undefined) throw planningError('could not find cache for the given arguments')
    return lastRows(cache, schema, now)
  }
  const cache = await scope.caches?.distinct(table, name)
  if (cache === undefined) {
    throw planningError('could not find distinct value cache for the given arguments')
  }
  return distinctRows(cache, schema, now)
}

function lastRows(cache: LastCache, schema: TableSchema, now: bigint): string {
  const { keyColumns, count, ttlSeconds } = cache
  const values =
    cache.valueColumns?.filter((name) => name !== 'time') ??
    schema.columns.flatMap(({ name }) =>
      keyColumns.includes(name) || name === 'time' ? [] : [name],
    )
  const keys = keyColumns.map((name) => columnName(name, schema))
  const others = values.map((name) => columnName(name, schema))
  // A row without one of its keys belongs to none.
  const conditions = [since(now, ttlSeconds), ...keys.map((key) => `${key} IS NOT NULL`)]
  const parts = keys.length === 0 ? '' : `PARTITION BY ${keys.join(', ')} `
  return `SELECT ${[...keys, ...others, 'time'].join(', ')} FROM ${tableName(schema)}
    WHERE ${conditions.join(' AND ')}
    QUALIFY row_number() OVER (${parts}ORDER BY time DESC) <= ${count}`
}

function distinctRows(cache: DistinctCache, schema: TableSchema, now: bigint): string {
  const { maxCardinality, maxAgeSeconds } = cache
  const names = cache.columns.map((name) => columnName(name, schema))
  const list = names.join(', ')
  const order = names.map((name) => `${name} NULLS FIRST`).join(', ')
  return `SELECT ${list} FROM (SELECT ${list} FROM ${tableName(schema)}
    WHERE ${since(now, maxAgeSeconds)} GROUP BY ${list}
    ORDER BY max(time) DESC LIMIT ${maxCardinality}) ORDER BY ${order}`
}

function since(now: bigint, seconds: number): string {
  return `time >= to_timestamp_nanos(${now - BigInt(seconds) * 1_000_000_000n})`
}

/** With its schema: a WITH clause may give its name to something else. */
function tableName({ name }: TableSchema): string {
  return `iox.${quoteName(insideName(name))}`
}

/** What was deleted from a table can take columns with it. */
function columnName(name: string, { columns, name: table }: TableSchema): string {
  const found = columns.find((column) => column.name === name)
  if (found !== undefined) return quoteName(found.insideName)
  throw planningError(`the cache names column "${name}", which table "${table}" has no more`)
}
