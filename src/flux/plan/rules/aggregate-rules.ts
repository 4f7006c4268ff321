// Rules for aggregates that the store computes itself: of the whole range, or of windows as
// `aggregateWindow` puts them together (window, aggregate, fill, duplicate, and one window again).

import type { AggregateFunction } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import type { StreamNode } from '../../node/node.js'
import { isInfinite } from '../../table/window.js'
import { locationOf } from '../../value/location.js'
import { Duration, FluxRecord } from '../../value/value.js'
import { sourceTables } from '../storage/changed-tables.js'
import type { GroupColumns } from '../storage/group-columns.js'
import type { StorageRead } from '../storage/storage-read.js'
import type { TableSource } from '../storage/table-source.js'
import { isSelector } from '../storage/window-rows.js'
import { everyNsMax } from '../storage/window-tables.js'
import type { Planned, Rule, Shape } from './shape.js'

const functions: ReadonlyMap<string, AggregateFunction> = new Map(
  (['count', 'sum', 'mean', 'min', 'max', 'first', 'last'] as const).map((name) => [
    `universe.${name}`,
    name,
  ]),
)

/** undefined: none that the store knows, or of another column. */
export function aggregateOf({ operation, args }: StreamNode): AggregateFunction | undefined {
  const column = args.get('column')
  return column === undefined || column === '_value' ? functions.get(operation) : undefined
}

function isPlain({ rowsMax, descending }: StorageRead): boolean {
  return rowsMax === undefined && descending !== true
}

export const bareAggregateRule: Rule = (node, input, context) => {
  const name = aggregateOf(node)
  if (name === undefined || input.kind !== 'rows' || !isPlain(input.read)) return undefined
  return tablesOf({ kind: 'bare', read: input.read, function: name }, context)
}

/** What a read gives, and how it runs. */
export function tablesOf(source: TableSource, context: FluxContext): Planned {
  return {
    shape: { kind: 'tables', source, steps: [] },
    run: (general, inBatches) => sourceTables(source, context, general, inBatches),
  }
}

/** Tables that are put together, and by what. */
export function groupsOf(input: Shape): { read: StorageRead; columns: GroupColumns } | undefined {
  if (input.kind === 'groups') return input
  return input.kind === 'tables' ? input.groups : undefined
}

/** Cutting into windows; alone it is done in the usual way. */
export const windowRule: Rule = async (node, input, context) => {
  if (node.operation !== 'universe.window') return undefined
  const tables = input.kind === 'rows' ? { read: input.read, columns: undefined } : groupsOf(input)
  if (tables === undefined || !isPlain(tables.read) || !hasUsualColumns(node)) return undefined
  if (!(await isUtc(node, context))) return undefined
  const every = fixedNs(node, 'every') ?? 0n
  const period = fixedNs(node, 'period') ?? 0n
  const offsetNs = fixedNs(node, 'offset') ?? 0n
  const createEmpty = node.args.get('createEmpty') ?? false
  if (typeof createEmpty !== 'boolean' || every <= 0n || every > everyNsMax) return undefined
  if (period !== 0n && period !== every) return undefined
  if (!hasOnlyNs(node)) return undefined
  const windowing = { everyNs: every, offsetNs, createEmpty }
  return { shape: { kind: 'windows', read: tables.read, windowing, groups: tables.columns } }
}

function hasUsualColumns({ args }: StreamNode): boolean {
  const is = (name: string, usual: string) => (args.get(name) ?? usual) === usual
  return is('timeColumn', '_time') && is('startColumn', '_start') && is('stopColumn', '_stop')
}

async function isUtc(node: StreamNode, context: FluxContext): Promise<boolean> {
  const location = node.args.get('location') ?? (await context.option('universe', 'location'))
  return location === undefined || (location instanceof FluxRecord && locationOf(location).isUtc)
}

/** Months have no fixed length. */
function hasOnlyNs({ args }: StreamNode): boolean {
  return ['every', 'period', 'offset'].every((name) => {
    const value = args.get(name)
    return !(value instanceof Duration) || value.months === 0n
  })
}

function fixedNs({ args }: StreamNode, name: string): bigint | undefined {
  const value = args.get(name)
  if (!(value instanceof Duration)) return undefined
  return value.isNegative ? -value.ns : value.ns
}

/** Nothing may follow: then each window is a table. Of those without points the function itself makes something. */
export const windowAggregateRule: Rule = (node, input, context) => {
  const name = aggregateOf(node)
  if (name === undefined || input.kind !== 'windows') return undefined
  const { read, windowing, groups } = input
  if (groups?.isCut === true && isSelector(name)) return undefined
  const shape: Shape = {
    kind: 'window-aggregate',
    read,
    windowing,
    groups,
    function: name,
    isFilled: false,
    time: undefined,
  }
  if (windowing.createEmpty || groups !== undefined) return { shape }
  const { everyNs, offsetNs } = windowing
  const windows = { everyNs, offsetNs }
  return { ...tablesOf({ kind: 'split-windows', read, function: name, windows }, context), shape }
}

type WindowAggregateShape = Shape & { readonly kind: 'window-aggregate' }

export const windowFillRule: Rule = (node, input) => {
  if (input.kind !== 'window-aggregate' || input.time !== undefined) return undefined
  if (node.operation !== 'experimental/table.fill') return undefined
  return { shape: { ...input, isFilled: true } }
}

export const windowTimeRule: Rule = (node, input) => {
  if (input.kind !== 'window-aggregate' || input.time !== undefined) return undefined
  if (node.operation !== 'universe.duplicate') return undefined
  const column = node.args.get('column')
  if (node.args.get('as') !== '_time') return undefined
  if (column !== '_start' && column !== '_stop') return undefined
  return { shape: { ...input, time: column } }
}

/** Windows without points and without a row to show for it: of selectors, nothing; of aggregates, a row. */
export const unwindowRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.window' || input.kind !== 'window-aggregate') return undefined
  const every = node.args.get('every')
  if (!(every instanceof Duration) || !isInfinite(every)) return undefined
  if (input.time === undefined || !hasUsualColumns(node) || !isWhole(input)) return undefined
  return tablesOf(windowSource(input), context)
}

/** Whether `createEmpty` came with the fill that goes along with it. */
function isWhole({ windowing, isFilled }: WindowAggregateShape): boolean {
  return windowing.createEmpty === isFilled
}

function windowSource(shape: WindowAggregateShape): TableSource {
  const { read, windowing, groups, function: name, time } = shape
  const windows = { ...windowing, time: time ?? '_stop' }
  if (groups === undefined) return { kind: 'windows', read, function: name, windows }
  return { kind: 'group-windows', read, function: name, windows, by: groups }
}
