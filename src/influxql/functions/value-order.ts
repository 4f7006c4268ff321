// How InfluxDB orders values of one type: numbers by size (narrow and wide integers mix), false
// before true, strings by their UTF-8 bytes.

import type { Column, Value } from '../../column/column.js'

/** Negative, zero or positive. NaN is equal to everything: it is neither smaller nor greater. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** By code point, which is the order of UTF-8 bytes. JavaScript's own order is by UTF-16 unit. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** A column's numbers as floats, rounded where they are wide. The array may be longer than the column has rows. */
export function floatsOf(column: Column, count: number): Float64Array {
  const { values } = column
  if (values instanceof Float64Array) return values
  const floats = new Float64Array(count)
  for (let row = 0; row < count; row++) floats[row] = Number(values[row])
  return floats
}
