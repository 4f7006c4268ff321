// Rules for series put together by tags: the store aggregates each series, for the whole range or by
// windows, and only groups are kept.

import { stringsOf } from '../storage/column-step.js'
import { aggregateOf, tablesOf } from './aggregate-rules.js'
import type { Rule } from './shape.js'

export const groupRule: Rule = (node, input) => {
  if (node.operation !== 'universe.group' || input.kind !== 'rows') return undefined
  const { read } = input
  if (read.rowsMax !== undefined || read.descending === true) return undefined
  const mode = node.args.get('mode') ?? 'by'
  const columns = stringsOf(node.args.get('columns') ?? [])
  if (mode !== 'by' || columns === undefined) return undefined
  if (columns.includes('_time') || columns.includes('_value')) return undefined
  return { shape: { kind: 'groups', read, columns } }
}

export const groupAggregateRule: Rule = (node, input, context) => {
  const name = aggregateOf(node)
  if (name === undefined || input.kind !== 'groups') return undefined
  const { read, columns } = input
  return tablesOf({ kind: 'groups', read, function: name, by: columns }, context)
}
