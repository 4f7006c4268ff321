// `GET /debug/export`: a bucket's points as line protocol, streamed. For people with a terminal;
// needs read access.

import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { allTime, type TimeRange } from '../column/time.js'
import { requirePermission } from '../service/base/identities.js'
import { requireRole } from '../service/base/role.js'
import { exportLines } from '../service/export.js'
import { findBucket } from './base/bucket-parameters.js'
import { identify } from './base/credentials.js'
import { parameter, parseTime } from './base/parameters.js'
import type { Services } from './base/services.js'

export function exportRoute(app: FastifyInstance, services: Services): void {
  app.get('/debug/export', async (request, reply) => {
    requireRole(services.config, 'read')
    const identity = await identify(services, request)
    const bucket = await findBucket(services, identity, request)
    const demand = { action: 'read', type: 'buckets', id: bucket.id, orgID: bucket.orgId } as const
    requirePermission(identity, demand)
    const range = parseRange(parameter(request, 'start'), parameter(request, 'stop'))
    const measurement = parameter(request, 'measurement')
    const abort = new AbortController()
    reply.raw.on('close', () => abort.abort())
    const exported = { bucket: bucket.id, range, measurement }
    reply.header('content-type', 'text/plain; charset=utf-8')
    return reply.send(Readable.from(exportLines(services.store, exported, abort.signal)))
  })
}

export function parseRange(start: string | undefined, stop: string | undefined): TimeRange {
  return {
    start: start === undefined ? allTime.start : parseTime('start', start),
    stop: stop === undefined ? allTime.stop : parseTime('stop', stop),
  }
}
