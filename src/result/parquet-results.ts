// An answer as a Parquet file: result pieces in, bytes out, a row group at a time, so that memory stays
// bounded however large the answer is. Columns and row groups are those of the answer as Arrow.

import type { ResultPiece } from '../query/language.js'
import type { ArrowBatch } from './arrow-batch.js'
import { encodeArrow } from './arrow-results.js'
import type { ArrowField, ArrowSchema } from './arrow-schema.js'
import type { ShapeKind } from './arrow-shape.js'
import { fileMetadata, magic, type PagePlace, pageHeader, type RowGroup } from './parquet-format.js'
import { pageBody } from './parquet-page.js'
import { thriftBytes } from './thrift-compact.js'

/** Row groups of a few megabytes: readers take them one by one, and each is described at the end. */
const rowGroupBytes = 8 * 1024 * 1024

/** Throws what the answer failed with. Nothing is given before the first rows are there. */
export async function* encodeParquet(
  pieces: AsyncIterable<ResultPiece>,
  kind: ShapeKind,
  groupBytes: number = rowGroupBytes,
): AsyncGenerator<Uint8Array, void, void> {
  const groups: RowGroup[] = []
  let fields: readonly ArrowField[] = []
  let origin: ReadonlyMap<string, string> = new Map()
  let length = magic.length
  for await (const part of encodeArrow(pieces, kind, groupBytes)) {
    if (part.kind === 'schema') {
      fields = part.schema.fields
      origin = originOf(part.schema)
      continue
    }
    if (groups.length === 0) yield magic
    const pages: PagePlace[] = []
    for (const chunk of pagesOf(part.batch, fields)) {
      pages.push({ offset: length, bytes: chunk.length })
      length += chunk.length
      yield chunk
    }
    groups.push({ rowCount: part.batch.rowCount, pages })
  }
  if (groups.length === 0) yield magic
  yield fileEnd(fields, groups, origin)
}

function* pagesOf(
  { rowCount, vectors }: ArrowBatch,
  fields: readonly ArrowField[],
): Generator<Uint8Array, void, void> {
  for (const [i, vector] of vectors.entries()) {
    const body = pageBody(vector, fields[i].type)
    yield Buffer.concat([thriftBytes(pageHeader(rowCount, body.length)), body])
  }
}

/** Which table it was and which columns are tags, so that the file can be imported as it is. */
function originOf({ fields, metadata }: ArrowSchema): ReadonlyMap<string, string> {
  const measurement = metadata.get('iox::measurement::name')
  const tags = fields
    .filter((field) => field.metadata?.get('iox::column::type') === 'iox::column_type::tag')
    .map(({ name }) => name)
  if (measurement === undefined) return new Map()
  return new Map([['millrace', JSON.stringify({ measurement, tags })]])
}

function fileEnd(
  fields: readonly ArrowField[],
  groups: readonly RowGroup[],
  origin: ReadonlyMap<string, string>,
): Uint8Array {
  const metadata = thriftBytes(fileMetadata(fields, groups, origin))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(metadata.length)
  return Buffer.concat([metadata, length, magic])
}
