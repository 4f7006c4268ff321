// Files of every format as batches of points in line protocol, for whoever writes them somewhere: the import of the
// shell and the one over HTTP. Rows that are no points are values of a batch; a file that makes no sense at all throws
// UserError.

import { UserError } from '../errors.js'
import { csvPoints } from './csv/csv-points.js'
import { jsonPoints } from './json-points.js'
import { lineBatches } from './line-batches.js'
import type { FormatOptions } from './points/point-column.js'
import type { PointBatch } from './points/point-rows.js'

/** Of streams of text; Parquet becomes rows elsewhere (`parquetPoints`). */
export type TextFormat = 'lp' | 'csv' | 'jsonl'

export const fileFormats = ['lp', 'csv', 'jsonl', 'parquet'] as const

export type FileFormat = (typeof fileFormats)[number]

/** Characters of a batch: a server takes 25 MB. */
const batchLength = 1 << 20

export function pointBatches(
  chunks: AsyncIterable<Uint8Array>,
  format: TextFormat,
  options: FormatOptions,
): AsyncGenerator<PointBatch> {
  switch (format) {
    case 'csv':
      return csvPoints(chunks, options, batchLength)
    case 'jsonl':
      return jsonPoints(chunks, options, batchLength)
    case 'lp':
      return linePoints(chunks)
  }
}

/** Throws UserError where something is said of a format that has no such thing. */
export function checkOptions(
  format: FileFormat,
  { header = [], skipHeader = 0 }: FormatOptions,
): void {
  if (format !== 'csv' && (header.length > 0 || skipHeader > 0)) {
    throw new UserError('invalid', `only CSV has a header, and the format is ${format}`)
  }
}

/** Line protocol is checked where it is written: nothing is refused here. */
async function* linePoints(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<PointBatch> {
  for await (const batch of lineBatches(chunks, 2 * batchLength)) {
    const { bytes, firstLine, lineCount, pointCount } = batch
    yield {
      bytes,
      rowOf: (line) => firstLine + line - 1,
      pointCount,
      refused: [],
      lastRow: firstLine + lineCount - 1,
    }
  }
}

/** By the name of a file; undefined: it does not tell. */
export function formatOf(name: string): FileFormat | undefined {
  const ending = /\.([a-z]+)(\.(gz|zst))?$/i.exec(name)?.[1].toLowerCase()
  switch (ending) {
    case 'csv':
    case 'tsv':
      return 'csv'
    case 'json':
    case 'jsonl':
    case 'ndjson':
      return 'jsonl'
    case 'parquet':
      return 'parquet'
    case 'lp':
    case 'line':
    case 'txt':
      return 'lp'
    default:
      return undefined
  }
}
