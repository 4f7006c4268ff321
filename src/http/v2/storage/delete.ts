// `POST /api/v2/delete`: points of a bucket in a range of time, both ends included, all of them or
// those of the series that a predicate selects. Answers when they are gone for every later read; with `dryRun` it only
// tells how many they would be.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import type { Bucket } from '../../../catalog/storage/buckets.js'
import { type TimeRange, timeMax, timeMin } from '../../../column/time.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { parseDeletePredicate } from '../../../service/delete-predicate.js'
import type { DeleteRequest } from '../../../store/store.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { parameter, parseTime } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'

// What is required is checked below: a missing time is told as a bad one is.
const DeletePredicateRequest = Type.Object({
  start: Type.Optional(Type.String({ description: 'required' })),
  stop: Type.Optional(Type.String({ description: 'required' })),
  predicate: Type.Optional(Type.String()),
  /** Only tells what would go. */
  dryRun: Type.Optional(Type.Boolean()),
})

type DeletePredicateRequest = Static<typeof DeletePredicateRequest>

export function deleteRoute(app: FastifyInstance, services: Services): void {
  const schema = { body: DeletePredicateRequest }
  guardedRoutes(app, services, (scope) => {
    scope.post<{ Body: DeletePredicateRequest }>(
      '/api/v2/delete',
      { schema },
      async (request, reply) => {
        const identity = await identify(services, request)
        const bucket = await findBucket(services, identity, request)
        const { id, orgId } = bucket
        requirePermission(identity, { action: 'write', type: 'buckets', id, orgID: orgId })
        const { features } = await services.catalog.limits.of(orgId)
        if (!features.allowDelete) {
          throw new UserError('forbidden', 'the organization may not delete points')
        }
        const wanted = deleteOf(id, request.body)
        if (request.body.dryRun) return previewOf(services, wanted)
        await services.limits.delete(orgId, async () => {
          if (wanted !== undefined) await services.store.delete(wanted)
        })
        return reply.code(204).send()
      },
    )
  })
}

/** Neither may be smaller than what a delete would take; rows may be more than that. */
async function previewOf(
  { store }: Services,
  wanted: DeleteRequest | undefined,
): Promise<{ dryRun: true; seriesCount: number; rowCountMax: number }> {
  if (wanted === undefined) return { dryRun: true, seriesCount: 0, rowCountMax: 0 }
  const seriesCount = await store.cardinality(wanted)
  const { rowCountMax } = await store.extent(wanted)
  return { dryRun: true, seriesCount, rowCountMax }
}

/** undefined where the predicate can select nothing. */
function deleteOf(bucketId: string, body: DeletePredicateRequest): DeleteRequest | undefined {
  const range = rangeOf(body)
  const selected = parseDeletePredicate(body.predicate ?? '')
  if (selected.kind === 'none') return undefined
  const { measurement, predicate } = selected
  return {
    bucket: bucketId,
    range,
    ...(measurement === undefined ? {} : { measurement }),
    ...(predicate === undefined ? {} : { predicate }),
  }
}

async function findBucket(
  services: Services,
  identity: Identity,
  request: FastifyRequest,
): Promise<Bucket> {
  const bucketID = parameter(request, 'bucketID')
  const bucket = parameter(request, 'bucket')
  if (bucketID === undefined && bucket === undefined) {
    throw new UserError('invalid', 'Please provide either bucketID or bucket')
  }
  const [org, orgID] = [parameter(request, 'org'), parameter(request, 'orgID')]
  return services.targets.managedBucket(identity, { org, orgID, bucket, bucketID }, 'organization')
}

function rangeOf(body: DeletePredicateRequest): TimeRange {
  const start = momentOf('start', body.start)
  const stop = momentOf('stop', body.stop)
  if (start < timeMin) {
    const earliest = '1677-09-21T00:12:43.145224194Z'
    throw new UserError('invalid', `invalid start time, start time must not be before ${earliest}`)
  }
  if (stop > timeMax) {
    const latest = '2262-04-11T23:47:16.854775806Z'
    throw new UserError('invalid', `invalid stop time, stop time must not be after ${latest}`)
  }
  if (stop < start) {
    throw new UserError('invalid', 'invalid stop time, stop time must not be before start time')
  }
  return { start, stop: stop + 1n }
}

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-][01]\d:[0-5]\d)$/

function momentOf(field: string, text: string | undefined): bigint {
  const match = rfc3339.exec(text ?? '')
  if (match !== null && isDay(Number(match[1]), Number(match[2]), Number(match[3]))) {
    return parseTime(field, match[0])
  }
  const format = 'please format your time with RFC3339Nano format, example: 2009-01-02T23:00:00Z'
  throw new UserError('invalid', `invalid RFC3339Nano for field ${field}, ${format}`)
}

/** Left to itself, JavaScript takes the 30th of February for the 2nd of March. */
function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day >= 1 && day <= (days[month - 1] ?? 0)
}
