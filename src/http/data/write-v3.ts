// `POST /api/v3/write_lp`: line protocol of v3 clients. Good lines are stored though others are not, unless
// `accept_partial=false`. Every write is acknowledged when it is durable, also with `no_sync=true`: a client that does
// not care loses nothing by it. Without a precision the first timestamp tells by its size which one it is.

import type { Identity } from '../../access/authenticator.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { limits } from '../../config.js'
import { UserError } from '../../errors.js'
import { findLineEnd } from '../../line-protocol/line-error.js'
import type { Precision } from '../../line-protocol/parser.js'
import { databaseBucket } from '../../service/targets/database-bucket.js'
import type { MissingDatabase } from '../../service/targets/targets.js'
import type { WriteOutcome } from '../../service/write/writes.js'
import { identifyV1 } from '../base/credentials.js'
import { v3Errors } from '../base/errors.js'
import { flag, type ParameterRequest, parameter } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import type { Exchange } from './exchange.js'
import type { DataRoute } from './router.js'
import { writeBody } from './write-body.js'

/** A line of a write that is not stored. */
interface RefusedLine {
  readonly original_line: string
  readonly line_number: number
  readonly error_message: string
}

/** `data` names the lines that were refused; where nothing was written, only the first of them. */
class V3WriteError extends UserError {
  readonly data: RefusedLine | readonly RefusedLine[]

  constructor(message: string, data: V3WriteError['data']) {
    super('invalid', message)
    this.data = data
  }
}

export function v3WriteRoute(): DataRoute {
  return {
    methods: ['POST'],
    path: '/api/v3/write_lp',
    errors: v3Errors,
    role: 'write',
    failureBody(_exchange, error, { message }) {
      if (!(error instanceof V3WriteError)) return undefined
      const bytes = Buffer.from(JSON.stringify({ error: message, data: error.data }))
      return { contentType: 'application/json', bytes }
    },
    handle: write,
  }
}

async function write(exchange: Exchange): Promise<void> {
  const { services } = exchange
  const identity = await identifyV1(services, exchange, 'unauthorized')
  const precision = readPrecision(exchange)
  const acceptsPartial =
    flag(exchange, 'accept_partial', 'accept_partial must be true or false') ?? true
  flag(exchange, 'no_sync', 'no_sync must be true or false')
  const bucket = await findBucket(services, identity, exchange)
  let failure: V3WriteError | undefined
  await writeBody(exchange, bucket, {
    precision: precision === 'auto' ? precisionOf : precision,
    ...(acceptsPartial ? {} : { isAtomic: true }),
    look: (body, outcome) => {
      failure = failureOf(outcome, body, acceptsPartial)
    },
  })
  if (failure !== undefined) throw failure
  exchange.sendNothing()
}

async function findBucket(
  services: Services,
  identity: Identity,
  request: ParameterRequest,
): Promise<Bucket | MissingDatabase> {
  const database = parameter(request, 'db')
  if (database === undefined) throw new UserError('invalid', "missing query parameter 'db'")
  if (services.config.variant === 'cluster') {
    const target = await services.targets.databaseToWrite(identity, database, undefined)
    if ('make' in target) return target
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

function readPrecision(request: ParameterRequest): Precision | 'auto' {
  const name = parameter(request, 'precision') ?? 'auto'
  if (Object.hasOwn(precisions, name)) return precisions[name]
  const known = 'auto, nanosecond, microsecond, millisecond or second'
  throw new UserError('invalid', `invalid precision "${name}": use ${known}`)
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

function failureOf(
  { malformed, rejected, writtenCount }: WriteOutcome,
  body: Uint8Array,
  acceptsPartial: boolean,
): V3WriteError | undefined {
  if (malformed.length + rejected.length === 0) return undefined
  const refused = [
    ...malformed.map(({ line, reason }) => ({ line, reason })),
    ...rejected.map(({ line, reason }) => ({ line, reason })),
  ]
  refused.sort((a, b) => a.line - b.line)
  const reader = new LineReader(body)
  const lines = refused.slice(0, limits.reportedErrorsMax).map(
    ({ line, reason }): RefusedLine => ({
      original_line: reader.read(line),
      line_number: line,
      error_message: reason,
    }),
  )
  // What clients look for to tell the two apart.
  return acceptsPartial || writtenCount > 0
    ? new V3WriteError('partial write of line protocol occurred', lines)
    : new V3WriteError('line protocol parsing error', lines[0])
}

/** Characters of a refused line that are shown: lines can be as long as the body. */
const shownMax = 1000

/** Lines of a body by their numbers, counted from 1, which must not become smaller. */
class LineReader {
  readonly #body: Buffer
  #at = 0
  #line = 1

  constructor(body: Uint8Array) {
    this.#body = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  }

  read(line: number): string {
    for (; this.#line < line; this.#line++) {
      const end = this.#body.indexOf(newline, this.#at)
      if (end < 0) return ''
      this.#at = end + 1
    }
    const end = findLineEnd(this.#body, this.#at, this.#at, this.#body.length)
    const text = this.#body.toString('utf8', this.#at, Math.min(end, this.#at + 4 * shownMax))
    return text.trim().slice(0, shownMax).toWellFormed()
  }
}

const newline = 0x0a
