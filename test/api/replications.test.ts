// Remotes and replications over HTTP: every operation, points that arrive, those that the remote refuses for good, and
// what is told about all of it. Kills and outages: test/crash/replication.test.ts.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { caller, type Installation, install, temporaryFolder } from './harness.js'

async function replicate(
  place: Installation,
  remote: object,
  replication: object,
): Promise<{ id: string; self: string }> {
  const call = caller(place)
  const made = await call('POST', '/api/v2/remotes', {
    orgID: place.orgId,
    name: 'r',
    allowInsecureTLS: false,
    ...remote,
  })
  expect(made.status, made.text).toBe(201)
  expect(made.text).not.toContain('oken')
  const answer = await call('POST', '/api/v2/replications', {
    orgID: place.orgId,
    name: 'p',
    remoteID: made.json.id,
    localBucketID: place.bucketId,
    ...replication,
  })
  expect(answer.status, answer.text).toBe(201)
  return { id: answer.json.id, self: `/api/v2/replications/${answer.json.id}` }
}

/** Answers as it is told to, one after the other, and 204 from then on. */
async function scriptedRemote(answers: [status: number, headers?: Record<string, string>][]) {
  const requests: { url: string; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization })
    request.resume().on('end', () => {
      const [status, headers = {}] = answers.shift() ?? [204]
      response.writeHead(status, headers).end(status === 204 ? undefined : 'no')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return { requests, url: `http://127.0.0.1:${port}` }
}

it('hands points on, and keeps those that the remote refuses for good', async () => {
  const dataDir = temporaryFolder()
  const source = await install({ dataDir, fluxPrivateHosts: true })
  const target = await install()
  await target.write('m,t=a f=1i 1')
  const { id, self } = await replicate(
    source,
    { remoteURL: target.url, remoteAPIToken: target.token, remoteOrgID: target.orgId },
    { remoteBucketID: target.bucketId },
  )
  const call = caller(source)
  expect((await call('POST', `${self}/validate`)).status).toBe(204)
  // A quote in a tag, a line feed in a string; the third one has another type than the remote knows.
  const lines = ['n,t=a" s="x\ny",b=true,u=7u 5', 'n f=-0.5 6', 'm,t=b f=2 7', 'n f=1e300 8']
  expect((await source.write(lines.join('\n'))).status).toBe(204)
  expect((await source.write('n f=3 9')).status).toBe(204)
  await expect
    .poll(async () => (await target.lines()).join('\n'))
    .toBe(
      (await source.lines())
        .filter((line) => !line.startsWith('m,t=b'))
        .concat('m,t=a f=1i 1')
        .sort()
        .join('\n'),
    )
  await expect.poll(async () => (await call('GET', self)).json.remainingBytesToBeSynced).toBe(0)
  const shown = (await call('GET', self)).json
  expect(shown).toMatchObject({
    localBucketID: source.bucketId,
    remoteBucketID: target.bucketId,
    maxQueueSizeBytes: 67_108_860,
    maxAgeSeconds: 604_800,
    dropNonRetryableData: false,
    refusedPoints: 1,
    droppedPoints: 0,
  })
  const refused = readFileSync(`${dataDir}/replications/${id}/refused.lp`, 'utf8')
  expect(refused).toMatch(/^# the remote answered 4\d\d: .*type.*\nm,t=b f=2 7\n$/)
  const metrics = (await call('GET', '/metrics')).text
  expect(metrics).toContain(`millrace_replication_refused_points_total{replication="${id}"} 1\n`)
  expect(metrics).toContain(`millrace_replication_queue_bytes{replication="${id}"} 0\n`)
})

it('changes, lists and removes them', async () => {
  const place = await install()
  const call = caller(place)
  const url = 'http://example.com/'
  const { self, id } = await replicate(
    place,
    { remoteURL: url, remoteAPIToken: 's' },
    { remoteBucketName: 'd/p' },
  )
  const [remote] = (await call('GET', `/api/v2/remotes?orgID=${place.orgId}`)).json.remotes
  expect(remote).toMatchObject({ name: 'r', remoteURL: url, allowInsecureTLS: false })
  const remotePath = `/api/v2/remotes/${remote.id}`
  expect((await call('PATCH', remotePath, { remoteURL: 'ftp://x' })).status).toBe(400)
  expect((await call('PATCH', remotePath, { name: 'other' })).json.name).toBe('other')
  const inUse = await call('DELETE', remotePath)
  expect([inUse.status, inUse.json.message]).toEqual([
    422,
    'replication "p" still uses this remote',
  ])
  const changed = await call('PATCH', self, { maxQueueSizeBytes: 40_000_000, description: 'd' })
  expect(changed.json).toMatchObject({ id, description: 'd', maxQueueSizeBytes: 40_000_000 })
  for (const bad of [
    { maxQueueSizeBytes: 1 },
    { maxAgeSeconds: 5 },
    { remoteBucketID: '', remoteBucketName: '' },
    { name: '' },
  ]) {
    expect((await call('PATCH', self, bad)).status, JSON.stringify(bad)).toBe(400)
  }
  const list = `/api/v2/replications?orgID=${place.orgId}`
  expect((await call('GET', `${list}&remoteID=${remote.id}`)).json.replications).toHaveLength(1)
  expect((await call('GET', `${list}&localBucketID=0000000000000001`)).json.replications).toEqual(
    [],
  )
  expect((await call('DELETE', self)).status).toBe(204)
  expect((await call('DELETE', remotePath)).status).toBe(204)
  expect(await place.server.catalog.secrets.keys(place.orgId)).toEqual([])
})

it('goes with its bucket, and asks nobody in private networks unless it may', async () => {
  const place = await install()
  const call = caller(place)
  const { self } = await replicate(
    place,
    { remoteURL: 'http://127.0.0.1:1' },
    { remoteBucketName: 'x' },
  )
  const validated = await call('POST', `${self}/validate`)
  expect([validated.status, validated.json.message]).toEqual([
    400,
    'the remote does not take points: no such host (this machine and private networks need --flux-private-hosts)',
  ])
  await call('DELETE', `/api/v2/buckets/${place.bucketId}`)
  expect((await call('GET', self)).status).toBe(404)
})

it('waits as long as it is asked to, and speaks to servers of 1.x', async () => {
  const { requests, url } = await scriptedRemote([[503, { 'retry-after': '1' }], [401], [413]])
  const source = await install({ fluxPrivateHosts: true })
  const { self } = await replicate(
    source,
    { remoteURL: `${url}/write`, remoteAPIToken: 'name:word' },
    { remoteBucketName: 'd/p' },
  )
  const began = performance.now()
  await source.write('m f=1 1\nm f=2 2')
  const call = caller(source)
  await expect
    .poll(async () => (await call('GET', self)).json.latestErrorMessage, { timeout: 5000 })
    .toBe('the remote answered 401: no')
  expect(performance.now() - began).toBeGreaterThan(1000)
  await expect
    .poll(async () => (await call('GET', self)).json.remainingBytesToBeSynced, { timeout: 5000 })
    .toBe(0)
  expect((await call('GET', self)).json.refusedPoints).toBe(0)
  // Too large once: then in two halves.
  expect(requests).toHaveLength(5)
  for (const { url: path, authorization } of requests) {
    expect(path).toBe('/write?db=d&rp=p&precision=ns')
    expect(authorization).toBe(`Basic ${Buffer.from('name:word').toString('base64')}`)
  }
})
