// The order of group keys, column by column in the order of their names: of two keys the one that lacks
// a column comes first, null before every value. Tables that a function held back leave in this order.

import { compareUtf8 } from '../../column/series.js'
import type { Cell, CellType } from '../../query/table.js'
import type { GroupKey } from '../value/key.js'

const typeOrder: Readonly<Record<CellType, number>> = {
  bool: 1,
  int: 2,
  uint: 3,
  float: 4,
  string: 5,
  time: 6,
}

export function compareKeys(a: GroupKey, b: GroupKey): number {
  const count = Math.min(a.entries.length, b.entries.length)
  for (let i = 0; i < count; i++) {
    const [left, right] = [a.entries[i], b.entries[i]]
    const names = compareUtf8(right.name, left.name)
    if (names !== 0) return names
    if (left.type !== right.type) return typeOrder[left.type] - typeOrder[right.type]
    const values = compareCells(left.value, right.value)
    if (values !== 0) return values
  }
  return a.entries.length - b.entries.length
}

/** Cells of one type. */
function compareCells(a: Cell | null, b: Cell | null): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1)
  if (typeof a === 'string') return compareUtf8(a, b as string)
  return a < b ? -1 : a > b ? 1 : 0
}
