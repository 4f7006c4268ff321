// Some points of one field of one series, copied out of a batch of the store: rows without a value are
// left out. Times stay a base and offsets until a table is made of them.

import type { Batch } from '../../../column/batch.js'
import {
  type Column,
  dictionaryEntry,
  isWide,
  type StringColumn,
  type Utf8Dictionary,
} from '../../../column/column.js'
import type { TimeColumn } from '../../../column/time.js'
import type { CellType, ValueCells } from '../../../query/table.js'
import { newCellValues } from '../../table/cells.js'
import { int64Values } from './int64.js'

export interface FieldPiece {
  readonly count: number
  readonly base: bigint
  readonly offsets: Float64Array
  /** Without gaps; without any where values are not wanted. */
  readonly cells: ValueCells
}

export const cellTypeOfField: Readonly<Record<Column['type'], CellType>> = {
  float: 'float',
  integer: 'int',
  unsigned: 'uint',
  boolean: 'bool',
  string: 'string',
}

/** Rows `start` up to `stop` of a column of the batch; undefined: none has a value. `texts` undefined: only times. */
export function fieldPiece(
  batch: Batch,
  field: number,
  start: number,
  stop: number,
  texts: BatchTexts | undefined,
): FieldPiece | undefined {
  const column = batch.columns[field]
  const times = batch.pointTimes?.[field] ?? batch.times
  const { validity } = column
  const count = validity === undefined ? stop - start : countOf(validity, start, stop)
  if (count === 0) return undefined
  if (count === stop - start) {
    const offsets = floats(times.offsets, start, stop)
    const cells = texts === undefined ? noCells(column) : cellsOf(column, field, start, stop, texts)
    return { count, base: times.base, offsets, cells }
  }
  const dense = compacted(column, times, start, stop, count)
  const cells =
    texts === undefined ? noCells(column) : cellsOf(dense.column, field, 0, count, texts)
  return { count, base: times.base, offsets: dense.offsets, cells }
}

/** Rows `start` up to `stop` of a column, those without a value among them; undefined: none has one. */
export function wideCells(
  column: Column,
  field: number,
  start: number,
  stop: number,
  texts: BatchTexts,
): ValueCells | undefined {
  const { validity } = column
  const count = validity === undefined ? stop - start : countOf(validity, start, stop)
  if (count === 0) return undefined
  if (validity === undefined || count === stop - start) {
    return cellsOf(column, field, start, stop, texts)
  }
  // Where there is no value a number may be any; that of a text must be one of a text.
  const filled = column.type === 'string' ? withoutStrays(column, validity, start, stop) : column
  const cells = cellsOf(filled, field, start, stop, texts)
  return { ...cells, validity: validity.slice(start, stop) } as ValueCells
}

function withoutStrays(
  column: StringColumn,
  validity: Uint8Array,
  start: number,
  stop: number,
): StringColumn {
  const some = column.values[validity.indexOf(1, start)]
  const values = column.values.slice()
  for (let row = start; row < stop; row++) if (validity[row] === 0) values[row] = some
  return { ...column, values }
}

function noCells({ type }: Column): ValueCells {
  const own = cellTypeOfField[type]
  const cells = { kind: 'values', type: own, values: newCellValues(own, 0), validity: undefined }
  return (own === 'string' ? { ...cells, dictionary: [] } : cells) as unknown as ValueCells
}

function countOf(validity: Uint8Array, start: number, stop: number): number {
  let count = 0
  for (let row = start; row < stop; row++) count += validity[row]
  return count
}

interface Compacted {
  readonly column: Column
  readonly offsets: Float64Array
}

function compacted(
  column: Column,
  times: TimeColumn,
  start: number,
  stop: number,
  count: number,
): Compacted {
  const validity = column.validity!
  const source = column.values as Float64Array
  const values = new (source.constructor as Float64ArrayConstructor)(count)
  const offsets = new Float64Array(count)
  for (let row = start, at = 0; row < stop; row++) {
    if (validity[row] === 0) continue
    values[at] = source[row]
    offsets[at++] = times.offsets[row]
  }
  return { column: { ...column, values, validity: undefined } as Column, offsets }
}

function cellsOf(
  column: Column,
  field: number,
  start: number,
  stop: number,
  texts: BatchTexts,
): ValueCells {
  const kind = 'values'
  const validity = undefined
  switch (column.type) {
    case 'float':
      return { kind, type: 'float', values: floats(column.values, start, stop), validity }
    case 'integer': {
      const values = isWide(column)
        ? (column.values.slice(start, stop) as BigInt64Array)
        : int64Values(column.values as Float64Array, start, stop)
      return { kind, type: 'int', values, validity }
    }
    case 'unsigned': {
      const values = isWide(column)
        ? (column.values.slice(start, stop) as BigUint64Array)
        : new BigUint64Array(int64Values(column.values as Float64Array, start, stop).buffer)
      return { kind, type: 'uint', values, validity }
    }
    case 'boolean':
      return { kind, type: 'bool', values: column.values.slice(start, stop), validity }
    case 'string': {
      const { values, dictionary } = texts.cells(column, field, start, stop)
      return { kind, type: 'string', values, validity, dictionary }
    }
  }
}

/** A copy; `slice` takes longer for a few values than for copying them. */
function floats(source: Float64Array, start: number, stop: number): Float64Array {
  if (stop - start > 16) return source.slice(start, stop)
  const copy = new Float64Array(stop - start)
  for (let row = start; row < stop; row++) copy[row - start] = source[row]
  return copy
}

interface Texts {
  readonly values: Uint32Array
  readonly dictionary: readonly string[]
}

/** The texts of a batch, decoded once where its rows need most of them. */
export class BatchTexts {
  readonly #whole = new Map<number, readonly string[]>()

  cells(column: StringColumn, field: number, start: number, stop: number): Texts {
    const { dictionary } = column
    if (dictionary.count <= 2 * (stop - start)) {
      let whole = this.#whole.get(field)
      if (whole === undefined) {
        whole = Array.from({ length: dictionary.count }, (_, i) => dictionaryEntry(dictionary, i))
        this.#whole.set(field, whole)
      }
      return { values: column.values.slice(start, stop), dictionary: whole }
    }
    return usedTexts(column.values, dictionary, start, stop)
  }
}

function usedTexts(
  source: Uint32Array,
  dictionary: Utf8Dictionary,
  start: number,
  stop: number,
): Texts {
  const values = new Uint32Array(stop - start)
  const places = new Map<number, number>()
  const used: string[] = []
  for (let row = start; row < stop; row++) {
    let place = places.get(source[row])
    if (place === undefined) {
      place = used.length
      places.set(source[row], place)
      used.push(dictionaryEntry(dictionary, source[row]))
    }
    values[row - start] = place
  }
  return { values, dictionary: used }
}

/** About what it takes in memory. */
export function pieceBytes({ count, cells }: FieldPiece): number {
  let bytes = 64 + 8 * count + cells.values.byteLength
  if (cells.type === 'string') for (const text of cells.dictionary) bytes += 16 + text.length
  return bytes
}
