// Aggregates as expressions of ClickHouse, and what their columns mean. Ties are broken as the waist says: of equal
// extremes the earliest, of points at one time the greatest value (of booleans false before true for the first).

import type { FieldType, Value } from '../../column/column.js'
import { compareUtf8 } from '../../column/series.js'
import { sumOf64Bits } from '../aggregate-types.js'
import type { AggregateFunction } from '../store.js'
import { cellAt } from './columns-in.js'
import { type PlacedField, slotName, tables } from './layout.js'
import type { NativeBase, ReadColumn } from './native-format.js'

export interface AggregateColumns {
  readonly expressions: readonly string[]
  readonly types: readonly NativeBase[]
  /** From what the shards answered, one part at least; null: the window has no value. */
  value(parts: readonly AggregatePart[]): Value | null
  /** Where the chosen point lay. */
  time?(parts: readonly AggregatePart[]): bigint
}

/** A row of an answer: the columns of these expressions. */
export interface AggregatePart {
  readonly columns: readonly ReadColumn[]
  readonly row: number
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
  // Of rows that have a value in one of the fields: others are not among them.
  if (fn === 'rows') {
    return { expressions: ['toInt64(count())'], types: ['Int64'], value: countOf }
  }
  const slot = slotName(field.slot)
  const count = `toInt64(count(${slot}))`
  if (fn === 'count') {
    return { expressions: [count], types: ['Int64'], value: countOf }
  }
  if (fn === 'sum' || fn === 'mean') return sumColumns(fn, field, count, options)
  return chosenColumns(fn, field, count)
}

/** Null where it is 0, so that windows without values can be told. */
function countOf(parts: readonly AggregatePart[]): bigint | null {
  const count = integerSum(parts, 0)
  return count === 0n ? null : count
}

function integerSum(parts: readonly AggregatePart[], column: number): bigint {
  let sum = 0n
  for (const { columns, row } of parts) sum += cellAt(columns[column], 'integer', row) as bigint
  return sum
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
      value(parts) {
        const values = countOf(parts)
        if (values === null) return null
        // Null where a shard has none.
        let sum = 0
        for (const { columns, row } of parts) sum += Number(cellAt(columns[1], 'float', row) ?? 0)
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
    value(parts) {
      const values = countOf(parts)
      if (values === null) return null
      const own = parts.filter((part) => countOf([part]) !== null)
      const sum = integerSum(own, 1) * 2n ** 32n + integerSum(own, 2)
      return fn === 'sum' ? sumOf64Bits(type, sum, refusesOverflow) : Number(sum) / Number(values)
    },
  }
}

function chosenColumns(fn: ChoosingFunction, field: PlacedField, count: string): AggregateColumns {
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
    value(parts) {
      const chosen = bestOf(parts, fn, type)
      return chosen === undefined ? null : cellAt(chosen.columns[1], type, chosen.row)
    },
    time: (parts) => timeOf(bestOf(parts, fn, type)!),
  }
}

function timeOf({ columns, row }: AggregatePart): bigint {
  return cellAt(columns[2], 'integer', row) as bigint
}

/** Of what several shards have chosen, by the same rules; undefined: none has a value. */
function bestOf(parts: readonly AggregatePart[], fn: ChoosingFunction, type: FieldType) {
  let best: AggregatePart | undefined
  for (const part of parts) {
    if (countOf([part]) === null) continue
    if (best === undefined || isBetter(part, best, fn, type)) best = part
  }
  return best
}

function isBetter(a: AggregatePart, b: AggregatePart, fn: ChoosingFunction, type: FieldType) {
  const values = compareValues(
    cellAt(a.columns[1], type, a.row)!,
    cellAt(b.columns[1], type, b.row)!,
  )
  const times = compareValues(timeOf(a), timeOf(b))
  switch (fn) {
    case 'min':
      return (values || times) < 0
    case 'max':
      return (values || -times) > 0
    case 'last':
      return (times || values) > 0
    case 'first':
      return type === 'boolean' ? (times || values) < 0 : (-times || values) > 0
  }
}

function compareValues(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

type ChoosingFunction = 'min' | 'max' | 'first' | 'last'

function chooser(fn: ChoosingFunction, type: FieldType, value: string): readonly [string, string] {
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
