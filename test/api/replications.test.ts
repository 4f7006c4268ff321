// Remotes and replications over HTTP: every operation, points that arrive, those that the remote refuses for good, and
// what is told about all of it. Kills and outages: test/crash/replication.test.ts.

import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
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

/** Answers 503 until it is opened; keeps what it took. */
async function closedRemote() {
  const state = { isOpen: false, taken: '', status: 204 }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces)
      if (state.isOpen && state.status === 204) state.taken += gunzipSync(body).toString()
      response.writeHead(state.isOpen ? state.status : 503).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return { state, url: `http://127.0.0.1:${port}` }
}

const queueBytesMin = 33_554_430

it('keeps new points out of a full queue, and takes them again once there is room', async () => {
  const { state, url } = await closedRemote()
  const source = await install({ fluxPrivateHosts: true })
  const { self, id } = await replicate(
    source,
    { remoteURL: url, remoteAPIToken: 't' },
    { remoteBucketName: 'x', maxQueueSizeBytes: queueBytesMin },
  )
  const call = caller(source)
  const shown = async () => (await call('GET', self)).json
  // Three of them fit, the fourth does not, and a small one still does.
  const text = 'x'.repeat(1_000_000)
  const write = async (name: string) => {
    const lines = Array.from({ length: 10 }, (_, i) => `${name},i=${i} s="${text}" 1`)
    expect((await source.write(lines.join('\n'))).status).toBe(204)
  }
  for (const name of ['first', 'second', 'third']) await write(name)
  expect(await shown()).toMatchObject({ droppedPoints: 0 })
  expect((await shown()).remainingBytesToBeSynced).toBeGreaterThan(30_000_000)
  await write('fourth')
  expect(await shown()).toMatchObject({ droppedPoints: 10 })
  expect((await source.write('small f=1 1')).status).toBe(204)
  expect(await shown()).toMatchObject({ droppedPoints: 10, latestResponseCode: 503 })
  const metrics = (await call('GET', '/metrics')).text
  expect(metrics).toContain(`millrace_replication_dropped_points_total{replication="${id}"} 10\n`)
  // What was dropped there is not lost here.
  expect((await call('GET', '/query?db=b&q=SELECT+count(s)+FROM+fourth')).text).toContain('10]')
  state.isOpen = true
  await call('PATCH', self, { description: 'tried at once' })
  await expect
    .poll(async () => (await shown()).remainingBytesToBeSynced, { timeout: 20_000 })
    .toBe(0)
  await write('fifth')
  await expect
    .poll(async () => (await shown()).remainingBytesToBeSynced, { timeout: 20_000 })
    .toBe(0)
  const names = Array.from(state.taken.matchAll(/^(\w+)[, ]/gm), ([, name]) => name)
  const counts = ['first', 'second', 'third', 'fourth', 'small', 'fifth'].map(
    (name) => names.filter((each) => each === name).length,
  )
  expect(counts).toEqual([10, 10, 10, 0, 1, 10])
})

it('gives up what has waited longer than its age', async () => {
  const { state, url } = await closedRemote()
  const clock = new ManualClock(1_700_000_000_000_000_000n)
  const source = await install({ fluxPrivateHosts: true, clock })
  const { self } = await replicate(
    source,
    { remoteURL: url, remoteAPIToken: 't' },
    { remoteBucketName: 'x', maxAgeSeconds: 86_400 },
  )
  const call = caller(source)
  const shown = async () => (await call('GET', self)).json
  await source.write('old f=1 1\nold f=2 2')
  await expect.poll(async () => (await shown()).latestResponseCode).toBe(503)
  clock.advance(86_401n * 1_000_000_000n)
  await call('PATCH', self, { description: 'tried at once' })
  await expect.poll(async () => (await shown()).droppedPoints, { timeout: 10_000 }).toBe(2)
  await source.write('young f=1 1')
  state.isOpen = true
  await call('PATCH', self, { description: 'and again' })
  await expect.poll(() => state.taken, { timeout: 10_000 }).toBe('young f=1 1\n')
  expect(await shown()).toMatchObject({ droppedPoints: 2, remainingBytesToBeSynced: 0 })
})

it('forgets what is refused for good where it was asked to', async () => {
  const { state, url } = await closedRemote()
  state.isOpen = true
  state.status = 400
  const dataDir = temporaryFolder()
  const source = await install({ dataDir, fluxPrivateHosts: true })
  const { self, id } = await replicate(
    source,
    { remoteURL: url, remoteAPIToken: 't' },
    { remoteBucketName: 'x', dropNonRetryableData: true },
  )
  await source.write('m f=1 1')
  const shown = async () => (await caller(source)('GET', self)).json
  await expect.poll(async () => (await shown()).refusedPoints).toBe(1)
  expect(await shown()).toMatchObject({ droppedPoints: 0, latestResponseCode: 400 })
  expect(existsSync(`${dataDir}/replications/${id}/refused.lp`)).toBe(false)
})
