// The way of a write once its bucket is known, whoever sends it: a place at the gate, the organization's limits, the
// parser, the bucket's schema, the store, and what was used. Transports differ in how they find the bucket, bring the
// bytes and tell failures.

import { availableParallelism } from 'node:os'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { type Config, limits } from '../../config.js'
import { UserError } from '../../errors.js'
import type { LineError, Precision } from '../../line-protocol/parser.js'
import { Garbage, wideBytesMin } from '../../platform/garbage.js'
import type { RejectedPoint, Store, WriteResult } from '../../store/store.js'
import { Beginnings } from '../base/beginnings.js'
import type { Caller } from '../base/fair-queue.js'
import type { ServiceParts } from '../base/parts.js'
import type { OrganizationLimits, WriteRule } from '../limits/organization-limits.js'
import { BodyPieces, type ParseParts } from '../parse/body-pieces.js'
import type { ParseListener, PieceRest } from '../parse/messages.js'
import { ParsePool } from '../parse/parse-pool.js'
import { hasWorker, WorkerPort } from '../parse/parse-ports.js'
import type { ParsedPiece } from '../parse/parse-thread.js'
import { type ParserLimits, ParserRegistry } from '../parse/parsers.js'
import type { DefinedTables } from '../tables/defined-tables.js'
import type { Targets } from '../targets/targets.js'
import { type BatchCheck, BatchChecks, checkBatch, inLineOrder } from './batch-checks.js'
import { PointWatchers } from './live-points.js'
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
  readonly #parse: ParseParts
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
    const parserLimits = { ...limits, measurementsMax, fieldsMax }
    const beginnings = new Beginnings()
    const pool = parsePool(parts.config, parserLimits)
    this.#parse = { parsers: new ParserRegistry(parserLimits), pool, beginnings }
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

  /** When nobody writes any more. */
  async close(): Promise<void> {
    await this.#parse.pool.close(new Error('the service stops'))
  }

  /** For `AdmittedWrite`. */
  async store(bucket: Bucket, bytes: Uint8Array, options: WriteOptions): Promise<WriteOutcome> {
    const { precision, isAtomic = this.#config.writeAtomic } = options
    // Asked first, so that a parsed batch, which holds the parser's arrays, never waits for it.
    const found = this.#checks.of(bucket)
    const checks = found instanceof Promise ? await found : found
    const now = this.#parts.clock.now()
    const body = { bucketId: bucket.id, bytes, precision, now }
    const pieces = new BodyPieces(this.#parse, callerOf(bucket), body)
    try {
      const bytesMax = tableBytesMax(bytes.length, isAtomic)
      const first = pieces.next(bytesMax)
      const parsed = first instanceof Promise ? await first : first
      if (isAtomic && parsed.rest !== undefined) throw tooSparse(bytesMax)
      let outcome = await this.#storePiece(bucket, parsed, now, checks, isAtomic)
      while (outcome.rest !== undefined) {
        this.#garbage.collect(wideBytesMin)
        const next = await pieces.next(nextTableBytesMax(outcome.rest))
        outcome = joined(outcome, await this.#storePiece(bucket, next, now, checks, isAtomic))
      }
      return outcome
    } finally {
      pieces.end()
    }
  }

  /** One piece: what of the body may be in memory as columns at a time, which is all of nearly every write. */
  async #storePiece(
    bucket: Bucket,
    parsed: ParsedPiece,
    now: bigint,
    checks: readonly BatchCheck[],
    isAtomic: boolean,
  ): Promise<PieceOutcome> {
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

/** A thread beyond these waits for the one that serves. */
const parseThreadsMax = 2

/**
 * One core is for the thread that serves, and one for flushes, the system and whoever sends: where there are no more,
 * no load was shown to be faster with another thread, and a cold one took up to a quarter more CPU in all.
 */
function parsePool({ parseThreads }: Config, parserLimits: ParserLimits): ParsePool {
  const spareCores = Math.max(0, availableParallelism() - 2)
  const wanted = parseThreads ?? Math.min(spareCores, parseThreadsMax)
  const threadCount = hasWorker ? wanted : 0
  const makePort = (listener: ParseListener) => new WorkerPort(listener)
  const { parseStartBytes: startBytesMin, largeBodyBytes: bodyBytesMin } = limits
  return new ParsePool({ threadCount, limits: parserLimits, startBytesMin, bodyBytesMin, makePort })
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
  readonly rest: PieceRest | undefined
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
function nextTableBytesMax({ columnCount, measurementCount }: PieceRest): number {
  const { writeTableBytes, wideWriteColumns, wideTableColumns } = limits
  const isWide = columnCount >= Math.max(wideWriteColumns, wideTableColumns * measurementCount)
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
