// The columns and the group key that tables of the storage have: the bounds of the query, time and
// value, then field, measurement and tags by name, as the real service orders them.

import type { BatchField } from '../../../column/batch.js'
import { compareUtf8, type Series } from '../../../column/series.js'
import type { TimeRange } from '../../../column/time.js'
import type { Cells, CellType, TableColumn } from '../../../query/table.js'
import { constantCells } from '../../table/cells.js'
import { GroupKey, type KeyEntry } from '../../value/key.js'
import { cellTypeOfField } from './field-piece.js'
import type { StoredRows } from './stored-table.js'

/** Names that a tag may have in line protocol but that stand for something else in a table. */
export const reservedNames: ReadonlySet<string> = new Set([
  '_start',
  '_stop',
  '_time',
  '_value',
  '_field',
  '_measurement',
])

/** Where `_time` stands among the columns; `_value` follows, then the names. */
export const timePlace = 2
export const valuePlace = 3
const namesPlace = 4

/** One series and field as a table. */
export class SeriesShape {
  /** `_start`, `_stop`, `_time`, `_value`, then the rest of the key. */
  readonly columns: readonly TableColumn[]
  readonly #start: KeyEntry
  readonly #stop: KeyEntry
  /** Field, measurement and tags, by name. */
  readonly #names: readonly KeyEntry[]
  #key: GroupKey | undefined

  constructor(
    columns: readonly TableColumn[],
    start: KeyEntry,
    stop: KeyEntry,
    names: readonly KeyEntry[],
  ) {
    this.columns = columns
    this.#start = start
    this.#stop = stop
    this.#names = names
  }

  get key(): GroupKey {
    this.#key ??= GroupKey.of([this.#start, this.#stop, ...this.#names])
    return this.#key
  }

  /** The same in other bounds. */
  within(start: bigint, stop: bigint): SeriesShape {
    const bound = (name: string, value: bigint): KeyEntry => ({ name, type: 'time', value })
    return new SeriesShape(this.columns, bound('_start', start), bound('_stop', stop), this.#names)
  }

  get valueType(): CellType {
    return this.columns[valuePlace].type
  }

  /** Of a column of the key, at its place. */
  keyCells(place: number): Cells {
    if (place === 0) return constantCells('time', this.#start.value)
    if (place === 1) return constantCells('time', this.#stop.value)
    return constantCells('string', this.#names[place - namesPlace].value)
  }

  /** Rows in these columns; times are only worked out where they are wanted. */
  rows(rowCount: number, times: () => Cells, values: Cells): StoredRows {
    const cells = (place: number): Cells => {
      if (place === timePlace) return times()
      return place === valuePlace ? values : this.keyCells(place)
    }
    return { rowCount, cells }
  }
}

/** Makes shapes; what the fields of one series share is made once. */
export class SeriesShapes {
  readonly #start: KeyEntry
  readonly #stop: KeyEntry
  #series: Series | undefined
  #tags: readonly KeyEntry[] = []
  /** Columns by type of value, for all series that have the same tags. */
  #columns = new Map<CellType, readonly TableColumn[]>()
  readonly #known = new Map<string, Map<CellType, readonly TableColumn[]>>()

  constructor({ start, stop }: TimeRange) {
    this.#start = { name: '_start', type: 'time', value: start }
    this.#stop = { name: '_stop', type: 'time', value: stop }
  }

  shape(series: Series, { name, type }: BatchField): SeriesShape {
    if (series !== this.#series) this.#begin(series)
    const field: KeyEntry = { name: '_field', type: 'string', value: name }
    const names = [...this.#tags, field].sort(byName)
    const columns = this.#columnsOf(names, cellTypeOfField[type])
    return new SeriesShape(columns, this.#start, this.#stop, names)
  }

  #begin(series: Series): void {
    this.#series = series
    this.#tags = tagEntries(series)
    const text = JSON.stringify(this.#tags.map(({ name }) => name))
    let columns = this.#known.get(text)
    if (columns === undefined) {
      columns = new Map()
      this.#known.set(text, columns)
    }
    this.#columns = columns
  }

  #columnsOf(names: readonly KeyEntry[], type: CellType): readonly TableColumn[] {
    let columns = this.#columns.get(type)
    if (columns === undefined) {
      const own: TableColumn[] = [
        { name: '_time', type: 'time' },
        { name: '_value', type },
      ]
      columns = [columnOf(this.#start), columnOf(this.#stop), ...own, ...names.map(columnOf)]
      this.#columns.set(type, columns)
    }
    return columns
  }
}

/** The measurement and the tags that tables show. */
export function tagEntries({ measurement, tags }: Series): readonly KeyEntry[] {
  const entries: KeyEntry[] = [{ name: '_measurement', type: 'string', value: measurement }]
  for (const { key, value } of tags) {
    if (!reservedNames.has(key)) entries.push({ name: key, type: 'string', value })
  }
  return entries
}

function byName(a: KeyEntry, b: KeyEntry): number {
  return compareUtf8(a.name, b.name)
}

function columnOf({ name, type }: TableColumn): TableColumn {
  return { name, type }
}
