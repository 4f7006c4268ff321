// Points back to line protocol: one line per row that has at least one value, each ended by a
// newline, times in nanoseconds. What is printed parses back to the same points. A float that is
// not finite has no spelling in line protocol and is left out. For exports and tests, not for hot
// paths.

import type { Batch } from '../column/batch.js'
import { type Column, valueAt } from '../column/column.js'
import { escapeName, seriesKey } from '../column/series.js'
import { timeAt } from '../column/time.js'
import type { WriteBatch, WriteTable } from '../column/write-batch.js'
import { decodeText } from './characters.js'

interface PrintedField {
  /** Escaped. */
  readonly name: string
  readonly column: Column
}

export function printBatch(batch: Batch): string {
  const fields = batch.fields.map(({ name }, i) => printedField(name, batch.columns[i]))
  let text = ''
  for (const run of batch.runs) {
    const key = seriesKey(run.key)
    for (let row = run.start; row < run.stop; row++) {
      text += printLine(key, fields, row, timeAt(batch.times, row))
    }
  }
  return text
}

export function printWriteBatch(batch: WriteBatch): string {
  return batch.tables.map(printWriteTable).join('')
}

function printWriteTable(table: WriteTable): string {
  return printTableRows(
    table,
    Array.from({ length: table.rowCount }, (_, row) => row),
  ).join('')
}

/** A line for each of these rows. */
export function printTableRows(table: WriteTable, rows: readonly number[]): string[] {
  const fields = table.fields.map(({ name, column }) => printedField(name, column))
  const keys = new Map<number, string>()
  const lines: string[] = []
  for (const row of rows) {
    const id = table.series[row]
    let key = keys.get(id)
    if (key === undefined) {
      const bytes = table.keys.key(id)
      key = decodeText(bytes, 0, bytes.length)
      keys.set(id, key)
    }
    lines.push(printLine(key, fields, row, timeAt(table.times, row)))
  }
  return lines
}

function printedField(name: string, column: Column): PrintedField {
  return { name: escapeName(name), column }
}

/** Empty if the row has no value. */
function printLine(
  key: string,
  fields: readonly PrintedField[],
  row: number,
  time: bigint,
): string {
  let list = ''
  for (const { name, column } of fields) {
    const value = printValue(column, row)
    if (value !== '') list += `${list === '' ? '' : ','}${name}=${value}`
  }
  return list === '' ? '' : `${key} ${list} ${time}\n`
}

/** Empty where the row has no value, or none that can be printed. */
function printValue(column: Column, row: number): string {
  const value = valueAt(column, row)
  if (value === null) return ''
  switch (column.type) {
    case 'float':
      return printFloat(value as number)
    case 'integer':
      return `${value}i`
    case 'unsigned':
      return `${value}u`
    case 'boolean':
      return value ? 'true' : 'false'
    case 'string':
      return printString(value as string)
  }
}

/**
 * The language prints the shortest digits that read back as the same float64, but drops the sign of
 * zero.
 */
function printFloat(value: number): string {
  if (!Number.isFinite(value)) return ''
  return Object.is(value, -0) ? '-0' : String(value)
}

export function printString(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}
