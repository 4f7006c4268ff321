// Rules for series put together by tags: the store aggregates each series, for the whole range or by
// windows, and only groups are kept.

import type { FluxContext } from '../../evaluate/context.js'
import type { TableStream } from '../../table/table.js'
import type { FluxValue } from '../../value/value.js'
import type { Rule, Shape } from '../shape.js'
import { type GroupFunction, groupAggregateTables } from '../storage/group-tables.js'
import { selectFields } from '../storage/storage-read.js'
import { canAggregate } from '../storage/window-tables.js'
import { aggregateOf } from './aggregate-rules.js'

export function stringsOf(value: FluxValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.every((each) => typeof each === 'string') ? (value as readonly string[]) : undefined
}

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
  if (name === undefined || name === 'mean' || input.kind !== 'groups') return undefined
  return { run: (general) => groupTables(input, name, context, general) }
}

async function* groupTables(
  { read, columns }: Shape & { readonly kind: 'groups' },
  name: GroupFunction,
  context: FluxContext,
  general: () => TableStream,
): TableStream & AsyncGenerator {
  const fields = await selectFields(read, context)
  const tables = canAggregate(name, fields)
    ? await groupAggregateTables(read, fields, name, columns, context)
    : undefined
  if (tables === undefined) yield* general()
  else yield* tables
}
