// The backup interface of InfluxDB 2, used as its command line tool uses it (clients/backup, clients/restore): metadata
// in three parts, every shard by its number, then a bucket made anew and the same bytes sent to where it says.

import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { tarEnd, tarFill, tarHeader } from '../../src/platform/tar.js'
import { type Installation, install, send } from '../api/harness.js'

interface Manifest {
  readonly bucketName: string
  readonly retentionPolicies: readonly {
    readonly shardGroups: readonly { readonly shards: readonly { readonly id: number }[] }[]
  }[]
}

async function get({ url, token }: Installation, path: string) {
  const headers = { authorization: `Token ${token}`, 'accept-encoding': 'gzip' }
  const answer = await fetch(`${url}${path}`, { headers })
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

function post({ url, token }: Installation, path: string, body: string | Uint8Array) {
  const isText = typeof body === 'string'
  const headers: Record<string, string> = isText
    ? { 'content-type': 'application/json' }
    : { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' }
  return send(`${url}/api/v2/restore/${path}`, { method: 'POST', token, headers, body })
}

/** As `mime/multipart` takes them apart. */
function partsOf(bytes: Buffer, contentType: string): Map<string, Buffer> {
  const boundary = /boundary=(\S+)/.exec(contentType)?.[1]
  const parts = new Map<string, Buffer>()
  const text = bytes.toString('latin1')
  for (const part of text.split(`\r\n--${boundary}`).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n')
    const name = /name="(\w+)"/.exec(part.slice(0, end))?.[1] ?? ''
    parts.set(name, Buffer.from(part.slice(end + 4), 'latin1'))
  }
  return parts
}

test('what influx backup takes, influx restore brings back under another name', async () => {
  const one = await install()
  const lines = Array.from({ length: 3000 }, (_, i) => {
    return `m,t=a\\ ${i % 9} f=${i}.5,i=${i}i,s="x \\" ${i}",b=${i % 2 === 0} ${BigInt(i) * 3_600_000_000_000n}`
  })
  expect((await one.write(lines.join('\n'))).status).toBe(204)
  const metadata = await get(one, '/api/v2/backup/metadata')
  expect(metadata.status).toBe(200)
  const parts = partsOf(metadata.bytes, metadata.headers.get('content-type') ?? '')
  expect([...parts.keys()]).toEqual(['kv', 'sql', 'buckets'])
  expect(parts.get('kv')?.toString('latin1', 0, 15)).toBe('SQLite format 3')
  const manifests: Manifest[] = JSON.parse(parts.get('buckets')?.toString() ?? '')
  const manifest = manifests.find(({ bucketName }) => bucketName === 'b')
  if (manifest === undefined) throw new Error('no bucket b')
  const ids = manifest.retentionPolicies[0].shardGroups.map(({ shards }) => shards[0].id)
  expect(ids.length).toBeGreaterThan(10)

  const made = await post(
    one,
    'bucketMetadata',
    JSON.stringify({ ...manifest, bucketName: 'again' }),
  )
  expect(made.status).toBe(201)
  expect(made.json.name).toBe('again')
  const newIds = new Map<number, number>(
    made.json.shardMappings.map((one: { oldId: number; newId: number }) => [one.oldId, one.newId]),
  )
  for (const id of ids) {
    const shard = await get(one, `/api/v2/backup/shards/${id}`)
    expect(shard.status).toBe(200)
    const sent = await post(one, `shards/${newIds.get(id)}`, gzipSync(shard.bytes))
    expect(sent.status).toBe(204)
  }
  expect(await one.lines('again')).toEqual(await one.lines())
  const twice = await post(one, 'bucketMetadata', JSON.stringify(manifest))
  expect([twice.status, twice.json.code]).toEqual([422, 'conflict'])
})

test('what is not there, not whole or not wanted is refused in words', async () => {
  const one = await install()
  expect((await get(one, '/api/v2/backup/shards/17')).status).toBe(404)
  expect((await post(one, 'shards/17', gzipSync(tarEnd))).status).toBe(404)
  for (const path of ['kv', 'sql']) {
    const full = await post(one, path, gzipSync('bolt'))
    expect([full.status, full.json.message]).toEqual([
      501,
      expect.stringContaining('bucket by bucket'),
    ])
  }
  const body = {
    organizationID: one.orgId,
    bucketName: 'n',
    retentionPolicies: [{ duration: 0, shardGroups: [{ shards: [{ id: 3 }] }] }],
  }
  const made = await post(one, 'bucketMetadata', JSON.stringify(body))
  const { newId } = made.json.shardMappings[0]
  const name = `x/autogen/3/000000001-000000001.tsm`
  const bad = Buffer.concat([tarHeader(name, 5, 0), Buffer.from('bytes'), tarFill(5), tarEnd])
  expect((await post(one, `shards/${newId}`, gzipSync(bad))).status).toBe(400)
  expect((await post(one, `shards/${newId}`, bad)).status).toBe(400)
  const token = await one.addToken([{ action: 'read', resource: { type: 'buckets' } }])
  expect((await get({ ...one, token }, '/api/v2/backup/metadata')).status).toBe(401)
})
