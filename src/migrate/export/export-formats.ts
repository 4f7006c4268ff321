// Points as files of one format. Line protocol passes through; the others are made of columns, so what a measurement
// has is known before its first row. A file without a point has no bytes.

import { type Column, type FieldType, valueAt } from '../../column/column.js'
import { parseSeriesKey } from '../../column/series.js'
import { type TimeRange, timeAt } from '../../column/time.js'
import type { WriteTable } from '../../column/write-batch.js'
import { lineBatches } from '../../formats/line-batches.js'
import { fastLines } from '../../line-protocol/fast-lines.js'
import { LineProtocolParser } from '../../line-protocol/parser.js'
import { constantString, dictionaryOf } from '../../query/column-builder.js'
import type { ResultBatch, ResultColumn, ResultPiece } from '../../query/language.js'
import { encodeParquet } from '../../result/parquet-results.js'
import type { ExportBucket, ExportOutline, ExportSource } from './export-source.js'

export const exportFormats = ['lp', 'csv', 'parquet', 'influx'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** One file. */
export interface ExportPart {
  readonly bucket: ExportBucket
  /** Absent: all of them. */
  readonly measurement?: string | undefined
  readonly range: TimeRange
}

/** Whether a file holds one measurement only. */
export function isTabular(format: ExportFormat): boolean {
  return format === 'csv' || format === 'parquet'
}

export async function* exportBytes(
  source: ExportSource,
  part: ExportPart,
  format: ExportFormat,
  onPoints: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const { bucket, measurement, range } = part
  const lines = source.lines(bucket, measurement, range)
  if (!isTabular(format)) {
    yield* linesWithHead(lines, format === 'influx' ? influxHead(bucket.name) : '', onPoints)
    return
  }
  const name = measurement ?? ''
  const outline = await source.outline(bucket, name)
  const tables = exportTables(lines, onPoints)
  if (format === 'csv') yield* csvBytes(name, outline, tables)
  else yield* parquetBytes(name, outline, tables)
}

async function* linesWithHead(
  lines: AsyncIterable<Uint8Array>,
  head: string,
  onPoints: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const { bytes, pointCount } of lineBatches(lines, 1 << 18)) {
    if (isFirst && head !== '') yield Buffer.from(head)
    isFirst = false
    onPoints(pointCount)
    yield bytes
  }
}

/** What `influx -import` wants to read first. A bucket that is a policy of a database says both in its name. */
function influxHead(bucket: string): string {
  const [, database = bucket, policy = 'autogen'] = /^([^/]+)\/([^/]+)$/.exec(bucket) ?? []
  const quoted = `"${database.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  return `# INFLUXDB EXPORT: 1677-09-21T00:12:43Z - 2262-04-11T23:47:16Z
# DDL
CREATE DATABASE ${quoted} WITH NAME "${policy.replaceAll('"', '\\"')}"
# DML
# CONTEXT-DATABASE:${database}
# CONTEXT-RETENTION-POLICY:${policy}
`
}

async function* exportTables(
  lines: AsyncIterable<Uint8Array>,
  onPoints: (count: number) => void,
): AsyncGenerator<WriteTable> {
  const parser = new LineProtocolParser({ fastLines })
  for await (const { bytes } of lineBatches(lines, 1 << 20)) {
    const { batch, errors } = parser.parse(bytes, { precision: 'ns', now: 0n })
    // A stream that broke off ends within a line.
    if (errors.length > 0) throw new Error(`the export broke off: ${errors[0].message}`)
    yield* batch.tables
    onPoints(batch.pointCount)
    parser.release(batch)
  }
}

const csvTypes = {
  float: 'double',
  integer: 'long',
  unsigned: 'unsignedLong',
  boolean: 'boolean',
  string: 'string',
} as const

/** With the annotations that `millrace import` and `influx write` read. */
async function* csvBytes(
  measurement: string,
  { fields, tagKeys }: ExportOutline,
  tables: AsyncIterable<WriteTable>,
): AsyncGenerator<Uint8Array> {
  const types = ['measurement', ...tagKeys.map(() => 'tag'), ...fields.map((f) => csvTypes[f.type])]
  const names = ['measurement', ...tagKeys, ...fields.map(({ name }) => name), 'time']
  const head = `#datatype ${[...types, 'dateTime:number'].join(',')}\n${names.map(csvCell).join(',')}\n`
  let isFirst = true
  for await (const table of tables) {
    const columns = fields.map((field) => columnOf(table, field))
    const starts = new Map<number, string>()
    let text = isFirst ? head : ''
    isFirst = false
    for (let row = 0; row < table.rowCount; row++) {
      const series = table.series[row]
      let line = starts.get(series)
      if (line === undefined) {
        const tags = tagsOf(table, series)
        const cells = [measurement, ...tagKeys.map((key) => tags.get(key) ?? '')]
        line = cells.map(csvCell).join(',')
        starts.set(series, line)
      }
      for (const column of columns) line += `,${column === undefined ? '' : csvValue(column, row)}`
      text += `${line},${timeAt(table.times, row)}\n`
    }
    yield Buffer.from(text)
  }
}

function columnOf({ fields }: WriteTable, wanted: ExportOutline['fields'][number]) {
  return fields.find(({ name, column }) => name === wanted.name && column.type === wanted.type)
    ?.column
}

function tagsOf({ keys }: WriteTable, series: number): ReadonlyMap<string, string> {
  return new Map(parseSeriesKey(keys.key(series)).tags.map(({ key, value }) => [key, value]))
}

function csvValue(column: Column, row: number): string {
  const value = valueAt(column, row)
  if (value === null) return ''
  return typeof value === 'string' ? csvCell(value) : Object.is(value, -0) ? '-0' : String(value)
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) || text === '' || /^[#\s]|\s$/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text
}

/** Time first, then tags, then fields, as the tables of v3 have them. */
async function* parquetBytes(
  measurement: string,
  outline: ExportOutline,
  tables: AsyncIterable<WriteTable>,
): AsyncGenerator<Uint8Array> {
  const iterator = tables[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) return
  yield* encodeParquet(pieces(), 'rows')

  async function* pieces(): AsyncGenerator<ResultPiece> {
    yield { kind: 'start', result: 0, messages: [] }
    for (let next = first; !next.done; next = await iterator.next()) {
      yield resultBatch(measurement, outline, next.value)
    }
  }
}

function resultBatch(
  name: string,
  { fields, tagKeys }: ExportOutline,
  table: WriteTable,
): ResultBatch {
  const { rowCount, times } = table
  const columns: ResultColumn[] = [{ type: 'time', times, validity: undefined }]
  for (const key of tagKeys) columns.push(tagColumn(table, key))
  for (const field of fields) {
    columns.push(columnOf(table, field) ?? columnWithout(field.type, rowCount))
  }
  return {
    kind: 'batch',
    result: 0,
    name,
    tags: [],
    columnNames: ['time', ...tagKeys, ...fields.map((field) => field.name)],
    columns,
    columnRoles: [
      'time',
      ...tagKeys.map(() => 'tag' as const),
      ...fields.map(() => 'field' as const),
    ],
    rowCount,
  }
}

function tagColumn(table: WriteTable, key: string): Column {
  const { rowCount, series } = table
  const numbers = new Map<number, number>()
  const texts: string[] = []
  const values = new Uint32Array(rowCount)
  const validity = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    let number = numbers.get(series[row])
    if (number === undefined) {
      const text = tagsOf(table, series[row]).get(key)
      // Without the tag: no value.
      number = text === undefined ? -1 : texts.push(text) - 1
      numbers.set(series[row], number)
    }
    values[row] = Math.max(number, 0)
    validity[row] = number < 0 ? 0 : 1
  }
  return { type: 'string', values, dictionary: dictionaryOf(texts), validity }
}

/** A column that has no value in any row. */
function columnWithout(type: FieldType, rowCount: number): Column {
  const validity = new Uint8Array(rowCount)
  switch (type) {
    case 'string':
      return constantString(null, rowCount)
    case 'boolean':
      return { type, values: new Uint8Array(rowCount), validity }
    default:
      return { type, values: new Float64Array(rowCount), validity }
  }
}
