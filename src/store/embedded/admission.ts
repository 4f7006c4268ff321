// From what a writer sent to what the engine stores: each point is checked (retention, field types,
// names, lengths), refused points become values in the result, series and fields get their numbers,
// rows are cut by shard. A batch without surprises, which is nearly every one, passes without
// copying a value.

import { isUtf8 } from 'node:buffer'
import type { Column } from '../../column/column.js'
import type { SeriesKeys } from '../../column/series.js'
import type { WriteBatch, WriteField, WriteTable } from '../../column/write-batch.js'
import type { RejectedPoint, WriteResult } from '../store.js'
import type { Bucket, Shard } from './bucket.js'
import { ColumnBuilder } from './column-builder.js'
import type { EngineLimits } from './limits.js'
import type { ShardTable } from './memtable.js'
import type { Measurement } from './series-index.js'

/** Points reported one by one; the others are only counted. */
const rejectedReportedMax = 100

export interface AdmittedTable {
  readonly shard: Shard
  readonly table: ShardTable
}

export interface Admission {
  readonly tables: readonly AdmittedTable[]
  readonly result: WriteResult
}

/** In `SeriesNumbers.ids`: not looked up yet, or refused. Others are the series' number + 1. */
const unknownSeries = 0
const refusedSeries = 0xffffffff

/** The bucket's numbers for a writer's numbers. */
interface SeriesNumbers {
  ids: Uint32Array
}

export class Admitter {
  readonly #bucket: Bucket
  readonly #limits: EngineLimits
  readonly #hasRows: (measurement: Measurement) => boolean
  readonly #numbers = new WeakMap<SeriesKeys, SeriesNumbers>()

  /** `hasRows` tells whether anything of a measurement is left, after deletes and retention. */
  constructor(
    bucket: Bucket,
    limits: EngineLimits,
    hasRows: (measurement: Measurement) => boolean,
  ) {
    this.#bucket = bucket
    this.#limits = limits
    this.#hasRows = hasRows
  }

  admit(batch: WriteBatch, now: bigint): Admission {
    const rejections = new Rejections()
    const tables: AdmittedTable[] = []
    for (const table of batch.tables) {
      if (table.rowCount > 0) this.#admitTable(table, now, rejections, tables)
    }
    const rejectedCount = rejections.count
    const result = {
      writtenCount: batch.pointCount - rejectedCount,
      rejectedCount,
      rejected: rejections.reported(),
    }
    return { tables, result }
  }

  #admitTable(table: WriteTable, now: bigint, rejections: Rejections, out: AdmittedTable[]): void {
    const check = new TableCheck(table, rejections)
    this.#checkRetention(check, now)
    const measurement = this.#bucket.index.measurement(table.measurement)
    const fields = this.#checkFields(check, measurement)
    const series = this.#resolveSeries(check)
    if (check.keptCount === 0) return
    const { id } = this.#bucket.index.internMeasurement(table.measurement)
    const columns = this.#resolveFields(check, fields, this.#bucket.index.measurements[id])
    this.#cutByShard(check, id, series, columns, out)
  }

  #checkRetention(check: TableCheck, now: bigint): void {
    const { retentionNs } = this.#bucket.settings
    if (retentionNs === 0n) return
    const { times, rowCount } = check.table
    const oldest = Number(now - retentionNs - times.base)
    for (let row = 0; row < rowCount; row++) {
      if (times.offsets[row] < oldest) check.reject(row, 'points beyond retention policy')
    }
  }

  /** Refuses rows by their fields; returns the fields that may stay. */
  #checkFields(check: TableCheck, measurement: Measurement | undefined): WriteField[] {
    const { table } = check
    const kept: WriteField[] = []
    const fresh: WriteField[] = []
    let isEmpty: boolean | undefined
    for (const field of table.fields) {
      if (field.name === 'time') {
        check.stripTime(field)
        continue
      }
      if (field.column.type === 'string') this.#checkStrings(check, field)
      const known = measurement?.fieldsByName.get(field.name)
      if (known === undefined) fresh.push(field)
      else if (known.type === field.column.type) kept.push(field)
      else {
        // With the last row of a measurement its types are gone too: it may begin anew.
        isEmpty ??= !this.#hasRows(measurement!)
        if (isEmpty) fresh.push(field)
        else check.rejectAll(field.column, conflictReason(check, field, known.type))
      }
    }
    if (isEmpty === true) fresh.push(...kept.splice(0))
    if (fresh.length > 0) this.#checkFresh(check, measurement, fresh, kept)
    return kept
  }

  #checkStrings(check: TableCheck, field: WriteField): void {
    const { column } = field
    if (column.type !== 'string') return
    const { offsets, count } = column.dictionary
    const max = this.#limits.stringBytesMax
    if (offsets[count] <= max) return
    for (let row = 0; row < check.table.rowCount; row++) {
      if (!hasValue(column, row)) continue
      const length = offsets[column.values[row] + 1] - offsets[column.values[row]]
      if (length > max)
        check.reject(row, `${inputField(check, field)} is too long, ${length} > ${max}`)
    }
  }

  /** New fields. Where the batch itself writes one with several types, the first point to stay decides. */
  #checkFresh(
    check: TableCheck,
    measurement: Measurement | undefined,
    fresh: readonly WriteField[],
    kept: WriteField[],
  ): void {
    const room = this.#limits.fieldsPerMeasurementMax - (measurement?.fields.length ?? 0)
    const names = [...new Set(fresh.map(({ name }) => name))]
    const chosen = names.length === fresh.length ? fresh : chooseTypes(check, fresh)
    for (const field of chosen) {
      if (names.indexOf(field.name) >= room) {
        const limit = this.#limits.fieldsPerMeasurementMax
        check.rejectAll(field.column, `max-fields-per-measurement limit exceeded: (${limit})`)
      } else kept.push(field)
    }
  }

  /** The bucket's series number of each row that stays. */
  #resolveSeries(check: TableCheck): Uint32Array {
    const { table } = check
    const numbers = this.#numbersOf(table.keys)
    const resolved = new Uint32Array(table.rowCount)
    const { ids } = numbers
    for (let row = 0; row < table.rowCount; row++) {
      const known = ids[table.series[row]]
      if (known !== unknownSeries && known !== refusedSeries) resolved[row] = known - 1
      else if (!check.isRejected(row)) {
        const reason = this.#resolveOne(table.keys, table.series[row], ids)
        if (reason !== undefined) check.reject(row, reason)
        else resolved[row] = ids[table.series[row]] - 1
      }
    }
    return resolved
  }

  /** Gives a series its number; a reason where it may not have one. */
  #resolveOne(keys: SeriesKeys, writerId: number, ids: Uint32Array): string | undefined {
    const { index } = this.#bucket
    const key = keys.key(writerId)
    const known = index.find(key)
    if (known < 0) {
      if (!isUtf8(key)) {
        ids[writerId] = refusedSeries
        return `key contains invalid unicode: ${JSON.stringify(Buffer.from(key).toString())}`
      }
      if (index.count >= this.#limits.seriesMax) {
        return `max-series-per-database limit exceeded: (${this.#limits.seriesMax})`
      }
    }
    ids[writerId] = (known < 0 ? index.intern(key) : known) + 1
    return undefined
  }

  #numbersOf(keys: SeriesKeys): SeriesNumbers {
    let numbers = this.#numbers.get(keys)
    if (numbers === undefined) {
      numbers = { ids: new Uint32Array(Math.max(64, keys.count)) }
      this.#numbers.set(keys, numbers)
    }
    if (numbers.ids.length < keys.count) {
      const grown = new Uint32Array(Math.max(keys.count, numbers.ids.length * 2))
      grown.set(numbers.ids)
      numbers.ids = grown
    }
    return numbers
  }

  #resolveFields(
    check: TableCheck,
    fields: readonly WriteField[],
    measurement: Measurement,
  ): ShardTable['fields'] {
    const resolved: { fieldId: number; column: Column }[] = []
    for (const { name, column } of fields) {
      // A field that only refused points had leaves no trace.
      if (check.anyRejected && check.firstRow(column) === check.table.rowCount) continue
      const { type } = column
      const known = measurement.fieldsByName.get(name)
      const field =
        known?.type === type
          ? known
          : this.#bucket.index.addField({ measurementId: measurement.id, name, type })
      resolved.push({ fieldId: field.id, column })
    }
    return resolved
  }

  #cutByShard(
    check: TableCheck,
    measurementId: number,
    series: Uint32Array,
    fields: ShardTable['fields'],
    out: AdmittedTable[],
  ): void {
    const { times, rowCount } = check.table
    const only = check.anyRejected ? undefined : this.#onlyShard(check.table)
    if (only !== undefined) {
      const offsets = shifted(times.offsets, rowCount, Number(times.base - only.start))
      out.push({ shard: only, table: { measurementId, rowCount, series, offsets, fields } })
      return
    }
    for (const [shard, rows] of this.#rowsByShard(check)) {
      const table = pick(measurementId, rows, series, times.offsets, fields)
      const offsets = shifted(table.offsets, table.rowCount, Number(times.base - shard.start))
      out.push({ shard, table: { ...table, offsets } })
    }
  }

  /** The shard that holds every row, as is usual, or undefined. */
  #onlyShard({ times, rowCount }: WriteTable): Shard | undefined {
    const shard = this.#bucket.shardAt(times.base + BigInt(times.offsets[0]))
    const low = Number(shard.start - times.base)
    const high = Number(shard.stop - times.base)
    for (let row = 1; row < rowCount; row++) {
      if (times.offsets[row] < low || times.offsets[row] >= high) return undefined
    }
    return shard
  }

  #rowsByShard(check: TableCheck): Map<Shard, number[]> {
    const { times, rowCount } = check.table
    const parts = new Map<Shard, number[]>()
    let shard: Shard | undefined
    let rows: number[] = []
    let low = 0
    let high = 0
    for (let row = 0; row < rowCount; row++) {
      if (check.isRejected(row)) continue
      const offset = times.offsets[row]
      if (shard === undefined || offset < low || offset >= high) {
        shard = this.#bucket.shardAt(times.base + BigInt(offset))
        low = Number(shard.start - times.base)
        high = Number(shard.stop - times.base)
        rows = parts.get(shard) ?? []
        parts.set(shard, rows)
      }
      rows.push(row)
    }
    return parts
  }
}

function shifted(offsets: Float64Array, count: number, shift: number): Float64Array {
  const result = new Float64Array(count)
  for (let i = 0; i < count; i++) result[i] = offsets[i] + shift
  return result
}

function pick(
  measurementId: number,
  rows: readonly number[],
  series: Uint32Array,
  offsets: Float64Array,
  fields: ShardTable['fields'],
): ShardTable {
  const picks = Uint32Array.from(rows)
  const rowCount = picks.length
  return {
    measurementId,
    rowCount,
    series: picks.map((row) => series[row]),
    offsets: Float64Array.from(picks, (row) => offsets[row]),
    fields: fields.map(({ fieldId, column }) => {
      const builder = new ColumnBuilder(column.type)
      builder.appendPicked(column, picks, rowCount)
      return { fieldId, column: builder.column() }
    }),
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
  return (
    `field type conflict: ${inputField(check, field)} is type ${field.column.type}, ` +
    `already exists as type ${existing}`
  )
}

/** Which rows of a table are refused. Costs nothing while none is. */
class TableCheck {
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

class Rejections {
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

  reported(): RejectedPoint[] {
    this.#cut()
    return this.#points
  }
}
