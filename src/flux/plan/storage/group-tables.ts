// Aggregates of groups of series, of the whole range or by windows: the store gives one value per series, field and
// window, which are brought together here. Rows of a group come series after series, so that the first one is the first
// of its first series, the last one that of the last series that has some, and of equal values the earlier series wins.
// Memory follows the number of groups and windows.

import type { BatchField } from '../../../column/batch.js'
import type { FieldType } from '../../../column/column.js'
import type { Series } from '../../../column/series.js'
import type { TimeRange } from '../../../column/time.js'
import {
  type Cell,
  type Cells,
  type CellType,
  cellAt,
  type TableColumn,
} from '../../../query/table.js'
import { WindowGrid } from '../../../query/window-grid.js'
import { GroupColumn } from '../../../store/group-column.js'
import type { AggregateFunction } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import { constantCells } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { GroupKey } from '../../value/key.js'
import type { FieldPiece } from './field-piece.js'
import { type FieldSeries, readFieldSeries } from './field-series.js'
import { type GroupColumns, makesGroup } from './group-columns.js'
import { type SeriesShape, SeriesShapes } from './series-columns.js'
import { measurementReads, type SelectedField, type StorageRead } from './storage-read.js'
import type { StoredTable } from './stored-table.js'
import { isSelector, type WindowRows } from './window-rows.js'

/** More windows than these are left to the functions themselves. */
const windowsMax = 200_000

/** Below it a float64 that is off by a rounding or two tells which whole number is meant. */
const exactMax = 2 ** 50

/** About what a group takes, and each of its windows. */
const groupBytes = 512
const windowBytes = 24

export interface GroupAggregate {
  readonly function: AggregateFunction
  readonly by: GroupColumns
  /** Absent: the range is one window. */
  readonly windows?: WindowRows
}

/** undefined: tables of one group differ in the type of their values, or there are too many windows. */
export async function groupTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  aggregate: GroupAggregate,
  context: FluxContext,
): Promise<readonly StoredTable[] | undefined> {
  const { function: name, windows } = aggregate
  const grid = new WindowGrid(read.range, windows?.everyNs ?? 0n, windows?.offsetNs ?? 0n)
  if (grid.count > windowsMax) return undefined
  const groups = new Groups(aggregate, grid, fields, context)
  const shapes = new SeriesShapes(read.range)
  const functions = name === 'mean' ? partsOfMean(fields) : [name]
  const pointTimes = windows === undefined && isSelector(name)
  const asked = windows === undefined ? { pointTimes } : windows
  try {
    for (const measurement of measurementReads(read, fields, context, { functions, ...asked })) {
      for await (const series of readFieldSeries(measurement)) {
        if (!(await addSeries(groups, shapes, series, functions[0]))) return undefined
      }
    }
  } finally {
    groups.release()
  }
  return groups.tables(read.range)
}

/** `first`: the function whose values come first of each series and field. False: values of a group differ in type. */
async function addSeries(
  groups: Groups,
  shapes: SeriesShapes,
  together: readonly FieldSeries[],
  first: AggregateFunction,
): Promise<boolean> {
  for (const { series, field, pieces, function: fn = first } of together) {
    const shape = shapes.shape(series, field)
    const group = groups.of(shape)
    if (fn === first && !group.begin(shape, groups.typeOf(series, field))) return false
    if (!Array.isArray(pieces)) for await (const piece of pieces) group.add(piece, fn)
    else for (const piece of pieces as readonly FieldPiece[]) group.add(piece, fn)
  }
  return true
}

/**
 * A mean is a sum by a count. Sums of whole numbers have 64 bits and may not hold it: there it is made of the means of
 * the series.
 */
function partsOfMean(fields: readonly SelectedField[]): readonly AggregateFunction[] {
  const hasFloats = fields.some(({ type }) => type === 'float')
  const hasOthers = fields.some(({ type }) => type !== 'float')
  return [...(hasFloats ? ['sum' as const] : []), ...(hasOthers ? ['mean' as const] : []), 'count']
}

class Groups {
  readonly #aggregate: GroupAggregate
  readonly #grid: WindowGrid
  readonly #memory: FluxContext['memory']
  /** By measurement and name. */
  readonly #types: ReadonlyMap<string, FieldType>
  readonly #groups = new Map<string, Group>()
  #bytes = 0

  constructor(
    aggregate: GroupAggregate,
    grid: WindowGrid,
    fields: readonly SelectedField[],
    { memory }: FluxContext,
  ) {
    this.#aggregate = aggregate
    this.#types = new Map(
      fields.map((field) => [`${field.measurement}\0${field.name}`, field.type]),
    )
    this.#grid = grid
    this.#memory = memory
  }

  /** The bounds are those of the windows, whatever the grouping says of them. */
  #isKey(name: string): boolean {
    const { by, windows } = this.#aggregate
    if (windows !== undefined && (name === '_start' || name === '_stop')) return true
    return makesGroup(by, name)
  }

  of(shape: SeriesShape): Group {
    const entries = shape.key.entries.filter((entry) => this.#isKey(entry.name))
    const key = GroupKey.ofSorted(entries)
    const known = this.#groups.get(key.text)
    if (known !== undefined) return known
    const bytes = groupBytes + this.#grid.count * windowBytes
    this.#memory.take(bytes)
    this.#bytes += bytes
    const group = new Group(key, this.#aggregate, this.#grid)
    this.#groups.set(key.text, group)
    return group
  }

  /** Of the values of a field: one in each group. What `group` gives may be counted whatever it is, as in InfluxDB. */
  typeOf({ measurement }: Series, { name }: BatchField): FieldType | undefined {
    const { function: fn, windows, by } = this.#aggregate
    if (fn === 'count' && windows === undefined && !by.isCut) return undefined
    return this.#types.get(`${measurement}\0${name}`)
  }

  release(): void {
    this.#memory.release(this.#bytes)
  }

  tables(range: TimeRange): StoredTable[] {
    return Array.from(this.#groups.values(), (group) => group.table(range))
  }
}

/** Of whole numbers, of which the mean was rounded. */
function wholeSum(sum: number): number {
  return Math.abs(sum) < exactMax ? Math.round(sum) : sum
}

class Group {
  readonly #key: GroupKey
  readonly #aggregate: GroupAggregate
  readonly #grid: WindowGrid
  readonly #columns = new Map<string, TableColumn>()
  /** The keys of its tables in the order in which they came: their numbers are the times that decide. */
  readonly #rows: GroupKey[] = []
  readonly #values: GroupColumn
  readonly #counts: GroupColumn | undefined
  /** By window, of the series that comes. */
  readonly #means: Float64Array
  /** Where the chosen point of the range lies. */
  #time = 0n
  #type: CellType | undefined
  #fieldType: FieldType | undefined

  constructor(key: GroupKey, aggregate: GroupAggregate, grid: WindowGrid) {
    this.#key = key
    this.#aggregate = aggregate
    this.#grid = grid
    const { function: name } = aggregate
    const isMean = name === 'mean'
    this.#values = new GroupColumn(isMean ? 'sum' : name, isSelector(name), grid.count)
    this.#counts = isMean ? new GroupColumn('count', false, grid.count) : undefined
    this.#means = new Float64Array(isMean ? grid.count : 0)
  }

  /** The next table. False: the values of its field are of another type. */
  begin({ key, columns, valueType }: SeriesShape, fieldType: FieldType | undefined): boolean {
    this.#type ??= valueType
    this.#fieldType ??= fieldType
    this.#rows.push(key)
    for (const column of columns) {
      if (!this.#columns.has(column.name)) this.#columns.set(column.name, column)
    }
    return this.#fieldType === fieldType
  }

  /** `fn`: what the piece is of. */
  add(piece: FieldPiece, fn: AggregateFunction): void {
    const { windows, function: name } = this.#aggregate
    const place = BigInt(this.#rows.length - 1)
    const slots = windows === undefined ? undefined : this.#grid.windowsOf(piece, 0, piece.count)
    for (let row = 0; row < piece.count; row++) {
      const slot = slots === undefined ? 0 : slots[row]
      const value = cellAt(piece.cells, row)!
      if (name === 'mean') this.#addToMean(slot, Number(value), fn)
      else this.#values.addValue(slot, value, place)
    }
    if (windows === undefined && isSelector(name) && this.#values.time(0) === place) {
      this.#time = piece.base + BigInt(piece.offsets[0])
    }
  }

  #addToMean(slot: number, value: number, fn: AggregateFunction): void {
    const isFloat = this.#fieldType === 'float'
    if (fn === 'count') {
      this.#counts!.addValue(slot, value, 0n)
      if (!isFloat) this.#values.addValue(slot, wholeSum(this.#means[slot] * value), 0n)
    } else if (fn === 'mean') this.#means[slot] = value
    else if (isFloat) this.#values.addValue(slot, value, 0n)
  }

  table(range: TimeRange): StoredTable {
    const kept = this.#keptWindows()
    const own = this.#ownColumns()
    const cells = (place: number): Cells => {
      const { name, type } = own[place]
      const entry = this.#key.entry(name)
      if (entry !== undefined) return constantCells(type, entry.value)
      // Most tables have one row: arrays of it cost more than all the rest of the table.
      if (kept.length === 1) return constantCells(type, this.#cell(name, kept[0], range))
      const builder = new CellsBuilder(type, kept.length)
      for (const window of kept) builder.push(this.#cell(name, window, range))
      return builder.finish()
    }
    return { key: this.#key, columns: own, rows: [{ rowCount: kept.length, cells }] }
  }

  #ownColumns(): readonly TableColumn[] {
    const { function: name, windows } = this.#aggregate
    const value: TableColumn = { name: '_value', type: name === 'mean' ? 'float' : this.#type! }
    if (isSelector(name)) {
      return [...this.#columns.values()].map((column) =>
        column.name === '_value' ? value : column,
      )
    }
    const key = this.#key.entries.map((entry) => ({ name: entry.name, type: entry.type }))
    return windows === undefined
      ? [...key, value]
      : [...key, value, { name: '_time', type: 'time' }]
  }

  #keptWindows(): readonly number[] {
    const all = Array.from({ length: this.#grid.count }, (_, window) => window)
    if (this.#aggregate.windows?.createEmpty === true) return all
    return all.filter((window) => this.#values.has(window))
  }

  #cell(name: string, window: number, range: TimeRange): Cell | null {
    if (name === '_value') return this.#value(window)
    if (name === '_time') return this.#timeOf(window, range)
    if (!this.#values.has(window)) return null
    return this.#rows[Number(this.#values.time(window))].entry(name)?.value ?? null
  }

  #value(window: number): Cell | null {
    const { function: name } = this.#aggregate
    if (!this.#values.has(window)) return name === 'count' ? 0n : null
    const value = this.#values.value(window)
    if (this.#counts !== undefined) return Number(value) / Number(this.#counts.value(window))
    if (typeof value !== 'bigint') return value
    // 64-bit sums wrap.
    return this.#type === 'uint' ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value)
  }

  #timeOf(window: number, { start, stop }: TimeRange): bigint {
    const { windows } = this.#aggregate
    if (windows === undefined) return this.#time
    const from = this.#grid.start(window)
    if (windows.time === '_start') return from < start ? start : from
    return from + windows.everyNs > stop ? stop : from + windows.everyNs
  }
}
