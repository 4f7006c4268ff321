// `stateTracking`: how many rows in a row, and for how long, a function has said true. -1 stands where
// it did not.

import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import {
  type Call,
  type Definitions,
  type Transform,
  transformation,
} from '../../package/define.js'
import { RowCalls, rowCall } from '../../table/row-calls.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { timesOf } from '../../table/time-words.js'
import { durationNs, durationOfNs } from '../../value/duration.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'
import type { PositionalCall } from '../../value/value.js'

const type = `(<-tables: stream[A], fn: (r: A) => bool, ?countColumn: string, ?durationColumn: string,
  ?durationUnit: duration, ?timeColumn: string) => stream[B] where A: Record, B: Record`

export const stateTrackings: Definitions = {
  stateTracking: transformation(type, tracking),
}

const oneSecond = durationOfNs(1_000_000_000n)

interface Tracking {
  readonly call: PositionalCall
  /** Empty: not asked for. */
  readonly countColumn: string
  readonly durationColumn: string
  readonly unitNs: bigint
  readonly timeColumn: string
}

function tracking(call: Call): Transform {
  const unit = call.duration('durationUnit', oneSecond)
  const settings: Tracking = {
    call: rowCall(call.function('fn')),
    countColumn: call.string('countColumn', ''),
    durationColumn: call.string('durationColumn', ''),
    unitNs: durationNs(unit),
    timeColumn: call.string('timeColumn', '_time'),
  }
  if (settings.durationColumn !== '' && settings.unitNs <= 0n) {
    throw new FluxError('state tracking duration unit must be greater than zero')
  }
  return (input, context) => mapTables(input, (table) => trackedTable(table, settings, context))
}

function trackedTable(table: Table, settings: Tracking, context: FluxContext): Table {
  const { countColumn, durationColumn } = settings
  const names = [countColumn, durationColumn].filter((name) => name !== '')
  const added = names.map((name): TableColumn => ({ name, type: 'int' }))
  const columns = [...table.columns, ...added]
  return { key: table.key, columns, chunks: () => trackedChunks(table, settings, context) }
}

async function* trackedChunks(
  table: Table,
  settings: Tracking,
  context: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  const { timeColumn, countColumn, durationColumn } = settings
  const time = columnIndex(table.columns, timeColumn)
  if (time < 0) throw new FluxError(`column ${quoted(timeColumn)} does not exist`)
  const state = new State(settings)
  const calls = new RowCalls(settings.call, table.columns, '')
  for await (const chunk of table.chunks()) {
    context.signal.throwIfAborted()
    const { rowCount } = chunk
    calls.chunk = chunk
    const times = durationColumn === '' ? undefined : knownTimes(chunk, time)
    const counts = new BigInt64Array(rowCount)
    const durations = new BigInt64Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const result = calls.at(row)
      const isIn = (result instanceof Promise ? await result : result) === true
      if (times !== undefined) durations[row] = state.duration(isIn, times[row])
      counts[row] = state.count(isIn)
    }
    const added: Cells[] = []
    if (countColumn !== '') added.push(intCells(counts))
    if (durationColumn !== '') added.push(intCells(durations))
    yield { rowCount, columns: [...chunk.columns, ...added] }
  }
}

function knownTimes(chunk: Chunk, time: number): BigInt64Array {
  const cells = chunk.columns[time]
  const hasNull =
    cells.kind === 'constant'
      ? cells.value === null && chunk.rowCount > 0
      : cells.validity?.subarray(0, chunk.rowCount).includes(0)
  if (hasNull) throw new FluxError('got a null timestamp')
  return timesOf(cells, chunk.rowCount)
}

function intCells(values: BigInt64Array): Cells {
  return { kind: 'values', type: 'int', values, validity: undefined }
}

class State {
  readonly #unitNs: bigint
  #count = 0n
  #startNs: bigint | undefined
  #previousNs = 0n

  constructor({ unitNs }: Tracking) {
    this.#unitNs = unitNs
  }

  /** Rows of the state so far; -1: not in it. */
  count(isIn: boolean): bigint {
    this.#count = isIn ? this.#count + 1n : 0n
    return isIn ? this.#count : -1n
  }

  duration(isIn: boolean, timeNs: bigint): bigint {
    if (this.#previousNs > timeNs) throw new FluxError('got an out-of-order timestamp')
    this.#previousNs = timeNs
    if (!isIn) {
      this.#startNs = undefined
      return -1n
    }
    this.#startNs ??= timeNs
    return (timeNs - this.#startNs) / this.#unitNs
  }
}
