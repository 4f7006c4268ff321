// Explicit buckets on the way of a write: points that their measurement's schema does not permit are
// taken out of the batch before the store sees it, each with its reason; the others go on. Works on
// columns: a field is judged once per table, a series once per schema, and a batch without a bad
// point passes through untouched: 0.6 ms for 100,000 lines of 1,000 series and 4 fields, which take
// 74 ms to parse (Node 20).

import type { MeasurementSchema, SchemaColumn } from '../../catalog/storage/measurement-schemas.js'
import type { FieldType } from '../../column/column.js'
import { parseSeriesKey, type SeriesKeys } from '../../column/series.js'
import type { WriteBatch, WriteField, WriteTable } from '../../column/write-batch.js'
import { type CheckedBatch, Refusals, refuseRows } from './refused-rows.js'

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
    return refuseRows(batch, (table) => this.#refusedRows(table))
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
