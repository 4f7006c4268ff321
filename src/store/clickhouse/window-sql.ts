// Aggregates as expressions of ClickHouse, and what their columns mean. Ties are broken as the waist says: of equal
// extremes the earliest, of points at one time the greatest value (of booleans false before true for the first).

import type { FieldType, Value } from '../../column/column.js'
import { sumOf64Bits } from '../aggregate-types.js'
import type { AggregateFunction } from '../store.js'
import { cellAt } from './columns-in.js'
import { type PlacedField, slotName, tables } from './layout.js'
import type { NativeBase, ReadColumn } from './native-format.js'

export interface AggregateColumns {
  readonly expressions: readonly string[]
  readonly types: readonly NativeBase[]
  /** From the columns of these expressions; null: the window has no value. */
  value(columns: readonly ReadColumn[], row: number): Value | null
  /** Where the chosen point lay. */
  time?(columns: readonly ReadColumn[], row: number): bigint
}

export interface AggregateOptions {
  readonly refusesOverflow: boolean
}

/** The first column of each is the number of values. */
export function aggregateColumns(
  fn: AggregateFunction,
  field: PlacedField,
  options: AggregateOptions,
): AggregateColumns {
  const slot = slotName(field.slot)
  const count = `toInt64(count(${slot}))`
  if (fn === 'count') {
    const value = (columns: readonly ReadColumn[], row: number) => countAt(columns[0], row)
    return { expressions: [count], types: ['Int64'], value }
  }
  if (fn === 'sum' || fn === 'mean') return sumColumns(fn, field, count, options)
  return chosenColumns(fn, field, count)
}

/** Null where it is 0, so that windows without values can be told. */
function countAt(column: ReadColumn, row: number): bigint | null {
  const count = cellAt(column, 'integer', row) as bigint
  return count === 0n ? null : count
}

function sumColumns(
  fn: 'sum' | 'mean',
  { slot, type }: PlacedField,
  count: string,
  { refusesOverflow }: AggregateOptions,
): AggregateColumns {
  const name = slotName(slot)
  if (type === 'float') {
    return {
      expressions: [count, `sum(${name})`],
      types: ['Int64', 'Float64'],
      value(columns, row) {
        const values = countAt(columns[0], row)
        if (values === null) return null
        const sum = cellAt(columns[1], 'float', row) as number
        return fn === 'sum' ? sum : sum / Number(values)
      },
    }
  }
  // A sum of halves cannot overflow, and is exact.
  const whole = type === 'unsigned' ? `toUInt64(${name})` : name
  const high = `sum(toInt64(bitShiftRight(${whole}, 32)))`
  const low = `sum(toInt64(bitAnd(${name}, 4294967295)))`
  return {
    expressions: [count, high, low],
    types: ['Int64', 'Int64', 'Int64'],
    value(columns, row) {
      const values = countAt(columns[0], row)
      if (values === null) return null
      const half = (i: number) => cellAt(columns[i], 'integer', row) as bigint
      const sum = half(1) * 2n ** 32n + half(2)
      return fn === 'sum' ? sumOf64Bits(type, sum, refusesOverflow) : Number(sum) / Number(values)
    },
  }
}

function chosenColumns(
  fn: 'min' | 'max' | 'first' | 'last',
  field: PlacedField,
  count: string,
): AggregateColumns {
  const { slot, type, table } = field
  const name = slotName(slot)
  const isSet = `isNotNull(${name})`
  const plain = `assumeNotNull(${name})`
  const value = type === 'unsigned' ? `toUInt64(${plain})` : plain
  const [choose, by] = chooser(fn, type, value)
  const base = type === 'unsigned' ? 'UInt64' : tables[table].base
  return {
    expressions: [
      count,
      `${choose}If(${value}, ${by}, ${isSet})`,
      `${choose}If(time, ${by}, ${isSet})`,
    ],
    types: ['Int64', base, 'Int64'],
    value: (columns, row) => {
      if (countAt(columns[0], row) === null) return null
      return cellAt(columns[1], type, row)
    },
    time: (columns, row) => cellAt(columns[2], 'integer', row) as bigint,
  }
}

function chooser(
  fn: 'min' | 'max' | 'first' | 'last',
  type: FieldType,
  value: string,
): readonly [string, string] {
  switch (fn) {
    case 'min':
      return ['argMin', `(${value}, time)`]
    case 'max':
      return ['argMax', `(${value}, -time)`]
    case 'last':
      return ['argMax', `(time, ${value})`]
    case 'first':
      return type === 'boolean' ? ['argMin', `(time, ${value})`] : ['argMax', `(-time, ${value})`]
  }
}
