// The way of a write once its bucket is known, whoever sends it: a place at the gate, the organization's limits, the
// parser, the bucket's schema, the store, and what was used. Transports differ in how they find the bucket, bring the
// bytes and tell failures.

import type { Bucket } from '../../catalog/storage/buckets.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { type Config, limits } from '../../config.js'
import { UserError } from '../../errors.js'
import type { LineError, ParseOptions, Precision, WriteRest } from '../../line-protocol/parser.js'
import { Garbage, wideBytesMin } from '../../platform/garbage.js'
import type { RejectedPoint, Store, WriteResult } from '../../store/store.js'
import { Beginnings } from '../base/beginnings.js'
import type { Caller } from '../base/fair-queue.js'
import type { ServiceParts } from '../base/parts.js'
import type { OrganizationLimits, WriteRule } from '../limits/organization-limits.js'
import type { DefinedTables } from '../tables/defined-tables.js'
import type { Targets } from '../targets/targets.js'
import { type BatchCheck, BatchChecks, checkBatch, inLineOrder } from './batch-checks.js'
import { PointWatchers } from './live-points.js'
import { ParserRegistry } from './parsers.js'
import type { CheckedBatch } from './refused-rows.js'
import { WriteGate, type WritePlace } from './write-gate.js'

export interface WriteOutcome {
  readonly writtenCount: number
  /** Lines that are not line protocol; the first 100 of them are in `malformed`. */
  readonly malformedCount: number
  readonly malformed: readonly LineError[]
  /** Points that the store refused; the first 100 of them are in `rejected`. */
  readonly rejectedCount: number
  readonly rejected: readonly RejectedPoint[]
}

export interface WriteOptions {
  readonly precision: Precision
  /** Store nothing where a line is malformed or refused; default: as the service is configured. */
  readonly isAtomic?: boolean
}

type WriteParts = Pick<ServiceParts, 'config' | 'store' | 'catalog' | 'clock' | 'homeOrgId'> & {
  readonly definedTables: DefinedTables
  readonly targets: Targets
  readonly limits: OrganizationLimits
  /** Whoever hands points on: a write is acknowledged when it has them too. */
  readonly replications: Follower
}

interface Follower {
  /** At once where nobody wants the points of the bucket. The batch is not kept. */
  written(
    bucketId: string,
    batch: WriteBatch,
    refused: readonly RejectedPoint[],
  ): Promise<unknown> | undefined
}

const nothing: WriteResult = { writtenCount: 0, rejectedCount: 0, rejected: [] }

export class Writes {
  /** Those who are told of points as they are written. */
  readonly watchers = new PointWatchers()
  readonly #parts: WriteParts
  readonly #config: Config
  readonly #store: Store
  readonly #gate: WriteGate
  readonly #beginnings = new Beginnings()
  readonly #parsers: ParserRegistry
  readonly #checks: BatchChecks
  readonly #garbage = new Garbage()

  constructor(parts: WriteParts) {
    this.#parts = parts
    this.#config = parts.config
    this.#store = parts.store
    this.#gate = new WriteGate({
      requestsMax: parts.config.writeRequestsMax,
      bytesMax: parts.config.writeBytesMax,
      waitSecondsMax: limits.writeWaitSecondsMax,
    })
    this.#checks = new BatchChecks(parts)
    const { writeMeasurementsMax: measurementsMax, writeFieldsMax: fieldsMax } = parts.config
    this.#parsers = new ParserRegistry({ ...limits, measurementsMax, fieldsMax })
  }

  /** Writes under way. */
  get count(): number {
    return this.#gate.requests
  }

  /**
   * Lets a write in, before its bytes are read: who was let in must say when it has ended. Throws BusyError where the
   * organization has written too much lately, OverloadError where too much is under way. Without a bucket: for one that
   * the write makes, which nothing is known of yet.
   */
  async admit(bucket: Bucket | undefined, limits = this.#parts.limits): Promise<AdmittedWrite> {
    const rule = bucket === undefined ? undefined : await limits.forWrite(bucket)
    const place = await this.#gate.enter(callerOf(bucket))
    try {
      rule?.enter()
    } catch (error) {
      place.release()
      throw error
    }
    return new AdmittedWrite(this, place, rule)
  }

  /** Of points that do not come from outside, in nanoseconds. `limits`: others than the organization's own. */
  async write(
    bucket: Bucket,
    bytes: Uint8Array,
    limits?: OrganizationLimits,
  ): Promise<WriteOutcome> {
    const admitted = await this.admit(bucket, limits)
    try {
      admitted.reserve(bytes.length)
      return await admitted.store(bucket, bytes, { precision: 'ns' })
    } finally {
      admitted.end()
    }
  }

  /** For `AdmittedWrite`. */
  async store(bucket: Bucket, bytes: Uint8Array, options: WriteOptions): Promise<WriteOutcome> {
    const { precision, isAtomic = this.#config.writeAtomic } = options
    // Asked first, so that a parsed batch, which holds the parser's arrays, never waits for it.
    const found = this.#checks.of(bucket)
    const checks = found instanceof Promise ? await found : found
    const now = this.#parts.clock.now()
    const parse = { precision, now, tableBytesMax: tableBytesMax(bytes.length, isAtomic) }
    let outcome = await this.#storePiece(bucket, bytes, parse, checks, isAtomic)
    while (outcome.rest !== undefined) {
      const from = outcome.rest
      this.#garbage.collect(wideBytesMin)
      const next = { ...parse, from, tableBytesMax: nextTableBytesMax(from) }
      const piece = await this.#storePiece(bucket, bytes, next, checks, isAtomic)
      outcome = joined(outcome, piece)
    }
    return outcome
  }

  /** One piece: what of the body may be in memory as columns at a time, which is all of nearly every write. */
  async #storePiece(
    bucket: Bucket,
    bytes: Uint8Array,
    options: ParseOptions,
    checks: readonly BatchCheck[],
    isAtomic: boolean,
  ): Promise<PieceOutcome> {
    // Not awaited where it may begin: others that are as far would be told so too, before this one has used its time.
    const waiting = this.#beginnings.enter(callerOf(bucket))
    if (waiting !== undefined) await waiting
    const parser = this.#parsers.of(bucket.id)
    const parsed = parser.parse(bytes, options)
    try {
      if (isAtomic && parsed.rest !== undefined) throw tooSparse(options.tableBytesMax)
      const { now } = options
      const checked =
        checks.length === 0 ? unchecked(parsed.batch) : await checkBatch(checks, parsed.batch, now)
      const refusedCount = parsed.errorCount + checked.rejectedCount
      const isRefused = isAtomic && refusedCount > 0
      const isEmpty = checked.batch.pointCount === 0
      const result =
        isRefused || isEmpty ? nothing : await this.#write(bucket, checked.batch, isAtomic)
      if (result.writtenCount > 0) {
        this.watchers.written(bucket.id, checked.batch, result.rejected)
        const { replications } = this.#parts
        await replications.written(bucket.id, checked.batch, result.rejected)
      }
      return {
        writtenCount: result.writtenCount,
        malformedCount: parsed.errorCount,
        malformed: parsed.errors,
        rejectedCount: result.rejectedCount + checked.rejectedCount,
        rejected: inLineOrder(checked.rejected, result.rejected),
        rest: parsed.rest,
      }
    } finally {
      parser.release(parsed.batch)
    }
  }

  /**
   * A bucket may be deleted while points are on their way to it. Those that came too late would make it anew in the
   * store, where nobody could ever see or delete them.
   */
  async #write(bucket: Bucket, batch: WriteBatch, isAtomic: boolean): Promise<WriteResult> {
    const result = await this.#store.write(bucket.id, batch, undefined, isAtomic)
    if (!this.#parts.targets.isDeleted(bucket.id)) return result
    await this.#store.dropBucket(bucket.id)
    throw new UserError('not found', `bucket "${bucket.name}" not found`)
  }
}

/** Nobody who makes a bucket has written to it before. */
function callerOf(bucket: Bucket | undefined): Caller {
  return { org: bucket?.orgId ?? '', token: bucket?.id ?? '' }
}

/** A write that was let in. */
export class AdmittedWrite {
  readonly #writes: Writes
  readonly #place: WritePlace
  readonly #rule: WriteRule | undefined

  constructor(writes: Writes, place: WritePlace, rule: WriteRule | undefined) {
    this.#writes = writes
    this.#place = place
    this.#rule = rule
  }

  /** Before memory is taken for the body. Throws OverloadError where there is no more. */
  reserve(bytes: number): void {
    this.#place.reserve(bytes)
  }

  /** Resolves after the points are durable. */
  store(bucket: Bucket, bytes: Uint8Array, options: WriteOptions): Promise<WriteOutcome> {
    return this.#writes.store(bucket, bytes, options)
  }

  end(): void {
    const { bytes } = this.#place
    this.#place.release()
    this.#rule?.leave(bytes)
  }
}

interface PieceOutcome extends WriteOutcome {
  /** The lines behind it. */
  readonly rest: WriteRest | undefined
}

function joined(first: PieceOutcome, second: PieceOutcome): PieceOutcome {
  return {
    writtenCount: first.writtenCount + second.writtenCount,
    malformedCount: first.malformedCount + second.malformedCount,
    malformed: [...first.malformed, ...second.malformed].slice(0, limits.reportedErrorsMax),
    rejectedCount: first.rejectedCount + second.rejectedCount,
    rejected: inLineOrder(first.rejected, second.rejected),
    rest: second.rest,
  }
}

/** All or nothing needs all of it at once. */
function tableBytesMax(bodyBytes: number, isAtomic: boolean): number {
  const { writeTableBytes, atomicTableTimes } = limits
  return isAtomic ? Math.max(writeTableBytes, atomicTableTimes * bodyBytes) : writeTableBytes
}

/**
 * Columns with few values each take several times their bytes as objects, here and on the way through the store. Those
 * of thousands of measurements would come with a row or two at a time in smaller pieces.
 */
function nextTableBytesMax({ columnCount, measurements }: WriteRest): number {
  const { writeTableBytes, wideWriteColumns, wideTableColumns } = limits
  const isWide = columnCount >= Math.max(wideWriteColumns, wideTableColumns * measurements.size)
  return isWide ? writeTableBytes / 4 : writeTableBytes
}

function tooSparse(bytesMax: number | undefined): UserError {
  const reason = `its lines have few of many fields each, and take more than ${bytesMax} bytes as columns`
  return new UserError(
    'request too large',
    `the write cannot be stored whole or not at all: ${reason}; send fewer lines at a time`,
  )
}

function unchecked(batch: WriteBatch): CheckedBatch {
  return { batch, rejectedCount: 0, rejected: [] }
}
