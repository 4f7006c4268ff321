// Columns in another type: numbers become other numbers, truncated towards zero; everything else only
// fits its own type.

import { type Column, type FieldType, valueAt } from '../../column/column.js'
import { ColumnBuilder } from '../../query/column-builder.js'

export function canCast(from: FieldType, to: FieldType | undefined): boolean {
  return from === to || (to !== undefined && isNumber(from) && isNumber(to))
}

/** Undefined: values of this type cannot become the other, so that there are none. */
export function castColumn(column: Column, type: FieldType, rowCount: number): Column | undefined {
  if (column.type === type) return column
  if (!canCast(column.type, type)) return undefined
  if (type === 'float') return { type, values: floats(column, rowCount), validity: column.validity }
  const builder = new ColumnBuilder(type, rowCount)
  for (let row = 0; row < rowCount; row++) {
    const value = valueAt(column, row)
    if (value === null) builder.pushNull()
    else builder.pushBigint(wholeNumber(value as number | bigint, type as 'integer' | 'unsigned'))
  }
  return builder.finish()
}

function isNumber(type: FieldType): boolean {
  return type === 'float' || type === 'integer' || type === 'unsigned'
}

function floats(column: Column, rowCount: number): Float64Array {
  if (column.values instanceof Float64Array) return column.values
  const values = new Float64Array(rowCount)
  for (let row = 0; row < rowCount; row++) values[row] = Number(column.values[row])
  return values
}

const bounds = {
  integer: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
  unsigned: { min: 0n, max: 2n ** 64n - 1n },
} as const

/** Integers wrap around; floats beyond the type's ends stop there, and what is no number is zero. */
function wholeNumber(value: number | bigint, type: 'integer' | 'unsigned'): bigint {
  if (typeof value === 'bigint') {
    return type === 'unsigned' ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value)
  }
  const { min, max } = bounds[type]
  if (Number.isNaN(value)) return 0n
  if (value >= Number(max)) return max
  return value <= Number(min) ? min : BigInt(Math.trunc(value))
}
