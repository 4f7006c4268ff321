// How a query was carried out: InfluxQL and SQL are asked with EXPLAIN ANALYZE, Flux with its profiler. What they
// answer is laid out as text.

import type { Question } from '../query/language.js'
import { cellText, type Result, type Table } from '../query/result.js'

export function planQuestion(question: Question): Question {
  const { language, text } = question
  if (language === 'flux') return { ...question, text: withProfiler(text) }
  if (/^\s*explain\b/i.test(text)) return question
  return { ...question, text: `EXPLAIN ANALYZE ${text}` }
}

const profilers = 'option profiler.enabledProfilers = ["query", "operator"]'

/** Imports come first in a script. */
function withProfiler(text: string): string {
  if (text.includes('enabledProfilers')) return text
  return `import "profiler"\n${lastImportEnd(text)}`
}

function lastImportEnd(text: string): string {
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => /^\s*import\s/.test(line))
  lines.splice(last + 1, 0, profilers)
  return lines.join('\n')
}

/** Of Flux only what the profiler says: the rows of the query itself come along. */
export function planText({ tables }: Result): string {
  const profiles = tables.filter(isProfile)
  return (profiles.length > 0 ? profiles : tables).map(tableText).join('\n')
}

function isProfile({ tags, columns }: Table): boolean {
  const column = columns.find(({ name }) => name === '_measurement')
  const measurement = tags._measurement ?? (column === undefined ? '' : cellText(column, 0))
  return measurement.startsWith('profiler/')
}

function tableText({ columns, rowCount }: Table): string {
  const rows = Array.from({ length: rowCount }, (_, row) =>
    columns.map((column) => cellText(column, row)),
  )
  // A step a line, or a kind of plan and its text.
  if (columns.length === 1) return rows.map(([line]) => `${line}\n`).join('')
  if (columns.length === 2) return rows.map(([kind, text]) => `${kind}\n\n${text}\n`).join('\n')
  // One row is read from top to bottom, several side by side.
  const names = columns.map(({ name }) => name)
  if (rowCount === 1) return aligned(names.map((name, i) => [name, rows[0][i]]))
  return aligned([names, ...rows])
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
  return rows
    .map(
      (row) =>
        `${row
          .map((text, i) => text.padEnd(widths[i]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
