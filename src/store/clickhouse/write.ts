// A write: points are admitted as in every engine, their measurement, fields and tag keys are made known in the
// registry, new series go into the index, and then the rows into their tables. The index comes first, so that no
// point is ever without its key. A write that is done finds out whether its measurement was dropped meanwhile: then
// its rows have gone with it, and it is done again; or whether series leave the index: then it tells of its own again.

import { parseSeriesKey } from '../../column/series.js'
import type { WriteBatch, WriteField, WriteTable } from '../../column/write-batch.js'
import { OverloadError, UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import {
  checkFields,
  defaultAdmissionLimits,
  keyProblem,
  Rejections,
  TableCheck,
} from '../admission-rules.js'
import type { BucketId, WriteResult } from '../store.js'
import { type IndexRow, indexBlocks } from './index-rows.js'
import type { Inserts } from './inserts.js'
import { classOf, shardOf, spanLength, spanOf, spanStart } from './layout.js'
import type { Measurement, Registry } from './registry.js'
import { blocksOf, type OutField } from './rows-out.js'
import { cacheKey, hasBit, type SeriesCache } from './series-cache.js'
import type { SpanCache } from './span-cache.js'

export interface WriteParts {
  readonly clock: Clock
  readonly registry: Registry
  readonly series: SeriesCache
  readonly spans: SpanCache
  readonly inserts: Inserts
  readonly shardCount: number
  retentionOf(bucket: BucketId): bigint
}

/** A batch over more spans of time makes as many parts. */
const spansPerWriteMax = 1000
/** Somebody else was faster with a field, or has dropped the measurement. */
const triesMax = 5

export async function writeBatch(
  parts: WriteParts,
  bucket: BucketId,
  batch: WriteBatch,
  isAtomic: boolean,
): Promise<WriteResult> {
  for (let tries = 0; tries < triesMax; tries++) {
    const result = await tryWrite(parts, bucket, batch, isAtomic)
    if (result !== undefined) return result
  }
  throw new OverloadError('the measurement is being changed by others')
}

/** undefined: to be done again. */
async function tryWrite(
  parts: WriteParts,
  bucket: BucketId,
  batch: WriteBatch,
  isAtomic: boolean,
): Promise<WriteResult | undefined> {
  const { version } = parts.registry
  const rejections = new Rejections()
  for (const table of isAtomic ? batch.tables : []) {
    await checkTable(parts, bucket, new TableCheck(table, rejections))
  }
  const written: WrittenTable[] = []
  for (const table of rejections.areNone || !isAtomic ? batch.tables : []) {
    const check = new TableCheck(table, rejections)
    const admitted = await checkTable(parts, bucket, check)
    if (check.keptCount === 0) continue
    const measurement = await writeTable(parts, bucket, check, admitted)
    if (measurement === undefined) return undefined
    written.push({ measurement, check, fields: admitted.fields })
  }
  if (!(await areFound(parts, version, written))) return undefined
  return rejections.resultOf(batch, isAtomic)
}

interface WrittenTable {
  measurement: Measurement
  readonly check: TableCheck
  readonly fields: readonly WriteField[]
}

/** Whether whoever reads finds what was written, in the measurements that there are now. */
async function areFound(
  parts: WriteParts,
  begun: number,
  written: readonly WrittenTable[],
): Promise<boolean> {
  const { registry } = parts
  for (let version = begun; version !== registry.version; ) {
    version = registry.version
    for (const one of written) {
      const { bucket, name, number, generation } = one.measurement
      const current = await registry.find(bucket, name)
      if (current?.number !== number) return false
      if (current.generation === generation) continue
      one.measurement = current
      await tellIndex(parts, current, rowsOf(parts, current, one.check), one)
    }
  }
  return true
}

interface Admitted {
  readonly measurement: Measurement | undefined
  readonly fields: readonly WriteField[]
}

async function checkTable(
  parts: WriteParts,
  bucket: BucketId,
  check: TableCheck,
): Promise<Admitted> {
  const { table } = check
  const { registry, clock } = parts
  const known =
    registry.cached(bucket, table.measurement) ?? (await registry.find(bucket, table.measurement))
  const retentionNs = parts.retentionOf(bucket)
  if (retentionNs > 0n) check.refuseBefore(clock.now() - retentionNs)
  const typeOf = (name: string) => known?.fields.get(name)?.type
  // Types begin anew with a measurement that was retired, be it that a delete emptied it, and not with one that looks
  // empty from here: another process may be about to write, and what it then acknowledged would be gone.
  const before = { count: known?.fields.size ?? 0, typeOf }
  const fields = checkFields(check, before, defaultAdmissionLimits)
  checkKeys(check)
  const kept = fields.filter(({ column }) => check.firstRow(column) < table.rowCount)
  return { measurement: known, fields: kept }
}

function checkKeys(check: TableCheck): void {
  const { table } = check
  const problems = new Map<number, string | undefined>()
  for (let row = 0; row < table.rowCount; row++) {
    const id = table.series[row]
    if (!problems.has(id)) problems.set(id, keyProblem(table.keys.key(id)))
    const problem = problems.get(id)
    if (problem !== undefined) check.reject(row, problem)
  }
}

/** undefined: to be done again. */
async function writeTable(
  parts: WriteParts,
  bucket: BucketId,
  check: TableCheck,
  { measurement: known, fields }: Admitted,
): Promise<Measurement | undefined> {
  const { table } = check
  const { registry } = parts
  const wanted = fields.map(({ name, column }) => ({ name, type: column.type }))
  const tagKeys = newTagKeys(parts, check, known)
  const spanClass = classOf(parts.retentionOf(bucket))
  const measurement = await registry.ensure(bucket, table.measurement, spanClass, wanted, tagKeys)
  const isOther = wanted.some(({ name, type }) => measurement.fields.get(name)?.type !== type)
  if (isOther) return undefined
  await insertRows(parts, measurement, check, fields)
  return measurement
}

/** Of series that are not known yet. */
function newTagKeys({ series }: WriteParts, check: TableCheck, known: Measurement | undefined) {
  const { table } = check
  const keys = new Set<string>()
  const looked = new Set<number>()
  for (let row = 0; row < table.rowCount; row++) {
    const id = table.series[row]
    if (check.isRejected(row) || looked.has(id)) continue
    looked.add(id)
    if (known !== undefined && series.find(cacheKey(known), table.keys, id) !== undefined) continue
    for (const { key } of parseSeriesKey(table.keys.key(id)).tags) {
      if (known?.tagKeys.has(key) !== true) keys.add(key)
    }
  }
  return [...keys]
}

interface SeriesRows {
  readonly series: BigUint64Array
  readonly spans: BigInt64Array
  /** By row, in the cache; -1: the row is refused. */
  readonly entries: Int32Array
  /** What the index may not know yet. */
  readonly fresh: readonly IndexRow[]
  /** Whose entries they are. */
  readonly owner: object
  readonly touched: ReadonlySet<bigint>
}

/** Which series its rows belong to, and in which spans. */
function rowsOf(parts: WriteParts, measurement: Measurement, check: TableCheck): SeriesRows {
  const { table } = check
  const { spanClass } = measurement
  const rowCount = table.rowCount
  const [series, spans] = [new BigUint64Array(rowCount), new BigInt64Array(rowCount)]
  const entries = resolveSeries(parts, measurement, check)
  const spanAt = spanFinder(table, spanClass)
  const fresh = new Map<bigint, Map<number, IndexRow>>()
  // The lower half first, as this machine and the format have it.
  const halves = new Uint32Array(series.buffer)
  let ofSpan = new Map<number, IndexRow>()
  let seen: Uint8Array = new Uint8Array()
  let last: bigint | undefined
  for (let row = 0; row < rowCount; row++) {
    const entry = entries[row]
    if (entry < 0) continue
    const span = spanAt(row)
    parts.series.copyNumber(entry, halves, 2 * row)
    spans[row] = span
    if (span !== last) {
      ofSpan = fresh.get(span) ?? new Map()
      seen = parts.series.seenIn(spanClass, span)
      fresh.set(span, ofSpan)
      last = span
    }
    if (hasBit(seen, entry) || ofSpan.has(entry)) continue
    const [number, key] = [parts.series.number(entry), parts.series.key(entry)]
    ofSpan.set(entry, { entry, number, key, span })
  }
  const touched = new Set(fresh.keys())
  if (touched.size > spansPerWriteMax) {
    throw new UserError('invalid', `a write may reach into at most ${spansPerWriteMax} shards`)
  }
  const all = Array.from(fresh.values(), (rows) => [...rows.values()]).flat()
  return { series, spans, entries, fresh: all, touched, owner: parts.series.owner }
}

async function tellIndex(
  parts: WriteParts,
  measurement: Measurement,
  { fresh, spans, touched, owner }: SeriesRows,
  { check, fields }: Pick<WrittenTable, 'check' | 'fields'>,
): Promise<void> {
  await Promise.all([
    insertIndex(parts, measurement, fresh, owner),
    parts.spans.save(measurement, fieldSpans(fields, check, spans, touched)),
  ])
}

async function insertRows(
  parts: WriteParts,
  measurement: Measurement,
  check: TableCheck,
  fields: readonly WriteField[],
): Promise<void> {
  const { table } = check
  const { number, spanClass } = measurement
  const rows = rowsOf(parts, measurement, check)
  await tellIndex(parts, measurement, rows, { check, fields })
  const { series, spans, entries } = rows
  const placed: OutField[] = fields.map(({ name, column }) => ({
    name,
    column,
    place: measurement.fields.get(name)!,
  }))
  const out = { series, spans, times: table.times, measurement: number, spanClass }
  // All of them before the first is sent: one that fails while others are made would be waited for by nobody.
  const byShard = rowsByShard(parts.shardCount, entries, series)
  const bodies = Array.from(byShard, ([shard, own]) =>
    Array.from(blocksOf({ ...out, rows: own }, placed), (block) => ({ shard, ...block })),
  ).flat()
  await Promise.all(
    bodies.map(({ shard, sql, pieces }) => parts.inserts.insert(shard, sql, pieces)),
  )
}

function resolveSeries(parts: WriteParts, measurement: Measurement, check: TableCheck): Int32Array {
  const { table } = check
  const key = cacheKey(measurement)
  const rows = new Int32Array(table.rowCount).fill(-1)
  parts.series.makeRoom()
  for (let row = 0; row < table.rowCount; row++) {
    if (check.isRejected(row)) continue
    const id = table.series[row]
    rows[row] =
      parts.series.find(key, table.keys, id) ?? parts.series.add(key, table.keys, id) ?? -1
    if (rows[row] < 0) check.reject(row, 'another series has the same number')
  }
  return rows
}

/** The span of a row's time, without a bigint division for each. */
function spanFinder({ times }: WriteTable, spanClass: number): (row: number) => bigint {
  const length = Number(spanLength(spanClass))
  const first = spanOf(times.base, spanClass)
  const rest = Number(times.base - spanStart(first, spanClass))
  let [lastSteps, last] = [0, first]
  return (row) => {
    const behind = rest + times.offsets[row]
    let steps = Math.floor(behind / length)
    // A quotient just below a whole number may be rounded up to it.
    if (steps * length > behind) steps--
    if (steps !== lastSteps) [lastSteps, last] = [steps, first + BigInt(steps)]
    return last
  }
}

/** Which fields have points in which span. */
function fieldSpans(
  fields: readonly WriteField[],
  check: TableCheck,
  spans: BigInt64Array,
  touched: ReadonlySet<bigint>,
): Map<bigint, readonly string[]> {
  if (touched.size === 1) {
    const [only] = touched
    return new Map([[only, fields.map(({ name }) => name)]])
  }
  const found = new Map<bigint, Set<string>>()
  for (const { name, column } of fields) {
    for (let row = 0; row < check.table.rowCount; row++) {
      if (check.isRejected(row) || (column.validity !== undefined && column.validity[row] === 0))
        continue
      const names = found.get(spans[row]) ?? new Set<string>()
      found.set(spans[row], names)
      names.add(name)
    }
  }
  return new Map(Array.from(found, ([span, names]) => [span, [...names]]))
}

async function insertIndex(
  parts: WriteParts,
  measurement: Measurement,
  rows: readonly IndexRow[],
  owner: object,
): Promise<void> {
  if (rows.length === 0) return
  const bodies = Array.from({ length: parts.shardCount }, (_, shard) => {
    const own = rows.filter(({ number }) => shardOf(number, parts.shardCount) === shard)
    return Array.from(indexBlocks(measurement, own), (block) => ({ shard, ...block }))
  }).flat()
  await Promise.all(
    bodies.map(({ shard, sql, pieces }) => parts.inserts.insert(shard, sql, pieces)),
  )
  for (const { entry, span } of rows) parts.series.saw(owner, entry, measurement.spanClass, span)
}

function rowsByShard(
  shardCount: number,
  entries: Int32Array,
  series: BigUint64Array,
): Map<number, Uint32Array> {
  const rows: number[][] = Array.from({ length: shardCount }, () => [])
  for (let row = 0; row < entries.length; row++) {
    if (entries[row] >= 0) rows[shardOf(series[row], shardCount)].push(row)
  }
  return new Map(rows.map((own, shard) => [shard, Uint32Array.from(own)]))
}
