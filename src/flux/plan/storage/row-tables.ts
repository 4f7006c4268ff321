// Points of a bucket as tables, one for each series and field: in order of measurement, series and
// field. Rows come in chunks as the store reads them.

import type { Cells, Chunk, TimeCells } from '../../../query/table.js'
import type { FluxContext } from '../../evaluate/context.js'
import { type Table, tableOf } from '../../table/table.js'
import type { FieldPiece } from './field-piece.js'
import { type FieldSeries, readFieldSeries } from './field-series.js'
import { int64Moments } from './int64.js'
import { type SeriesShape, SeriesShapes } from './series-columns.js'
import { measurementReads, type StorageRead, selectFields } from './storage-read.js'

export async function* rowTables(
  read: StorageRead,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const fields = await selectFields(read, context)
  const shapes = new SeriesShapes(read.range)
  for (const measurement of measurementReads(read, fields, context)) {
    for await (const series of readFieldSeries(measurement)) {
      yield rowTable(shapes.shape(series.series, series.field), series)
    }
  }
}

function rowTable(shape: SeriesShape, { pieces }: FieldSeries): Table {
  if (Array.isArray(pieces)) {
    const chunks = (pieces as readonly FieldPiece[]).map((piece) => rowChunk(shape, piece))
    return tableOf(shape.key, shape.columns, chunks)
  }
  const streamed = pieces as AsyncIterable<FieldPiece>
  return {
    key: shape.key,
    columns: shape.columns,
    async *chunks() {
      for await (const piece of streamed) yield rowChunk(shape, piece)
    },
  }
}

function rowChunk(shape: SeriesShape, piece: FieldPiece): Chunk {
  return shapedChunk(shape, piece.count, momentCells(piece), piece.cells)
}

export function momentCells({ base, offsets, count }: FieldPiece): TimeCells {
  const values = int64Moments(base, offsets, count)
  return { kind: 'values', type: 'time', values, validity: undefined }
}

/** Rows in the columns of the shape. */
export function shapedChunk(
  { startCells, stopCells, nameCells }: SeriesShape,
  rowCount: number,
  times: Cells,
  values: Cells,
): Chunk {
  return { rowCount, columns: [startCells, stopCells, times, values, ...nameCells] }
}
