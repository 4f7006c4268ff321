// Aggregates that the store computes, as tables: one row per series, field and window, or one row for
// the whole range. Windows without points are filled in where the query wants them.

import { floorDiv, type TimeRange } from '../../../column/time.js'
import type { Cell, Cells, TableColumn, TimeCells } from '../../../query/table.js'
import type { AggregateFunction } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import { constantCells, sliceCells } from '../../table/cells.js'
import { type DenseRows, DenseWindows } from './dense-windows.js'
import type { FieldPiece } from './field-piece.js'
import { type FieldSeries, readFieldSeries } from './field-series.js'
import { int64Moments } from './int64.js'
import { momentCells } from './row-tables.js'
import { type SeriesShape, SeriesShapes, timePlace } from './series-columns.js'
import { measurementReads, type SelectedField, type StorageRead } from './storage-read.js'
import { mappedRows, type RowsOf, type StoredRows, type StoredTable } from './stored-table.js'
import { isSelector, type WindowRows } from './window-rows.js'

/** Longer windows would leave the integers that a float64 tells exactly: about 52 days. */
export const everyNsMax = 2n ** 52n

/** Whether the store can compute it of all these fields; where not, the function itself says why. */
export function canAggregate(name: AggregateFunction, fields: readonly SelectedField[]) {
  if (name === 'count' || name === 'first' || name === 'last') return true
  return fields.every(({ type }) => type !== 'string' && type !== 'boolean')
}

/** One row per table: of an aggregate the value alone, of a selector with the time of its point. */
export async function* bareAggregateTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  name: AggregateFunction,
  context: FluxContext,
): AsyncGenerator<readonly StoredTable[], void, void> {
  const shapes = new SeriesShapes(read.range)
  const rows = new OneRow(name)
  const aggregate = { functions: [name], pointTimes: isSelector(name) }
  for (const measurement of measurementReads(read, fields, context, aggregate)) {
    for await (const group of readFieldSeries(measurement)) {
      const tables: StoredTable[] = []
      for (const { series, field, pieces } of group) {
        const shape = shapes.shape(series, field)
        for await (const piece of pieces) tables.push(rows.table(shape, piece, 0))
      }
      yield tables
    }
  }
}

/** The same for each window that has points: a table of its own, whose bounds are those of the window. */
export async function* splitWindowTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  name: AggregateFunction,
  windows: Pick<WindowRows, 'everyNs' | 'offsetNs'>,
  context: FluxContext,
): AsyncGenerator<readonly StoredTable[], void, void> {
  const shapes = new SeriesShapes(read.range)
  const rows = new OneRow(name)
  const aggregate = { functions: [name], pointTimes: isSelector(name), ...windows }
  for (const measurement of measurementReads(read, fields, context, aggregate)) {
    for await (const group of readFieldSeries(measurement)) {
      for (const { series, field, pieces } of group) {
        const shape = shapes.shape(series, field)
        for await (const piece of pieces) {
          for (let row = 0; row < piece.count; row++) {
            const { start, stop } = windowAround(momentOf(piece, row), windows, read.range)
            yield [rows.table(shape.within(start, stop), piece, row)]
          }
        }
      }
    }
  }
}

function momentOf({ base, offsets }: FieldPiece, row: number): bigint {
  return base + BigInt(offsets[row])
}

/** Cut to the range. */
function windowAround(
  moment: bigint,
  { everyNs, offsetNs }: Pick<WindowRows, 'everyNs' | 'offsetNs'>,
  range: TimeRange,
): TimeRange {
  const start = floorDiv(moment - offsetNs, everyNs) * everyNs + offsetNs
  const stop = start + everyNs
  return {
    start: start < range.start ? range.start : start,
    stop: stop > range.stop ? range.stop : stop,
  }
}

/** Tables that have one of the rows of a piece. */
class OneRow {
  readonly #hasTime: boolean
  readonly #timeless = new TimelessColumns()

  constructor(name: AggregateFunction) {
    this.#hasTime = isSelector(name)
  }

  table(shape: SeriesShape, piece: FieldPiece, row: number): StoredTable {
    const { key, columns } = shape
    const values = piece.count === 1 ? piece.cells : sliceCells(piece.cells, row, row + 1)
    if (!this.#hasTime) {
      return { key, columns: this.#timeless.of(columns), rows: [timelessRow(shape, values)] }
    }
    const times = () => constantCells('time', momentOf(piece, row))
    return { key, columns, rows: [shape.rows(1, times, values)] }
  }
}

/** The columns but for `_time`. */
class TimelessColumns {
  readonly #known = new Map<readonly TableColumn[], readonly TableColumn[]>()

  of(columns: readonly TableColumn[]): readonly TableColumn[] {
    let timeless = this.#known.get(columns)
    if (timeless === undefined) {
      timeless = columns.filter((_, place) => place !== timePlace)
      this.#known.set(columns, timeless)
    }
    return timeless
  }
}

function timelessRow(shape: SeriesShape, values: Cells): StoredRows {
  const cells = (place: number) => {
    if (place < timePlace) return shape.keyCells(place)
    return place === timePlace ? values : shape.keyCells(place + 1)
  }
  return { rowCount: 1, cells }
}

export async function* windowAggregateTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  name: AggregateFunction,
  windows: WindowRows,
  context: FluxContext,
): AsyncGenerator<readonly StoredTable[], void, void> {
  const shapes = new SeriesShapes(read.range)
  const { everyNs, offsetNs } = windows
  const aggregate = { functions: [name], everyNs, offsetNs }
  const emptyValue = name === 'count' ? 0n : null
  for (const measurement of measurementReads(read, fields, context, aggregate)) {
    for await (const group of readFieldSeries(measurement)) {
      yield group.map((series): StoredTable => {
        const shape = shapes.shape(series.series, series.field)
        const rows = windows.createEmpty
          ? denseRows(shape, series, windows, read.range, emptyValue)
          : sparseRows(shape, series, windows, read.range)
        return { key: shape.key, columns: shape.columns, rows }
      })
    }
  }
}

function sparseRows(
  shape: SeriesShape,
  { pieces }: FieldSeries,
  windows: WindowRows,
  range: TimeRange,
): RowsOf<StoredRows> {
  return mappedRows(pieces, (piece: FieldPiece) =>
    shape.rows(piece.count, () => windowTimes(piece, windows, range), piece.cells),
  )
}

/** The store tells where windows start, cut to the range. */
function windowTimes(piece: FieldPiece, windows: WindowRows, range: TimeRange): TimeCells {
  if (windows.time === '_start') return momentCells(piece)
  const { base, count, offsets } = piece
  const every = Number(windows.everyNs)
  const from = base - windows.offsetNs
  const into = Number(from - floorDiv(from, windows.everyNs) * windows.everyNs)
  const last = Number(range.stop - base)
  const stops = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const stop = (Math.floor((offsets[i] + into) / every) + 1) * every - into
    stops[i] = stop < last ? stop : last
  }
  const values = int64Moments(base, stops, count)
  return { kind: 'values', type: 'time', values, validity: undefined }
}

function* allRows(
  dense: DenseWindows,
  pieces: readonly FieldPiece[],
): Generator<DenseRows, void, void> {
  for (const piece of pieces) yield* dense.add(piece)
  yield* dense.finish()
}

function denseRows(
  shape: SeriesShape,
  { pieces }: FieldSeries,
  windows: WindowRows,
  range: TimeRange,
  emptyValue: Cell | null,
): RowsOf<StoredRows> {
  const dense = new DenseWindows(windows, range, shape.valueType, emptyValue)
  const told = ({ rowCount, times, values }: DenseRows): StoredRows =>
    shape.rows(rowCount, times, values)
  if (Array.isArray(pieces)) {
    const all = allRows(dense, pieces as readonly FieldPiece[])
    // Most tables are small: as a list their readers need not wait for them.
    return mappedRows(dense.isSmall ? [...all] : all, told)
  }
  return (async function* () {
    for await (const piece of pieces as AsyncIterable<FieldPiece>) {
      for (const rows of dense.add(piece)) yield told(rows)
    }
    for (const rows of dense.finish()) yield told(rows)
  })()
}
