// `range`: keeps the rows of a span of time and says the span in the columns `_start` and `_stop` of
// the key. The planner lets the store do this where it reads from one; here it is done to any tables.

import type { MaybePromise } from '../../../platform/pull-stream.js'
import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import { RangedNode } from '../../node/ranged-node.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { emptyBounds, intersectBounds, type TimeBounds } from '../../table/bounds.js'
import { constantCells, gatherChunk, sliceChunk } from '../../table/cells.js'
import { columnIndex, type Table, type TableStream } from '../../table/table.js'
import { endOfRun, startOfRun, timesOf, timeWords } from '../../table/time-words.js'
import { durationNs } from '../../value/duration.js'
import { FluxError, LimitError } from '../../value/error.js'
import { GroupKey } from '../../value/key.js'
import { typeText } from '../../value/type-name.js'
import { Duration, type FluxValue, Time, whenReady } from '../../value/value.js'

const type = `(<-tables: stream[{A with _time: time}], start: B, ?stop: C)
  => stream[{A with _time: time, _start: time, _stop: time}]`

export const ranges: Definitions = {
  range: native(type, range),
}

function range(call: Call): MaybePromise<FluxValue> {
  return whenReady(call.context.now(), (at) => rangeAt(call, at))
}

function rangeAt(call: Call, nowNs: bigint): FluxValue {
  const asked = {
    startNs: momentOf(call.required('start'), nowNs),
    stopNs: call.has('stop') ? momentOf(call.required('stop'), nowNs) : nowNs,
  }
  if (asked.startNs >= asked.stopNs) {
    // Flux finds this while it plans: no call stands before it.
    const stage = 'error in building plan while starting program'
    throw new LimitError(`${stage}: cannot query an empty range`)
  }
  const tables = call.stream('tables')
  const before = tables.bounds
  const bounds = before === undefined ? asked : (intersectBounds(asked, before) ?? emptyBounds)
  const source = tables instanceof RangedNode ? tables.within(bounds) : tables
  const node = call.node([source], ([input]) => rangeTables(input, bounds))
  return node.setBounds(bounds)
}

/** A time, a duration from now (a month is as long as on average here), or seconds since 1970. */
export function momentOf(value: FluxValue, nowNs: bigint): bigint {
  if (value instanceof Time) return value.ns
  if (value instanceof Duration) return BigInt.asIntN(64, nowNs + durationNs(value))
  if (typeof value === 'bigint') return BigInt.asIntN(64, value * 1_000_000_000n)
  throw new FluxError(`value is not a time, got ${typeText(value)}`)
}

async function* rangeTables(
  input: TableStream,
  bounds: TimeBounds,
): AsyncGenerator<Table, void, void> {
  const keys = new Set<string>()
  for await (const table of input) {
    const result = rangeTable(table, bounds)
    if (keys.has(result.key.text)) {
      throw new FluxError(`range found duplicate table with key: ${result.key.text}`)
    }
    keys.add(result.key.text)
    yield result
  }
}

function rangeTable(table: Table, bounds: TimeBounds): Table {
  const time = columnIndex(table.columns, '_time')
  if (time < 0) throw new FluxError("range error: supplied time column _time doesn't exist")
  if (table.columns[time].type !== 'time') {
    throw new FluxError('range error: provided time column _time is not of type time')
  }
  const start = boundColumn(table.columns, '_start', 'start')
  const stop = boundColumn(table.columns, '_stop', 'stop')
  const key = rangeKey(table.key, bounds)
  const added: TableColumn[] = []
  if (start < 0) added.push({ name: '_start', type: 'time' })
  if (stop < 0) added.push({ name: '_stop', type: 'time' })
  const columns = added.length === 0 ? table.columns : [...added, ...table.columns]
  const startCells = constantCells('time', key.entry('_start')!.value)
  const stopCells = constantCells('time', key.entry('_stop')!.value)
  const withBounds = (chunk: Chunk): Chunk => {
    const cells: Cells[] = added.map(({ name }) => (name === '_start' ? startCells : stopCells))
    for (let i = 0; i < chunk.columns.length; i++) {
      cells.push(i === start ? startCells : i === stop ? stopCells : chunk.columns[i])
    }
    return { rowCount: chunk.rowCount, columns: cells }
  }
  return { key, columns, chunks: () => chunksInRange(table, time, bounds, withBounds) }
}

function boundColumn(columns: readonly TableColumn[], name: string, word: string): number {
  const column = columnIndex(columns, name)
  if (column >= 0 && columns[column].type !== 'time') {
    throw new FluxError(`range error: provided ${word} column _time is not of type time`)
  }
  return column
}

/** A key that has both bounds keeps what they have in common with the range. */
function rangeKey(key: GroupKey, bounds: TimeBounds): GroupKey {
  const start = key.entry('_start')
  const stop = key.entry('_stop')
  let { startNs, stopNs } = bounds
  if (start !== undefined && stop !== undefined) {
    if (typeof start.value === 'bigint' && typeof stop.value === 'bigint') {
      const own = { startNs: start.value, stopNs: stop.value }
      ;({ startNs, stopNs } = intersectBounds(bounds, own) ?? bounds)
    }
  } else {
    if (start !== undefined) startNs = start.value as bigint
    if (stop !== undefined) stopNs = stop.value as bigint
  }
  const rest = key.entries.filter(({ name }) => name !== '_start' && name !== '_stop')
  return GroupKey.of([
    ...rest,
    { name: '_start', type: 'time', value: startNs },
    { name: '_stop', type: 'time', value: stopNs },
  ])
}

async function* chunksInRange(
  table: Table,
  time: number,
  bounds: TimeBounds,
  finish: (chunk: Chunk) => Chunk,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) {
    const kept = rowsInRange(chunk, time, bounds)
    if (kept.rowCount > 0) yield finish(kept)
  }
}

function rowsInRange(chunk: Chunk, time: number, { startNs, stopNs }: TimeBounds): Chunk {
  const cells = chunk.columns[time]
  const { rowCount } = chunk
  if (cells.kind === 'constant') {
    const at = cells.value as bigint | null
    const isIn = at !== null && at >= startNs && at < stopNs
    return isIn ? chunk : sliceChunk(chunk, 0, 0)
  }
  const words = timeWords(timesOf(cells, rowCount))
  const validity = cells.validity
  const from = startOfRun(words, 0, rowCount, startNs, stopNs)
  const to = endOfRun(words, from, rowCount, startNs, stopNs)
  if (validity === undefined) {
    if (to === rowCount) return sliceChunk(chunk, from, to)
    if (startOfRun(words, to, rowCount, startNs, stopNs) === rowCount) {
      return sliceChunk(chunk, from, to)
    }
  }
  const rows = new Uint32Array(rowCount)
  let count = 0
  for (let at = from; at < rowCount; ) {
    const end = endOfRun(words, at, rowCount, startNs, stopNs)
    for (; at < end; at++) if (validity === undefined || validity[at] === 1) rows[count++] = at
    at = startOfRun(words, end, rowCount, startNs, stopNs)
  }
  return gatherChunk(chunk, rows.subarray(0, count))
}
