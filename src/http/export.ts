// `GET /debug/export`: a bucket's points as line protocol, streamed. For people with a terminal;
// needs read access.

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../access/authenticator.js'
import type { Bucket } from '../catalog/storage/buckets.js'
import { allTime, type TimeRange } from '../column/time.js'
import { identify, requirePermission } from './credentials.js'
import { exportLines } from './line-export.js'
import { parameter, parseTime } from './parameters.js'
import type { Services } from './services.js'

type FindBucket = (
  services: Services,
  identity: Identity,
  request: FastifyRequest,
) => Promise<Bucket>

export function exportRoute(app: FastifyInstance, services: Services, find: FindBucket): void {
  app.get('/debug/export', async (request, reply) => {
    const identity = await identify(services, request)
    const bucket = await find(services, identity, request)
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
