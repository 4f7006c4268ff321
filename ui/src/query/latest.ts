// The one value that a number or a gauge shows: the latest of an answer. Answers without moments give their last row,
// and a text is shown where there are no numbers.

import { type Column, cellText, type Result, type Table } from './result.js'

export interface Latest {
  readonly text: string
  /** Absent: it is a text. */
  readonly value: number | undefined
}

export function latestOf({ tables }: Result): Latest | undefined {
  let [best, bestAt]: [Latest | undefined, number] = [undefined, Number.NEGATIVE_INFINITY]
  for (const kinds of [['number'], ['text', 'boolean']]) {
    for (const table of tables) {
      const column = valueColumn(table, kinds)
      if (column === undefined) continue
      const row = lastRow(column)
      if (row < 0) continue
      const at = timeAt(table, row)
      if (best !== undefined && at <= bestAt) continue
      bestAt = at
      best = latestAt(column, row)
    }
    if (best !== undefined) return best
  }
  return undefined
}

function latestAt(column: Column, row: number): Latest {
  const value = column.kind === 'number' ? column.values[row] : undefined
  return { text: cellText(column, row), value }
}

function valueColumn({ columns, tags }: Table, kinds: readonly string[]): Column | undefined {
  const fitting = columns.filter(({ kind, name }) => kinds.includes(kind) && !(name in tags))
  return fitting.find(({ name }) => name === '_value') ?? fitting.at(-1)
}

function lastRow({ values }: Column): number {
  return values.findLastIndex((value) => !Number.isNaN(value))
}

function timeAt({ columns }: Table, row: number): number {
  const times = columns.filter(({ kind }) => kind === 'time')
  const time = times.find(({ name }) => name === '_time' || name === 'time')
  return time?.values[row] ?? Number.NEGATIVE_INFINITY
}
