// SELECT … INTO: the rows of the answer are written as points, by way of line protocol and the same door
// as writes from outside. The answer is one row that says how many there were.

import type { Batch } from '../../column/batch.js'
import { type Column, valueAt } from '../../column/column.js'
import { compareUtf8, type Tag } from '../../column/series.js'
import { UserError } from '../../errors.js'
import { printBatch } from '../../line-protocol/printer.js'
import type { ResultBatch } from '../../query/language.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { MeasurementSource } from '../syntax/ast.js'

/** Lines are sent on when so many characters of them have come together. */
const sentChars = 1_000_000

/** `tagColumns`: those that are tags of the points, as the ones in `top(field, tag, 3)`; others are fields. */
export async function writeInto(
  batches: AsyncIterable<ResultBatch>,
  target: MeasurementSource,
  tagColumns: readonly string[],
  scope: InfluxqlScope,
): Promise<number> {
  const database = target.database ?? scope.database
  if (database === undefined) throw new UserError('invalid', 'database name required')
  const policy = target.policy ?? (target.database === undefined ? scope.policy : undefined)
  let text = ''
  let written = 0
  const send = async (): Promise<void> => {
    if (text !== '') await scope.writePoints(database, policy, Buffer.from(text))
    text = ''
  }
  for await (const batch of batches) {
    const points = pointsOf(
      batch,
      target.name === undefined || target.name === '' ? batch.name : target.name,
      tagColumns,
    )
    if (points === undefined) continue
    text += printBatch(points)
    written += rowsWithValues(points)
    if (text.length > sentChars) await send()
  }
  await send()
  return written
}

function pointsOf(
  batch: ResultBatch,
  measurement: string,
  tagColumns: readonly string[],
): Batch | undefined {
  const at = batch.columnNames.indexOf('time')
  const times = batch.columns[at]
  if (times?.type !== 'time') {
    throw new UserError('invalid', 'error finding time index in result')
  }
  const others = batch.columnNames.flatMap((name, c) => {
    const column = batch.columns[c]
    const isLeftOut = c === at || column.type === 'time' || column.type === 'list'
    return isLeftOut || tagColumns.includes(name) ? [] : [{ name, column }]
  })
  return {
    measurement,
    rowCount: batch.rowCount,
    runs: runsOf(batch, measurement, tagColumns),
    times: times.times,
    fields: others.map(({ name, column }) => ({ name, type: column.type })),
    columns: others.map(({ column }) => column),
  }
}

/** One series, or one for each row where columns are tags. */
function runsOf(
  batch: ResultBatch,
  measurement: string,
  tagColumns: readonly string[],
): Batch['runs'] {
  const { tags, rowCount } = batch
  const columns = tagColumns.flatMap((key) => {
    const column = batch.columns[batch.columnNames.indexOf(key)]
    return column?.type === 'string' ? [{ key, column }] : []
  })
  if (columns.length === 0) {
    return [{ key: { measurement, tags: present(tags) }, keyId: 0, start: 0, stop: rowCount }]
  }
  return Array.from({ length: rowCount }, (_, row) => {
    const own = columns.map(({ key, column }) => ({ key, value: `${valueAt(column, row) ?? ''}` }))
    const others = tags.filter(({ key }) => !tagColumns.includes(key))
    const all = present([...others, ...own]).sort((a, b) => compareUtf8(a.key, b.key))
    return { key: { measurement, tags: all }, keyId: 0, start: row, stop: row + 1 }
  })
}

function present(tags: readonly Tag[]): Tag[] {
  return tags.filter(({ value }) => value !== '')
}

function rowsWithValues(points: Batch): number {
  let count = 0
  for (let row = 0; row < points.rowCount; row++) {
    if (points.columns.some((column) => isStorable(column, row))) count++
  }
  return count
}

function isStorable(column: Column, row: number): boolean {
  if (column.validity !== undefined && column.validity[row] === 0) return false
  return column.type !== 'float' || Number.isFinite(column.values[row])
}

/** The answer: how many rows were written, at the beginning of time as everybody counts it. */
export function writtenBatch(written: number, result: number): ResultBatch {
  return {
    kind: 'batch',
    result,
    name: 'result',
    tags: [],
    columnNames: ['time', 'written'],
    columns: [
      { type: 'time', times: { base: 0n, offsets: new Float64Array(1) }, validity: undefined },
      { type: 'integer', values: Float64Array.of(written), validity: undefined },
    ],
    rowCount: 1,
  }
}
