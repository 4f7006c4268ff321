// The real program on a real disk, killed in the middle of its work, again and again on one folder:
// every start succeeds and shows everything that was answered with 204. And the two other ways to
// meet a folder in use: a second process, and an orderly stop under load.

import { expect, it } from 'vitest'
import { NodeDisk } from '../../src/platform/node-disk.js'
import { seededRandom } from '../../src/platform/random.js'
import { send, temporaryFolder } from '../api/client.js'
import { everyName, strayFiles } from './contents.js'
import { BusyWriter, exported, metricOf, serve, serveInVain, setUp } from './server-process.js'

/** More of them, and other users, has `npm run torture`. */
const kills = 7
const disk = new NodeDisk()

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const makeWriters = (token: string) =>
  ['a', 'b', 'c', 'd'].map((name) => new BusyWriter(name, token))

function check(writers: readonly BusyWriter[], lines: readonly string[]): string[] {
  return writers.flatMap((writer) => writer.check(lines))
}

it(`loses nothing when it is killed ${kills} times`, { timeout: 300_000 }, async () => {
  const dataDir = temporaryFolder()
  const random = seededRandom(7)
  let server = await serve(dataDir)
  const token = await setUp(server.url)
  const writers = makeWriters(token)
  let flushes = 0
  let merges = 0
  let filesMax = 0
  for (let kill = 0; kill < kills; kill++) {
    const { url } = server
    const load = Promise.all(writers.map((writer) => writer.writeUntilGone(url)))
    if (kill % 7 === 6) await untilMerged(url)
    else await pause(50 + random.below(600))
    flushes += await metricOf(url, 'store_flushes_total')
    merges += await metricOf(url, 'store_compactions_total')
    await pause(random.below(40))
    expect(await server.end('SIGKILL')).toBeNull()
    await load
    server = await serve(dataDir)
    expect(check(writers, await exported(server.url, token))).toEqual([])
    expect(await metricOf(server.url, 'store_damaged_places')).toBe(0)
    expect(await strayFiles(disk, `${dataDir}/store`)).toEqual([])
    filesMax = Math.max(filesMax, (await everyName(disk, `${dataDir}/store`)).length)
  }
  expect(await server.end('SIGTERM')).toBe(0)
  console.info({ flushes, merges, filesMax })
  // Otherwise it was killed in its sleep.
  expect(Math.min(...writers.map((writer) => writer.acknowledgedCount))).toBeGreaterThan(kills)
  expect(flushes).toBeGreaterThan(0)
  expect(merges).toBeGreaterThan(0)
  // All data lies in one shard: whatever is merged away and logged twice must go.
  expect(filesMax).toBeLessThan(60)
})

/** Several flushes, and the merge that follows them; a slow machine needs longer than a fast one. */
async function untilMerged(url: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 20_000; waitedMs += 500) {
    await pause(500)
    if ((await metricOf(url, 'store_compactions_total')) > 0) return
  }
}

it('stops in order under load, and everything answered is there', {
  timeout: 300_000,
}, async () => {
  const dataDir = temporaryFolder()
  let server = await serve(dataDir)
  const token = await setUp(server.url)
  const writers = makeWriters(token)
  const leastAcknowledged = () => Math.min(...writers.map((writer) => writer.acknowledgedCount))
  for (let stop = 0; stop < 3; stop++) {
    const { url } = server
    const load = Promise.all(writers.map((writer) => writer.writeUntilGone(url)))
    // Until all of them are under way: on a busy machine that takes long.
    while (leastAcknowledged() < 2 * (stop + 1)) await pause(20)
    expect(await server.end('SIGTERM')).toBe(0)
    await load
    server = await serve(dataDir)
    expect(check(writers, await exported(server.url, token))).toEqual([])
  }
  await server.end('SIGTERM')
})

it('sends a second process away and goes on', async () => {
  const dataDir = temporaryFolder()
  const server = await serve(dataDir)
  const token = await setUp(server.url)
  const write = (body: string) =>
    send(`${server.url}/api/v2/write?org=o&bucket=b`, { method: 'POST', token, body })
  expect((await write('m f=1 1')).status).toBe(204)
  const second = await serveInVain(dataDir)
  expect(second.code).toBe(1)
  expect(second.output).toContain('is in use by another Millrace process')
  expect((await write('m f=2 2')).status).toBe(204)
  expect(await exported(server.url, token)).toEqual(['m f=1 1', 'm f=2 2'])
  expect(await server.end('SIGTERM')).toBe(0)
})
