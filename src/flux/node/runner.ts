// Runs the nodes of a plan: what fails in one gets the place of its call in the script, a query that
// was stopped stops between two tables or chunks, and where a profile is wanted each node's part is
// measured.

import { UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { Chunk } from '../../query/table.js'
import type { FluxContext } from '../context/context.js'
import type { Table } from '../table/table.js'
import { type BatchStream, TableBatch } from '../table/table-batch.js'
import { LimitError, LocatedError, locationText } from '../value/error.js'
import type { StreamNode } from './node.js'

/** What one node took: the time from asking for a table or chunk until it came, its inputs included. */
export class NodeProfile {
  readonly node: StreamNode
  /** The nodes before it whose part it does as well, from the first on; none where each ran by itself. */
  taken: readonly StreamNode[] = []
  readonly #clock: Clock
  count = 0
  minNs = 0n
  maxNs = 0n
  sumNs = 0n

  constructor(node: StreamNode, clock: Clock) {
    this.node = node
    this.#clock = clock
  }

  async measure<T>(work: Promise<T>): Promise<T> {
    const start = this.#clock.now()
    const result = await work
    const took = this.#clock.now() - start
    if (this.count === 0 || took < this.minNs) this.minNs = took
    if (took > this.maxNs) this.maxNs = took
    this.sumNs += took
    this.count++
    return result
  }
}

export interface Running {
  readonly node: StreamNode
  readonly context: FluxContext
  readonly profile?: NodeProfile | undefined
}

/** A table costs as much as some rows, whether it has any or not. */
const tableWork = 16

/** `start` makes the stream; it may throw. What comes in batches is taken apart. */
export function running(run: Running, start: () => BatchStream): AsyncGenerator<Table, void, void> {
  return guarded(run, start, true) as AsyncGenerator<Table, void, void>
}

/** The same for who knows batches. */
export function runningBatches(
  run: Running,
  start: () => BatchStream,
): AsyncGenerator<Table | TableBatch, void, void> {
  return guarded(run, start, false)
}

async function* guarded(
  { node, context, profile }: Running,
  start: () => BatchStream,
  isSplit: boolean,
): AsyncGenerator<Table | TableBatch, void, void> {
  let tables: AsyncIterator<Table | TableBatch> | undefined
  const { signal, yielder } = context
  try {
    tables = start()[Symbol.asyncIterator]()
    for (;;) {
      const next = tables.next()
      const { done, value } = await (profile === undefined ? next : profile.measure(next))
      if (done === true) {
        tables = undefined
        return
      }
      signal.throwIfAborted()
      const isBatch = value instanceof TableBatch
      yielder.add(isBatch ? tableWork * value.count + value.rows.rowCount : tableWork)
      if (yielder.isDue) await yielder.yield()
      if (!isBatch) yield guardedTable(value, node, context)
      else if (isSplit) yield* value.tables()
      else yield value
    }
  } catch (error) {
    throw located(error, node)
  } finally {
    // Also where it was not the stream that failed: what it holds open, files above all, is released by this alone.
    await tables?.return?.()
  }
}

function guardedTable(table: Table, node: StreamNode, context: FluxContext): Table {
  const { key, columns } = table
  return {
    key,
    columns,
    chunks() {
      const chunks = table.chunks()
      if (!Array.isArray(chunks)) return guardedChunks(chunks, node, context)
      // Chunks that are at hand cannot fail.
      for (const { rowCount } of chunks) context.yielder.add(rowCount)
      return chunks
    },
  }
}

async function* guardedChunks(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  node: StreamNode,
  { signal, yielder }: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted()
      yielder.add(chunk.rowCount)
      if (yielder.isDue) await yielder.yield()
      yield chunk
    }
  } catch (error) {
    throw located(error, node)
  }
}

/** Failures that are not the script's keep their words. */
function located(error: unknown, { location, operation }: StreamNode): unknown {
  if (!(error instanceof UserError) || error.code === 'unavailable') return error
  if (error instanceof LocatedError || error instanceof LimitError) return error
  if (location === undefined) {
    return new LocatedError(`runtime error: ${error.message}`, error.code, error.status)
  }
  const name = 'functionName' in location ? location.functionName : undefined
  const called = typeof name === 'string' ? name : operation.slice(operation.lastIndexOf('.') + 1)
  const text = `runtime error @${locationText(location)}: ${called}: ${error.message}`
  return new LocatedError(text, error.code, error.status)
}
