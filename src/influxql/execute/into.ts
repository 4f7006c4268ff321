// SELECT … INTO: the rows of the answer are written as points, by way of line protocol and the same door
// as writes from outside. The answer is one row that says how many there were.

import type { Batch } from '../../column/batch.js'
import type { Column } from '../../column/column.js'
import { UserError } from '../../errors.js'
import { printBatch } from '../../line-protocol/printer.js'
import type { ResultBatch } from '../../query/language.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { MeasurementSource } from '../syntax/ast.js'

/** Lines are sent on when so many characters of them have come together. */
const sentChars = 1_000_000

export async function writeInto(
  batches: AsyncIterable<ResultBatch>,
  target: MeasurementSource,
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
    )
    if (points === undefined) continue
    text += printBatch(points)
    written += rowsWithValues(points)
    if (text.length > sentChars) await send()
  }
  await send()
  return written
}

function pointsOf(batch: ResultBatch, measurement: string): Batch | undefined {
  const at = batch.columnNames.indexOf('time')
  const times = batch.columns[at]
  if (times?.type !== 'time') {
    throw new UserError('invalid', 'error finding time index in result')
  }
  const others = batch.columnNames.flatMap((name, c) => {
    const column = batch.columns[c]
    return c === at || column.type === 'time' || column.type === 'list' ? [] : [{ name, column }]
  })
  const tags = batch.tags.filter(({ value }) => value !== '')
  return {
    measurement,
    rowCount: batch.rowCount,
    runs: [{ key: { measurement, tags }, keyId: 0, start: 0, stop: batch.rowCount }],
    times: times.times,
    fields: others.map(({ name, column }) => ({ name, type: column.type })),
    columns: others.map(({ column }) => column),
  }
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
