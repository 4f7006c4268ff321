// From what a writer sent to what the engine stores: each point is checked by the rules of every store,
// refused points become values in the result, series and fields get their numbers, rows are cut by shard.
// A batch without surprises, which is nearly every one, passes without copying a value.

import type { Column } from '../../../column/column.js'
import type { SeriesKeys } from '../../../column/series.js'
import type { WriteBatch, WriteField, WriteTable } from '../../../column/write-batch.js'
import {
  checkFields,
  type KnownFields,
  keyProblem,
  Rejections,
  TableCheck,
} from '../../admission-rules.js'
import type { WriteResult } from '../../store.js'
import type { Bucket, Shard } from '../bucket/bucket.js'
import type { Measurement } from '../index/series-index.js'
import type { EngineLimits } from '../options/limits.js'
import { ColumnBuilder } from '../rows/column-builder.js'
import type { ShardTable } from '../rows/memtable.js'
import type { Growth } from './growth.js'
import { WriteBudget } from './write-budget.js'

export interface AdmittedTable {
  readonly shard: Shard
  readonly table: ShardTable
}

export interface Admission {
  readonly tables: readonly AdmittedTable[]
  readonly result: WriteResult
}

/** In `ResolvedKeys.ids`: not looked up yet, or refused. Others are the series' number + 1. */
const unknownSeries = 0
const refusedSeries = 0xffffffff

export class Admitter {
  readonly #bucket: Bucket
  readonly #limits: EngineLimits
  readonly #growth: Growth
  readonly #hasRows: (measurement: Measurement) => boolean
  /** Of the batch that is looked at; the shard is the first that had not expired before it. */
  #now = 0n
  #oldestShard: bigint | undefined
  /** Tells its numbers from those of others, and holds on to nothing. */
  readonly #owner = {}
  #budget: WriteBudget
  /** Of writes that come in pieces, by what tells one from another. */
  readonly #budgets = new WeakMap<object, WriteBudget>()

  /** `hasRows` tells whether anything of a measurement may be left, after deletes and retention. */
  constructor(
    bucket: Bucket,
    limits: EngineLimits,
    growth: Growth,
    hasRows: (measurement: Measurement) => boolean,
  ) {
    this.#bucket = bucket
    this.#limits = limits
    this.#growth = growth
    this.#hasRows = hasRows
    this.#budget = new WriteBudget(bucket, limits, growth)
  }

  /** `isAtomic`: all of the batch or nothing. */
  admit(batch: WriteBatch, now: bigint, isAtomic = false): Admission {
    this.#budget = this.#budgetOf(batch.write)
    this.#now = now
    this.#oldestShard = oldestShard(this.#bucket, now)
    const rejections = isAtomic ? this.#look(batch) : new Rejections()
    const tables: AdmittedTable[] = []
    for (const table of rejections.areNone ? batch.tables : []) {
      if (table.rowCount > 0) this.#admitTable(table, rejections, tables)
    }
    const result = rejections.resultOf(batch, isAtomic)
    this.#budget.endPiece()
    return { tables: isAtomic && !rejections.areNone ? [] : tables, result }
  }

  #budgetOf(write: object | undefined): WriteBudget {
    const begun = write === undefined ? undefined : this.#budgets.get(write)
    begun?.beginPiece()
    const budget = begun ?? new WriteBudget(this.#bucket, this.#limits, this.#growth)
    if (write !== undefined && begun === undefined) this.#budgets.set(write, budget)
    return budget
  }

  /** What would be refused, before anything gets a number: a batch that is refused leaves no trace. */
  #look(batch: WriteBatch): Rejections {
    const rejections = new Rejections()
    for (const table of batch.tables) {
      const check = new TableCheck(table, rejections)
      this.#checkPoints(check)
      for (let row = 0; row < table.rowCount; row++) {
        const reason = keyProblem(table.keys.key(table.series[row]))
        if (reason !== undefined) check.reject(row, reason)
      }
    }
    return rejections
  }

  #checkPoints(check: TableCheck): WriteField[] {
    const { retentionNs } = this.#bucket.settings
    if (retentionNs > 0n) check.refuseBefore(this.#now - retentionNs)
    if (this.#bucket.index.measurement(check.table.measurement) === undefined) {
      const refusal = this.#budget.refuse('measurements')
      for (let row = 0; refusal !== undefined && row < check.table.rowCount; row++) {
        check.reject(row, refusal)
      }
      if (refusal !== undefined) return []
    }
    return checkFields(check, this.#knownFields(check.table.measurement), this.#limits)
  }

  #admitTable(table: WriteTable, rejections: Rejections, out: AdmittedTable[]): void {
    const check = new TableCheck(table, rejections)
    const fields = this.#checkPoints(check)
    // Before anything gets a number: what is refused leaves no trace.
    this.#budget.refuseShards(check)
    const series = this.#resolveSeries(check)
    if (check.keptCount === 0) return
    const measurement = this.#bucket.index.internMeasurement(table.measurement)
    const columns = this.#resolveFields(check, fields, measurement)
    this.#cutByShard(check, measurement.id, series, columns, out)
  }

  #knownFields(name: string): KnownFields {
    const found = this.#bucket.index.measurement(name)
    const measurement = found === undefined || this.#isEmptied(found) ? undefined : found
    return {
      count: measurement?.fieldsByName.size ?? 0,
      typeOf: (field) => measurement?.fieldsByName.get(field)?.type,
      refuseFresh: (adding) => this.#budget.refuse('fields', adding),
    }
  }

  /** Its last row has gone. Rows leave by deletes and with their shard alone: it is looked for after those. */
  #isEmptied(measurement: Measurement): boolean {
    const { anyLive, fieldsByName } = measurement
    const isSeen = anyLive?.losses === this.#bucket.losses && anyLive.oldest === this.#oldestShard
    if (isSeen) return false
    if (fieldsByName.size > 0 && !this.#hasRows(measurement)) return true
    this.#noteRows(measurement)
    return false
  }

  #noteRows(measurement: Measurement): void {
    measurement.anyLive = { losses: this.#bucket.losses, oldest: this.#oldestShard }
  }

  /** The bucket's series number of each row that stays. */
  #resolveSeries(check: TableCheck): Uint32Array {
    const { table } = check
    const ids = this.#numbersOf(table.keys)
    const resolved = new Uint32Array(table.rowCount)
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
      const reason = keyProblem(key)
      if (reason !== undefined) {
        ids[writerId] = refusedSeries
        return reason
      }
      if (index.size >= this.#limits.seriesMax) {
        return `max-series-per-database limit exceeded: (${this.#limits.seriesMax})`
      }
      const refusal = this.#budget.refuseSeries()
      if (refusal !== undefined) return refusal
    }
    ids[writerId] = (known < 0 ? index.intern(key) : known) + 1
    return undefined
  }

  /** The bucket's numbers for the writer's: kept with the keys, for the batches to come. */
  #numbersOf(keys: SeriesKeys): Uint32Array {
    let { resolved } = keys
    if (resolved?.owner !== this.#owner) {
      resolved = { owner: this.#owner, ids: new Uint32Array(Math.max(64, keys.count)) }
      keys.resolved = resolved
    }
    if (resolved.ids.length < keys.count) {
      const grown = new Uint32Array(Math.max(keys.count, resolved.ids.length * 2))
      grown.set(resolved.ids)
      resolved.ids = grown
    }
    return resolved.ids
  }

  #resolveFields(
    check: TableCheck,
    fields: readonly WriteField[],
    measurement: Measurement,
  ): ShardTable['fields'] {
    const resolved: { fieldId: number; column: Column }[] = []
    const isEmptied = this.#isEmptied(measurement)
    for (const { name, column } of fields) {
      // A field that only refused points had leaves no trace.
      if (check.anyRejected && check.firstRow(column) === check.table.rowCount) continue
      const { type } = column
      const beginsAnew = isEmptied && resolved.length === 0
      const known = beginsAnew ? undefined : measurement.fieldsByName.get(name)
      const { index } = this.#bucket
      const field =
        known ?? index.addField({ measurementId: measurement.id, name, type, beginsAnew })
      resolved.push({ fieldId: field.id, column })
    }
    if (isEmptied && resolved.length > 0) this.#noteRows(measurement)
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
      const shift = Number(times.base - shard.start)
      out.push({ shard, table: pick(measurementId, rows, series, times.offsets, shift, fields) })
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

/** Where the first shard begins that has not expired. */
function oldestShard({ shards, settings }: Bucket, now: bigint): bigint | undefined {
  const { retentionNs } = settings
  if (retentionNs === 0n) return shards[0]?.start
  return shards.find(({ stop }) => stop > now - retentionNs)?.start
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
  shift: number,
  fields: ShardTable['fields'],
): ShardTable {
  const rowCount = rows.length
  const picks = new Uint32Array(rowCount)
  const pickedSeries = new Uint32Array(rowCount)
  const pickedOffsets = new Float64Array(rowCount)
  for (let i = 0; i < rowCount; i++) {
    const row = rows[i]
    picks[i] = row
    pickedSeries[i] = series[row]
    pickedOffsets[i] = offsets[row] + shift
  }
  return {
    measurementId,
    rowCount,
    series: pickedSeries,
    offsets: pickedOffsets,
    fields: fields.map(({ fieldId, column }) => {
      const builder = new ColumnBuilder(column.type)
      builder.appendPicked(column, picks, rowCount)
      return { fieldId, column: builder.column() }
    }),
  }
}
