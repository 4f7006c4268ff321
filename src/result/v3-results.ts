// The answer to a v3 query over HTTP: pieces in, bytes out, as much at a time as is worth sending. A
// failure is thrown, so that it answers the request while nothing was sent, and breaks the answer off
// later. What InfluxQL tells beside its rows, the measurement and the tags of a group, become columns.
// Parquet and Arrow are made of columns and not of rows, and have encoders of their own.

import { constantString } from '../query/column-builder.js'
import type { ResultBatch, ResultColumn, ResultPiece } from '../query/language.js'
import { tellsItself } from './arrow-shape.js'
import { encodeArrowStream } from './arrow-stream.js'
import { encodeParquet } from './parquet-results.js'
import { V3Pretty } from './v3-pretty.js'
import { type RowEncoder, V3Csv, V3Json } from './v3-rows.js'

export type V3Format = 'json' | 'jsonl' | 'csv' | 'pretty' | 'parquet' | 'arrow'

/** Each chunk is valid until the next one is asked for. */
export async function* encodeV3(
  pieces: AsyncIterable<ResultPiece>,
  format: V3Format,
  isGrouped: boolean,
): AsyncGenerator<Uint8Array, void, void> {
  if (format === 'parquet') {
    yield* encodeParquet(pieces, isGrouped ? 'groups' : 'rows')
    return
  }
  if (format === 'arrow') {
    yield* encodeArrowStream(pieces, isGrouped ? 'groups' : 'rows')
    return
  }
  const encoder = makeEncoder(format)
  const { out } = encoder
  for await (const piece of pieces) {
    if (piece.kind === 'failure') throw piece.error
    if (piece.kind === 'start') continue
    const batch = isGrouped ? withGroups(piece) : piece
    let row = 0
    do {
      row = encoder.rows(batch, row)
      if (out.isFull) yield out.take()
    } while (row < batch.rowCount)
  }
  encoder.end()
  if (out.length > 0) yield out.take()
}

function makeEncoder(format: Exclude<V3Format, 'parquet' | 'arrow'>): RowEncoder {
  switch (format) {
    case 'json':
      return new V3Json(false)
    case 'jsonl':
      return new V3Json(true)
    case 'csv':
      return new V3Csv()
    case 'pretty':
      return new V3Pretty()
  }
}

/** `iox::measurement`, the time, the tags of the group, and the rest. */
function withGroups(batch: ResultBatch): ResultBatch {
  const { name, tags, columnNames, columns, rowCount } = batch
  if (tellsItself(batch)) return batch
  const time = columnNames[0] === 'time' ? 1 : 0
  const groups = tags.filter(({ key }) => !columnNames.includes(key))
  const added: ResultColumn[] = groups.map(({ value }) =>
    constantString(value === '' ? null : value, rowCount),
  )
  return {
    ...batch,
    columnNames: [
      'iox::measurement',
      ...columnNames.slice(0, time),
      ...groups.map(({ key }) => key),
      ...columnNames.slice(time),
    ],
    columns: [
      constantString(name, rowCount),
      ...columns.slice(0, time),
      ...added,
      ...columns.slice(time),
    ],
  }
}
