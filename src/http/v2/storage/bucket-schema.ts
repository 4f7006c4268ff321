// `GET /api/v2/buckets/{id}/schema`: what lies in a bucket. Without parameters the names of its measurements, with
// `counts=true` besides how many series each has, with `figures=true` how much there is, with `measurement` what
// that one is made of, with `tag` besides the values of that tag; names are searched and come in pages. Whoever may
// read the bucket may ask.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { formatTimestamp } from '../../../catalog/base/timestamps.js'
import { UserError } from '../../../errors.js'
import {
  BucketSchemas,
  type NamesQuestion,
  type SchemaFigures,
} from '../../../service/schema/bucket-schema.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import type { IdParams } from '../resources/resource-access.js'
import { requireBucket } from './buckets.js'

const limitDefault = 100
const limitMax = 1000
const offsetMax = 10_000_000

export function bucketSchemaRoute(app: FastifyInstance, services: Services): void {
  const schemas = new BucketSchemas(services.store)
  guardedRoutes(app, services, (scope) => {
    scope.get<IdParams>('/api/v2/buckets/:id/schema', async (request, reply) => {
      const { id } = await requireBucket(services, request, 'read')
      const measurement = parameter(request, 'measurement')
      const tag = parameter(request, 'tag')
      // Whoever has gone waits for nothing.
      const gone = new AbortController()
      reply.raw.on('close', () => gone.abort())
      if (parameter(request, 'figures') === 'true' && measurement === undefined) {
        return figuresJson(await schemas.figures({ bucket: id }, gone.signal))
      }
      if (measurement === undefined) {
        if (tag !== undefined) throw new UserError('invalid', 'tag needs a measurement')
        const page = await schemas.measurements(id, namesQuestion(request), gone.signal)
        const answer = { measurements: page.names, total: page.total, hasMore: page.hasMore }
        if (parameter(request, 'counts') !== 'true') return answer
        const counts = await schemas.seriesCounts(id, page.names, gone.signal)
        return { ...answer, seriesCounts: counts.map((count) => count ?? null) }
      }
      if (tag === undefined) return outlineJson(schemas, id, measurement, gone.signal)
      const question = namesQuestion(request)
      const page = await schemas.tagValues(id, measurement, tag, question, gone.signal)
      return { values: page.names, total: page.total, hasMore: page.hasMore }
    })
  })
}

async function outlineJson(
  schemas: BucketSchemas,
  bucket: string,
  measurement: string,
  signal: AbortSignal,
): Promise<object> {
  const outline = await schemas.outline(bucket, measurement, signal)
  const { fields, tagKeys } = outline
  return { measurement, ...figuresJson(outline), fields, tagKeys }
}

function figuresJson({ seriesCount, rowCountMax, storedBytes, range }: SchemaFigures): object {
  const times =
    range === undefined
      ? {}
      : { first: formatTimestamp(range.start), last: formatTimestamp(range.stop - 1n) }
  return { seriesCount, rowCountMax, storedBytes, ...times }
}

function namesQuestion(request: FastifyRequest): NamesQuestion {
  return {
    search: parameter(request, 'search'),
    offset: whole(request, 'offset', 0, offsetMax),
    limit: whole(request, 'limit', limitDefault, limitMax),
  }
}

function whole(request: FastifyRequest, name: string, absent: number, most: number): number {
  const text = parameter(request, name)
  if (text === undefined) return absent
  if (/^\d{1,8}$/.test(text) && Number(text) <= most) return Number(text)
  throw new UserError('invalid', `${name} must be a whole number from 0 to ${most}`)
}
