// Points of one field of one series, in time order: cutting, picking, converting them, and bringing pieces that overlap
// in time together, where the later written piece wins.

import type { Column, FieldType, StringColumn } from '../../column/column.js'
import type { DecodedPoints } from '../encoding/block.js'

/** Rows `start` up to `stop`; shares the arrays. */
export function slicePoints(points: DecodedPoints, start: number, stop: number): DecodedPoints {
  if (start === 0 && stop === points.offsets.length) return points
  const { offsets, column } = points
  const values = column.values.subarray(start, stop)
  return { offsets: offsets.subarray(start, stop), column: { ...column, values } as Column }
}

export function selectPoints({ offsets, column }: DecodedPoints, rows: Uint32Array): DecodedPoints {
  const picked = new Float64Array(rows.length)
  const values = new (column.values.constructor as Float64ArrayConstructor)(rows.length)
  const from = column.values as Float64Array
  for (let i = 0; i < rows.length; i++) {
    picked[i] = offsets[rows[i]]
    values[i] = from[rows[i]]
  }
  return { offsets: picked, column: { ...column, values } as Column }
}

/** The place of the first moment that is not before `offset`. */
export function findOffset(offsets: Float64Array, offset: number): number {
  let low = 0
  let high = offsets.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (offsets[middle] < offset) low = middle + 1
    else high = middle
  }
  return low
}

/** Without the moments from `first` to `last`, both included. */
export function withoutRange(points: DecodedPoints, first: number, last: number): DecodedPoints {
  const { offsets } = points
  const start = findOffset(offsets, first)
  let stop = start
  while (stop < offsets.length && offsets[stop] <= last) stop++
  if (start === stop) return points
  if (start === 0) return slicePoints(points, stop, offsets.length)
  if (stop === offsets.length) return slicePoints(points, 0, start)
  const rows = new Uint32Array(offsets.length - (stop - start))
  for (let i = 0; i < rows.length; i++) rows[i] = i < start ? i : i + stop - start
  return selectPoints(points, rows)
}

/** Both in time order and of one type; where both have a moment, the newer one's value stands. */
export function mergePoints(older: DecodedPoints, newer: DecodedPoints): DecodedPoints {
  const a = older.offsets
  const b = newer.offsets
  if (a.length === 0) return newer
  if (b.length === 0) return older
  const joined = joinPoints(older, newer)
  if (a[a.length - 1] < b[0]) return joined
  const rows = new Uint32Array(a.length + b.length)
  let count = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (a[i] < b[j]) rows[count++] = i++
    else {
      if (a[i] === b[j]) i++
      rows[count++] = a.length + j++
    }
  }
  while (i < a.length) rows[count++] = i++
  while (j < b.length) rows[count++] = a.length + j++
  return selectPoints(joined, rows.subarray(0, count))
}

function joinPoints(a: DecodedPoints, b: DecodedPoints): DecodedPoints {
  const offsets = new Float64Array(a.offsets.length + b.offsets.length)
  offsets.set(a.offsets)
  offsets.set(b.offsets, a.offsets.length)
  return { offsets, column: joinColumns(a.column, b.column) }
}

function joinColumns(a: Column, b: Column): Column {
  if (a.type === 'string' && b.type === 'string') return joinStrings(a, b)
  if (a.type === 'integer' || a.type === 'unsigned') {
    const isWide = !(a.values instanceof Float64Array && b.values instanceof Float64Array)
    const first = isWide ? widened(a) : a.values
    const second = isWide ? widened(b) : b.values
    return { ...a, values: joined(first as Float64Array, second as Float64Array) } as Column
  }
  return { ...a, values: joined(a.values as Float64Array, b.values as Float64Array) } as Column
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const values = new (a.constructor as Float64ArrayConstructor)(a.length + b.length)
  values.set(a)
  values.set(b, a.length)
  return values
}

/** The values of an integer column as 64-bit integers. */
export function widened({ type, values }: Column): BigInt64Array | BigUint64Array {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return values
  return type === 'unsigned'
    ? BigUint64Array.from(values, BigInt)
    : BigInt64Array.from(values, BigInt)
}

/** As narrow as its values are. */
export function integerColumn(type: 'integer' | 'unsigned', values: readonly bigint[]): Column {
  const validity = undefined
  const max = BigInt(Number.MAX_SAFE_INTEGER)
  if (values.every((value) => value <= max && value >= -max)) {
    return { type, values: Float64Array.from(values, Number), validity }
  }
  if (type === 'integer') return { type, values: BigInt64Array.from(values), validity }
  return { type, values: BigUint64Array.from(values), validity }
}

function joinStrings(a: StringColumn, b: StringColumn): StringColumn {
  const count = a.dictionary.count + b.dictionary.count
  const bytesA = a.dictionary.offsets[a.dictionary.count]
  const bytes = new Uint8Array(bytesA + b.dictionary.offsets[b.dictionary.count])
  bytes.set(a.dictionary.bytes.subarray(0, bytesA))
  bytes.set(b.dictionary.bytes.subarray(0, bytes.length - bytesA), bytesA)
  const offsets = new Uint32Array(count + 1)
  offsets.set(a.dictionary.offsets.subarray(0, a.dictionary.count + 1))
  for (let i = 0; i <= b.dictionary.count; i++) {
    offsets[a.dictionary.count + i] = bytesA + b.dictionary.offsets[i]
  }
  const values = new Uint32Array(a.values.length + b.values.length)
  values.set(a.values)
  for (let i = 0; i < b.values.length; i++) {
    values[a.values.length + i] = a.dictionary.count + b.values[i]
  }
  return { type: 'string', values, dictionary: { offsets, bytes, count }, validity: undefined }
}

/** Integers become floats where the field is a float elsewhere; nothing else is ever asked for. */
export function convertPoints(points: DecodedPoints, type: FieldType): DecodedPoints {
  const { offsets, column } = points
  if (column.type === type) return points
  const values = Float64Array.from(column.values as Float64Array, Number)
  return { offsets, column: { type: 'float', values, validity: undefined } }
}
