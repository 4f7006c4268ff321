// `/api/v2/imports`: files into a bucket for those without a shell. An import is described first; then its file is
// sent, in one piece or several (`data/import-data.ts`), and anybody who may write to the bucket can see how far it is.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import { allows } from '../../../access/permissions.js'
import { parseId } from '../../../catalog/base/ids.js'
import type { Bucket } from '../../../catalog/storage/buckets.js'
import { UserError } from '../../../errors.js'
import { checkOptions, fileFormats } from '../../../formats/point-batches.js'
import { columnOf } from '../../../formats/points/point-column.js'
import { requirePermission } from '../../../service/base/identities.js'
import { requireRole } from '../../../service/base/role.js'
import type { ImportRun } from '../../../service/imports/import-run.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import type { IdParams } from '../resources/resource-access.js'
import { importJson, importsPath } from './import-json.js'

const ImportRequest = Type.Object({
  org: Type.Optional(Type.String()),
  orgID: Type.Optional(Type.String()),
  bucket: Type.Optional(Type.String()),
  bucketID: Type.Optional(Type.String()),
  format: Type.Union(fileFormats.map((format) => Type.Literal(format))),
  measurement: Type.Optional(Type.String({ description: 'of rows that name none' })),
  columns: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'what columns are, in the words of annotated CSV: tag, double, time, ignored',
    }),
  ),
  precision: Type.Optional(
    Type.Union(['ns', 'us', 'ms', 's'].map((precision) => Type.Literal(precision as 'ns'))),
  ),
  timezone: Type.Optional(Type.String()),
  separator: Type.Optional(Type.String({ minLength: 1, maxLength: 1 })),
  header: Type.Optional(
    Type.Array(Type.String({ maxLength: 1_000_000 }), {
      maxItems: 100,
      description: 'lines of CSV that are taken as if the file began with them',
    }),
  ),
  skipHeader: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'lines that are left out' }),
  ),
  encoding: Type.Optional(Type.String()),
  refusedMax: Type.Optional(Type.Integer({ minimum: 0 })),
  dryRun: Type.Optional(Type.Boolean()),
})

type ImportRequest = Static<typeof ImportRequest>

const refusedMaxDefault = 1000

export function importRoutes(app: FastifyInstance, services: Services): void {
  const { imports } = services
  guardedRoutes(app, services, (scope) => {
    scope.get(importsPath, async (request) => {
      const { permissions } = await identify(services, request)
      const visible = imports.list().filter((run) => allows(permissions, demandOf(run)))
      return { imports: visible.map(importJson), links: { self: importsPath } }
    })

    scope.post<{ Body: ImportRequest }>(
      importsPath,
      { schema: { body: ImportRequest } },
      async (request, reply) => {
        requireRole(services.config, 'write')
        const identity = await identify(services, request)
        const { body } = request
        const bucket = await bucketOf(services, identity, body)
        const { id, orgId: orgID } = bucket
        requirePermission(identity, { action: 'write', type: 'buckets', id, orgID })
        const { measurement, columns, precision, timezone: zone, separator, encoding } = body
        const { header, skipHeader } = body
        const options = {
          measurement,
          columns,
          precision,
          zone,
          separator,
          encoding,
          header,
          skipHeader,
        }
        checkOptions(body.format, options)
        // A wrong word is told before the file is sent.
        for (const [name, word] of Object.entries(columns ?? {})) columnOf(name, word)
        const run = await imports.create({
          bucket,
          format: body.format,
          options,
          refusedMax: body.refusedMax ?? refusedMaxDefault,
          isDryRun: body.dryRun ?? false,
        })
        return reply.code(201).send(importJson(run))
      },
    )

    scope.get<IdParams>(`${importsPath}/:id`, async (request) => {
      return importJson(await requireImport(services, request))
    })

    scope.delete<IdParams>(`${importsPath}/:id`, async (request, reply) => {
      const { id } = await requireImport(services, request)
      await imports.remove(id)
      return reply.code(204).send()
    })
  })
}

async function requireImport(
  services: Services,
  request: FastifyRequest<IdParams>,
): Promise<ImportRun> {
  const identity = await identify(services, request)
  const run = services.imports.require(parseId(request.params.id))
  requirePermission(identity, demandOf(run))
  return run
}

function demandOf({ description: { bucket } }: ImportRun) {
  const { id, orgId: orgID } = bucket
  return { action: 'write', type: 'buckets', id, orgID } as const
}

async function bucketOf(
  { targets, catalog }: Services,
  identity: Identity,
  { org, orgID, bucket, bucketID }: ImportRequest,
): Promise<Bucket> {
  const name = bucketID === undefined ? bucket : parseId(bucketID)
  if (name === undefined) throw new UserError('invalid', 'Please provide either bucketID or bucket')
  const { id } = await targets.organizationToManage(identity, { org, orgID })
  const found = await catalog.buckets.find(id, name)
  if (found === undefined) throw new UserError('not found', `bucket "${name}" not found`)
  return found
}
