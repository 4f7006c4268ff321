// Aggregates that the store computes, as tables: one row per series, field and window, or one row for
// the whole range. Windows without points are filled in where the query wants them.

import { floorDiv, type TimeRange } from '../../../column/time.js'
import type { Cell, Chunk, TimeCells, ValueCells } from '../../../query/table.js'
import type { AggregateFunction } from '../../../store/store.js'
import type { FluxContext } from '../../evaluate/context.js'
import { type Table, tableOf } from '../../table/table.js'
import { DenseWindows } from './dense-windows.js'
import type { FieldPiece } from './field-piece.js'
import { type FieldSeries, readFieldSeries } from './field-series.js'
import { int64Moments } from './int64.js'
import { momentCells, shapedChunk } from './row-tables.js'
import { type SeriesShape, SeriesShapes, timePlace } from './series-columns.js'
import { measurementReads, type SelectedField, type StorageRead } from './storage-read.js'

/** How rows of windows are told. */
export interface WindowRows {
  readonly everyNs: bigint
  readonly offsetNs: bigint
  /** Which end of its window a row has for its time. */
  readonly time: '_start' | '_stop'
  /** Windows without points have a row too. */
  readonly createEmpty: boolean
}

/** Longer windows would leave the integers that a float64 tells exactly: about 52 days. */
export const everyNsMax = 2n ** 52n

/** Whether the store can compute it of all these fields; where not, the function itself says why. */
export function canAggregate(name: AggregateFunction, fields: readonly SelectedField[]) {
  if (name === 'count' || name === 'first' || name === 'last') return true
  return fields.every(({ type }) => type !== 'string' && type !== 'boolean')
}

export function isSelector(name: AggregateFunction): boolean {
  return name === 'first' || name === 'last' || name === 'min' || name === 'max'
}

/** One row per table: of an aggregate the value alone, of a selector with the time of its point. */
export async function* bareAggregateTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  name: AggregateFunction,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const shapes = new SeriesShapes(read.range)
  const hasTime = isSelector(name)
  const aggregate = { functions: [name], pointTimes: hasTime }
  for (const measurement of measurementReads(read, fields, context, aggregate)) {
    for await (const { series, field, pieces } of readFieldSeries(measurement)) {
      const shape = shapes.shape(series, field)
      for await (const piece of pieces) {
        yield hasTime
          ? tableOf(shape.key, shape.columns, [
              shapedChunk(shape, 1, momentCells(piece), piece.cells),
            ])
          : timelessTable(shape, piece.cells)
      }
    }
  }
}

function timelessTable(shape: SeriesShape, values: ValueCells): Table {
  const columns = shape.columns.filter((_, place) => place !== timePlace)
  const cells = [shape.startCells, shape.stopCells, values, ...shape.nameCells]
  return tableOf(shape.key, columns, [{ rowCount: 1, columns: cells }])
}

export async function* windowAggregateTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  name: AggregateFunction,
  windows: WindowRows,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const shapes = new SeriesShapes(read.range)
  const { everyNs, offsetNs } = windows
  const aggregate = { functions: [name], everyNs, offsetNs }
  const emptyValue = name === 'count' ? 0n : null
  for (const measurement of measurementReads(read, fields, context, aggregate)) {
    for await (const series of readFieldSeries(measurement)) {
      const shape = shapes.shape(series.series, series.field)
      const chunks = windows.createEmpty
        ? denseChunks(shape, series, windows, read.range, emptyValue)
        : sparseChunks(shape, series, windows, read.range)
      yield { key: shape.key, columns: shape.columns, chunks: () => chunks }
    }
  }
}

function sparseChunks(
  shape: SeriesShape,
  { pieces }: FieldSeries,
  windows: WindowRows,
  range: TimeRange,
): readonly Chunk[] | AsyncIterable<Chunk> {
  const chunkOf = (piece: FieldPiece) =>
    shapedChunk(shape, piece.count, windowTimes(piece, windows, range), piece.cells)
  return Array.isArray(pieces)
    ? (pieces as readonly FieldPiece[]).map(chunkOf)
    : mapped(pieces as AsyncIterable<FieldPiece>, chunkOf)
}

async function* mapped(
  pieces: AsyncIterable<FieldPiece>,
  fn: (piece: FieldPiece) => Chunk,
): AsyncGenerator<Chunk, void, void> {
  for await (const piece of pieces) yield fn(piece)
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

function denseChunks(
  shape: SeriesShape,
  { pieces }: FieldSeries,
  windows: WindowRows,
  range: TimeRange,
  emptyValue: Cell | null,
): Iterable<Chunk> | AsyncIterable<Chunk> {
  const dense = new DenseWindows(windows, range, shape.columns[timePlace + 1].type, emptyValue)
  const toChunk = ({ rowCount, times, values }: ReturnType<DenseWindows['take']>): Chunk =>
    shapedChunk(shape, rowCount, times, values)
  if (Array.isArray(pieces)) {
    return (function* () {
      for (const piece of pieces as readonly FieldPiece[]) {
        for (const rows of dense.add(piece)) yield toChunk(rows)
      }
      for (const rows of dense.finish()) yield toChunk(rows)
    })()
  }
  return (async function* () {
    for await (const piece of pieces as AsyncIterable<FieldPiece>) {
      for (const rows of dense.add(piece)) yield toChunk(rows)
    }
    for (const rows of dense.finish()) yield toChunk(rows)
  })()
}
