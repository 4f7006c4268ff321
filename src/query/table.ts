// Tables as a language with group keys answers them (Flux): columns of typed arrays, one value type
// each. Plain data, shared by the language that makes them and the encoder that prints them. A column
// whose rows are all equal, as every column of a group key is, is told once.

import type { Validity } from '../column/column.js'

export type CellType = 'bool' | 'int' | 'uint' | 'float' | 'string' | 'time'

/** A cell as JavaScript sees it: int, uint and time (nanoseconds since 1970) are bigint. */
export type Cell = number | bigint | boolean | string

export interface FloatCells {
  readonly kind: 'values'
  readonly type: 'float'
  readonly values: Float64Array
  readonly validity: Validity
}

export interface IntCells {
  readonly kind: 'values'
  readonly type: 'int'
  readonly values: BigInt64Array
  readonly validity: Validity
}

export interface UintCells {
  readonly kind: 'values'
  readonly type: 'uint'
  readonly values: BigUint64Array
  readonly validity: Validity
}

export interface TimeCells {
  readonly kind: 'values'
  readonly type: 'time'
  readonly values: BigInt64Array
  readonly validity: Validity
}

/** 1 = true, 0 = false. */
export interface BoolCells {
  readonly kind: 'values'
  readonly type: 'bool'
  readonly values: Uint8Array
  readonly validity: Validity
}

/** Row i holds `dictionary[values[i]]`. Entries may repeat: the dictionary saves work, it promises nothing. */
export interface StringCells {
  readonly kind: 'values'
  readonly type: 'string'
  readonly values: Uint32Array
  readonly dictionary: readonly string[]
  readonly validity: Validity
}

/** The same cell in every row; null: none has a value. */
export interface ConstantCells {
  readonly kind: 'constant'
  readonly type: CellType
  readonly value: Cell | null
}

export type ValueCells = FloatCells | IntCells | UintCells | TimeCells | BoolCells | StringCells

/** One column of some rows; how many is said beside it. Arrays may be longer than that. */
export type Cells = ValueCells | ConstantCells

export interface TableColumn {
  readonly name: string
  readonly type: CellType
}

/** Rows of a table: one entry of `columns` for each column of the table, in its order. */
export interface Chunk {
  readonly rowCount: number
  readonly columns: readonly Cells[]
}

export function cellAt(cells: Cells, row: number): Cell | null {
  if (cells.kind === 'constant') return cells.value
  if (cells.validity !== undefined && cells.validity[row] === 0) return null
  switch (cells.type) {
    case 'bool':
      return cells.values[row] !== 0
    case 'string':
      return cells.dictionary[cells.values[row]]
    default:
      return cells.values[row]
  }
}

export function isNullAt(cells: Cells, row: number): boolean {
  if (cells.kind === 'constant') return cells.value === null
  return cells.validity !== undefined && cells.validity[row] === 0
}
