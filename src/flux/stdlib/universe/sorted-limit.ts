// `sort` and `limit` in one, as `top` and `bottom` have them: of each table only as many rows are kept
// as are asked for, and few are sorted.

import type { Chunk } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { Shortcut, StreamNode } from '../../node/node.js'
import { chunkBytes, gatherChunk, sliceChunk } from '../../table/cells.js'
import { joinChunks } from '../../table/collect.js'
import { compactChunk } from '../../table/compact.js'
import { firstInOrder, sortKeys } from '../../table/row-order.js'
import { type Table, type TableStream, tableOf } from '../../table/table.js'
import { singleTables } from '../../table/table-batch.js'
import { sortPlaces } from './sort.js'

interface SortedLimit {
  readonly columns: readonly string[]
  readonly isDescending: boolean
  readonly n: number
  readonly offset: number
}

/** Where more rows are asked for all are sorted. */
const rowsMax = 4096

/** So many are brought together before it is looked which of them stay: that takes some milliseconds. */
const heldRowsMin = 16_384

/** undefined: what stands before the node is something else. */
export function sortedLimit(limit: StreamNode, n: number, offset: number): Shortcut | undefined {
  const [sort] = limit.inputs
  if (sort.operation !== 'universe.sort' || n <= 0 || n + offset > rowsMax) return undefined
  const columns = sort.args.get('columns') ?? ['_value']
  const isDescending = sort.args.get('desc') === true
  if (!Array.isArray(columns)) return undefined
  const settings = { columns: columns as readonly string[], isDescending, n, offset }
  const through = (table: Table, context: FluxContext): TableStream =>
    singleTables(limit.run([singleTables(sort.run([only(table)], context))], context))
  return {
    source: sort.inputs[0],
    run: (input, context) => firstTables(input, context, settings, through),
  }
}

async function* only(table: Table): AsyncGenerator<Table, void, void> {
  yield table
}

async function* firstTables(
  input: TableStream,
  context: FluxContext,
  settings: SortedLimit,
  through: (table: Table, context: FluxContext) => TableStream,
): AsyncGenerator<Table, void, void> {
  const { n, offset } = settings
  for await (const table of input) {
    context.signal.throwIfAborted()
    const places = sortPlaces(table, settings.columns)
    // Nothing to sort by: the rows stay as they are.
    if (places.length === 0) yield* through(table, context)
    else {
      const rows = new FirstRows(table, places, settings, context)
      for await (const chunk of table.chunks()) await rows.add(chunk)
      yield tableOf(table.key, table.columns, rows.finish(offset, offset + n))
      rows.release()
    }
  }
}

/** The rows of one table that come first in the order, as far as rows have come. */
class FirstRows {
  readonly #table: Table
  readonly #places: readonly number[]
  readonly #isDescending: boolean
  readonly #count: number
  readonly #context: FluxContext
  #held: Chunk[] = []
  #heldRows = 0
  #heldBytes = 0

  constructor(
    table: Table,
    places: readonly number[],
    { isDescending, n, offset }: SortedLimit,
    context: FluxContext,
  ) {
    this.#table = table
    this.#places = places
    this.#isDescending = isDescending
    this.#count = n + offset
    this.#context = context
  }

  async add(chunk: Chunk): Promise<void> {
    const { signal, yielder } = this.#context
    signal.throwIfAborted()
    if (chunk.rowCount === 0) return
    this.#hold(chunk)
    if (this.#heldRows < Math.max(heldRowsMin, 8 * this.#count)) return
    this.#cut()
    if (yielder.isDue) await yielder.yield()
  }

  /** Rows `from` up to `to` of the order. */
  finish(from: number, to: number): readonly Chunk[] {
    if (this.#heldRows === 0) return []
    this.#cut()
    const [rows] = this.#held
    const stop = Math.min(to, rows.rowCount)
    return from < stop ? [sliceChunk(rows, from, stop)] : []
  }

  release(): void {
    this.#context.memory.release(this.#heldBytes)
    this.#heldBytes = 0
  }

  #hold(chunk: Chunk): void {
    const bytes = chunkBytes(chunk)
    this.#context.memory.take(bytes)
    this.#held.push(chunk)
    this.#heldRows += chunk.rowCount
    this.#heldBytes += bytes
  }

  #cut(): void {
    const rows = joinChunks(this.#table.columns, this.#held)
    const { rowCount } = rows
    const keys = this.#places.flatMap((place) =>
      sortKeys(rows.columns[place], rowCount, this.#isDescending),
    )
    const first = firstInOrder(keys, rowCount, Math.min(this.#count, rowCount))
    this.#context.yielder.add(rowCount)
    this.release()
    this.#held = []
    this.#heldRows = 0
    this.#hold(compactChunk(gatherChunk(rows, first)))
  }
}
