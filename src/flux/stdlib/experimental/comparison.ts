// Two tables with the same key side by side: which columns to compare, and whether two rows are equal.
// What `experimental.diff` and the assertions of the package `testing` share.

import {
  type Cell,
  type Cells,
  type CellType,
  type Chunk,
  cellAt,
  isNullAt,
  type TableColumn,
} from '../../../query/table.js'
import type { MemoryMeter } from '../../context/memory-meter.js'
import { type Collected, collectRows } from '../../table/collect.js'
import { validCount } from '../../table/numbers.js'
import { columnIndex, type Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { GroupKey } from '../../value/key.js'
import { quoted } from '../../value/quote.js'

export const diffColumn: TableColumn = { name: '_diff', type: 'string' }

/** All rows of one of the two. The caller releases `bytes`. */
export interface Side extends Collected {
  readonly key: GroupKey
  readonly columns: readonly TableColumn[]
}

export async function collectSide(table: Table, memory: MemoryMeter): Promise<Side> {
  return { key: table.key, columns: table.columns, ...(await collectRows(table, memory)) }
}

/** Nothing, under the key of the other side. */
export function emptySide({ key }: Side): Side {
  return { key, columns: [], rows: { rowCount: 0, columns: [] }, bytes: 0 }
}

/** A column of the comparison: where it stands on both sides; undefined: that side has no such column. */
export interface Compared extends TableColumn {
  readonly want: Cells | undefined
  readonly got: Cells | undefined
}

/**
 * All of both sides. A column of nulls only has no type that could be the wrong one: a table made of nulls does not
 * know what they were meant to be.
 */
export function comparedColumns(want: Side, got: Side): Compared[] {
  const compared: Compared[] = []
  const isLeft = ({ name }: TableColumn) => name !== diffColumn.name && !want.key.has(name)
  for (const [i, column] of want.columns.entries()) {
    if (!isLeft(column)) continue
    const place = columnIndex(got.columns, column.name)
    const type = place < 0 ? column.type : commonType(want, i, got, place)
    const cells = { want: want.rows.columns[i], got: got.rows.columns[place] }
    compared.push({ name: column.name, type, ...cells })
  }
  for (const [i, column] of got.columns.entries()) {
    if (!isLeft(column) || columnIndex(want.columns, column.name) >= 0) continue
    compared.push({ ...column, want: undefined, got: got.rows.columns[i] })
  }
  return compared
}

function commonType(want: Side, wantPlace: number, got: Side, gotPlace: number): CellType {
  const { name, type } = want.columns[wantPlace]
  const other = got.columns[gotPlace].type
  if (other === type || isAllNull(got.rows, gotPlace)) return type
  if (isAllNull(want.rows, wantPlace)) return other
  throw new FluxError(`column ${quoted(name)} has different types ${type} != ${other}`)
}

function isAllNull({ columns, rowCount }: Chunk, place: number): boolean {
  const cells = columns[place]
  if (rowCount === 0) return false
  if (cells.kind === 'constant') return cells.value === null
  return validCount(cells.validity, rowCount) === 0
}

/** Floats may differ by `epsilon`; two that are not numbers are equal. */
export function isRowEqual(
  columns: readonly Compared[],
  i: number,
  j: number,
  epsilon: number,
): boolean {
  for (const { type, want, got } of columns) {
    const hasWant = want !== undefined && !isNullAt(want, i)
    const hasGot = got !== undefined && !isNullAt(got, j)
    if (hasWant !== hasGot) return false
    if (hasWant && !isCellEqual(type, cellAt(want, i)!, cellAt(got!, j)!, epsilon)) return false
  }
  return true
}

function isCellEqual(type: Cells['type'], a: Cell, b: Cell, epsilon: number): boolean {
  if (type !== 'float') return a === b
  if (Number.isNaN(a as number) && Number.isNaN(b as number)) return true
  // Infinities of one sign are equal although their distance is no number.
  return a === b || Math.abs((a as number) - (b as number)) <= epsilon
}
