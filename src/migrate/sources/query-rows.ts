// Rows of an answer of v1 on their way into batches: what
// comes row by row becomes columns again.

import type { Column, FieldType } from '../../column/column.js'
import { escapeMeasurement, seriesKey, type Tag } from '../../column/series.js'
import { floorDiv } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { BatchBuilder, type RowField } from '../../tsm/shard/batch-builder.js'
import { integerColumn } from '../../tsm/shard/points.js'
import type { V1Series } from '../connection/v1-client.js'
import { splitKey } from './shard-fields.js'

export interface ReadField {
  /** What it is called where it goes. */
  readonly name: string
  readonly type: FieldType
  /** How it is asked for. */
  readonly expression: string
}

/** Offsets from the start of a stretch are exact. */
const stretchNs = 2n ** 52n

export class QueryRows {
  readonly #builder = new BatchBuilder()

  /** `fields`: what the columns behind the time are. */
  add(series: V1Series, fields: readonly ReadField[]): void {
    addSeries(this.#builder, series, fields)
  }

  /** A batch that is full, or whatever there is. */
  take(takesAll: boolean): WriteBatch | undefined {
    return takesAll || this.#builder.isFull ? this.#builder.take() : undefined
  }
}

/** The bytes of a series' key; `tags` in any order. */
export function keyBytes(name: string, tags: readonly Tag[]): Buffer {
  const { measurement, tags: kept } = splitKey({ measurement: name, tags })
  return Buffer.from(
    kept.length === 0 ? escapeMeasurement(measurement) : seriesKey({ measurement, tags: kept }),
  )
}

/** `fields`: what the columns behind the time are. */
export function addSeries(
  builder: BatchBuilder,
  series: V1Series,
  fields: readonly ReadField[],
): void {
  const values = series.values ?? []
  const tags = Object.entries(series.tags ?? {}).map(([key, value]) => ({ key, value }))
  const key = keyBytes(series.name, tags)
  for (let start = 0; start < values.length; ) {
    const base = floorDiv(values[start][0] as bigint, stretchNs) * stretchNs
    const end = base + stretchNs
    let stop = start + 1
    while (stop < values.length && isWithin(values[stop][0] as bigint, base, end)) stop++
    const rows = values.slice(start, stop)
    const offsets = Float64Array.from(rows, ([time]) => Number((time as bigint) - base))
    const columns = fields.flatMap((field, i) => columnOf(field, rows, i + 1))
    if (columns.length > 0) builder.add(series.name, key, base, offsets, columns)
    start = stop
  }
}

function isWithin(time: bigint, start: bigint, stop: bigint): boolean {
  return time >= start && time < stop
}

/** Nothing where no row has a value. */
function columnOf(
  { name, type }: ReadField,
  rows: readonly (readonly unknown[])[],
  at: number,
): RowField[] {
  const present: number[] = []
  for (let row = 0; row < rows.length; row++) if (rows[row][at] !== null) present.push(row)
  if (present.length === 0) return []
  const column = typedColumn(
    type,
    Array.from(present, (row) => rows[row][at]),
  )
  const isFull = present.length === rows.length
  return [{ name, column, rows: isFull ? undefined : Uint32Array.from(present) }]
}

function typedColumn(type: FieldType, values: readonly unknown[]): Column {
  const validity = undefined
  switch (type) {
    case 'float':
      return { type, values: Float64Array.from(values, Number), validity }
    case 'boolean':
      return { type, values: Uint8Array.from(values, Number), validity }
    case 'integer':
    case 'unsigned':
      return integerColumn(type, values as bigint[])
    case 'string':
      return stringColumn(values as string[])
  }
}

function stringColumn(texts: readonly string[]): Column {
  const parts = texts.map((text) => Buffer.from(text, 'utf8'))
  const offsets = new Uint32Array(texts.length + 1)
  for (let i = 0; i < parts.length; i++) offsets[i + 1] = offsets[i] + parts[i].length
  const dictionary = { offsets, bytes: new Uint8Array(Buffer.concat(parts)), count: texts.length }
  const values = Uint32Array.from(texts, (_, i) => i)
  return { type: 'string', values, dictionary, validity: undefined }
}
