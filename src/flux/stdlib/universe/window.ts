// `window`: the rows of each table dealt out to windows of time, whose bounds become `_start` and `_stop`
// of the key. Windows are cut at the bounds of the range. Tables leave one by one where the functions
// before promise that no later table can have rows for the same window; else all wait for the last.

import type { MaybePromise } from '../../../platform/pull-stream.js'
import type { FluxContext } from '../../context/context.js'
import { hasUniformBounds, windowBehind } from '../../node/lineage.js'
import type { StreamNode } from '../../node/node.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import type { TimeBounds } from '../../table/bounds.js'
import { type MergedTable, MergedTables } from '../../table/merged-tables.js'
import type { Table, TableStream } from '../../table/table.js'
import { isInfinite, Window } from '../../table/window.js'
import { isZeroDuration, negateDuration, zeroDuration } from '../../value/duration.js'
import { FluxError, LocatedError } from '../../value/error.js'
import { type Location, locationOf, utcLocation } from '../../value/location.js'
import { addDuration } from '../../value/time.js'
import { Duration, FluxRecord, type FluxValue, MapRecord, whenReady } from '../../value/value.js'
import { WindowNode, windowAggregates } from './window-aggregates.js'
import { type WindowColumns, WindowShape, WindowShares } from './windowed-table.js'

const type = `(<-tables: stream[A], ?every: duration, ?period: duration, ?offset: duration,
  ?location: {zone: string, offset: duration}, ?timeColumn: string, ?startColumn: string,
  ?stopColumn: string, ?createEmpty: bool) => stream[B] where A: Record, B: Record`

export const windows: Definitions = {
  window: native(type, windowCall),
}

interface WindowCall extends WindowColumns {
  readonly every: Duration
  readonly period: Duration
  readonly offset: Duration
  readonly location: Location
  readonly originNs: bigint
  readonly createEmpty: boolean
  /** When a table's windows may leave: immediately, when tables of another key come, or after all. */
  readonly leave: 'immediately' | 'with-key' | 'at-end'
}

export function windowCall(call: Call): MaybePromise<FluxValue> {
  const record = locationRecord(call)
  if (!(record instanceof Promise)) return windowIn(call, record)
  return record.then((ready) => windowIn(call, ready))
}

/** The argument `location`, or the option of that name; undefined: neither is a record. */
function locationRecord(call: Call): MaybePromise<FluxRecord | undefined> {
  if (call.has('location')) return call.record('location')
  const option = call.context.option('universe', 'location')
  const read = (value: FluxValue | undefined) => (value instanceof FluxRecord ? value : undefined)
  return whenReady(option, read)
}

export function locationOfCall(call: Call): MaybePromise<Location> {
  const record = locationRecord(call)
  const read = (ready: FluxRecord | undefined) =>
    ready === undefined ? utcLocation : locationOf(ready)
  return whenReady(record, read)
}

interface WindowPlace {
  readonly location: Location
  /** Where windows are counted from: 1970, less the offset of the place, whose months follow the calendar. */
  readonly originNs: bigint
}

function windowPlace(record: FluxRecord | undefined): WindowPlace {
  if (record === undefined) return { location: utcLocation, originNs: 0n }
  const location = locationOf(record)
  const offset = record.get('offset')
  if (!(offset instanceof Duration) || isZeroDuration(offset)) return { location, originNs: 0n }
  const zone = new MapRecord(new Map([['zone', record.get('zone') ?? null]]))
  return { location: locationOf(zone), originNs: addDuration(0n, negateDuration(offset)) }
}

function windowIn(call: Call, record: FluxRecord | undefined): StreamNode {
  const every = call.duration('every', zeroDuration)
  const period = call.duration('period', zeroDuration)
  if (every.isNegative) throw new FluxError('parameter "every" must be non-negative')
  if (isZeroDuration(every) && isZeroDuration(period)) {
    const text =
      'window function requires at least one of "every" or "period" to be set and non-zero'
    throw new FluxError(text)
  }
  const tables = call.stream('tables')
  const settings: WindowCall = {
    every: isZeroDuration(every) ? period : every,
    period: isZeroDuration(period) ? every : period,
    offset: call.duration('offset', zeroDuration),
    ...windowPlace(record),
    timeColumn: call.string('timeColumn', '_time'),
    startColumn: call.string('startColumn', '_start'),
    stopColumn: call.string('stopColumn', '_stop'),
    createEmpty: call.bool('createEmpty', false),
    leave: leaving(
      tables,
      call.string('startColumn', '_start'),
      call.string('stopColumn', '_stop'),
    ),
  }
  const bounds = tables.bounds
  const node = call.node([tables], ([input], context) => {
    if (bounds === undefined) {
      throw initFailure('nil bounds passed to window; use range to set the window range')
    }
    return windowTables(input, context, settings, windowOf(settings), bounds)
  })
  if (bounds === undefined) return node
  if (!isInfinite(settings.every)) {
    const { createEmpty, leave } = settings
    const window = () => windowOf(settings)
    const isApart = leave === 'immediately'
    return new WindowNode(node, { columns: settings, bounds, createEmpty, isApart, window })
  }
  node.shortcut = windowAggregates(node, settings)
  return node
}

function leaving(tables: StreamNode, start: string, stop: string): WindowCall['leave'] {
  if (start !== '_start' || stop !== '_stop') return 'at-end'
  if (hasUniformBounds(tables)) return 'immediately'
  const behind = windowBehind(tables)
  return behind !== undefined && hasUniformBounds(behind.inputs[0]) ? 'with-key' : 'at-end'
}

function windowOf({ every, period, offset, location, originNs }: WindowCall): Window {
  try {
    return new Window(every, period, offset, location, originNs)
  } catch (error) {
    throw error instanceof FluxError ? initFailure(error.message) : error
  }
}

function initFailure(text: string): FluxError {
  return new LocatedError(`failed to initialize execute state: ${text}`)
}

async function* windowTables(
  input: TableStream,
  context: FluxContext,
  settings: WindowCall,
  window: Window,
  bounds: TimeBounds,
): AsyncGenerator<Table, void, void> {
  const { leave, createEmpty } = settings
  let merged = new MergedTables(context.memory)
  let shape: WindowShape | undefined
  let target: MergedTable | undefined
  for await (const table of input) {
    context.signal.throwIfAborted()
    if (shape === undefined || !shape.fits(table)) {
      const next = new WindowShape(table, settings)
      if (leave === 'with-key' && shape !== undefined && next.base !== shape.base) {
        yield* merged.tables()
        merged = new MergedTables(context.memory)
      }
      shape = next
      target = undefined
    }
    if (isInfinite(settings.every)) {
      target = await addAll(table, shape, bounds, merged, target)
    } else {
      const shares = new WindowShares(shape, window, bounds, context.memory)
      if (createEmpty) await shares.addWindows(context.yielder)
      await shares.read(table, context)
      if (leave === 'immediately') yield* shares.tables()
      else shares.moveTo(merged)
    }
  }
  yield* leave === 'at-end' ? merged.sortedTables() : merged.tables()
}

/** Everything is one window: that of the range. */
async function addAll(
  table: Table,
  shape: WindowShape,
  bounds: TimeBounds,
  merged: MergedTables,
  known: MergedTable | undefined,
): Promise<MergedTable | undefined> {
  let target = known
  for await (const chunk of table.chunks()) {
    if (chunk.rowCount === 0) continue
    if (target === undefined) {
      target = merged.table(shape.key(bounds))
      target.declare(shape.columns)
    }
    target.add(shape.inputColumns, chunk)
  }
  return target
}
