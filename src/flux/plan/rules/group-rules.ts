// Rules for series put together by tags: the store aggregates each series, for the whole range or by
// windows, and only groups are kept.

import { stringsOf } from '../storage/column-step.js'
import { makesGroup } from '../storage/group-columns.js'
import { isSelector } from '../storage/window-rows.js'
import { aggregateOf, groupsOf, tablesOf } from './aggregate-rules.js'
import type { Rule } from './shape.js'

export const groupRule: Rule = (node, input) => {
  if (node.operation !== 'universe.group' || input.kind !== 'rows') return undefined
  const { read } = input
  if (read.rowsMax !== undefined || read.descending === true) return undefined
  const mode = node.args.get('mode') ?? 'by'
  const names = stringsOf(node.args.get('columns') ?? [])
  if ((mode !== 'by' && mode !== 'except') || names === undefined) return undefined
  const columns = { names: new Set(names), isExcept: mode === 'except', isCut: false }
  if (makesGroup(columns, '_time') || makesGroup(columns, '_value')) return undefined
  return { shape: { kind: 'groups', read, columns } }
}

export const groupAggregateRule: Rule = (node, input, context) => {
  const name = aggregateOf(node)
  const groups = groupsOf(input)
  if (name === undefined || groups === undefined) return undefined
  if (groups.columns.isCut && isSelector(name)) return undefined
  const { read, columns } = groups
  return tablesOf({ kind: 'groups', read, function: name, by: columns }, context)
}
