// A record batch of Arrow on its way into batches for a store: rows are brought together by series, columns are taken
// as they lie in the message. Times and integers are read as halves of 32 bits, so that no number is a bigint that
// need not be one.

import { type Data, DataType, type RecordBatch, Vector } from 'apache-arrow'
import type { Column } from '../../column/column.js'
import type { BatchBuilder, RowField } from '../../tsm/shard/batch-builder.js'
import { keyBytes, type ReadField } from './query-rows.js'
import type { SqlTable } from './sql-table.js'

/** Texts of a column one behind the other, as `column/` and Arrow both have them. */
interface Texts {
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
  readonly count: number
}

/** Times are offsets from the start of a stretch of 2^52 ns, which are exact: so many stretches in the upper half. */
const stretchUpper = 2 ** 20

/** `rows`: of one series within one stretch of time, ascending. */
interface SeriesRows {
  readonly key: Uint8Array
  readonly rows: number[]
}

/** Columns are those of `SqlTable.select`; `fields`: what its fields become, in its order. */
export function addRecordBatch(
  builder: BatchBuilder,
  table: SqlTable,
  batch: RecordBatch,
  fields: readonly ReadField[],
): void {
  const times = new Halves(dataOf(batch, 0))
  const columns = fields.map((field, i) => {
    return fieldReader(field, dataOf(batch, 1 + table.tags.length + i))
  })
  for (const { key, rows } of seriesOf(table, batch)) {
    sortByTime(rows, times)
    for (let start = 0; start < rows.length; ) {
      const stretch = Math.floor(times.upper(rows[start]) / stretchUpper)
      const isWithin = (row: number) => Math.floor(times.upper(row) / stretchUpper) === stretch
      let stop = start + 1
      while (stop < rows.length && isWithin(rows[stop])) stop++
      const some = rows.slice(start, stop)
      const base = stretch * stretchUpper
      const offsets = Float64Array.from(some, (row) => times.above(row, base))
      const present = columns.flatMap((read) => read(some))
      if (present.length > 0) {
        builder.add(table.name, key, BigInt(base) << 32n, offsets, present)
      }
      start = stop
    }
  }
}

function dataOf(batch: RecordBatch, column: number): Data {
  return batch.data.children[column]
}

/** Rows mostly come series by series: only where the tags change the series is looked for. */
function seriesOf(table: SqlTable, batch: RecordBatch): Iterable<SeriesRows> {
  const tags = table.tags.map((_, i) => {
    const data = dataOf(batch, 1 + i)
    return { data, texts: textsOf(data) }
  })
  const found = new Map<string, SeriesRows>()
  let current: SeriesRows | undefined
  for (let row = 0; row < batch.numRows; row++) {
    if (current === undefined || !tags.every((tag) => isSame(tag, row))) {
      const values = tags.map((tag) => textAt(tag, row))
      const name = JSON.stringify(values)
      current = found.get(name)
      if (current === undefined) {
        const present = table.tags.map((key, i) => ({ key, value: values[i] }))
        current = { key: keyBytes(table.name, present), rows: [] }
        found.set(name, current)
      }
    }
    current.rows.push(row)
  }
  return found.values()
}

interface TagColumn {
  readonly data: Data
  readonly texts: Texts
}

/** Whether a row has the same text as the row before. */
function isSame({ data, texts: { offsets, bytes } }: TagColumn, row: number): boolean {
  const isPresent = data.getValid(row)
  if (isPresent !== data.getValid(row - 1)) return false
  if (!isPresent) return true
  const [before, start, end] = [offsets[row - 1], offsets[row], offsets[row + 1]]
  if (end - start !== start - before) return false
  for (let i = start; i < end; i++) if (bytes[i] !== bytes[i - start + before]) return false
  return true
}

/** Empty where there is none. */
function textAt({ data, texts: { offsets, bytes } }: TagColumn, row: number): string {
  if (!data.getValid(row)) return ''
  const text = bytes.subarray(offsets[row], offsets[row + 1])
  return Buffer.from(text.buffer, text.byteOffset, text.length).toString('utf8')
}

function sortByTime(rows: number[], times: Halves): void {
  let isSorted = true
  for (let i = 1; i < rows.length && isSorted; i++) {
    isSorted = times.compare(rows[i - 1], rows[i]) <= 0
  }
  if (!isSorted) rows.sort((a, b) => times.compare(a, b))
}

/** Numbers of 64 bits by their halves. */
class Halves {
  readonly #words: Int32Array

  constructor({ values, length }: Data) {
    const { buffer, byteOffset } = values as BigInt64Array
    this.#words = new Int32Array(buffer, byteOffset, length * 2)
  }

  upper(row: number): number {
    return this.#words[2 * row + 1]
  }

  lower(row: number): number {
    return this.#words[2 * row] >>> 0
  }

  /** How far above `base` times 2^32. */
  above(row: number, base: number): number {
    return (this.upper(row) - base) * 2 ** 32 + this.lower(row)
  }

  compare(a: number, b: number): number {
    return this.upper(a) - this.upper(b) || this.lower(a) - this.lower(b)
  }
}

/** Reads some rows of a field; nothing where none of them has a value. */
type FieldReader = (rows: readonly number[]) => RowField[]

function fieldReader({ name, type }: ReadField, data: Data): FieldReader {
  const read = columnReader(type, data)
  return (rows) => {
    const present: number[] = []
    for (let i = 0; i < rows.length; i++) if (data.getValid(rows[i])) present.push(i)
    if (present.length === 0) return []
    if (present.length === rows.length) return [{ name, column: read(rows), rows: undefined }]
    const column = read(present.map((i) => rows[i]))
    return [{ name, column, rows: Uint32Array.from(present) }]
  }
}

function columnReader(type: ReadField['type'], data: Data): (rows: readonly number[]) => Column {
  const validity = undefined
  switch (type) {
    case 'float': {
      if (!DataType.isFloat(data.type)) return floatsOfIntegers(data)
      const from = data.values as Float64Array
      return (rows) => ({ type, values: Float64Array.from(rows, (row) => from[row]), validity })
    }
    case 'boolean': {
      const { values: bits, offset } = data as { values: Uint8Array; offset: number }
      const bit = (row: number) => (bits[(offset + row) >> 3] >> ((offset + row) & 7)) & 1
      return (rows) => ({ type, values: Uint8Array.from(rows, bit), validity })
    }
    case 'integer':
    case 'unsigned':
      return integers(type, data)
    case 'string': {
      const dictionary = textsOf(data)
      return (rows) => ({ type, values: Uint32Array.from(rows), dictionary, validity })
    }
  }
}

/** As narrow as the values are. */
function integers(type: 'integer' | 'unsigned', data: Data): (rows: readonly number[]) => Column {
  const halves = new Halves(data)
  const validity = undefined
  return (rows) => {
    const values = new Float64Array(rows.length)
    let isNarrow = true
    for (let i = 0; i < rows.length; i++) {
      const upper = halves.upper(rows[i])
      isNarrow &&= upper < 2 ** 21 && upper >= (type === 'integer' ? -(2 ** 21) + 1 : 0)
      values[i] = upper * 2 ** 32 + halves.lower(rows[i])
    }
    if (isNarrow) return { type, values, validity }
    if (type === 'integer') {
      const from = data.values as BigInt64Array
      return { type, values: BigInt64Array.from(rows, (row) => from[row]), validity }
    }
    const from = data.values as BigUint64Array
    return { type, values: BigUint64Array.from(rows, (row) => from[row]), validity }
  }
}

function floatsOfIntegers(data: Data): (rows: readonly number[]) => Column {
  const from = data.values as BigInt64Array
  return (rows) => {
    const values = Float64Array.from(rows, (row) => Number(from[row]))
    return { type: 'float', values, validity: undefined }
  }
}

/** Those of a column of texts share the message's bytes; any other that can be read as texts is spelled out. */
function textsOf(data: Data): Texts {
  const count = data.length
  if (DataType.isUtf8(data.type)) {
    const { buffer, byteOffset } = data.valueOffsets as Int32Array
    const offsets = new Uint32Array(buffer, byteOffset, count + 1)
    return { offsets, bytes: data.values as Uint8Array, count }
  }
  const vector = new Vector([data])
  const parts: Buffer[] = []
  const offsets = new Uint32Array(count + 1)
  for (let row = 0; row < count; row++) {
    const part = Buffer.from(String(vector.get(row) ?? ''))
    parts.push(part)
    offsets[row + 1] = offsets[row] + part.length
  }
  return { offsets, bytes: new Uint8Array(Buffer.concat(parts)), count }
}
