// Tables that are written to a bucket as they pass: every chunk is printed and sent before it is handed
// on, also those that nobody behind asks for.

import type { Chunk } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import type { BucketReference } from '../../../context/scope.js'
import type { Table, TableStream } from '../../../table/table.js'
import { LineWriter } from './line-writer.js'

/** Prints the rows of a table's chunks. */
export interface TablePrinter {
  /** Each line without its end. May be asked for now or later. */
  lines(chunk: Chunk): AsyncIterable<string> | Iterable<string>
  /** What is handed on. */
  passed(chunk: Chunk): Chunk
}

export async function* writtenTables(
  input: TableStream,
  reference: BucketReference,
  context: FluxContext,
  printerOf: (table: Table) => TablePrinter,
): AsyncGenerator<Table, void, void> {
  const writer = new LineWriter(context.scope, reference)
  for await (const table of input) {
    const chunks = written(table, printerOf(table), writer, context)
    yield { key: table.key, columns: table.columns, chunks: () => sharedChunks(chunks) }
    for (let rest = await chunks.next(); rest.done !== true; rest = await chunks.next());
  }
  await writer.flush()
}

async function* written(
  table: Table,
  printer: TablePrinter,
  writer: LineWriter,
  { signal }: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) {
    signal.throwIfAborted()
    for await (const line of printer.lines(chunk)) if (writer.add(line)) await writer.flush()
    const passed = printer.passed(chunk)
    if (passed.rowCount > 0) yield passed
  }
}

/** A reader that stops early does not stop the writing. */
async function* sharedChunks(chunks: AsyncIterator<Chunk>): AsyncGenerator<Chunk, void, void> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true) return
    yield value
  }
}
