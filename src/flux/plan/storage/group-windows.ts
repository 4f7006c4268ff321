// Aggregates of groups of series by windows: the store gives one value per series, field and window,
// which are brought together here. Rows of a group come series after series, so that of equal values the
// earlier series wins, and the last one is that of the last series that has some. Memory follows the
// number of groups and windows.

import type { TimeRange } from '../../../column/time.js'
import type { Cell, Cells, CellType, TableColumn } from '../../../query/table.js'
import { cellAt } from '../../../query/table.js'
import { WindowGrid } from '../../../query/window-grid.js'
import type { AggregateFunction } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import { constantCells } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { GroupKey } from '../../value/key.js'
import type { FieldPiece } from './field-piece.js'
import { type FieldSeries, readFieldSeries } from './field-series.js'
import { type SeriesShape, SeriesShapes } from './series-columns.js'
import { measurementReads, type SelectedField, type StorageRead } from './storage-read.js'
import type { StoredTable } from './stored-table.js'
import { isSelector, type WindowRows } from './window-rows.js'

/** More windows than these are left to the functions themselves. */
const windowsMax = 200_000

/** About what a window of a group takes. */
const windowBytes = 24

/** undefined: tables of one group differ in the type of their values, or there are too many windows. */
export async function groupWindowTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  name: AggregateFunction,
  windows: WindowRows,
  by: readonly string[],
  context: FluxContext,
): Promise<readonly StoredTable[] | undefined> {
  const { everyNs, offsetNs } = windows
  const grid = new WindowGrid(read.range, everyNs, offsetNs)
  if (grid.count > windowsMax) return undefined
  const functions: AggregateFunction[] = name === 'mean' ? ['sum', 'count'] : [name]
  const aggregate = { functions, everyNs, offsetNs }
  const shapes = new SeriesShapes(read.range)
  const groups = new Map<string, WindowGroup>()
  // The bounds are those of the windows, whatever the grouping says of them.
  const names = new Set([...by, '_start', '_stop'])
  let bytes = 0
  try {
    for (const measurement of measurementReads(read, fields, context, aggregate)) {
      for await (const series of readFieldSeries(measurement)) {
        const shape = shapes.shape(series.series, series.field)
        const key = GroupKey.ofSorted(shape.key.entries.filter((entry) => names.has(entry.name)))
        let group = groups.get(key.text)
        if (group === undefined) {
          context.memory.take(grid.count * windowBytes)
          bytes += grid.count * windowBytes
          group = new WindowGroup(key, name, grid)
          groups.set(key.text, group)
        }
        if (!(await addSeries(group, shape, series))) return undefined
      }
    }
  } finally {
    context.memory.release(bytes)
  }
  return Array.from(groups.values(), (group) => group.table(windows, read.range))
}

/** False: the values are of another type. */
async function addSeries(
  group: WindowGroup,
  shape: SeriesShape,
  { pieces, function: fn }: FieldSeries,
): Promise<boolean> {
  if (fn !== 'count' || group.function === 'count') {
    if (!group.begin(shape, shape.valueType)) return false
  }
  for await (const piece of pieces) group.add(piece, fn === 'count' && group.function === 'mean')
  return true
}

class WindowGroup {
  readonly function: AggregateFunction
  readonly #key: GroupKey
  readonly #grid: WindowGrid
  readonly #columns = new Map<string, TableColumn>()
  /** The keys of its tables in the order in which they came. */
  readonly #rows: GroupKey[] = []
  readonly #values: (Cell | null)[]
  readonly #counts: Float64Array
  /** Of a selector: the table that the window's row comes from. */
  readonly #winners: Uint32Array
  #type: CellType | undefined

  constructor(key: GroupKey, name: AggregateFunction, grid: WindowGrid) {
    this.#key = key
    this.function = name
    this.#grid = grid
    this.#values = new Array<Cell | null>(grid.count).fill(null)
    this.#counts = new Float64Array(name === 'mean' ? grid.count : 0)
    this.#winners = new Uint32Array(isSelector(name) ? grid.count : 0)
  }

  /** The next table. False: its values are of another type. */
  begin(shape: SeriesShape, type: CellType): boolean {
    this.#type ??= type
    this.#rows.push(shape.key)
    for (const column of shape.columns) {
      if (!this.#columns.has(column.name)) this.#columns.set(column.name, column)
    }
    return this.#type === type
  }

  add(piece: FieldPiece, isCount: boolean): void {
    const windows = this.#grid.windowsOf(piece, 0, piece.count)
    for (let row = 0; row < piece.count; row++) {
      const window = windows[row]
      const value = cellAt(piece.cells, row)!
      if (isCount) this.#counts[window] += Number(value)
      else this.#combine(window, value)
    }
  }

  #combine(window: number, value: Cell): void {
    const before = this.#values[window]
    if (before !== null) {
      switch (this.function) {
        case 'first':
          return
        case 'min':
          if (!(value < before)) return
          break
        case 'max':
          if (!(value > before)) return
          break
        case 'last':
          break
        default:
          this.#values[window] = sumOf(before, value, this.#type!)
          return
      }
    }
    this.#values[window] = value
    if (this.#winners.length > 0) this.#winners[window] = this.#rows.length - 1
  }

  table(windows: WindowRows, range: TimeRange): StoredTable {
    const kept = this.#keptWindows(windows.createEmpty)
    const own = this.#ownColumns()
    const cells = (place: number): Cells => {
      const { name, type } = own[place]
      const entry = this.#key.entry(name)
      if (entry !== undefined) return constantCells(type, entry.value)
      const builder = new CellsBuilder(type, kept.length)
      for (const window of kept) builder.push(this.#cell(name, window, windows, range))
      return builder.finish()
    }
    return { key: this.#key, columns: own, rows: [{ rowCount: kept.length, cells }] }
  }

  #ownColumns(): readonly TableColumn[] {
    const type = this.function === 'mean' ? 'float' : this.#type!
    const value: TableColumn = { name: '_value', type }
    if (isSelector(this.function)) {
      return [...this.#columns.values()].map((column) =>
        column.name === '_value' ? value : column,
      )
    }
    const key = this.#key.entries.map((entry) => ({ name: entry.name, type: entry.type }))
    return [...key, value, { name: '_time', type: 'time' }]
  }

  #keptWindows(withEmpty: boolean): readonly number[] {
    const all = Array.from(this.#values.keys())
    return withEmpty ? all : all.filter((window) => this.#values[window] !== null)
  }

  #cell(name: string, window: number, windows: WindowRows, range: TimeRange): Cell | null {
    if (name === '_value') return this.#value(window)
    if (name === '_time') return timeOf(window, this.#grid, windows, range)
    if (this.#values[window] === null) return null
    return this.#rows[this.#winners[window]].entry(name)?.value ?? null
  }

  #value(window: number): Cell | null {
    const value = this.#values[window]
    if (value === null) return this.function === 'count' ? 0n : null
    return this.function === 'mean' ? Number(value) / this.#counts[window] : value
  }
}

function timeOf(
  window: number,
  grid: WindowGrid,
  { everyNs, time }: WindowRows,
  { start, stop }: TimeRange,
): bigint {
  const from = grid.start(window)
  if (time === '_start') return from < start ? start : from
  return from + everyNs > stop ? stop : from + everyNs
}

/** 64-bit sums wrap. */
export function sumOf(a: Cell, b: Cell, type: CellType): Cell {
  if (typeof a === 'number') return a + (b as number)
  const sum = (a as bigint) + (b as bigint)
  return type === 'uint' ? BigInt.asUintN(64, sum) : BigInt.asIntN(64, sum)
}
