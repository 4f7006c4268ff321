// Answers of InfluxQL as tables that can be compared where two servers may differ in nothing that matters: how numbers
// are spelled, the order of rows of several series at one time, columns of a wildcard that hold no value.

import type { InfluxResult } from '../influxd.js'

export interface AnswerTable {
  /** The measurement and its tags. */
  readonly head: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Of what `printPieces` prints, where no value has a space in it. */
export function tablesOfText(text: string): AnswerTable[] {
  const tables: { head: string; columns: string[]; rows: string[][] }[] = []
  for (const line of text === '' ? [] : text.split('\n')) {
    const words = line.trim().split(/ +/)
    const table = tables.at(-1)
    if (!line.startsWith(' ')) tables.push({ head: line, columns: [], rows: [] })
    else if (table?.columns.length === 0) table.columns.push(...words)
    else table?.rows.push(words)
  }
  return tables
}

/** Times are texts: the only ones that are printed without quotes. */
export function tablesOfResults(results: readonly InfluxResult[]): AnswerTable[] {
  return results.flatMap(({ series = [] }) =>
    series.map(({ name = '(no name)', tags = {}, columns, values }) => ({
      head: [name, ...Object.entries(tags).map(([key, value]) => `${key}=${value}`)].join(' '),
      columns,
      rows: values.map((row) =>
        row.map((cell, c) => (columns[c] === 'time' ? String(cell) : JSON.stringify(cell))),
      ),
    })),
  )
}

export function isSameAnswer(a: readonly AnswerTable[], b: readonly AnswerTable[]): boolean {
  const [own, others] = [withoutEmptyNames(a), withoutEmptyNames(b)]
  return own.length === others.length && own.every((table, i) => isSameTable(table, others[i]))
}

/** After deletions it is known which fields a part of the time has, and tags, or only what was ever written there. */
function withoutEmptyNames(tables: readonly AnswerTable[]): AnswerTable[] {
  const held = new Set(
    tables.flatMap(({ columns, rows }) =>
      columns.filter((_, c) => rows.some((row) => row[c] !== 'null')),
    ),
  )
  return tables.map(({ head, columns, rows }) => ({
    head: head.replaceAll(/ [^ ]+=(?= |$)/g, ''),
    columns: columns.filter((name) => held.has(name)),
    rows: rows.map((row) => row.filter((_, c) => held.has(columns[c]))),
  }))
}

function isSameTable(a: AnswerTable, b: AnswerTable): boolean {
  if (a.head !== b.head || a.columns.join() !== b.columns.join()) return false
  if (a.rows.length !== b.rows.length) return false
  const [own, others] = [sortedTies(a.rows), sortedTies(b.rows)]
  return own.every((row, r) => row.every((cell, c) => isSameCell(cell, others[r][c])))
}

/** Rows of several series at one time come as InfluxDB's heap has them. */
function sortedTies(rows: AnswerTable['rows']): AnswerTable['rows'] {
  const sorted = [...rows]
  for (let from = 0, to = 1; from < sorted.length; from = to++) {
    while (to < sorted.length && sorted[to][0] === sorted[from][0]) to++
    if (to - from > 1) sorted.splice(from, to - from, ...sorted.slice(from, to).sort())
  }
  return sorted
}

/** Squares and means are rounded in the order of points. */
export function isSameCell(a: string, b: string): boolean {
  if (a === b) return true
  const [x, y] = [Number(a), Number(b)]
  return Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y), 1)
}
