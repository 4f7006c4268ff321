// Results as tables that people can read: a line with the measurement and its tags, the names of the columns, the rows.
// Strings are quoted, so that they differ from numbers, truths and `null`.

import { valueAt } from '../../src/column/column.js'
import type { Tag } from '../../src/column/series.js'
import { floorDiv, nsPerSecond, timeAt } from '../../src/column/time.js'
import { zoneOf } from '../../src/column/zone.js'
import type { ResultBatch, ResultColumn, ResultPiece } from '../../src/query/language.js'

/** Nanoseconds of the unit in which times are printed; undefined: RFC3339. */
export type EpochNs = bigint | undefined

interface Table {
  readonly head: string
  readonly columnNames: readonly string[]
  readonly rows: string[][]
}

/** Results behind the first are told apart by a line each; warnings and errors stand where they came. */
export async function printPieces(
  pieces: AsyncIterable<ResultPiece>,
  epochNs: EpochNs,
): Promise<string> {
  const lines: string[] = []
  let table: Table | undefined
  const finishTable = (): void => {
    if (table !== undefined) lines.push(...printTable(table))
    table = undefined
  }
  for await (const piece of pieces) {
    if (piece.kind === 'batch') {
      const head = headOf(piece)
      const isMore =
        table?.head === head && table.columnNames.join('\n') === piece.columnNames.join('\n')
      if (!isMore) finishTable()
      table ??= { head, columnNames: piece.columnNames, rows: [] }
      table.rows.push(...rowsOf(piece, epochNs))
      continue
    }
    finishTable()
    if (piece.kind === 'failure') {
      if (piece.error.name !== 'UserError') throw piece.error
      lines.push(`error: ${piece.error.message}`)
      continue
    }
    if (piece.result > 0) lines.push(`result ${piece.result}:`)
    lines.push(...piece.messages.map((message) => `warning: ${message}`))
  }
  finishTable()
  return lines.join('\n')
}

function headOf({ name, tags }: { name: string; tags: readonly Tag[] }): string {
  const words = [
    name === '' ? '(no name)' : name,
    ...tags.map(({ key, value }) => `${key}=${value}`),
  ]
  return words.join(' ')
}

function rowsOf(batch: ResultBatch, epochNs: EpochNs): string[][] {
  return Array.from({ length: batch.rowCount }, (_, row) =>
    batch.columns.map((column) => printCell(column, row, epochNs, batch.zone)),
  )
}

function printCell(column: ResultColumn, row: number, epochNs: EpochNs, zone?: string): string {
  if (column.validity !== undefined && column.validity[row] === 0) return 'null'
  switch (column.type) {
    case 'time': {
      const time = timeAt(column.times, row)
      return epochNs === undefined ? printMoment(time, zone) : String(time / epochNs)
    }
    case 'list':
      return JSON.stringify(column.lists[row])
    default: {
      const value = valueAt(column, row)
      if (typeof value === 'string') return JSON.stringify(value)
      // As the encoders have it: there is no word for what is not a number.
      if (Number.isNaN(value)) return 'null'
      return Object.is(value, -0) ? '-0' : String(value)
    }
  }
}

/** Apart from the encoders, which have their own way and their own tests. */
function printMoment(time: bigint, zone: string | undefined): string {
  const seconds = floorDiv(time, nsPerSecond)
  const nanos = String(time - seconds * nsPerSecond).padStart(9, '0')
  const offset = zone === undefined ? 0 : zoneOf(zone).offsetSeconds(Number(seconds))
  const local = new Date((Number(seconds) + offset) * 1000).toISOString().slice(0, 19)
  const fraction = `.${nanos}`.replace(/\.?0+$/, '')
  return `${local}${fraction}${offset === 0 ? 'Z' : printOffset(offset)}`
}

function printOffset(offsetSeconds: number): string {
  const minutes = Math.trunc(Math.abs(offsetSeconds) / 60)
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${offsetSeconds < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`
}

function printTable({ head, columnNames, rows }: Table): string[] {
  const lines = [columnNames.map((name) => (name === '' ? '(none)' : name)), ...rows]
  const widths = columnNames.map((_, c) => Math.max(...lines.map((line) => line[c].length)))
  const padded = lines.map((line) => line.map((cell, c) => cell.padEnd(widths[c])).join('  '))
  return [head, ...padded.map((line) => `  ${line}`.trimEnd())]
}
