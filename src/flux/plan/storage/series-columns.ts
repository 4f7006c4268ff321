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
  readonly #layout: KeyLayout
  readonly #start: KeyEntry
  readonly #stop: KeyEntry
  /** Field, measurement and tags, by name. */
  readonly #names: readonly KeyEntry[]
  #key: GroupKey | undefined

  constructor(
    columns: readonly TableColumn[],
    layout: KeyLayout,
    start: KeyEntry,
    stop: KeyEntry,
    names: readonly KeyEntry[],
  ) {
    this.columns = columns
    this.#layout = layout
    this.#start = start
    this.#stop = stop
    this.#names = names
  }

  get key(): GroupKey {
    if (this.#key === undefined) {
      const entries = [this.#start, this.#stop, ...this.#names]
      this.#key = GroupKey.ofSorted(this.#layout.keyOrder.map((place) => entries[place]))
    }
    return this.#key
  }

  /** The same in other bounds. */
  within(start: bigint, stop: bigint): SeriesShape {
    const bound = (name: string, value: bigint): KeyEntry => ({ name, type: 'time', value })
    const [from, to] = [bound('_start', start), bound('_stop', stop)]
    return new SeriesShape(this.columns, this.#layout, from, to, this.#names)
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

/** What series with the same tag keys share: names are put in order once for all of them. */
export interface KeyLayout {
  /** Of the series' tags, as it has them. */
  readonly tagKeys: readonly string[]
  /** Measurement, tags and at last the field, by name: places among them. */
  readonly nameOrder: readonly number[]
  /** The bounds and these names, by name. */
  readonly keyOrder: readonly number[]
  /** By type of value. */
  readonly columns: Map<CellType, readonly TableColumn[]>
}

/** Makes shapes; what the fields of one series share is made once. */
export class SeriesShapes {
  readonly #start: KeyEntry
  readonly #stop: KeyEntry
  #series: Series | undefined
  #tags: readonly KeyEntry[] = []
  #layout: KeyLayout | undefined
  readonly #layouts = new Map<string, KeyLayout>()

  constructor({ start, stop }: TimeRange) {
    this.#start = { name: '_start', type: 'time', value: start }
    this.#stop = { name: '_stop', type: 'time', value: stop }
  }

  shape(series: Series, { name, type }: BatchField): SeriesShape {
    if (series !== this.#series) {
      this.#series = series
      this.#tags = tagEntries(series)
    }
    const layout = this.layout(series)
    const tags = this.#tags
    const field: KeyEntry = { name: '_field', type: 'string', value: name }
    const names = layout.nameOrder.map((place) => tags[place] ?? field)
    const columns = this.#columnsOf(layout, names, cellTypeOfField[type])
    return new SeriesShape(columns, layout, this.#start, this.#stop, names)
  }

  /** Most series have the tag keys of the one before. */
  layout(series: Series): KeyLayout {
    const last = this.#layout
    if (last !== undefined && hasKeys(series.tags, last.tagKeys)) return last
    const tagKeys = series.tags.map(({ key }) => key)
    const text = JSON.stringify(tagKeys)
    let layout = this.#layouts.get(text)
    if (layout === undefined) {
      const names = [...tagEntries(series).map(({ name }) => name), '_field']
      const nameOrder = orderOf(names)
      const keyOrder = orderOf(['_start', '_stop', ...nameOrder.map((place) => names[place])])
      layout = { tagKeys, nameOrder, keyOrder, columns: new Map() }
      this.#layouts.set(text, layout)
    }
    this.#layout = layout
    return layout
  }

  #columnsOf(
    { columns: known }: KeyLayout,
    names: readonly KeyEntry[],
    type: CellType,
  ): readonly TableColumn[] {
    let columns = known.get(type)
    if (columns === undefined) {
      const own: TableColumn[] = [
        { name: '_time', type: 'time' },
        { name: '_value', type },
      ]
      columns = [columnOf(this.#start), columnOf(this.#stop), ...own, ...names.map(columnOf)]
      known.set(type, columns)
    }
    return columns
  }
}

function hasKeys(tags: Series['tags'], keys: readonly string[]): boolean {
  if (tags.length !== keys.length) return false
  for (let i = 0; i < keys.length; i++) if (tags[i].key !== keys[i]) return false
  return true
}

function orderOf(names: readonly string[]): readonly number[] {
  return names.map((_, place) => place).sort((a, b) => compareUtf8(names[a], names[b]))
}

/** The measurement and the tags that tables show. */
export function tagEntries({ measurement, tags }: Series): readonly KeyEntry[] {
  const entries: KeyEntry[] = [{ name: '_measurement', type: 'string', value: measurement }]
  for (const { key, value } of tags) {
    if (!reservedNames.has(key)) entries.push({ name: key, type: 'string', value })
  }
  return entries
}

function columnOf({ name, type }: TableColumn): TableColumn {
  return { name, type }
}
