// Rules for questions about names: chains that end in the different values of a tag or in the names of key columns are
// answered from the store's index or by its counts, without reading points.

import type { StreamNode } from '../../node/node.js'
import type { Table } from '../../table/table.js'
import type { BatchStream, TableBatch } from '../../table/table-batch.js'
import { stringsOf } from '../storage/column-step.js'
import type { GroupColumns } from '../storage/group-columns.js'
import { groupedValueTables, keyColumnTables, keyNameTables } from '../storage/schema-tables.js'
import type { StorageRead } from '../storage/storage-read.js'
import type { Rule, Shape } from './shape.js'

const noTags: ReadonlySet<string> = new Set(['_start', '_stop', '_time', '_value'])

function onlyColumn({ args }: StreamNode): string | undefined {
  const columns = args.has('fn') ? undefined : stringsOf(args.get('columns'))
  return columns?.length === 1 ? columns[0] : undefined
}

type KeyColumnShape = Shape & { readonly kind: 'key-column' }

/** Also where `keep` was taken into the read already. */
function keyColumnOf(input: Shape): KeyColumnShape | undefined {
  if (input.kind === 'key-column') return input
  if (input.kind !== 'tables' || input.source.kind !== 'rows' || input.steps.length !== 1) {
    return undefined
  }
  const { read } = input.source
  const [{ node }] = input.steps
  const column = node.operation === 'universe.keep' ? keyColumn(node, read) : undefined
  return column === undefined ? undefined : { kind: 'key-column', read, column, isGrouped: false }
}

function keyColumn(node: StreamNode, { rowsMax }: StorageRead): string | undefined {
  const column = onlyColumn(node)
  return column === undefined || noTags.has(column) || rowsMax !== undefined ? undefined : column
}

/** `keep(columns: [tag])`. */
export const keepKeyColumnRule: Rule = (node, input) => {
  if (node.operation !== 'universe.keep' || input.kind !== 'rows') return undefined
  const { read } = input
  const column = keyColumn(node, read)
  if (column === undefined) return undefined
  return { shape: { kind: 'key-column', read, column, isGrouped: false } }
}

export const groupKeyColumnRule: Rule = (node, input) => {
  if (node.operation !== 'universe.group') return undefined
  const kept = keyColumnOf(input)
  if (kept === undefined) return undefined
  const columns = stringsOf(node.args.get('columns') ?? [])
  if ((node.args.get('mode') ?? 'by') !== 'by' || columns?.length !== 0) return undefined
  return { shape: { ...kept, isGrouped: true } }
}

export const keyValuesRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.distinct' || input.kind !== 'key-column') return undefined
  const { read, column, isGrouped } = input
  if (!isGrouped || node.args.get('column') !== column) return undefined
  return { run: (general) => answered(keyColumnTables(read, column, context), general) }
}

/** `group() |> distinct(column: tag)`: tables that do not have the tag count as one value more, which is none. */
export const groupedValuesRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.distinct' || input.kind !== 'groups') return undefined
  const column = node.args.get('column')
  if (typeof column !== 'string' || noTags.has(column) || !isOneGroup(input.columns))
    return undefined
  return { run: (general) => answered(groupedValueTables(input.read, column, context), general) }
}

export const keysRule: Rule = (node, input) => {
  if (node.operation !== 'universe.keys' || input.kind !== 'rows') return undefined
  const { read } = input
  if ((node.args.get('column') ?? '_value') !== '_value') return undefined
  return read.rowsMax === undefined
    ? { shape: { kind: 'key-names', read, isKept: false } }
    : undefined
}

export const keepKeysRule: Rule = (node, input) => {
  if (node.operation !== 'universe.keep' || input.kind !== 'key-names') return undefined
  return onlyColumn(node) === '_value' ? { shape: { ...input, isKept: true } } : undefined
}

export const keyNamesRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.distinct' || input.kind !== 'key-names') return undefined
  if (!input.isKept || (node.args.get('column') ?? '_value') !== '_value') return undefined
  return { run: (general) => answered(keyNameTables(input.read, context), general) }
}

async function* answered(
  answer: Promise<readonly Table[] | undefined>,
  general: () => BatchStream,
): AsyncGenerator<Table | TableBatch, void, void> {
  const tables = await answer
  if (tables === undefined) yield* general()
  else yield* tables
}

function isOneGroup({ names, isExcept }: GroupColumns): boolean {
  return names.size === 0 && !isExcept
}
