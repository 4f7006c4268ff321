// What can be said about the tables of a stream from the functions it went through, before any table
// comes: functions that need not wait for the last table send results earlier and keep less.

import { propertyName, rowExpressionOf } from '../table/row-expression.js'
import { FluxFunction } from '../value/value.js'
import type { StreamNode } from './node.js'

/** Functions of which each table gives one table with the same key, or none. */
const keepsTables: ReadonlySet<string> = new Set([
  ...[
    'count',
    'cumulativeSum',
    'derivative',
    'difference',
    'distinct',
    'elapsed',
    'fill',
    'filter',
    'first',
    'integral',
    'last',
    'limit',
    'max',
    'mean',
    'median',
    'min',
    'mode',
    'quantile',
    'sample',
    'skew',
    'sort',
    'spread',
    'stddev',
    'sum',
    'tail',
    'unique',
  ].map((name) => `universe.${name}`),
  'experimental/table.fill',
])

/** Functions that may give other tables, which still do not differ in `_start` and `_stop`. */
const keepsBounds: ReadonlySet<string> = new Set(
  ['drop', 'group', 'keep', 'pivot'].map((name) => `universe.${name}`),
)

/** Whether no two tables of the node differ in `_start` and `_stop` alone: they are those of its `range`. */
export function hasUniformBounds(node: StreamNode): boolean {
  let at = node
  while (leavesBounds(at)) [at] = at.inputs
  return at.operation === 'universe.range'
}

function leavesBounds(node: StreamNode): boolean {
  const { operation } = node
  if (keepsTables.has(operation) || keepsBounds.has(operation)) return true
  return isNewColumn(node) || isMapOfOthers(node)
}

/** `map` of rows to `{r with …}` where neither bound is among what is set. */
function isMapOfOthers({ operation, args }: StreamNode): boolean {
  const fn = operation === 'universe.map' ? args.get('fn') : undefined
  const expression = fn instanceof FluxFunction ? rowExpressionOf(fn) : undefined
  if (expression?.extendsRow !== true) return false
  const names = expression.record.properties.map(propertyName)
  return !names.includes('_start') && !names.includes('_stop')
}

/** The window that all tables of the node come from, one behind the other as they left it. */
export function windowBehind(node: StreamNode): StreamNode | undefined {
  let at = node
  while (keepsTables.has(at.operation) || isNewColumn(at)) [at] = at.inputs
  return at.operation === 'universe.window' ? at : undefined
}

/** Whether rows come in the order of their times and sorted by key, as the store gives them. */
export function isFromStore(node: StreamNode): boolean {
  let at = node
  while (at.operation === 'universe.filter') [at] = at.inputs
  return at.operation === 'universe.range' && at.inputs[0].operation === 'influxdata/influxdb.from'
}

/** `duplicate` onto a column that windows do not go by. */
function isNewColumn({ operation, args }: StreamNode): boolean {
  const as = args.get('as')
  return operation === 'universe.duplicate' && as !== '_start' && as !== '_stop'
}
