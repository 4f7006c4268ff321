// quantile and median, by three methods: estimated with a t-digest, exactly as the mean of the two
// values around the place (`exact_mean`), or exactly as the row that lies there (`exact_selector`). The
// last two hold the column, or the table, in memory.

import type { CellType, Chunk, ValueCells } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { MemoryMeter } from '../../context/memory-meter.js'
import {
  type Call,
  type Definitions,
  type FunctionDefinition,
  transformation,
} from '../../package/define.js'
import { constantCells, expandCells, gatherChunk } from '../../table/cells.js'
import { collectRows } from '../../table/collect.js'
import { floatsOf, isNumberType, validFloats } from '../../table/numbers.js'
import { mapTables } from '../../table/streams.js'
import { type Table, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { type Accumulator, aggregateTable } from './aggregate.js'
import { selectedColumn } from './selector.js'
import { TDigest } from './t-digest.js'
import { orderByValue } from './value-order.js'

class Estimate implements Accumulator {
  readonly type = 'float'
  readonly #digest: TDigest
  readonly #q: number
  readonly #memory: MemoryMeter
  #bytes = 0
  #hasValue = false

  constructor(q: number, compression: number, memory: MemoryMeter) {
    this.#digest = new TDigest(compression)
    this.#q = q
    this.#memory = memory
  }

  add(cells: ValueCells, rowCount: number): void {
    const { values, validity } = floatsOf(cells, rowCount)
    const digest = this.#digest
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      digest.add(values[row])
      this.#hasValue = true
    }
    this.#memory.take(digest.bytes - this.#bytes)
    this.#bytes = digest.bytes
  }

  value(): number | null {
    return this.#hasValue ? this.#digest.quantile(this.#q) : null
  }

  release(): void {
    this.#memory.release(this.#bytes)
  }
}

class ExactMean implements Accumulator {
  readonly type = 'float'
  readonly #q: number
  readonly #memory: MemoryMeter
  #parts: Float64Array[] = []
  #count = 0

  constructor(q: number, memory: MemoryMeter) {
    this.#q = q
    this.#memory = memory
  }

  add(cells: ValueCells, rowCount: number): void {
    const part = validFloats(cells, rowCount)
    this.#memory.take(8 * part.length)
    this.#parts.push(part)
    this.#count += part.length
  }

  value(): number | null {
    if (this.#count === 0) return null
    const sorted = new Float64Array(this.#count)
    let at = 0
    for (const part of this.#parts) {
      sorted.set(part, at)
      at += part.length
    }
    sorted.sort()
    const place = this.#q * (this.#count - 1)
    const [below, above] = [Math.floor(place), Math.ceil(place)]
    if (below === above) return sorted[below]
    return sorted[below] * (above - place) + sorted[above] * (place - below)
  }

  release(): void {
    this.#memory.release(8 * this.#count)
    this.#parts = []
  }
}

/** The row whose value lies at the quantile; of a table without values a row of its key alone. */
async function selectQuantile(
  table: Table,
  column: string,
  q: number,
  context: FluxContext,
): Promise<Table> {
  context.signal.throwIfAborted()
  const place = selectedColumn(table, column)
  const { rows, bytes } = await collectRows(table, context.memory)
  try {
    const order = orderByValue(expandCells(rows.columns[place], rows.rowCount), rows.rowCount)
    if (order.length === 0) return tableOf(table.key, table.columns, [emptyRow(table)])
    const index = Math.max(Math.ceil(q * order.length) - 1, 0)
    const chosen = gatherChunk(rows, order.subarray(index, index + 1))
    return tableOf(table.key, table.columns, [chosen])
  } finally {
    context.memory.release(bytes)
  }
}

function emptyRow({ key, columns }: Table): Chunk {
  const cells = columns.map(({ name, type }) => constantCells(type, key.entry(name)?.value ?? null))
  return { rowCount: 1, columns: cells }
}

const compressionDefault = 1000

function quantileFunction(type: string, quantileOf: (call: Call) => number): FunctionDefinition {
  return transformation(type, (call) => {
    const q = quantileOf(call)
    if (!(q >= 0 && q <= 1)) throw new FluxError('quantile must be between 0 and 1')
    const method = call.string('method', 'estimate_tdigest')
    const compression = call.float('compression', 0)
    if (compression > 0 && method !== 'estimate_tdigest') {
      const text = 'compression parameter is only valid for method estimate_tdigest'
      throw new FluxError(text)
    }
    if (!(compression >= 0)) throw new FluxError('compression must be greater than 0')
    const column = call.string('column', '_value')
    const estimate = (type: CellType, { memory }: FluxContext): Accumulator | undefined =>
      isNumberType(type) ? new Estimate(q, compression || compressionDefault, memory) : undefined
    const exactMean = (type: CellType, { memory }: FluxContext): Accumulator | undefined =>
      type === 'float' ? new ExactMean(q, memory) : undefined
    switch (method) {
      case 'estimate_tdigest':
        return (input, context) =>
          mapTables(input, (table) => aggregateTable(table, column, estimate, context))
      case 'exact_mean':
        return (input, context) =>
          mapTables(input, (table) => aggregateTable(table, column, exactMean, context))
      case 'exact_selector':
        return (input, context) =>
          mapTables(input, (table) => selectQuantile(table, column, q, context))
      default:
        throw new FluxError(`unknown method ${method}`)
    }
  })
}

const signature = `(
  <-tables: stream[A], ?column: string, q: float, ?compression: float, ?method: string
) => stream[A] where A: Record`

const medianSignature = `(
  <-tables: stream[A], ?column: string, ?compression: float, ?method: string
) => stream[A] where A: Record`

export const quantiles: Definitions = {
  quantile: quantileFunction(signature, (call) => call.float('q')),
  median: quantileFunction(medianSignature, () => 0.5),
}
