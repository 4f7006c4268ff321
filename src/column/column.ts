// Columns: the currency from the parser to the store and from the store to the result encoder. Pure
// data, typed arrays, no methods. A column's arrays may be longer than its batch; only the first
// `rowCount` entries count.
//
// Integers: nearly all integers of the world are below 2^53, and arithmetic on `BigInt` costs 24-40
// ns against 1 ns for a float. So an integer or unsigned column holds a Float64Array when every one
// of its values is a safe integer, and a BigInt64Array (BigUint64Array) when at least one is not.
// Both are exact; `isWide` tells them apart.

export type FieldType = 'float' | 'integer' | 'unsigned' | 'boolean' | 'string'

/** Persisted and sent between threads: positions in this list never change. */
export const fieldTypes: readonly FieldType[] = [
  'float',
  'integer',
  'unsigned',
  'boolean',
  'string',
]

/** One byte per row, 1 = the row has a value, 0 = it has none. Absent: every row has a value. */
export type Validity = Uint8Array | undefined

export interface FloatColumn {
  readonly type: 'float'
  readonly values: Float64Array
  readonly validity: Validity
}

export interface IntegerColumn {
  readonly type: 'integer'
  readonly values: Float64Array | BigInt64Array
  readonly validity: Validity
}

export interface UnsignedColumn {
  readonly type: 'unsigned'
  readonly values: Float64Array | BigUint64Array
  readonly validity: Validity
}

/** 1 = true, 0 = false. */
export interface BooleanColumn {
  readonly type: 'boolean'
  readonly values: Uint8Array
  readonly validity: Validity
}

/** Row i holds dictionary entry `values[i]`. Entries may repeat: the dictionary saves work, it promises nothing. */
export interface StringColumn {
  readonly type: 'string'
  readonly values: Uint32Array
  readonly dictionary: Utf8Dictionary
  readonly validity: Validity
}

/** Entry i is the UTF-8 bytes from offsets[i] to offsets[i + 1]. */
export interface Utf8Dictionary {
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
  readonly count: number
}

export type Column = FloatColumn | IntegerColumn | UnsignedColumn | BooleanColumn | StringColumn

export type WideColumn = (IntegerColumn | UnsignedColumn) & {
  readonly values: BigInt64Array | BigUint64Array
}

export function isWide(column: Column): column is WideColumn {
  return column.values instanceof BigInt64Array || column.values instanceof BigUint64Array
}

const decoder = new TextDecoder()

export function dictionaryEntry(dictionary: Utf8Dictionary, index: number): string {
  const { offsets, bytes } = dictionary
  return decoder.decode(bytes.slice(offsets[index], offsets[index + 1]))
}

/** One value as JavaScript sees it. For edges (printing, tests), not for loops over many rows. */
export type Value = number | bigint | boolean | string

/** The value of a row, or null where it has none. Integers come as bigint so that none is rounded. */
export function valueAt(column: Column, row: number): Value | null {
  if (column.validity !== undefined && column.validity[row] === 0) return null
  switch (column.type) {
    case 'float':
      return column.values[row]
    case 'integer':
    case 'unsigned':
      return BigInt(column.values[row])
    case 'boolean':
      return column.values[row] !== 0
    case 'string':
      return dictionaryEntry(column.dictionary, column.values[row])
  }
}
