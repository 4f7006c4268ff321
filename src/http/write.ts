// The way of a write once its bucket is known: a place at the gate, the body, the parser, the
// store. v1 and v2 share it, so that both process data the same way; they differ in how they find
// the bucket and in how they tell failures.

import type { FastifyRequest } from 'fastify'
import type { Bucket } from '../catalog/storage/buckets.js'
import type { WriteBatch } from '../column/write-batch.js'
import { limits } from '../config.js'
import { UserError } from '../errors.js'
import type { LineError, Precision } from '../line-protocol/parser.js'
import type { RejectedPoint, WriteResult } from '../store/store.js'
import { WriteError } from './errors.js'
import type { CheckedBatch } from './schema-check.js'
import type { Services } from './services.js'

export interface WriteOutcome {
  readonly writtenCount: number
  /** Lines that are not line protocol; the first 100 of them are in `malformed`. */
  readonly malformedCount: number
  readonly malformed: readonly LineError[]
  /** Points that the store refused; the first 100 of them are in `rejected`. */
  readonly rejectedCount: number
  readonly rejected: readonly RejectedPoint[]
}

const nothing: WriteResult = { writtenCount: 0, rejectedCount: 0, rejected: [] }

/** Resolves after the points are durable. `look` is called while the body is still there. */
export async function writeBody(
  services: Services,
  request: FastifyRequest,
  bucket: Bucket,
  precision: Precision | ((body: Uint8Array) => Precision),
  look?: (body: Uint8Array, outcome: WriteOutcome) => void,
): Promise<WriteOutcome> {
  const slot = services.gate.enter()
  try {
    const body = await services.bodies.read(request.raw, (bytes) => slot.reserve(bytes))
    try {
      const { bytes } = body
      const told = typeof precision === 'string' ? precision : precision(bytes)
      const outcome = await writeLines(services, bucket, told, bytes)
      look?.(bytes, outcome)
      services.metrics.write({
        wireBytes: body.wireBytes,
        bodyBytes: body.bytes.length,
        written: outcome.writtenCount,
        malformed: outcome.malformedCount,
        rejected: outcome.rejectedCount,
      })
      return outcome
    } finally {
      body.release()
    }
  } finally {
    slot.release()
  }
}

/** The same for points that do not come from outside. */
export async function writeBytes(
  services: Services,
  bucket: Bucket,
  precision: Precision,
  bytes: Uint8Array,
): Promise<WriteOutcome> {
  const slot = services.gate.enter()
  try {
    slot.reserve(bytes.length)
    return await writeLines(services, bucket, precision, bytes)
  } finally {
    slot.release()
  }
}

async function writeLines(
  services: Services,
  bucket: Bucket,
  precision: Precision,
  bytes: Uint8Array,
): Promise<WriteOutcome> {
  // Asked first, so that a parsed batch, which holds the parser's arrays, never waits for it.
  const schema = services.targets.schemaCheck(bucket)
  const check = schema instanceof Promise ? await schema : schema
  const parser = services.parsers.of(bucket.id)
  const parsed = parser.parse(bytes, { precision, now: services.clock.now() })
  try {
    const checked = check?.check(parsed.batch) ?? unchecked(parsed.batch)
    const refusedCount = parsed.errorCount + checked.rejectedCount
    const isRefused = services.config.writeAtomic && refusedCount > 0
    const isEmpty = checked.batch.pointCount === 0
    const result = isRefused || isEmpty ? nothing : await store(services, bucket, checked.batch)
    return {
      writtenCount: result.writtenCount,
      malformedCount: parsed.errorCount,
      malformed: parsed.errors,
      rejectedCount: result.rejectedCount + checked.rejectedCount,
      rejected: inLineOrder(checked.rejected, result.rejected),
    }
  } finally {
    parser.release(parsed.batch)
  }
}

function unchecked(batch: WriteBatch): CheckedBatch {
  return { batch, rejectedCount: 0, rejected: [] }
}

function inLineOrder(
  a: readonly RejectedPoint[],
  b: readonly RejectedPoint[],
): readonly RejectedPoint[] {
  if (a.length === 0) return b
  const both = [...a, ...b].sort((left, right) => left.line - right.line)
  return both.slice(0, limits.reportedErrorsMax)
}

/**
 * A bucket may be deleted while points are on their way to it. Those that came too late would make
 * it anew in the store, where nobody could ever see or delete them.
 */
async function store(services: Services, bucket: Bucket, batch: WriteBatch): Promise<WriteResult> {
  const result = await services.store.write(bucket.id, batch)
  if (!services.targets.isDeleted(bucket.id)) return result
  await services.store.dropBucket(bucket.id)
  throw new UserError('not found', `bucket "${bucket.name}" not found`)
}

/** In whose words failures are told: those of InfluxDB 1, 2 or the cluster's contract. */
export type FailureForm = 'v1' | 'v2' | 'cluster'

/** The error that tells what was not written; undefined where everything was. */
export function writeFailure(outcome: WriteOutcome, form: FailureForm): WriteError | undefined {
  const { writtenCount, malformedCount, rejectedCount, malformed, rejected } = outcome
  // A point that only lost a field is told among the rejected ones, though it counts as written.
  if (malformedCount + rejected.length === 0) return undefined
  const line = Math.min(
    malformed[0]?.line ?? Number.POSITIVE_INFINITY,
    rejected[0]?.line ?? Number.POSITIVE_INFINITY,
  )
  if (form === 'cluster') return new WriteError(clusterText(outcome), { line })
  // Many points fail for one reason: each reason is told once.
  const reasons = new Set(rejected.map((point) => point.reason))
  const texts = [...malformed.map(malformedText), ...reasons]
  const text = texts.slice(0, limits.reportedErrorsMax).join('\n')
  if (rejected.length === 0 && writtenCount === 0) return new WriteError(text, { line })
  if (rejected.length === 0 && form === 'v2') {
    return new WriteError(`partial write error (${writtenCount} written): ${text}`, { line })
  }
  // As InfluxDB counts: points that the store dropped, not lines that were none.
  return new WriteError(`partial write: ${text} dropped=${rejectedCount}`, { line })
}

/** Each malformed line and each rejected point by its line, as many of them as the contract promises. */
function clusterText({ writtenCount, malformed, rejected }: WriteOutcome): string {
  const told = [
    ...malformed.map((error) => ({
      line: error.line,
      text: lineText('parsing', error.line, malformedText(error)),
    })),
    ...rejected.map(({ line, reason }) => ({ line, text: lineText('writing', line, reason) })),
  ]
  told.sort((a, b) => a.line - b.line)
  const texts = told.slice(0, limits.reportedErrorsMax).map(({ text }) => text)
  const what = writtenCount === 0 ? 'no data written' : 'partial write has occurred'
  return [`${what}, errors encountered on line(s):`, ...texts].join('\n')
}

function lineText(step: 'parsing' | 'writing', line: number, reason: string): string {
  return `error ${step} line ${line} (1-based): ${reason}`
}

/** Characters of a malformed line that are shown. Lines can be as long as the body. */
const shownLineMax = 1000

function malformedText(error: LineError): string {
  const { message, reason } = error
  if (message.length <= shownLineMax + reason.length) return message
  return `${message.slice(0, shownLineMax)}...': ${reason}`
}
