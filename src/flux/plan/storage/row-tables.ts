// Points of a bucket as tables, one for each series and field: in order of measurement, series and
// field. Rows come in chunks as the store reads them.

import type { TimeCells } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { FieldPiece } from './field-piece.js'
import { type MeasurementRead, readFieldSeries } from './field-series.js'
import { int64Moments } from './int64.js'
import { SeriesShapes } from './series-columns.js'
import { measurementReads, type SelectedField, type StorageRead } from './storage-read.js'
import { mappedRows, type StoredTable } from './stored-table.js'

/** `withoutValues`: nobody will ask for `_value`. */
export async function* rowTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  context: FluxContext,
  withoutValues = false,
): AsyncGenerator<readonly StoredTable[], void, void> {
  const shapes = new SeriesShapes(read.range)
  for (const measurement of measurementReads(read, fields, context)) {
    yield* measurementTables({ ...measurement, withoutValues }, shapes)
  }
}

/** Those of one measurement. */
export async function* measurementTables(
  measurement: MeasurementRead,
  shapes: SeriesShapes,
): AsyncGenerator<readonly StoredTable[], void, void> {
  for await (const group of readFieldSeries(measurement)) {
    yield group.map(({ series, field, pieces }): StoredTable => {
      const shape = shapes.shape(series, field)
      const rows = mappedRows(pieces, (piece: FieldPiece) =>
        shape.rows(piece.count, () => momentCells(piece), piece.cells),
      )
      return { key: shape.key, columns: shape.columns, rows }
    })
  }
}

export function momentCells({ base, offsets, count }: FieldPiece): TimeCells {
  const values = int64Moments(base, offsets, count)
  return { kind: 'values', type: 'time', values, validity: undefined }
}
