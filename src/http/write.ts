// The way of a write once its bucket is known: a place at the gate, the body, the parser, the
// store. v1 and v2 share it, so that both process data the same way; they differ in how they find
// the bucket and in how they tell failures.

import type { FastifyRequest } from 'fastify'
import type { Bucket } from '../catalog/buckets.js'
import { limits } from '../config.js'
import type { LineError, Precision } from '../line-protocol/parser.js'
import type { RejectedPoint, WriteResult } from '../store/store.js'
import { WriteError } from './errors.js'
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

/** Resolves after the points are durable. */
export async function writeBody(
  services: Services,
  request: FastifyRequest,
  bucket: Bucket,
  precision: Precision,
): Promise<WriteOutcome> {
  const slot = services.gate.enter()
  try {
    const body = await services.bodies.read(request.raw, (bytes) => slot.reserve(bytes))
    try {
      const outcome = await writeLines(services, bucket, precision, body.bytes)
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

async function writeLines(
  services: Services,
  bucket: Bucket,
  precision: Precision,
  bytes: Uint8Array,
): Promise<WriteOutcome> {
  const parser = services.parsers.of(bucket.id)
  const parsed = parser.parse(bytes, { precision, now: services.clock.now() })
  const { batch } = parsed
  try {
    const isRefused = services.config.writeAtomic && parsed.errorCount > 0
    const isEmpty = batch.pointCount === 0
    const result = isRefused || isEmpty ? nothing : await services.store.write(bucket.id, batch)
    return {
      writtenCount: result.writtenCount,
      malformedCount: parsed.errorCount,
      malformed: parsed.errors,
      rejectedCount: result.rejectedCount,
      rejected: result.rejected,
    }
  } finally {
    parser.release(batch)
  }
}

/** The error that tells what was not written; undefined where everything was. */
export function writeFailure(outcome: WriteOutcome, api: 'v1' | 'v2'): WriteError | undefined {
  const { writtenCount, malformedCount, rejectedCount, malformed, rejected } = outcome
  // A point that only lost a field is told among the rejected ones, though it counts as written.
  if (malformedCount + rejected.length === 0) return undefined
  const line = Math.min(
    malformed[0]?.line ?? Number.POSITIVE_INFINITY,
    rejected[0]?.line ?? Number.POSITIVE_INFINITY,
  )
  // Many points fail for one reason: each reason is told once.
  const reasons = new Set([...malformed.map(malformedText), ...rejected.map((p) => p.reason)])
  const text = [...reasons].slice(0, limits.reportedErrorsMax).join('\n')
  if (rejected.length === 0 && writtenCount === 0) return new WriteError(text, { line })
  if (rejected.length === 0 && api === 'v2') {
    return new WriteError(`partial write error (${writtenCount} written): ${text}`, { line })
  }
  // As InfluxDB counts: points that the store dropped, not lines that were none.
  return new WriteError(`partial write: ${text} dropped=${rejectedCount}`, { line })
}

/** Characters of a malformed line that are shown. Lines can be as long as the body. */
const shownLineMax = 1000

function malformedText(error: LineError): string {
  const { message, reason } = error
  if (message.length <= shownLineMax + reason.length) return message
  return `${message.slice(0, shownLineMax)}...': ${reason}`
}
