// The body of a write on its way to the service:
// let in, read, stored, counted.

import type { Bucket } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'
import type { Precision } from '../../line-protocol/parser.js'
import type { MissingDatabase } from '../../service/targets/targets.js'
import type { WriteOutcome } from '../../service/write/writes.js'
import type { Exchange } from './exchange.js'

export interface BodyOptions {
  /** Or how the body tells it. */
  readonly precision: Precision | ((body: Uint8Array) => Precision)
  readonly isAtomic?: boolean
  /** Called while the body is still there. */
  readonly look?: (body: Uint8Array, outcome: WriteOutcome) => void
}

/** Resolves after the points are durable. */
export async function writeBody(
  { services, request }: Exchange,
  target: Bucket | MissingDatabase,
  { precision, isAtomic, look }: BodyOptions,
): Promise<WriteOutcome> {
  const admitted = await services.writes.admit('make' in target ? undefined : target)
  try {
    const body = await services.bodies.read(request, (bytes) => admitted.reserve(bytes))
    try {
      const { bytes } = body
      if (bytes.length === 0 && services.config.variant === 'cluster') {
        throw new UserError('invalid', 'empty write payload')
      }
      const told = typeof precision === 'string' ? precision : precision(bytes)
      const atomic = isAtomic === undefined ? {} : { isAtomic }
      const bucket = 'make' in target ? await target.make() : target
      const outcome = await admitted.store(bucket, bytes, { precision: told, ...atomic })
      look?.(bytes, outcome)
      services.metrics.write({
        wireBytes: body.wireBytes,
        bodyBytes: bytes.length,
        written: outcome.writtenCount,
        malformed: outcome.malformedCount,
        rejected: outcome.rejectedCount,
      })
      return outcome
    } finally {
      body.release()
    }
  } finally {
    admitted.end()
  }
}
