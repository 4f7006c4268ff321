// `aggregateWindow` in one step: window, aggregate, duplicate and the one window around all become one
// pass over the rows of a table. A table for each window would cost more than its rows: 72 µs where
// this takes about two. From the first table on for which the chain does something else than usual, all go through it.

import type { CellType } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { Shortcut } from '../../node/node.js'
import { StreamNode } from '../../node/node.js'
import { running } from '../../node/runner.js'
import type { TimeBounds } from '../../table/bounds.js'
import { expandCells, sliceCells } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { columnIndex, type Table, type TableStream } from '../../table/table.js'
import type { Window } from '../../table/window.js'
import { AggregateNode, type Aggregation, keyedTable, newAccumulator } from './aggregate.js'
import {
  type OneWindow,
  type WindowColumns,
  WindowShape,
  WindowShares,
  windowWork,
} from './windowed-table.js'

export interface Windowing {
  readonly columns: WindowColumns
  readonly bounds: TimeBounds
  readonly createEmpty: boolean
  /** No two tables may have rows for the same window. */
  readonly isApart: boolean
  /** Throws where the arguments of the call make no window. */
  window(): Window
}

export class WindowNode extends StreamNode {
  readonly windowing: Windowing

  /** `like`: what it is in all other respects. */
  constructor(like: StreamNode, windowing: Windowing) {
    super(like.operation, like.args, like.inputs, like.run, like.location)
    this.windowing = windowing
  }
}

/** The chain that ends in `node`, a window around everything. */
interface Chain extends Windowing {
  readonly aggregation: Aggregation
  readonly time: 'startNs' | 'stopNs'
  /** First to last. */
  readonly nodes: readonly StreamNode[]
}

/** About what a row of the answer takes. */
const rowBytes = 17

/** undefined: what stands before the node is something else. */
export function windowAggregates(node: StreamNode, columns: WindowColumns): Shortcut | undefined {
  const chain = isUsual(columns) ? chainOf(node) : undefined
  if (chain === undefined) return undefined
  return {
    source: chain.nodes[0].inputs[0],
    run: (input, context) => aggregatedTables(input, context, chain),
  }
}

function isUsual({ timeColumn, startColumn, stopColumn }: WindowColumns): boolean {
  return timeColumn === '_time' && startColumn === '_start' && stopColumn === '_stop'
}

function chainOf(node: StreamNode): Chain | undefined {
  const nodes = [node]
  let [at] = node.inputs
  if (at.operation !== 'universe.duplicate' || at.args.get('as') !== '_time') return undefined
  const source = at.args.get('column')
  if (source !== '_start' && source !== '_stop') return undefined
  nodes.push(at)
  ;[at] = at.inputs
  // Every window has a row behind an aggregate: there is nothing to fill.
  if (at.operation === 'experimental/table.fill') {
    nodes.push(at)
    ;[at] = at.inputs
  }
  if (!(at instanceof AggregateNode) || at.aggregation.column === '_time') return undefined
  const { aggregation } = at
  nodes.push(at)
  ;[at] = at.inputs
  if (!(at instanceof WindowNode)) return undefined
  const { windowing } = at
  if (!windowing.isApart || !isUsual(windowing.columns)) return undefined
  nodes.push(at)
  const time = source === '_start' ? 'startNs' : 'stopNs'
  return { ...windowing, aggregation, time, nodes: nodes.reverse() }
}

async function* aggregatedTables(
  input: TableStream,
  context: FluxContext,
  chain: Chain,
): AsyncGenerator<Table, void, void> {
  const window = chain.window()
  let shape: WindowShape | undefined
  const tables = input[Symbol.asyncIterator]()
  const rest = { [Symbol.asyncIterator]: () => tables }
  for await (const table of rest) {
    context.signal.throwIfAborted()
    const type = aggregatedType(table, chain, context)
    if (type === undefined) {
      // Tables that went before have other keys: nothing of these can belong to them.
      yield* throughChain(startingWith(table, rest), context, chain)
      return
    }
    if (shape?.fits(table) !== true) shape = new WindowShape(table, chain.columns)
    const shares = new WindowShares(shape, window, chain.bounds, context.memory)
    if (chain.createEmpty) await shares.addWindows(context.yielder)
    await shares.read(table, context)
    const result = await aggregated(shares.windows(), shape, type, chain, context)
    if (result === undefined) continue
    yield result.table
    context.memory.release(result.bytes)
  }
}

/** Of the column; undefined: the table is none of the usual ones, or one that the chain refuses. */
function aggregatedType(
  { key, columns }: Table,
  { aggregation: { column, make } }: Chain,
  context: FluxContext,
): CellType | undefined {
  const time = columns[columnIndex(columns, '_time')]
  const type = columns[columnIndex(columns, column)]?.type
  if (time?.type !== 'time' || type === undefined || key.has('_time')) return undefined
  if (key.has(column) || column === '_start' || column === '_stop') return undefined
  const accumulator = make(type, context)
  accumulator?.release?.()
  return accumulator === undefined ? undefined : type
}

async function* startingWith(first: Table, rest: TableStream): AsyncGenerator<Table, void, void> {
  yield first
  yield* rest
}

function throughChain(tables: TableStream, context: FluxContext, { nodes }: Chain): TableStream {
  return nodes.reduce<TableStream>(
    (input, node) => running({ node, context }, () => node.run([input], context)),
    tables,
  )
}

interface Aggregated {
  readonly table: Table
  readonly bytes: number
}

async function aggregated(
  windows: Iterable<OneWindow>,
  shape: WindowShape,
  type: CellType,
  { aggregation: { column, make }, bounds, time }: Chain,
  context: FluxContext,
): Promise<Aggregated | undefined> {
  const place = columnIndex(shape.inputColumns, column)
  const times = new CellsBuilder('time')
  let values: CellsBuilder | undefined
  let bytes = 0
  for (const { bounds: ends, parts } of windows) {
    context.memory.take(rowBytes)
    context.yielder.add(windowWork)
    if (context.yielder.isDue) await context.yielder.yield()
    bytes += rowBytes
    const accumulator = newAccumulator(make, type, context)
    try {
      for (const { chunk, from, to } of parts) {
        const cells = sliceCells(chunk.columns[place], from, to)
        accumulator.add(expandCells(cells, to - from), to - from)
      }
      values ??= new CellsBuilder(accumulator.type)
      values.push(accumulator.value())
    } finally {
      accumulator.release?.()
    }
    times.push(ends[time])
  }
  if (values === undefined) return undefined
  const rows = { rowCount: times.count, columns: [values.finish(), times.finish()] }
  const columns = [
    { name: column, type: values.type },
    { name: '_time', type: times.type },
  ]
  return { table: keyedTable(shape.key(bounds), columns, rows), bytes }
}
