// derivative and elapsed: how fast columns change, and how long it is from row to row. Times are
// subtracted as two halves of 32 bits (`table/int64.ts`).

import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { expandCells, gatherChunk, sliceChunk } from '../../table/cells.js'
import { setWords, wordsDifference, wordsOf } from '../../table/int64.js'
import { type Floats, floatCells, isNumberType } from '../../table/numbers.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { durationNs } from '../../value/duration.js'
import { FluxError } from '../../value/error.js'
import { Duration } from '../../value/value.js'
import { namedColumns } from './differences.js'

const oneSecond = new Duration(0n, 1_000_000_000n, false)

/** Nanoseconds from each row to the next; the first from `beforeNs`, or 0 where there was none. */
function stepsOf(
  times: BigInt64Array,
  rowCount: number,
  beforeNs: bigint | undefined,
): Float64Array {
  const words = wordsOf(times)
  const steps = new Float64Array(rowCount)
  if (beforeNs !== undefined) steps[0] = Number(times[0] - beforeNs)
  for (let row = 1; row < rowCount; row++) steps[row] = wordsDifference(words, row, row - 1)
  return steps
}

interface DerivativeOptions {
  readonly columns: ReadonlySet<string>
  readonly timeColumn: string
  readonly unitNs: number
  readonly nonNegative: boolean
  readonly initialZero: boolean
}

/** One column of one table: the last value, and how long ago that was. */
class Derivative {
  readonly #options: DerivativeOptions
  /** Integers are told from the first one, so that large ones lose nothing when they become floats. */
  #base: bigint | undefined
  #before = 0
  #hasBefore = false
  #sinceNs = 0

  constructor(options: DerivativeOptions) {
    this.#options = options
  }

  next(cells: Cells, stepsNs: Float64Array, rowCount: number): Cells {
    const { values, validity } = this.#numbers(cells, rowCount)
    const { unitNs, nonNegative, initialZero } = this.#options
    const rates = new Float64Array(rowCount)
    const valid = new Uint8Array(rowCount)
    let sinceNs = this.#sinceNs
    let before = this.#before
    let hasBefore = this.#hasBefore
    for (let row = 0; row < rowCount; row++) {
      sinceNs += stepsNs[row]
      if (validity !== undefined && validity[row] === 0) continue
      const change = values[row] - before
      if (hasBefore && (!nonNegative || !(change < 0))) {
        rates[row] = change / (sinceNs / unitNs)
        valid[row] = 1
      } else if (hasBefore && initialZero) valid[row] = 1
      before = values[row]
      hasBefore = true
      sinceNs = 0
    }
    this.#sinceNs = sinceNs
    this.#before = before
    this.#hasBefore = hasBefore
    return floatCells(rates, valid)
  }

  #numbers(cells: Cells, rowCount: number): Floats {
    const { type, values, validity } = expandCells(cells, rowCount)
    if (type === 'float') return { values, validity }
    const all = new (values.constructor as BigInt64ArrayConstructor)(rowCount + 1)
    all.set((values as BigInt64Array).subarray(0, rowCount))
    this.#base ??= all[0]
    all[rowCount] = this.#base
    const words = wordsOf(all)
    const floats = new Float64Array(rowCount)
    for (let row = 0; row < rowCount; row++) floats[row] = wordsDifference(words, row, rowCount)
    return { values: floats, validity }
  }
}

function derivativeTable(table: Table, context: FluxContext, options: DerivativeOptions): Table {
  const { timeColumn } = options
  const timePlace = columnIndex(table.columns, timeColumn)
  if (timePlace < 0) throw new FluxError(`no column "${timeColumn}" exists`)
  const timeType = table.columns[timePlace].type
  if (timeType !== 'time') {
    throw new FluxError(`time column "${timeColumn}" is type ${timeType} and not time`)
  }
  const steps = table.columns.map((column) => newDerivative(column, table, options))
  const columns = table.columns.map(
    ({ name, type }, i): TableColumn => ({ name, type: steps[i] === undefined ? type : 'float' }),
  )
  const chunks = (): AsyncIterable<Chunk> => derivativeChunks(table, context, timePlace, steps)
  return { key: table.key, columns, chunks }
}

function newDerivative(
  { name, type }: TableColumn,
  { key }: Table,
  options: DerivativeOptions,
): Derivative | undefined {
  if (!options.columns.has(name)) return undefined
  if (!isNumberType(type)) {
    throw new FluxError(`unsupported derivative column type ${name}:${type}`)
  }
  if (key.has(name)) {
    throw new FluxError(`cannot replace column "${name}": it is part of the group key`)
  }
  return new Derivative(options)
}

async function* derivativeChunks(
  table: Table,
  context: FluxContext,
  timePlace: number,
  steps: readonly (Derivative | undefined)[],
): AsyncGenerator<Chunk, void, void> {
  let lastNs: bigint | undefined
  for await (const whole of table.chunks()) {
    context.signal.throwIfAborted()
    if (whole.rowCount === 0) continue
    const { chunk, stepsNs, lastTimeNs } = withRisingTimes(whole, timePlace, lastNs)
    const { rowCount } = chunk
    if (rowCount === 0) continue
    const cells = chunk.columns.map((cells, i) => steps[i]?.next(cells, stepsNs, rowCount) ?? cells)
    // Of the first row of all there is no derivative.
    const start = lastNs === undefined ? 1 : 0
    lastNs = lastTimeNs
    if (start < rowCount) yield sliceChunk({ rowCount, columns: cells }, start, rowCount)
  }
}

interface Rising {
  readonly chunk: Chunk
  readonly stepsNs: Float64Array
  readonly lastTimeNs: bigint
}

/** Without the rows whose time is that of the row before. */
function withRisingTimes(chunk: Chunk, timePlace: number, lastNs: bigint | undefined): Rising {
  const { rowCount } = chunk
  const { values, validity } = expandCells(chunk.columns[timePlace], rowCount)
  if (validity?.subarray(0, rowCount).includes(0)) {
    throw new FluxError('derivative found null time in time column')
  }
  const times = values as BigInt64Array
  const lastTimeNs = times[rowCount - 1]
  const stepsNs = stepsOf(times, rowCount, lastNs)
  const rising = new Uint32Array(rowCount)
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    const step = stepsNs[row]
    if (step < 0) throw new FluxError('derivative found out-of-order times in time column')
    const isFirst = row === 0 && lastNs === undefined
    if (step > 0 || isFirst) rising[count++] = row
  }
  if (count === rowCount) return { chunk, stepsNs, lastTimeNs }
  // The rows left out took no time: what is left keeps its steps.
  const kept = rising.subarray(0, count)
  const keptSteps = Float64Array.from(kept, (row) => stepsNs[row])
  return { chunk: gatherChunk(chunk, kept), stepsNs: keptSteps, lastTimeNs }
}

function elapsedTable(
  table: Table,
  context: FluxContext,
  timeColumn: string,
  columnName: string,
  unitNs: bigint,
): Table {
  const timePlace = columnIndex(table.columns, timeColumn)
  if (timePlace < 0) throw new FluxError(`column "${timeColumn}" does not exist`)
  const { type } = table.columns[timePlace]
  if (type !== 'time') throw new FluxError(`column "${timeColumn}" is of type ${type}, not time`)
  if (columnIndex(table.columns, columnName) >= 0) {
    throw new FluxError(`table builder already has column with label ${columnName}`)
  }
  const columns: TableColumn[] = [...table.columns, { name: columnName, type: 'int' }]
  const chunks = (): AsyncIterable<Chunk> => elapsedChunks(table, context, timePlace, unitNs)
  return { key: table.key, columns, chunks }
}

async function* elapsedChunks(
  table: Table,
  context: FluxContext,
  timePlace: number,
  unitNs: bigint,
): AsyncGenerator<Chunk, void, void> {
  let beforeNs: bigint | undefined
  let start = 1
  for await (const chunk of table.chunks()) {
    context.signal.throwIfAborted()
    const { rowCount } = chunk
    if (rowCount === 0) continue
    const { values, validity } = expandCells(chunk.columns[timePlace], rowCount)
    const times = values as BigInt64Array
    if (validity?.subarray(0, rowCount).includes(0)) {
      throw new FluxError('elapsed found null time in time column')
    }
    const cells = elapsedCells(times, rowCount, beforeNs, unitNs)
    beforeNs = times[rowCount - 1]
    yield sliceChunk({ rowCount, columns: [...chunk.columns, cells] }, start, rowCount)
    start = 0
  }
}

/** Whole units from row to row. */
function elapsedCells(
  times: BigInt64Array,
  rowCount: number,
  beforeNs: bigint | undefined,
  unitNs: bigint,
): Cells {
  const stepsNs = stepsOf(times, rowCount, beforeNs)
  const elapsed = new BigInt64Array(rowCount)
  const words = wordsOf(elapsed)
  const unit = Number(unitNs)
  for (let row = 0; row < rowCount; row++) {
    const step = stepsNs[row]
    if (Number.isSafeInteger(step)) setWords(words, row, Math.trunc(step / unit))
    else elapsed[row] = (times[row] - (row === 0 ? beforeNs! : times[row - 1])) / unitNs
  }
  return { kind: 'values', type: 'int', values: elapsed, validity: undefined }
}

const derivativeSignature = `(
  <-tables: stream[A], ?unit: duration, ?nonNegative: bool, ?columns: [string],
  ?timeColumn: string, ?initialZero: bool
) => stream[B] where A: Record, B: Record`

const elapsedSignature = `(
  <-tables: stream[A], ?unit: duration, ?timeColumn: string, ?columnName: string
) => stream[B] where A: Record, B: Record`

export const derivatives: Definitions = {
  derivative: transformation(derivativeSignature, (call) => {
    const options: DerivativeOptions = {
      columns: namedColumns(call),
      timeColumn: call.string('timeColumn', '_time'),
      unitNs: Number(durationNs(call.duration('unit', oneSecond))),
      nonNegative: call.bool('nonNegative', false),
      initialZero: call.bool('initialZero', false),
    }
    return (input, context) => mapTables(input, (table) => derivativeTable(table, context, options))
  }),
  elapsed: transformation(elapsedSignature, (call) => {
    const timeColumn = call.string('timeColumn', '_time')
    const columnName = call.string('columnName', 'elapsed')
    const unitNs = durationNs(call.duration('unit', oneSecond))
    if (unitNs === 0n) throw new FluxError('elapsed unit cannot be zero')
    return (input, context) =>
      mapTables(input, (table) => elapsedTable(table, context, timeColumn, columnName, unitNs))
  }),
}
