// `/api/v2/buckets/{id}/schema/measurements`: the schemas of explicit buckets. Whoever may read a
// bucket sees them, whoever may write to it makes and extends them. Every answer carries the
// version of what it shows as `ETag`.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../../../access/permissions.js'
import { parseId } from '../../../catalog/base/ids.js'
import type { Bucket } from '../../../catalog/storage/buckets.js'
import {
  type MeasurementSchema,
  schemaColumn,
} from '../../../catalog/storage/measurement-schemas.js'
import { UserError } from '../../../errors.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import type { IdParams } from '../resources/resource-access.js'
import { measurementSchemaJson } from '../resources/resources.js'
import { requireBucket } from './buckets.js'

// What is required is checked below, with the texts that the interface has for it.
const SchemaCreate = Type.Object({
  name: Type.Optional(Type.String({ description: 'required' })),
  columns: Type.Optional(Type.Array(schemaColumn, { description: 'required' })),
})

type SchemaCreate = Static<typeof SchemaCreate>

const SchemaUpdate = Type.Object({
  columns: Type.Optional(Type.Array(schemaColumn, { description: 'required' })),
})

type SchemaUpdate = Static<typeof SchemaUpdate>

type SchemaParams = { Params: { id: string; measurementID: string } }

const path = '/api/v2/buckets/:id/schema/measurements'

export function measurementSchemaRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    collectionRoutes(scope, services)
    schemaRoutes(scope, services)
  })
}

function collectionRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services

  app.get<IdParams>(path, async (request, reply) => {
    const bucket = await requireExplicit(services, request, 'read')
    const name = parameter(request, 'name')
    const found = await catalog.measurementSchemas.ofBucket(bucket.id, name)
    tagVersion(reply, found)
    const self = path.replace(':id', bucket.id)
    return { measurementSchemas: found.map(measurementSchemaJson), links: { self } }
  })

  const schema = { body: SchemaCreate }
  app.post<IdParams & { Body: SchemaCreate }>(path, { schema }, async (request, reply) => {
    const bucket = await requireExplicit(services, request, 'write')
    const { name, columns } = request.body
    if (name === undefined) throw new UserError('invalid', 'name is required')
    const made = await catalog.inTransaction((inside) =>
      inside.measurementSchemas.create(bucket, name, required(columns)),
    )
    tagVersion(reply, [made])
    return reply.code(201).send(measurementSchemaJson(made))
  })
}

function schemaRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services

  app.get<SchemaParams>(`${path}/:measurementID`, async (request, reply) => {
    const found = await requireSchema(services, request, 'read')
    tagVersion(reply, [found])
    return measurementSchemaJson(found)
  })

  app.patch<SchemaParams & { Body: SchemaUpdate }>(
    `${path}/:measurementID`,
    { schema: { body: SchemaUpdate } },
    async (request, reply) => {
      const { id } = await requireSchema(services, request, 'write')
      const columns = required(request.body.columns)
      const changed = await catalog.inTransaction((inside) =>
        inside.measurementSchemas.update(id, columns),
      )
      tagVersion(reply, [changed])
      return measurementSchemaJson(changed)
    },
  )
}

function required<T>(columns: readonly T[] | undefined): readonly T[] {
  if (columns === undefined) throw new UserError('invalid', 'columns is required')
  return columns
}

async function requireExplicit(
  services: Services,
  request: FastifyRequest<IdParams>,
  action: Action,
): Promise<Bucket> {
  const bucket = await requireBucket(services, request, action)
  await checkOrganization(services, request, bucket)
  if (bucket.schemaType === 'explicit') return bucket
  throw new UserError('invalid', 'bucket schemaType must be explicit')
}

/** Where the query names an organization, it must be the bucket's. */
async function checkOrganization(
  services: Services,
  request: FastifyRequest,
  bucket: Bucket,
): Promise<void> {
  const named = { org: parameter(request, 'org'), orgID: parameter(request, 'orgID') }
  if (named.org === undefined && named.orgID === undefined) return
  const org = await services.targets.organizationToManage(await identify(services, request), named)
  if (org.id === bucket.orgId) return
  throw new UserError('invalid', `organization "${org.name}" does not own the bucket`)
}

async function requireSchema(
  services: Services,
  request: FastifyRequest<SchemaParams>,
  action: Action,
): Promise<MeasurementSchema> {
  const bucket = await requireExplicit(services, request, action)
  const { records } = services.catalog.measurementSchemas
  const found = await records.require(parseId(request.params.measurementID))
  if (found.parentId === bucket.id) return found
  throw new UserError('not found', 'measurement schema not found')
}

/** Schemas only come and grow: the sum of their versions names each state of a list but once. */
function tagVersion(reply: FastifyReply, shown: readonly MeasurementSchema[]): void {
  let version = 0
  for (const { body } of shown) version += body.version
  reply.header('etag', `"${version}"`)
}
