// The package `interpolate`: rows put in at the bounds of windows that lie between two rows, with values
// on the straight line between them.

import type { Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { constantCells, expandCells } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { Window } from '../../table/window.js'
import { zeroDuration } from '../../value/duration.js'
import { FluxError } from '../../value/error.js'
import { addDuration } from '../../value/time.js'

/** Rows of so many cells leave at a time, however far apart two rows of the input are. */
const chunkRowsMax = 16_384

class Line {
  readonly #window: Window
  #timeNs = 0n
  #value = 0
  #hasPoint = false

  constructor(window: Window) {
    this.#window = window
  }

  /** The points on the way to the next one, and that one. */
  *to(timeNs: bigint, value: number): Generator<readonly [bigint, number], void, void> {
    if (this.#hasPoint) {
      const slope = (value - this.#value) / Number(timeNs - this.#timeNs)
      let betweenNs = this.#window.latest(this.#timeNs).stopNs
      while (betweenNs < timeNs) {
        yield [betweenNs, this.#value + slope * Number(betweenNs - this.#timeNs)]
        betweenNs = addDuration(betweenNs, this.#window.every)
      }
    }
    yield [timeNs, value]
    this.#timeNs = timeNs
    this.#value = value
    this.#hasPoint = true
  }
}

function interpolated(table: Table, context: FluxContext, window: Window): Table {
  const { key, columns } = table
  for (const { name } of columns) {
    if (key.has(name) || name === '_time' || name === '_value') continue
    throw new FluxError(`interpolate.linear requires column "${name}" to be in group key`)
  }
  for (const name of ['_time', '_value']) {
    if (columnIndex(columns, name) < 0) throw new FluxError(`${name} column does not exist`)
  }
  const { type } = columns[columnIndex(columns, '_value')]
  if (type !== 'float') {
    throw new FluxError(`cannot interpolate ${type} values; expected float values`)
  }
  return { key, columns, chunks: () => interpolatedChunks(table, context, new Line(window)) }
}

async function* interpolatedChunks(
  table: Table,
  context: FluxContext,
  line: Line,
): AsyncGenerator<Chunk, void, void> {
  const timePlace = columnIndex(table.columns, '_time')
  const valuePlace = columnIndex(table.columns, '_value')
  let times = new CellsBuilder('time')
  let values = new CellsBuilder('float')
  const take = (): Chunk => {
    const chunk = rowsOf(table, times, values)
    times = new CellsBuilder('time')
    values = new CellsBuilder('float')
    return chunk
  }
  for await (const { columns, rowCount } of table.chunks()) {
    const timeCells = expandCells(columns[timePlace], rowCount)
    const valueCells = expandCells(columns[valuePlace], rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (timeCells.validity?.[row] === 0) throw nullFound('_time')
      if (valueCells.validity?.[row] === 0) throw nullFound('_value')
      for (const [timeNs, value] of line.to(
        timeCells.values[row] as bigint,
        valueCells.values[row] as number,
      )) {
        times.push(timeNs)
        values.push(value)
        if (times.count < chunkRowsMax) continue
        context.signal.throwIfAborted()
        yield take()
      }
    }
  }
  if (times.count > 0) yield take()
}

function nullFound(name: string): FluxError {
  return new FluxError(`null ${name} found during linear interpolation`)
}

function rowsOf({ key, columns }: Table, times: CellsBuilder, values: CellsBuilder): Chunk {
  const rowCount = times.count
  const made = new Map([
    ['_time', times.finish()],
    ['_value', values.finish()],
  ])
  const cellsOf = ({ name, type }: TableColumn) =>
    made.get(name) ?? constantCells(type, key.entry(name)?.value ?? null)
  return { rowCount, columns: columns.map(cellsOf) }
}

export const interpolateBuiltins: Definitions = {
  linear: transformation(
    `(<-tables: stream[{T with _time: time, _value: float}], every: duration) =>
          stream[{T with _time: time, _value: float}]`,
    (call) => {
      const every = call.duration('every')
      const window = new Window(every, every, zeroDuration)
      return (input, context) => mapTables(input, (table) => interpolated(table, context, window))
    },
  ),
}
