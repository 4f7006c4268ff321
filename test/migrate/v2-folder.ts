// A folder of InfluxDB 2.x for tests: the shards of a real InfluxDB 1.x, whose files are the same, under the ids of
// buckets, and a key-value file with what people make, built from the documented layout.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { type MetaShard, readMetaFile } from '../../src/tsm/metadata/meta-file.js'
import { boltFile } from './bolt-builder.js'

export const orgId = '00000000000000aa'
export const bucketId = '00000000000000b1'
export const mappedId = '00000000000000b2'

export const clearToken = 'a-token-that-clients-have=='
export const hashedToken = 'a-token-of-a-later-version=='
export const longHashedToken = 'a-token-with-a-longer-hash=='

const permission = (action: string, type: string, id?: string) => ({
  action,
  resource: { type, orgID: orgId, ...(id === undefined ? {} : { id }) },
})

const flux = 'option task = {name: "t", every: 1h}\n\nfrom(bucket: "sensors") |> range(start: -1h)'
const query = {
  text: 'from(bucket: "sensors") |> range(start: -1h) |> filter(fn: (r) => r._field == "f")',
}
const common = { orgID: orgId, ownerID: '01' }

const records = {
  organizationsv1: [{ id: orgId, name: 'old' }],
  bucketsv1: [
    { id: bucketId, orgID: orgId, type: 0, name: 'sensors', retentionPeriod: 0 },
    {
      id: mappedId,
      orgID: orgId,
      type: 0,
      name: 'kept',
      retentionPeriod: 3_155_760_000_000_000_000,
    },
    {
      id: '00000000000000b3',
      orgID: orgId,
      type: 1,
      name: '_tasks',
      retentionPeriod: 259_200_000_000_000,
    },
  ],
  dbrpv1: [
    {
      id: '0d',
      database: 'v1db',
      retention_policy: 'rp',
      default: true,
      organization_id: orgId,
      bucket_id: mappedId,
    },
  ],
  usersv1: [{ id: '0000000000000001', name: 'somebody', status: 'active' }],
  authorizationsv1: [
    {
      id: '0000000000000011',
      token: clearToken,
      status: 'active',
      description: 'reads one',
      ...common,
      permissions: [permission('read', 'buckets', bucketId)],
    },
    {
      id: '0000000000000012',
      hashedToken: `$influxdb2-sha256$${createHash('sha256').update(hashedToken).digest('base64url')}`,
      status: 'active',
      description: 'reads all',
      ...common,
      permissions: [permission('read', 'buckets'), permission('read', 'notebooks')],
    },
    {
      id: '0000000000000013',
      hashedToken: `$influxdb2-sha512$${createHash('sha512').update(longHashedToken).digest('base64url')}`,
      status: 'active',
      description: 'reads one, too',
      ...common,
      permissions: [permission('read', 'buckets', bucketId)],
    },
  ],
  tasksv1: [
    { id: '0000000000000021', name: 't', status: 'inactive', flux, every: '1h', ...common },
    { id: '0000000000000022', name: 'of a check', status: 'active', flux, ...common },
  ],
  variablesv1: [{ id: '31', name: 'v', arguments: { type: 'constant', values: ['a'] }, ...common }],
  labelsv1: [{ id: '41', name: 'l', properties: { color: 'red' }, ...common }],
  labelmappingsv1: [{ id: '3141', labelID: '41', resourceID: '31', resourceType: 'variables' }],
  checksv1: [
    {
      id: '51',
      name: 'c',
      taskID: '0000000000000022',
      type: 'threshold',
      status: 'inactive',
      every: '1m',
      query,
      statusMessageTemplate: 'm',
      thresholds: [{ type: 'greater', level: 'CRIT', value: 1 }],
      ...common,
    },
  ],
  dashboardsv2: [{ id: '61', name: 'd', cells: [{ id: '62', x: 1, y: 2, w: 3, h: 4 }], ...common }],
} as const

function metadata(shards: readonly MetaShard[]): Buffer {
  const content: Record<string, Record<string, Uint8Array | string>> = {}
  for (const [bucket, list] of Object.entries(records)) {
    content[bucket] = Object.fromEntries(list.map((one) => [one.id, JSON.stringify(one)]))
  }
  content.dashboardcellviewsv1 = {
    '6162': JSON.stringify({
      id: '62',
      name: 'a view',
      properties: { type: 'markdown', shape: 'chronograf-v2', note: 'hello' },
    }),
  }
  // Longer than a page.
  content.filler = { long: Buffer.alloc(10_000, 1) }
  content.v1_tsm1_metadata = { 'meta.db': message(shards) }
  return boltFile(content)
}

function message(shards: readonly MetaShard[]): Buffer {
  const groups = shards.map(({ id, start, stop }) =>
    bytesField(5, [
      numberField(1, BigInt(id)),
      numberField(2, start),
      numberField(3, stop),
      numberField(4, 0n),
      bytesField(5, [numberField(1, BigInt(id))]),
    ]),
  )
  const policy = [
    bytesField(1, [Buffer.from('autogen')]),
    numberField(2, 0n),
    numberField(3, 604_800_000_000_000n),
    numberField(4, 1n),
  ]
  const database = (name: string, more: readonly Buffer[]) =>
    bytesField(5, [
      bytesField(1, [Buffer.from(name)]),
      bytesField(2, [Buffer.from('autogen')]),
      bytesField(3, [...policy, ...more]),
    ])
  return Buffer.concat([database(bucketId, groups), database(mappedId, [])])
}

function numberField(number: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(number << 3)), varint(BigInt.asUintN(64, value))])
}

function bytesField(number: number, parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(parts)
  return Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes])
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}

/** Of the database `d` of a stopped InfluxDB 1.x. */
export function v2Folder(from: string, to: string): void {
  const meta = readMetaFile('meta.db', readFileSync(`${from}/meta/meta.db`))
  const shards = meta.databases.find(({ name }) => name === 'd')?.policies[0].shards ?? []
  for (const kind of ['data', 'wal']) {
    cpSync(`${from}/${kind}/d/autogen`, `${to}/engine/${kind}/${bucketId}/autogen`, {
      recursive: true,
    })
  }
  writeFileSync(`${to}/influxd.bolt`, metadata(shards))
}

/** What `influx backup` makes of such a folder; points of the log are not in it. */
export function v2Backup(folder: string, to: string): void {
  mkdirSync(to, { recursive: true })
  const data = `${folder}/engine/data/${bucketId}/autogen`
  const shards = readdirSync(data).map((id) => {
    const fileName = `20260101T000000Z.${id}.tar.gz`
    const made = spawnSync('tar', [
      '-czf',
      `${to}/${fileName}`,
      '-C',
      `${folder}/engine/data`,
      `${bucketId}/autogen/${id}`,
    ])
    if (made.status !== 0) throw new Error(String(made.stderr))
    return { id: Number(id), fileName, size: statSync(`${to}/${fileName}`).size, compression: 1 }
  })
  writeFileSync(`${to}/20260101T000000Z.bolt.gz`, gzipSync(readFileSync(`${folder}/influxd.bolt`)))
  const manifest = {
    manifestVersion: 2,
    kv: { fileName: '20260101T000000Z.bolt.gz', size: 1, compression: 1 },
    buckets: [
      {
        organizationID: orgId,
        organizationName: 'old',
        bucketID: bucketId,
        bucketName: 'sensors',
        defaultRetentionPolicy: 'autogen',
        retentionPolicies: [{ name: 'autogen', shardGroups: [{ id: 1, shards }] }],
      },
    ],
  }
  writeFileSync(`${to}/20260101T000000Z.manifest`, JSON.stringify(manifest))
}

/** A server that answers what `influx backup` asks, from such a folder; without the token it lets nobody in. */
export async function v2BackupServer(
  folder: string,
  token: string,
  asked: string[] = [],
): Promise<string> {
  const mark = 'a-mark-between-parts'
  const part = (name: string, bytes: Uint8Array) => [
    Buffer.from(`--${mark}\r\nContent-Disposition: attachment; name="${name}"\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]
  const server = createServer(({ url = '', headers }, response) => {
    response.setHeader('x-influxdb-version', 'v2.7.12')
    if (url === '/health' || url === '/ping') return void response.end()
    if (headers.authorization !== `Token ${token}`) return void response.writeHead(401).end()
    const [, shard, since] = /^\/api\/v2\/backup\/shards\/(\d+)(\?since=.*)?$/.exec(url) ?? []
    if (shard !== undefined) {
      const what = since === undefined ? 'whole' : 'since'
      asked.push(`${what} ${shard}`)
      // The first to ask is told that everything has changed, all others that nothing has: two blocks of zeros.
      const isFirst = asked.filter((one) => one.startsWith('since')).length === 1
      if (what === 'since' && !isFirst) return void response.end(Buffer.alloc(1024))
      const path = `${bucketId}/autogen/${shard}`
      const packed = spawnSync('tar', ['-cf', '-', '-C', `${folder}/engine/data`, path], {
        maxBuffer: 1 << 28,
      })
      return void response.writeHead(packed.status === 0 ? 200 : 404).end(packed.stdout)
    }
    if (url !== '/api/v2/backup/metadata') return void response.writeHead(404).end()
    const kv = part('kv', readFileSync(`${folder}/influxd.bolt`))
    const rest = [...part('sql', Buffer.alloc(0)), ...part('buckets', Buffer.from('[]'))]
    response.end(Buffer.concat([...kv, ...rest, Buffer.from(`--${mark}--\r\n`)]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
