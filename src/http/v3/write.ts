// `POST /api/v3/write_lp`: line protocol of v3 clients. Good lines are stored though others are not, unless
// `accept_partial=false`. Every write is acknowledged when it is durable, also with `no_sync=true`: a
// client that does not care loses nothing by it. Without a precision the first timestamp tells by its size
// which one it is.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../access/authenticator.js'
import type { Bucket } from '../../catalog/buckets.js'
import { UserError } from '../../errors.js'
import type { LineError, Precision } from '../../line-protocol/parser.js'
import { identifyV1 } from '../credentials.js'
import { databaseBucket } from '../database-bucket.js'
import { parameter } from '../parameters.js'
import type { RateLimits } from '../rate-limits.js'
import type { Services } from '../services.js'
import { findOrMakeClusterDatabase } from '../v1/write.js'
import { type WriteOutcome, writeBody, writeBytes } from '../write.js'
import { type RefusedLine, V3WriteError, v3ErrorHandler } from './errors.js'

/** `rates` undefined: organizations have no limits, as in the cluster variant. */
export function v3WriteRoute(app: FastifyInstance, services: Services, rates?: RateLimits): void {
  const errorHandler = v3ErrorHandler(services)
  app.post('/api/v3/write_lp', { errorHandler }, async (request, reply) => {
    const identity = await identifyV1(services, request, 'unauthorized')
    const precision = readPrecision(request)
    const acceptsPartial = readSwitch(request, 'accept_partial', true)
    readSwitch(request, 'no_sync', false)
    const bucket = await findBucket(services, identity, request)
    const admitted = (await rates?.forWrite(bucket)) ?? services
    const config = acceptsPartial ? admitted.config : { ...admitted.config, writeAtomic: true }
    const target = { ...admitted, config }
    const outcome =
      precision === 'auto'
        ? await writeDetected(target, request, bucket)
        : await writeBody(target, request, bucket, precision)
    const failure = failureOf(outcome, acceptsPartial)
    if (failure !== undefined) throw failure
    return reply.code(204).send()
  })
}

async function findBucket(
  services: Services,
  identity: Identity,
  request: FastifyRequest,
): Promise<Bucket> {
  const database = parameter(request, 'db')
  if (database === undefined) throw new UserError('invalid', "missing query parameter 'db'")
  if (services.config.variant === 'cluster') {
    await findOrMakeClusterDatabase(services, identity, database, undefined)
  }
  return databaseBucket(services, identity, database, 'write')
}

const precisions: Readonly<Record<string, Precision | 'auto'>> = {
  auto: 'auto',
  nanosecond: 'ns',
  microsecond: 'us',
  millisecond: 'ms',
  second: 's',
  ns: 'ns',
  us: 'us',
  ms: 'ms',
  s: 's',
}

function readPrecision(request: FastifyRequest): Precision | 'auto' {
  const name = parameter(request, 'precision') ?? 'auto'
  if (Object.hasOwn(precisions, name)) return precisions[name]
  const known = 'auto, nanosecond, microsecond, millisecond or second'
  throw new UserError('invalid', `invalid precision "${name}": use ${known}`)
}

function readSwitch(request: FastifyRequest, name: string, usual: boolean): boolean {
  const value = parameter(request, name)
  if (value === undefined) return usual
  if (value === 'true' || value === 'false') return value === 'true'
  throw new UserError('invalid', `${name} must be true or false`)
}

async function writeDetected(
  services: Services,
  request: FastifyRequest,
  bucket: Bucket,
): Promise<WriteOutcome> {
  const body = await services.bodies.read(request.raw, () => undefined)
  try {
    return await writeBytes(services, bucket, precisionOf(body.bytes), body.bytes)
  } finally {
    body.release()
  }
}

/** What is looked at of a body: the first line that has a timestamp is nearly always the first. */
const lookedAtBytes = 64 * 1024

function precisionOf(bytes: Uint8Array): Precision {
  const text = Buffer.from(bytes.subarray(0, lookedAtBytes)).toString('latin1')
  const found = /^(?!\s*#)[^\n]*[^\n\\] -?(\d{1,19})\s*$/m.exec(text)
  const size = found === null ? Number.POSITIVE_INFINITY : Number(found[1])
  if (size < 5e9) return 's'
  if (size < 5e12) return 'ms'
  return size < 5e15 ? 'us' : 'ns'
}

function failureOf(outcome: WriteOutcome, acceptsPartial: boolean): V3WriteError | undefined {
  const { malformed, rejected } = outcome
  if (malformed.length + rejected.length === 0) return undefined
  const lines: RefusedLine[] = [
    ...malformed.map(malformedLine),
    ...rejected.map(({ line, reason }) => ({
      original_line: '',
      line_number: line,
      error_message: reason,
    })),
  ]
  lines.sort((a, b) => a.line_number - b.line_number)
  const message = acceptsPartial
    ? 'partial write of line protocol occurred'
    : 'parsing failed for write_lp endpoint'
  return new V3WriteError(message, lines)
}

const shownMax = 1000

function malformedLine({ line, message, reason }: LineError): RefusedLine {
  const original = /^unable to parse '([\s\S]*)': /.exec(message)?.[1] ?? ''
  return { original_line: original.slice(0, shownMax), line_number: line, error_message: reason }
}
