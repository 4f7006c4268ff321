// `/api/v2/restore/*`: what `influx restore` asks for. A bucket is made first, and all of its shards are told to go to
// it; then they come, one archive each, as InfluxDB 2 or this service has backed them up. What would replace the whole
// installation is refused: `millrace restore` puts one into a new folder. The operator's alone.

import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Bucket } from '../../../catalog/storage/buckets.js'
import { BusyError, CorruptionError, UserError } from '../../../errors.js'
import { restoreShard } from '../../../migrate/sources/restored-shard.js'
import { gunzipped } from '../../../platform/gunzip.js'
import { NodeDisk } from '../../../platform/node-disk.js'
import { noLimits } from '../../../service/limits/organization-limits.js'
import { jsonRoutes } from '../../base/bodies.js'
import { isGzip } from '../../base/body.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import { requireOperator } from './backup.js'

const manifestSchema = Type.Object({
  organizationID: Type.String(),
  bucketName: Type.String(),
  description: Type.Optional(Type.String()),
  retentionPolicies: Type.Array(
    Type.Object({
      duration: Type.Optional(Type.Number()),
      shardGroups: Type.Array(
        Type.Object({ shards: Type.Array(Type.Object({ id: Type.Number() })) }),
      ),
    }),
  ),
})

type Manifest = Static<typeof manifestSchema>

/** Buckets whose shards are still to come. */
const awaitedMax = 10_000

export function influxRestoreRoutes(app: FastifyInstance, services: Services): void {
  const awaited = new Map<number, string>()
  jsonRoutes(app, (json) => {
    guardedRoutes(json, services, (scope) => {
      for (const path of ['bucketMetadata', 'bucket-metadata']) {
        scope.post<{ Body: Manifest }>(
          `/api/v2/restore/${path}`,
          { schema: { body: manifestSchema } },
          async (request, reply) => {
            await requireOperator(services, request)
            reply.code(201)
            return beginBucket(services, awaited, request.body)
          },
        )
      }
    })
  })
  app.register(async (plain) => {
    plain.removeAllContentTypeParsers()
    plain.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    guardedRoutes(plain, services, (scope) => {
      for (const path of ['kv', 'sql']) {
        scope.post(`/api/v2/restore/${path}`, async (request) => {
          await requireOperator(services, request)
          throw new UserError('not implemented', fullRefusal)
        })
      }
      scope.post<{ Params: { shardID: string } }>(
        '/api/v2/restore/shards/:shardID',
        { bodyLimit: Number.MAX_SAFE_INTEGER },
        async (request, reply) => {
          await requireOperator(services, request)
          const bucketId = awaited.get(Number(request.params.shardID))
          const bucket =
            bucketId === undefined ? undefined : await services.catalog.buckets.findById(bucketId)
          if (bucket === undefined) {
            throw new UserError('not found', `no shard ${request.params.shardID} is waited for`)
          }
          await takeShard(services, bucket, request)
          return reply.code(204).send()
        },
      )
    })
  })
}

const fullRefusal =
  'a restore that replaces everything is not taken over HTTP: restore bucket by bucket (without --full), ' +
  'or put a backup of millrace backup into a new folder with millrace restore'

/** All shards of the bucket go to one number: which of them a point belongs to is the store's business. */
async function beginBucket(
  services: Services,
  awaited: Map<number, string>,
  { organizationID, bucketName, description = '', retentionPolicies }: Manifest,
): Promise<object> {
  const { catalog, random } = services
  const organization = await catalog.organizations.findById(organizationID)
  if (organization === undefined) {
    throw new UserError('not found', `organization "${organizationID}" not found`)
  }
  const retentionSeconds = Math.floor((retentionPolicies[0]?.duration ?? 0) / 1e9)
  const orgId = organization.id
  const { id, name } = await catalog.inTransaction((inside) =>
    inside.buckets.create({ orgId, name: bucketName, description, retentionSeconds }),
  )
  const number = Buffer.from(random.bytes(6)).readUIntBE(0, 6) + 1
  awaited.set(number, id)
  if (awaited.size > awaitedMax) awaited.delete(awaited.keys().next().value ?? number)
  const shards = retentionPolicies.flatMap(({ shardGroups }) =>
    shardGroups.flatMap((group) => group.shards),
  )
  return { id, name, shardMappings: shards.map((shard) => ({ oldId: shard.id, newId: number })) }
}

async function takeShard(
  services: Services,
  bucket: Bucket,
  request: FastifyRequest,
): Promise<void> {
  const { config, random, log } = services
  const body = request.body as Readable
  const bytes = isGzip(request.headers['content-encoding']) ? gunzipped(body) : body
  const top = config.memory ? tmpdir() : config.dataDir
  const folder = `${top}/upload-${Buffer.from(random.bytes(8)).toString('hex')}`
  const disk = new NodeDisk()
  let rejectedCount = 0
  try {
    await restoreShard(disk, folder, bytes, {
      lines: async (lines) => {
        const outcome = await patiently(() => services.writes.write(bucket, lines, noLimits))
        rejectedCount += outcome.rejectedCount + outcome.malformedCount
      },
      batch: async (batch) => {
        const result = await patiently(() => services.store.write(bucket.id, batch))
        rejectedCount += result.rejectedCount
      },
    })
  } catch (error) {
    throw refusalOf(error)
  } finally {
    await disk.removeDir(folder)
  }
  if (rejectedCount > 0) {
    log('warn', 'points of a restored shard were refused', { bucket: bucket.name, rejectedCount })
  }
}

/** Damaged bytes that a client sent are no damage of ours. */
function refusalOf(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isBad = error instanceof CorruptionError || code.startsWith('Z_')
  return isBad
    ? new UserError('invalid', `the shard cannot be read: ${(error as Error).message}`)
    : error
}

const triesMax = 240
const pauseMs = 250

/** A store that is busy is waited for: nobody else would send this again. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BusyError) || tries === triesMax) throw error
      await pause(pauseMs)
    }
  }
}
