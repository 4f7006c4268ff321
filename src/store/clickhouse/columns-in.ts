// Columns of an answer as columns of the house: 64-bit integers become float64 where every one of them is safe, nulls
// become validity, strings a dictionary.

import type { Column, FieldType, Validity, Value } from '../../column/column.js'
import { isNear, type TimeColumn } from '../../column/time.js'
import type { ReadColumn } from './native-format.js'

/** Rows `start` up to `stop` of what was read, as a field of this type. */
export function columnOf(column: ReadColumn, type: FieldType, start: number, stop: number): Column {
  const validity = validityOf(column.nulls, start, stop)
  switch (column.base) {
    case 'Float64':
      return { type: 'float', values: column.values.subarray(start, stop), validity }
    case 'String': {
      const { offsets, bytes } = column
      const values = Uint32Array.from({ length: stop - start }, (_, i) => start + i)
      const dictionary = { offsets, bytes, count: offsets.length - 1 }
      return { type: 'string', values, dictionary, validity }
    }
    case 'Int64':
    case 'UInt64':
      return integersOf(column.values.subarray(start, stop), type, validity)
    default:
      throw new TypeError(`no field is a column of ${column.base}`)
  }
}

function validityOf(nulls: Uint8Array | undefined, start: number, stop: number): Validity {
  if (nulls === undefined) return undefined
  let anyNull = false
  const validity = new Uint8Array(stop - start)
  for (let i = start; i < stop; i++) {
    if (nulls[i] === 0) validity[i - start] = 1
    else anyNull = true
  }
  return anyNull ? validity : undefined
}

function integersOf(
  values: BigInt64Array | BigUint64Array,
  type: FieldType,
  validity: Validity,
): Column {
  const { buffer, byteOffset, length } = values
  if (type === 'boolean') {
    const halves = new Int32Array(buffer, byteOffset, 2 * length)
    return { type, values: Uint8Array.from({ length }, (_, i) => halves[2 * i]), validity }
  }
  const narrow = narrowOf(new Int32Array(buffer, byteOffset, 2 * length), type === 'unsigned')
  if (type === 'unsigned') {
    return { type, values: narrow ?? new BigUint64Array(buffer, byteOffset, length), validity }
  }
  return {
    type: 'integer',
    values: narrow ?? new BigInt64Array(buffer, byteOffset, length),
    validity,
  }
}

const half = 2 ** 32
/** High halves of safe integers. */
const highMax = 2 ** 21

/** undefined: one of them is no safe integer. */
function narrowOf(halves: Int32Array, isUnsigned: boolean): Float64Array | undefined {
  const values = new Float64Array(halves.length / 2)
  for (let i = 0; i < values.length; i++) {
    const high = halves[2 * i + 1]
    if (high >= highMax || high < (isUnsigned ? 0 : -highMax)) return undefined
    values[i] = high * half + (halves[2 * i] >>> 0)
  }
  return values
}

/** Integers come as bigint, as `valueAt` gives them. */
export function cellAt(column: ReadColumn, type: FieldType, row: number): Value | null {
  if (column.nulls !== undefined && column.nulls[row] !== 0) return null
  if (column.base === 'String') {
    const { offsets, bytes } = column
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
      'utf8',
      offsets[row],
      offsets[row + 1],
    )
  }
  const value = column.values[row]
  if (type === 'boolean') return BigInt(value) !== 0n
  if (type === 'unsigned') return BigInt.asUintN(64, BigInt(value))
  return value
}

/** From the first row on, as many as lie near it. */
export function timesOf(times: BigInt64Array, start: number, stop: number): TimeColumn {
  const base = times[start]
  const offsets = new Float64Array(stop - start)
  const halves = new Int32Array(times.buffer, times.byteOffset, 2 * times.length)
  const [baseLow, baseHigh] = [halves[2 * start] >>> 0, halves[2 * start + 1]]
  for (let i = start; i < stop; i++) {
    const high = halves[2 * i + 1] - baseHigh
    offsets[i - start] = high * half + ((halves[2 * i] >>> 0) - baseLow)
  }
  return { base, offsets }
}

/** Where rows from `start` on lie too far from it for one base. */
export function nearStop(times: BigInt64Array, start: number, stop: number): number {
  const base = times[start]
  // Mostly all of them: rows of a series are in order.
  if (isNear(times[stop - 1], base)) {
    let isOrdered = true
    const halves = new Int32Array(times.buffer, times.byteOffset, 2 * times.length)
    const baseHigh = halves[2 * start + 1]
    for (let i = start; i < stop && isOrdered; i++) {
      const distance = halves[2 * i + 1] - baseHigh
      isOrdered = distance < 2 ** 19 && distance > -(2 ** 19)
    }
    if (isOrdered) return stop
  }
  let end = start + 1
  while (end < stop && isNear(times[end], base)) end++
  return end
}
