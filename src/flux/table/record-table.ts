// A record as a table of one row, as `reduce` gives it: its properties become columns, or take the place of values of
// the key.

import { compareUtf8 } from '../../column/series.js'
import type { Cells, TableColumn } from '../../query/table.js'
import { FluxError } from '../value/error.js'
import { GroupKey, type KeyEntry } from '../value/key.js'
import { typeName } from '../value/type-name.js'
import type { FluxRecord } from '../value/value.js'
import { constantCells } from './cells.js'
import { cellOf, cellTypeOf } from './row-record.js'
import { type Table, tableOf } from './table.js'

/** `key` and `columns` are those of the table that was reduced. */
export function recordTable(
  before: GroupKey,
  order: readonly TableColumn[],
  record: FluxRecord,
): Table {
  const entries = before.entries.map((entry): KeyEntry => {
    const value = record.get(entry.name)
    if (value === undefined) return entry
    const type = (value === null ? undefined : cellTypeOf(value)) ?? entry.type
    return { name: entry.name, type, value: cellOf(value) }
  })
  const key = GroupKey.ofSorted(entries)
  const columns: TableColumn[] = []
  const cells: Cells[] = []
  const add = (name: string, type: Cells['type'], value: KeyEntry['value']): void => {
    columns.push({ name, type })
    cells.push(constantCells(type, value))
  }
  for (const { name } of order) {
    const entry = key.entry(name)
    if (entry !== undefined) add(name, entry.type, entry.value)
  }
  const names = [...record.names()].filter((name) => !key.has(name)).sort(compareUtf8)
  for (const name of names) {
    const value = record.get(name) ?? null
    if (value === null) {
      throw new FluxError(`null values are not supported for "${name}" in the reduce() function`)
    }
    const type = cellTypeOf(value)
    if (type === undefined) {
      throw new FluxError(
        `reduce object property "${name}" is ${typeName(value)} type which is not supported`,
      )
    }
    add(name, type, cellOf(value))
  }
  return tableOf(key, columns, [{ rowCount: 1, columns: cells }])
}
