// The columns and the group key that tables of the storage have: the bounds of the query, time and
// value, then field, measurement and tags by name, as the real service orders them.

import type { BatchField } from '../../../column/batch.js'
import { compareUtf8, type Series } from '../../../column/series.js'
import type { TimeRange } from '../../../column/time.js'
import type { Cells, TableColumn } from '../../../query/table.js'
import { constantCells } from '../../table/cells.js'
import { GroupKey, type KeyEntry } from '../../table/key.js'
import { cellTypeOfField } from './field-piece.js'

/** Names that a tag may have in line protocol but that stand for something else in a table. */
const reservedNames: ReadonlySet<string> = new Set([
  '_start',
  '_stop',
  '_time',
  '_value',
  '_field',
  '_measurement',
])

export interface SeriesShape {
  readonly key: GroupKey
  /** `_start`, `_stop`, `_time`, `_value`, then the rest of the key. */
  readonly columns: readonly TableColumn[]
  readonly startCells: Cells
  readonly stopCells: Cells
  /** The cells of field, measurement and tags, in column order. */
  readonly nameCells: readonly Cells[]
}

/** Where `_time` stands among the columns; `_value` follows. */
export const timePlace = 2

/** Makes shapes; what the fields of one series share is made once. */
export class SeriesShapes {
  readonly #start: KeyEntry
  readonly #stop: KeyEntry
  #series: Series | undefined
  #tags: readonly KeyEntry[] = []

  constructor({ start, stop }: TimeRange) {
    this.#start = { name: '_start', type: 'time', value: start }
    this.#stop = { name: '_stop', type: 'time', value: stop }
  }

  shape(series: Series, { name, type }: BatchField): SeriesShape {
    if (series !== this.#series) {
      this.#series = series
      this.#tags = tagEntries(series)
    }
    const field: KeyEntry = { name: '_field', type: 'string', value: name }
    const names = [...this.#tags, field].sort(byName)
    const value: TableColumn = { name: '_value', type: cellTypeOfField[type] }
    const time: TableColumn = { name: '_time', type: 'time' }
    const bounds = [this.#start, this.#stop].map(columnOf)
    return {
      key: GroupKey.of([this.#start, this.#stop, ...names]),
      columns: [...bounds, time, value, ...names.map(columnOf)],
      startCells: constantCells('time', this.#start.value),
      stopCells: constantCells('time', this.#stop.value),
      nameCells: names.map((entry) => constantCells('string', entry.value)),
    }
  }
}

function tagEntries({ measurement, tags }: Series): readonly KeyEntry[] {
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
