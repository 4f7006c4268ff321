// `/api/v2/backup/*`: what `influx backup` asks for. The metadata is our catalog under the names that the tool has for
// its files, and a list of buckets with their shards, which it then gets one by one. The operator's alone.

import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Bucket } from '../../../catalog/storage/buckets.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { type BackupShard, shardArchive, shardsOf } from '../../../service/shard-archive.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'

const boundary = 'millrace-backup-part'

export function influxBackupRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    scope.get('/api/v2/backup/metadata', async (request, reply) => {
      await requireOperator(services, request)
      const buckets = Buffer.from(JSON.stringify(await bucketManifests(services)))
      reply.header('content-type', `multipart/mixed; boundary=${boundary}`)
      return sendPacked(request, reply, metadataParts(services, buckets))
    })

    scope.get('/api/v2/backup/kv', async (request, reply) => {
      await requireOperator(services, request)
      reply.header('content-type', 'application/octet-stream')
      return reply.send(Readable.from(services.backups.catalogBytes(), { objectMode: false }))
    })

    scope.get<{ Params: { shardID: string } }>(
      '/api/v2/backup/shards/:shardID',
      async (request, reply) => {
        await requireOperator(services, request)
        const shard = await findShard(services, request.params.shardID)
        const abort = new AbortController()
        reply.raw.on('close', () => abort.abort())
        const seconds = Number(services.clock.now() / 1_000_000_000n)
        reply.header('content-type', 'application/octet-stream')
        return sendPacked(
          request,
          reply,
          shardArchive(services.store, shard, seconds, abort.signal),
        )
      },
    )
  })
}

export async function requireOperator(services: Services, request: FastifyRequest): Promise<void> {
  const identity = await identify(services, request)
  requirePermission(identity, { action: 'write', type: 'orgs' })
}

const levels: Readonly<Record<string, number>> = { full: 9, speedy: 1 }

/** As the tool asks for it: `Accept-Encoding: gzip`, and a header of its own for how hard to try. */
function sendPacked(
  request: FastifyRequest,
  reply: FastifyReply,
  chunks: AsyncGenerator<Uint8Array>,
): FastifyReply {
  const stream = Readable.from(chunks, { objectMode: false })
  const level = String(request.headers['gzip-compression-level'] ?? 'default')
  const isAsked = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (!isAsked || level === 'none') return reply.send(stream)
  reply.header('content-encoding', 'gzip')
  const gzip = createGzip({ level: levels[level] ?? 6 })
  stream.on('error', (error) => gzip.destroy(error))
  return reply.send(stream.pipe(gzip))
}

async function* metadataParts(services: Services, buckets: Uint8Array): AsyncGenerator<Uint8Array> {
  yield partHead('kv')
  yield* services.backups.catalogBytes()
  yield partHead('sql')
  yield partHead('buckets')
  yield buckets
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

function partHead(name: string): Uint8Array {
  const type = name === 'buckets' ? 'application/json' : 'application/octet-stream'
  const headers = `Content-Disposition: attachment; name="${name}"\r\nContent-Type: ${type}`
  return Buffer.from(`\r\n--${boundary}\r\n${headers}\r\n\r\n`)
}

async function bucketManifests(services: Services): Promise<object[]> {
  const { catalog, store } = services
  const orgs = new Map<string, string>()
  const manifests: object[] = []
  for (const bucket of await catalog.buckets.all()) {
    const { orgId } = bucket
    const org = orgs.get(orgId) ?? (await catalog.organizations.findById(orgId))?.name ?? orgId
    orgs.set(orgId, org)
    manifests.push(bucketManifest(bucket, org, await shardsOf(store, bucket)))
  }
  return manifests
}

/** What a shard spans where the tool wants one number for all of them: a week. */
const shardGroupNs = 604_800_000_000_000

function bucketManifest(bucket: Bucket, org: string, shards: readonly BackupShard[]): object {
  const { id, name, orgId, description, retentionSeconds } = bucket
  return {
    organizationID: orgId,
    organizationName: org,
    bucketID: id,
    bucketName: name,
    ...(description === '' ? {} : { description }),
    defaultRetentionPolicy: 'autogen',
    retentionPolicies: [
      {
        name: 'autogen',
        replicaN: 1,
        duration: retentionSeconds * 1e9,
        shardGroupDuration: shardGroupNs,
        shardGroups: shards.map(({ id: shard, range }) => ({
          id: shard,
          startTime: rfc3339(range.start),
          endTime: rfc3339(range.stop),
          shards: [{ id: shard, shardOwners: [] }],
        })),
        subscriptions: [],
      },
    ],
  }
}

/** Shards begin and end at whole milliseconds. */
function rfc3339(moment: bigint): string {
  return new Date(Number(moment / 1_000_000n)).toISOString()
}

/** By going through them: an id is a digest of what it stands for. */
async function findShard({ catalog, store }: Services, id: string): Promise<BackupShard> {
  for (const bucket of await catalog.buckets.all()) {
    for (const shard of await shardsOf(store, bucket)) {
      if (String(shard.id) === id) return shard
    }
  }
  throw new UserError('not found', `shard ${id} not found`)
}
