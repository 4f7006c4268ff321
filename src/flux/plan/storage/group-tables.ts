// Aggregates of groups of series: the store gives one value per series and field, which are brought
// together here. Rows of a group come series after series, so that the first one is the first of its
// first series, and of equal values the earlier series wins. Memory follows the number of groups.

import {
  type Cell,
  type Cells,
  type CellType,
  cellAt,
  type TableColumn,
} from '../../../query/table.js'
import type { AggregateFunction } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import { constantCells } from '../../table/cells.js'
import { GroupKey } from '../../value/key.js'
import type { FieldPiece } from './field-piece.js'
import { readFieldSeries } from './field-series.js'
import { sumOf } from './group-windows.js'
import { type SeriesShape, SeriesShapes } from './series-columns.js'
import { measurementReads, type SelectedField, type StorageRead } from './storage-read.js'
import type { StoredTable } from './stored-table.js'
import { isSelector } from './window-rows.js'

export type GroupFunction = Exclude<AggregateFunction, 'mean'>

/** About what a group takes. */
const groupBytes = 512

interface Group {
  readonly key: GroupKey
  readonly type: CellType
  /** Of all its tables, in the order in which they came. */
  readonly columns: Map<string, TableColumn>
  value: Cell
  time: bigint
  /** The key of the table that the chosen row comes from. */
  row: GroupKey
}

/** undefined: tables of one group differ in the type of their values. */
export async function groupAggregateTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  name: GroupFunction,
  by: readonly string[],
  context: FluxContext,
): Promise<readonly StoredTable[] | undefined> {
  const shapes = new SeriesShapes(read.range)
  const names = new Set(by)
  const groups = new Map<string, Group>()
  const aggregate = { functions: [name], pointTimes: isSelector(name) }
  let bytes = 0
  try {
    for (const measurement of measurementReads(read, fields, context, aggregate)) {
      for await (const { series, field, pieces } of readFieldSeries(measurement)) {
        const shape = shapes.shape(series, field)
        for await (const piece of pieces) {
          const size = groups.size
          if (!addTo(groups, shape, piece, name, names)) return undefined
          if (groups.size === size) continue
          context.memory.take(groupBytes)
          bytes += groupBytes
        }
      }
    }
  } finally {
    context.memory.release(bytes)
  }
  return Array.from(groups.values(), (group) => groupTable(group, isSelector(name)))
}

/** False: the values are of another type. */
function addTo(
  groups: Map<string, Group>,
  shape: SeriesShape,
  piece: FieldPiece,
  name: GroupFunction,
  by: ReadonlySet<string>,
): boolean {
  const key = GroupKey.ofSorted(shape.key.entries.filter((entry) => by.has(entry.name)))
  const value = cellAt(piece.cells, 0)!
  const time = piece.base + BigInt(piece.offsets[0])
  let group = groups.get(key.text)
  if (group === undefined) {
    const { type } = piece.cells
    group = { key, type, columns: new Map(), value, time, row: shape.key }
    groups.set(key.text, group)
  } else {
    if (group.type !== piece.cells.type) return false
    combine(group, name, value, time, shape.key)
  }
  for (const column of shape.columns) {
    if (!group.columns.has(column.name)) group.columns.set(column.name, column)
  }
  return true
}

function combine(
  group: Group,
  name: GroupFunction,
  value: Cell,
  time: bigint,
  row: GroupKey,
): void {
  switch (name) {
    case 'count':
    case 'sum':
      group.value = sumOf(group.value, value, group.type)
      return
    case 'first':
      return
    case 'min':
      if (!(value < group.value)) return
      break
    case 'max':
      if (!(value > group.value)) return
      break
    case 'last':
      break
  }
  group.value = value
  group.time = time
  group.row = row
}

function groupTable(group: Group, isWholeRow: boolean): StoredTable {
  const { key, type } = group
  const own: readonly TableColumn[] = isWholeRow
    ? [...group.columns.values()]
    : [...key.entries.map((entry) => ({ name: entry.name, type: entry.type })), valueColumn(type)]
  const cells = (place: number) => chosenCells(group, own[place], isWholeRow)
  return { key, columns: own, rows: [{ rowCount: 1, cells }] }
}

function valueColumn(type: CellType): TableColumn {
  return { name: '_value', type }
}

function chosenCells(
  { key, value, time, row }: Group,
  { name, type }: TableColumn,
  isWholeRow: boolean,
): Cells {
  if (name === '_value') return constantCells(type, value)
  if (isWholeRow && name === '_time') return constantCells(type, time)
  return constantCells(type, (isWholeRow ? row : key).entry(name)?.value ?? null)
}
