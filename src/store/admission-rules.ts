// Which points a store refuses, and in which words: rules of every engine. A table of a batch is checked as a whole,
// and rows that are refused become values in the result.

import { isUtf8 } from 'node:buffer'
import type { Column, FieldType } from '../column/column.js'
import type { WriteBatch, WriteField, WriteTable } from '../column/write-batch.js'
import type { RejectedPoint, WriteResult } from './store.js'

/** Points reported one by one; the others are only counted. */
const rejectedReportedMax = 100

export interface AdmissionLimits {
  /** Fields of one measurement. */
  readonly fieldsPerMeasurementMax: number
  /** Bytes of one string value. */
  readonly stringBytesMax: number
}

/** As InfluxDB limits strings; each field is a column wherever rows are kept. */
export const defaultAdmissionLimits: AdmissionLimits = {
  fieldsPerMeasurementMax: 16_384,
  stringBytesMax: 1 << 20,
}

/** What is known of a measurement's fields before a batch: nothing where its last row has gone, and it begins anew. */
export interface KnownFields {
  readonly count: number
  typeOf(name: string): FieldType | undefined
  /** Why so many more fields may not be added; absent: any number may. */
  refuseFresh?(adding: number): string | undefined
}

/** Why a series may not have this key; undefined: it may. */
export function keyProblem(key: Uint8Array): string | undefined {
  if (isUtf8(key)) return undefined
  return `key contains invalid unicode: ${JSON.stringify(Buffer.from(key).toString())}`
}

/** Refuses rows by their fields; returns the fields that may stay. */
export function checkFields(
  check: TableCheck,
  known: KnownFields,
  limits: AdmissionLimits,
): WriteField[] {
  const { table } = check
  const kept: WriteField[] = []
  const fresh: WriteField[] = []
  for (const field of table.fields) {
    if (field.name === 'time') {
      check.stripTime(field)
      continue
    }
    if (field.column.type === 'string') checkStrings(check, field, limits.stringBytesMax)
    const type = known.typeOf(field.name)
    if (type === undefined) fresh.push(field)
    else if (type === field.column.type) kept.push(field)
    else check.rejectAll(field.column, conflictReason(check, field, type))
  }
  if (fresh.length > 0) {
    checkFresh(check, limits.fieldsPerMeasurementMax, known, fresh, kept)
  }
  return kept
}

function checkStrings(check: TableCheck, field: WriteField, max: number): void {
  const { column } = field
  if (column.type !== 'string') return
  const { offsets, count } = column.dictionary
  if (offsets[count] <= max) return
  for (let row = 0; row < check.table.rowCount; row++) {
    if (!hasValue(column, row)) continue
    const length = offsets[column.values[row] + 1] - offsets[column.values[row]]
    if (length > max)
      check.reject(row, `${inputField(check, field)} is too long, ${length} > ${max}`)
  }
}

/** New fields. Where the batch itself writes one with several types, the first point to stay decides. */
function checkFresh(
  check: TableCheck,
  limit: number,
  known: KnownFields,
  fresh: readonly WriteField[],
  kept: WriteField[],
): void {
  const room = limit - known.count
  let added = 0
  // In the order in which they came; looked up, for there may be thousands.
  const orders = new Map<string, number>()
  for (const { name } of fresh) if (!orders.has(name)) orders.set(name, orders.size)
  const chosen = orders.size === fresh.length ? fresh : chooseTypes(check, fresh)
  for (const field of chosen) {
    if (orders.get(field.name)! >= room) {
      check.rejectAll(field.column, `max-fields-per-measurement limit exceeded: (${limit})`)
      continue
    }
    const refusal = known.refuseFresh?.(added + 1)
    if (refusal !== undefined) check.rejectAll(field.column, refusal)
    else {
      kept.push(field)
      added++
    }
  }
}

/**
 * Of fields that the batch writes with several types the one that stands. Point by point, because a point that is
 * refused for one field decides nothing about its others.
 */
function chooseTypes(check: TableCheck, fresh: readonly WriteField[]): WriteField[] {
  const chosen = new Map<string, WriteField>()
  for (let row = 0; row < check.table.rowCount; row++) {
    if (check.isRejected(row)) continue
    const present = fresh.filter(({ column }) => hasValue(column, row))
    const conflict = present.find((field) => (chosen.get(field.name) ?? field) !== field)
    if (conflict !== undefined) check.rejectConflict(row, conflict, chosen.get(conflict.name)!)
    else for (const field of present) chosen.set(field.name, field)
  }
  return [...chosen.values()]
}

function hasValue(column: Column, row: number): boolean {
  return column.validity === undefined || column.validity[row] !== 0
}

function inputField(check: TableCheck, field: WriteField): string {
  return `input field "${field.name}" on measurement "${check.table.measurement}"`
}

function conflictReason(check: TableCheck, field: WriteField, existing: string): string {
  return fieldConflict(check.table.measurement, field.name, field.column.type, existing)
}

/** A field that is there with another type, as InfluxDB says it. */
export function fieldConflict(
  measurement: string,
  field: string,
  type: string,
  existing: string,
): string {
  const what = `input field "${field}" on measurement "${measurement}"`
  return `field type conflict: ${what} is type ${type}, already exists as type ${existing}`
}

/** Which rows of a table are refused. Costs nothing while none is. */
export class TableCheck {
  readonly table: WriteTable
  readonly #rejections: Rejections
  #rejected: Uint8Array | undefined
  keptCount: number

  constructor(table: WriteTable, rejections: Rejections) {
    this.table = table
    this.#rejections = rejections
    this.keptCount = table.rowCount
  }

  get anyRejected(): boolean {
    return this.#rejected !== undefined
  }

  isRejected(row: number): boolean {
    return this.#rejected !== undefined && this.#rejected[row] !== 0
  }

  reject(row: number, reason: string): void {
    this.#rejected ??= new Uint8Array(this.table.rowCount)
    if (this.#rejected[row] !== 0) return
    this.#rejected[row] = 1
    this.keptCount--
    this.#rejections.add(this.table.lines[row], reason)
  }

  rejectAll(column: Column, reason: string): void {
    for (let row = 0; row < this.table.rowCount; row++) {
      if (hasValue(column, row)) this.reject(row, reason)
    }
  }

  rejectConflict(row: number, field: WriteField, existing: WriteField): void {
    this.reject(row, conflictReason(this, field, existing.column.type))
  }

  /** The first row that stays and has a value, or the number of rows. */
  firstRow(column: Column): number {
    const { rowCount } = this.table
    let row = 0
    while (row < rowCount && (this.isRejected(row) || !hasValue(column, row))) row++
    return row
  }

  refuseBefore(oldest: bigint): void {
    const { times, rowCount } = this.table
    const offset = Number(oldest - times.base)
    for (let row = 0; row < rowCount; row++) {
      if (times.offsets[row] < offset) this.reject(row, 'points beyond retention policy')
    }
  }

  /** `time` is no field: it is taken off the point, and a point that has nothing else is refused. */
  stripTime(time: WriteField): void {
    const reason = `invalid field name: ${inputField(this, time)} is invalid`
    const others = this.table.fields.filter((field) => field.name !== 'time')
    for (let row = 0; row < this.table.rowCount; row++) {
      if (!hasValue(time.column, row)) continue
      if (others.some((field) => hasValue(field.column, row))) {
        const note = `${reason}. Field "time" has been stripped from point.`
        this.#rejections.note(this.table.lines[row], note)
      } else this.reject(row, reason)
    }
  }
}

export class Rejections {
  count = 0
  readonly #points: RejectedPoint[] = []

  add(line: number, reason: string): void {
    this.count++
    this.note(line, reason)
  }

  /** Reported, but the point stays. Points come field by field: the first by line are kept. */
  note(line: number, reason: string): void {
    this.#points.push({ line, reason })
    if (this.#points.length >= 2 * rejectedReportedMax) this.#cut()
  }

  #cut(): void {
    this.#points.sort((a, b) => a.line - b.line)
    this.#points.length = Math.min(this.#points.length, rejectedReportedMax)
  }

  /** Nothing is rejected, and no point lost a field. */
  get areNone(): boolean {
    return this.#points.length === 0
  }

  resultOf({ pointCount }: WriteBatch, isAtomic = false): WriteResult {
    this.#cut()
    const writtenCount = isAtomic && !this.areNone ? 0 : pointCount - this.count
    return { writtenCount, rejectedCount: this.count, rejected: this.#points }
  }
}
