// `POST /api/v1/prom/write` and `/api/v1/prom/read`: Prometheus keeps its samples here and reads them back, as it does
// with InfluxDB 1.x: `db` and `rp` name the bucket, credentials are those of v1.

import type { Identity } from '../../access/authenticator.js'
import { allows } from '../../access/permissions.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { limits } from '../../config.js'
import { UserError } from '../../errors.js'
import { answerQueries, parseReadRequest } from '../../service/prometheus/remote-read.js'
import { linesOfWrite, unpackMessage } from '../../service/prometheus/remote-write.js'
import { notAuthorizedToWrite } from '../../service/targets/targets.js'
import { writeFailure } from '../../service/write/write-failure.js'
import { identifyV1 } from '../base/credentials.js'
import { v1Errors, v1WriteErrors } from '../base/errors.js'
import { parameter } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import type { Exchange } from './exchange.js'
import type { DataRoute } from './router.js'

export function prometheusWriteRoute({ config, targets }: Services): DataRoute {
  return {
    methods: ['POST'],
    path: '/api/v1/prom/write',
    errors: v1WriteErrors(config.variant),
    role: 'write',
    async handle(exchange) {
      const { services } = exchange
      const identity = await identifyV1(services, exchange)
      const database = requireDatabase(exchange)
      const target = await targets.databaseToWrite(identity, database, parameter(exchange, 'rp'))
      if (!('make' in target) && !may(identity, 'write', target)) {
        throw notAuthorizedToWrite(database)
      }
      const admitted = await services.writes.admit('make' in target ? undefined : target)
      try {
        const message = await readMessageBody(exchange, (bytes) => admitted.reserve(bytes))
        const bucket = 'make' in target ? await target.make() : target
        const lines = linesOfWrite(message)
        const outcome = await admitted.store(bucket, lines, { precision: 'ms' })
        const variant = config.variant === 'cluster' ? 'cluster' : 'v1'
        const failure = writeFailure(outcome, variant)
        if (failure !== undefined) throw failure
        exchange.sendNothing()
      } finally {
        admitted.end()
      }
    },
  }
}

export function prometheusReadRoute({ targets, store }: Services): DataRoute {
  return {
    methods: ['POST'],
    path: '/api/v1/prom/read',
    errors: v1Errors,
    role: 'read',
    async handle(exchange) {
      const identity = await identifyV1(exchange.services, exchange, 'unauthorized')
      const database = requireDatabase(exchange)
      const bucket = await targets.databaseToRead(identity, database, parameter(exchange, 'rp'))
      if (!may(identity, 'read', bucket)) {
        throw new UserError('unauthorized', `not authorized to read from database "${database}"`)
      }
      const queries = parseReadRequest(await readMessageBody(exchange, () => undefined))
      const abort = new AbortController()
      exchange.onGone(() => abort.abort())
      const limit = { left: limits.prometheusSamplesMax }
      const bytes = await answerQueries(store, bucket.id, queries, limit, abort.signal)
      const head = exchange.head()
      head.push('content-type', 'application/x-protobuf', 'content-encoding', 'snappy')
      exchange.sendWhole(head, bytes)
    },
  }
}

async function readMessageBody(
  { services, request }: Exchange,
  reserve: (bytes: number) => void,
): Promise<Uint8Array> {
  const { bodies, config } = services
  // The encoding that it names is that of the message, and checked by unpacking it.
  const body = await bodies.read(request, reserve, false)
  try {
    const message = unpackMessage(body.bytes, config.maxBodyBytes)
    reserve(message.length)
    return message
  } finally {
    body.release()
  }
}

function may({ permissions }: Identity, action: 'read' | 'write', bucket: Bucket): boolean {
  return allows(permissions, { action, type: 'buckets', id: bucket.id, orgID: bucket.orgId })
}

function requireDatabase(exchange: Exchange): string {
  const database = parameter(exchange, 'db')
  if (database !== undefined) return database
  throw new UserError('invalid', 'database is required')
}
