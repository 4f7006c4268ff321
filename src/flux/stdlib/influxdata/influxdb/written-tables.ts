// Tables that are written to a bucket as they pass: every chunk is printed and sent before it is handed
// on, also those that nobody behind asks for.

import type { MaybePromise } from '../../../../platform/pull-stream.js'
import type { Chunk, TableColumn } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import type { BucketReference } from '../../../context/scope.js'
import { gatherChunk } from '../../../table/cells.js'
import type { Table } from '../../../table/table.js'
import { type BatchStream, TableBatch } from '../../../table/table-batch.js'
import type { GroupKey } from '../../../value/key.js'
import { LineWriter } from './line-writer.js'

export interface PrintedShape {
  readonly key: GroupKey
  readonly columns: readonly TableColumn[]
}

/** Prints the rows of tables with the same columns, which differ in the values of their keys alone. */
export interface TablePrinter {
  /** Its rows come next. */
  begin(key: GroupKey): void
  /** Each line without its end, for rows of the table that was begun. */
  print(chunk: Chunk, start: number, stop: number, lines: LineWriter): MaybePromise<void>
  /** The rows that are handed on; null: all. */
  passed(chunk: Chunk): Uint32Array | null
}

export async function* writtenTables(
  input: BatchStream,
  reference: BucketReference,
  context: FluxContext,
  printerOf: (shape: PrintedShape) => TablePrinter,
): AsyncGenerator<Table | TableBatch, void, void> {
  const writer = new LineWriter(context.scope, reference)
  for await (const table of input) {
    if (table instanceof TableBatch) {
      const printer = printerOf({ key: table.key(0), columns: table.columns })
      await printBatch(table, printer, writer)
      const rows = printer.passed(table.rows)
      const passed = rows === null ? table : table.keeping(rows)
      if (passed !== undefined) yield passed
      continue
    }
    const chunks = written(table, printerOf(table), writer, context)
    yield { key: table.key, columns: table.columns, chunks: () => sharedChunks(chunks) }
    for (let rest = await chunks.next(); rest.done !== true; rest = await chunks.next());
  }
  await writer.flush()
}

async function printBatch(
  batch: TableBatch,
  printer: TablePrinter,
  writer: LineWriter,
): Promise<void> {
  for (let table = 0; table < batch.count; table++) {
    printer.begin(batch.key(table))
    const printed = printer.print(batch.rows, batch.start(table), batch.ends[table], writer)
    if (printed instanceof Promise) await printed
    if (writer.isFull) await writer.flush()
  }
}

/** Rows that are printed before it is looked whether they are enough. */
const printedRows = 1024

async function* written(
  table: Table,
  printer: TablePrinter,
  writer: LineWriter,
  { signal }: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  printer.begin(table.key)
  for await (const chunk of table.chunks()) {
    signal.throwIfAborted()
    for (let start = 0; start < chunk.rowCount; start += printedRows) {
      const stop = Math.min(start + printedRows, chunk.rowCount)
      const printed = printer.print(chunk, start, stop, writer)
      if (printed instanceof Promise) await printed
      if (writer.isFull) await writer.flush()
    }
    const rows = printer.passed(chunk)
    const passed = rows === null ? chunk : gatherChunk(chunk, rows)
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
