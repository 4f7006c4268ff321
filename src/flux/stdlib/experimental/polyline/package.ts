// The package `experimental/polyline`: `rdp` leaves out the rows of a table that a line drawn through the
// others passes close by.

import { setImmediate } from 'node:timers/promises'
import type { TableColumn } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import { type Call, type Definitions, transformation } from '../../../package/define.js'
import { expandCells, gatherCells } from '../../../table/cells.js'
import { type Collected, collectRows } from '../../../table/collect.js'
import { floatsOfInt64 } from '../../../table/int64.js'
import { floatCells, floatsOf, isNumberType } from '../../../table/numbers.js'
import { mapTables } from '../../../table/streams.js'
import { columnIndex, type Table } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import { keyedTable } from '../../universe/aggregate.js'
import { digitizationError, type Points, thinnedBy, thinnedTo } from './thinning.js'

interface RdpOptions {
  readonly valueColumn: string
  readonly timeColumn: string
  /** 0: not given, as for `retention`. */
  readonly epsilon: number
  readonly retention: number
}

function rdpOptions(call: Call): RdpOptions {
  const epsilon = call.float('epsilon', 0)
  if (call.has('epsilon') && !(epsilon > 0)) {
    throw new FluxError('Epsilon values need to be greater than 0.0')
  }
  const retention = call.float('retention', 0)
  if (call.has('retention') && !(retention > 0 && retention < 100)) {
    throw new FluxError('Retention percentage should be between 0.0 and 100.0')
  }
  const valueColumn = call.string('valColumn', '_value')
  return { valueColumn, timeColumn: call.string('timeColumn', '_time'), epsilon, retention }
}

async function rdpTable(table: Table, context: FluxContext, options: RdpOptions): Promise<Table> {
  context.signal.throwIfAborted()
  const { valueColumn, timeColumn, epsilon, retention } = options
  const timePlace = columnIndex(table.columns, timeColumn)
  if (timePlace < 0) throw new FluxError(`cannot find time column ${timeColumn}`)
  if (table.columns[timePlace].type !== 'time') {
    throw new FluxError(`column ${timeColumn} is not of type time`)
  }
  const valuePlace = columnIndex(table.columns, valueColumn)
  if (valuePlace < 0) throw new FluxError(`cannot find column ${valueColumn}`)
  const { type } = table.columns[valuePlace]
  if (!isNumberType(type)) {
    throw new FluxError(`rdp can work only on numerical types, got ${type}`)
  }
  if (epsilon !== 0 && retention !== 0) {
    throw new FluxError('Please provide either epsilon or retention rate and not both')
  }
  const collected = await collectRows(table, context.memory)
  try {
    return await thinnedTable(table, collected, [timePlace, valuePlace], options, context)
  } finally {
    context.memory.release(collected.bytes)
  }
}

async function thinnedTable(
  table: Table,
  { rows }: Collected,
  [timePlace, valuePlace]: readonly number[],
  options: RdpOptions,
  { signal }: FluxContext,
): Promise<Table> {
  const { rowCount } = rows
  const times = expandCells(rows.columns[timePlace], rowCount)
  const numbers = floatsOf(rows.columns[valuePlace], rowCount)
  const whole = Uint32Array.from(
    Array.from({ length: rowCount }, (_, row) => row).filter(
      (row) => times.validity?.[row] !== 0 && numbers.validity?.[row] !== 0,
    ),
  )
  const xs = floatsOfInt64(times.values as BigInt64Array, rowCount)
  const points: Points = {
    xs: Float64Array.from(whole, (row) => xs[row]),
    ys: Float64Array.from(whole, (row) => numbers.values[row]),
  }
  const order = await thin(points, options, signal)
  const kept = order.map((place) => whole[place])
  const columns: TableColumn[] = [
    { name: '_time', type: 'time' },
    { name: '_value', type: 'float' },
  ]
  const cells = [gatherCells(times, kept), gatherCells(floatCells(numbers.values, undefined), kept)]
  return keyedTable(table.key, columns, { rowCount: kept.length, columns: cells })
}

async function thin(
  points: Points,
  { epsilon, retention }: RdpOptions,
  signal: AbortSignal,
): Promise<Uint32Array> {
  const steps = thinning(points, epsilon, retention)
  for (;;) {
    const { value, done } = steps.next()
    if (done === true) return value
    await setImmediate()
    signal.throwIfAborted()
  }
}

function thinning(
  points: Points,
  epsilon: number,
  retention: number,
): Generator<void, Uint32Array, void> {
  if (epsilon !== 0) return thinnedBy(points, (_, { distance }) => distance >= epsilon)
  if (retention === 0) {
    return thinnedBy(points, (span, { distance }) => distance >= digitizationError(points, span))
  }
  const keptCount = Math.floor((retention / 100) * points.xs.length)
  if (keptCount >= 1) return thinnedTo(points, keptCount)
  const advice = 'Please consider increasing the retention rate'
  throw new FluxError(`The number of points to retain is less than 1. ${advice}`)
}

const signature = `(
  <-tables: stream[A], ?valColumn: string, ?timeColumn: string, ?epsilon: float, ?retention: float
) => stream[B] where A: Record, B: Record`

export const polylineBuiltins: Definitions = {
  rdp: transformation(signature, (call) => {
    const options = rdpOptions(call)
    return (input, context) => mapTables(input, (table) => rdpTable(table, context, options))
  }),
}
