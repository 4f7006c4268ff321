// An answer as CSV, for files and for looking at. Texts that a
// spreadsheet would take for a formula get an apostrophe.

import { type Column, cellText, type Result, type Table } from './result.js'

export function csvText({ tables }: Result, rowsMax = Number.POSITIVE_INFINITY): string {
  const lines: string[] = []
  let header = ''
  let left = rowsMax
  for (const table of tables) {
    const extra = Object.keys(table.tags).filter(
      (tag) => !table.columns.some(({ name }) => name === tag),
    )
    const names = [
      ...(table.name === '' ? [] : ['name']),
      ...extra,
      ...table.columns.map(({ name }) => name),
    ]
    const head = names.map(field).join(',')
    if (head !== header) {
      if (header !== '') lines.push('')
      lines.push(head)
      header = head
    }
    const rows = Math.min(left, table.rowCount)
    for (let row = 0; row < rows; row++) lines.push(rowText(table, extra, row))
    left -= rows
    if (left <= 0) break
  }
  return `${lines.join('\n')}\n`
}

function rowText(table: Table, extra: readonly string[], row: number): string {
  const cells = table.name === '' ? [] : [field(table.name)]
  for (const tag of extra) cells.push(field(table.tags[tag]))
  for (const column of table.columns) cells.push(cell(column, row))
  return cells.join(',')
}

function cell(column: Column, row: number): string {
  const text = cellText(column, row)
  return column.kind === 'text' ? field(text) : text
}

function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
