// A server whose store sits on a disk that fails: writers get a clear 503 with JSON on both kinds of
// paths, readers go on reading, and nobody has to restart anything when the disk works again.

import { expect, it } from 'vitest'
import type { DiskFile, OpenMode } from '../../src/platform/disk.js'
import { install, send } from '../api/harness.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'

async function serverOn(disk: SimulatedDisk) {
  const logged: string[] = []
  const installed = await install({ disk, log: (_level, message) => logged.push(message) })
  return { ...installed, logged }
}

it.each([
  ['write', 'ENOSPC', 'no space left on device'],
  ['sync', 'EIO', 'input/output error'],
] as const)('answers 503 when %s fails', async (operation, error, reason) => {
  const disk = new SimulatedDisk()
  const { write, writeV1, lines, logged } = await serverOn(disk)
  expect((await write('m f=1 1')).status).toBe(204)
  const repair = disk.inject({ operation, path: /\.wal$/, error })
  const refused = await write('m f=2 2')
  expect(refused.status).toBe(503)
  expect(refused.json.code).toBe('unavailable')
  expect(refused.json.message).toContain(reason)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const refusedV1 = await writeV1('m f=3 3')
  expect(refusedV1.status).toBe(503)
  expect(refusedV1.json.error).toMatch(/^cannot (write|sync)/)
  expect(logged.length).toBeGreaterThan(0)
  expect(await lines()).toEqual(['m f=1 1'])
  repair()
  expect((await write('m f=4 4')).status).toBe(204)
  expect(await lines()).toEqual(['m f=1 1', 'm f=4 4'])
})

it('answers every one of many writers at once while the disk is full', async () => {
  const disk = new SimulatedDisk()
  const { write, lines } = await serverOn(disk)
  disk.capacityBytes = disk.usedBytes + 2000
  const writes = Array.from({ length: 100 }, (_, i) => write(`m,s=${i} f=${i} ${i}`))
  const answers = await Promise.all(writes)
  const statuses = new Set(answers.map(({ status }) => status))
  expect(statuses).toEqual(new Set([204, 503]))
  const kept = answers.flatMap(({ status }, i) => (status === 204 ? [`m,s=${i} f=${i} ${i}`] : []))
  expect(await lines()).toEqual(kept.sort())
  disk.capacityBytes = Infinity
  expect((await write('m,s=a f=1 1')).status).toBe(204)
})

it('tells a reader that its data is damaged', async () => {
  const disk = new SimulatedDisk()
  const { server, url, token, write } = await serverOn(disk)
  await write('m,s=a f=1 1')
  await (server.store as unknown as { flush(): Promise<void> }).flush()
  const folder = `memory/store`
  const [bucket] = (await disk.list(folder)).filter((name) => /^[0-9a-f]{16}$/.test(name))
  const shards = await disk.list(`${folder}/${bucket}`)
  const shard = shards.find((name) => /^-?\d+$/.test(name))
  const [segment] = await disk.list(`${folder}/${bucket}/${shard}`)
  // Behind the header come the blocks.
  disk.corrupt(`${folder}/${bucket}/${shard}/${segment}`, 20)
  const answer = await send(`${url}/debug/export?bucket=b`, { token })
  expect(answer.status).toBe(500)
  expect(answer.json.code).toBe('internal error')
  const health = await send(`${url}/health`)
  expect(health.status).toBe(200)
  const [check] = health.json.checks.filter(({ name }: { name: string }) => name === 'damage')
  expect(check.message).toContain(`bucket ${bucket}`)
  expect(check.message).toContain('from 1970-01-01T00:00:00.000000001Z')
  expect((await send(`${url}/metrics`)).text).toMatch(/store_damaged_places 1\n/)
})

/** A disk whose syncs end when `held` does. */
class SlowDisk extends SimulatedDisk {
  held: Promise<void> | undefined

  override async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await super.open(path, mode)
    const sync = file.sync.bind(file)
    return Object.assign(file, {
      sync: async () => {
        await this.held
        await sync()
      },
    })
  }
}

it('holds up writes, and nothing else, while the disk takes its time to sync', async () => {
  const disk = new SlowDisk()
  const { url, write, lines } = await serverOn(disk)
  expect((await write('m f=1 1')).status).toBe(204)
  let release: () => void = () => undefined
  disk.held = new Promise((resolve) => {
    release = resolve
  })
  let isWritten = false
  const slow = Promise.all([write('m f=2 2'), write('n f=3 3')]).finally(() => {
    isWritten = true
  })
  expect(await lines()).toEqual(['m f=1 1'])
  expect((await send(`${url}/health`, {})).status).toBe(200)
  expect(await lines()).toEqual(['m f=1 1'])
  expect(isWritten).toBe(false)
  release()
  expect((await slow).map(({ status }) => status)).toEqual([204, 204])
  expect(await lines()).toEqual(['m f=1 1', 'm f=2 2', 'n f=3 3'])
})
