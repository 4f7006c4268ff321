// `millrace check`: what it tells of a folder that is whole and of damaged ones, that looking changes nothing, and that
// a repaired folder opens and answers with everything that is not damaged.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { runCommand } from '../../src/cli/command.js'
import { openStore } from '../../src/index.js'
import { inspectStore } from '../../src/store/embedded/check/inspect.js'
import { repairStore } from '../../src/store/embedded/check/repair.js'
import { temporaryFolder } from '../api/client.js'
import type { SimulatedDisk } from '../platform/simulated-disk.js'
import { everyName, folder, LineWriter, metric, open } from './contents.js'
import { expectedLines, filesOf, frames, makeFolder, places, quiet, readPlace } from './damage.js'

afterEach(() => vi.restoreAllMocks())

const isLogged = () => undefined

/** What of each place can be read, as lines; undefined: it refuses. */
async function readable(disk: SimulatedDisk): Promise<(string[] | undefined)[]> {
  const { engine } = await open(disk, quiet)
  const found: (string[] | undefined)[] = []
  for (const place of places) {
    const lines = await readPlace(engine, place)
    found.push(Array.isArray(lines) ? lines : undefined)
  }
  await engine.close()
  return found
}

it('finds nothing in a folder that is whole, and changes nothing', async () => {
  const { disk } = await makeFolder()
  const names = await everyName(disk, folder)
  const report = await inspectStore(disk, folder)
  expect(report).toMatchObject({ refusal: undefined, places: [], unknown: [] })
  expect(report.segmentCount).toBeGreaterThan(3)
  expect(report.bucketIds).toHaveLength(2)
  expect(await everyName(disk, folder)).toEqual(names)
})

it('tells a flipped byte of a block with bucket, measurement and span; repair sets it aside', async () => {
  const { disk } = await makeFolder()
  const [path] = (await filesOf(disk)).filter((name) => name.endsWith('.seg'))
  disk.corrupt(path, 17)
  const { places: found } = await inspectStore(disk, folder)
  expect(found).toHaveLength(1)
  expect(found[0].bucket).toBe(path.split('/')[1])
  expect(found[0].measurement).toBe('m')
  expect(found[0].message).toContain(path)
  await repairStore(disk, folder, isLogged)
  expect(await inspectStore(disk, folder)).toMatchObject({ refusal: undefined, places: [] })
  const aside = (await everyName(disk, folder)).filter((name) => name.startsWith('set-aside/'))
  expect(aside.some((name) => name.endsWith('.seg'))).toBe(true)
  expect((await readable(disk)).every((lines) => lines !== undefined)).toBe(true)
})

it.each(['missing', 'damaged'])('repairs a folder whose newest manifest is %s', async (how) => {
  const { disk } = await makeFolder()
  const before = (await everyName(disk, folder)).filter((name) => name.endsWith('.seg'))
  const newest = (await filesOf(disk)).findLast((name) => name.includes('MANIFEST'))!
  if (how === 'missing') await disk.remove(newest)
  else disk.corrupt(newest, 40)
  expect((await inspectStore(disk, folder)).refusal).toContain(newest)
  await repairStore(disk, folder, isLogged)
  const report = await inspectStore(disk, folder)
  expect(report.refusal).toBeUndefined()
  // Nothing is gone: each is where it was, or aside.
  const after = (await everyName(disk, folder)).filter((name) => name.endsWith('.seg'))
  expect(after).toHaveLength(before.length)
  expect((await readable(disk)).every((lines) => lines !== undefined)).toBe(true)
})

it('gives everything back where the index of one bucket is set aside', async () => {
  const { disk } = await makeFolder()
  const path = (await filesOf(disk)).find((name) => name.endsWith('index.log'))!
  disk.corrupt(path, 40)
  await repairStore(disk, folder, isLogged)
  const lines = await readable(disk)
  places.forEach((place, i) => {
    if (!path.includes(place.bucket)) expect(lines[i]).toEqual(expectedLines(place, frames))
  })
})

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  let text = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    text += part
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  const code = await runCommand(['check', ...args])
  write.mockRestore()
  return { code, text }
}

async function dataFolder(): Promise<string> {
  const dataDir = temporaryFolder()
  const { store, catalog, close } = await openStore({ dataDir, jobs: 'inline' })
  const bucket = await catalog.inTransaction(async (inside) => {
    const org = await inside.organizations.create({ name: 'o' })
    return inside.buckets.create({ orgId: org.id, name: 'b', retentionSeconds: 0 })
  })
  await new LineWriter().write(store, bucket.id, 'm f=1 1')
  await new LineWriter().write(store, '00000000000000ee', 'm f=1 1')
  await close()
  const copy = temporaryFolder()
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

it('is a command that tells the catalog against the store, readable and as JSON', async () => {
  const dataDir = await dataFolder()
  const whole = await run(dataDir)
  expect(whole.code).toBe(0)
  expect(whole.text).toContain('2 buckets, 2 segments, 2 rows')
  expect(whole.text).toContain(
    "unnamed: bucket 00000000000000ee of the store is none of the catalog's",
  )
  const names = readdirSync(`${dataDir}/store`, { recursive: true, encoding: 'utf8' })
  const segment = `${dataDir}/store/${names.find((name) => name.endsWith('.seg'))}`
  const bytes = readFileSync(segment)
  bytes[20] ^= 1
  writeFileSync(segment, bytes)
  const damaged = await run(dataDir, '--json')
  expect(damaged.code).toBe(3)
  expect(JSON.parse(damaged.text).store.places[0].message).toContain(segment)
  expect(JSON.parse(damaged.text).isWhole).toBe(false)
  expect((await run(dataDir, '--repair')).text).toContain('repaired')
  expect((await run(dataDir)).code).toBe(0)
  rmSync(`${dataDir}/catalog.sqlite`)
  expect((await run(dataDir)).text).toContain('catalog.sqlite is missing')
  expect((await run()).code).toBe(2)
  expect((await run(`${dataDir}/nothing`)).code).toBe(2)
})

it('is found while the store runs, without anybody reading it, and told as elsewhere', async () => {
  const { disk } = await makeFolder()
  const [path, other] = (await filesOf(disk)).filter((name) => name.endsWith('.seg'))
  disk.corrupt(path, 17)
  const limits = { ...quiet, retentionCheckMs: 1, flushAgeTicks: 1e9, scrubBytesPerSecond: 1e9 }
  const { engine, errors } = await open(disk, limits)
  const found = () => metric(engine, 'store_scrub_rounds_total')
  await vi.waitFor(async () => expect(await found()).toBe(1))
  expect(engine.damage?.()).toHaveLength(1)
  expect(engine.damage?.()[0]).toMatchObject({ bucket: path.split('/')[1], measurement: 'm' })
  expect(await metric(engine, 'store_damaged_places')).toBe(1)
  expect(errors().map(({ fields }) => fields.file)).toEqual([path])
  expect(await metric(engine, 'store_scrubbed_bytes_total')).toBeGreaterThan(100)
  await engine.close()
  // What the disk cannot read is damage too, of that file alone.
  const disk2 = (await makeFolder()).disk
  const opened = await open(disk2, limits)
  disk2.inject({ operation: 'read', path: new RegExp(`${other}$`), error: 'EIO' })
  await vi.waitFor(() => expect(opened.engine.damage?.()).toHaveLength(1))
  expect(opened.errors().map(({ fields }) => fields.file)).toEqual([other])
  await opened.engine.close()
})

it('looks at the logs too while the store runs, and puts what a damaged one held into segments', async () => {
  const { disk } = await makeFolder()
  const scrubs = { retentionCheckMs: 1, scrubBytesPerSecond: 1e9, scrubEveryMs: 1 }
  const { engine, errors } = await open(disk, { ...quiet, ...scrubs, flushAgeTicks: 1e9 })
  const bucket = places[0].bucket
  await new LineWriter().write(engine, bucket, 'scrubbed f=1 1')
  // It has no log of its own before its first flush.
  await new LineWriter().write(engine, '00000000000000ef', 'scrubbed f=1 1')
  const rounds = await metric(engine, 'store_scrub_rounds_total')
  await vi.waitFor(async () =>
    expect(await metric(engine, 'store_scrub_rounds_total')).toBeGreaterThan(rounds + 2),
  )
  expect(errors()).toEqual([])
  const names = await filesOf(disk)
  const wal = names.filter((name) => name.includes('wal/')).at(-1)!
  disk.corrupt(wal, 17)
  await vi.waitFor(() => expect(errors().map(({ fields }) => fields.file)).toEqual([wal]))
  // The next start does not need it.
  await vi.waitFor(async () => expect(await disk.exists(wal)).toBe(false))
  const index = names.find((name) => name.includes(bucket) && name.includes('index'))!
  disk.corrupt(index, 40)
  await vi.waitFor(() => expect(errors().map(({ fields }) => fields.file)).toEqual([wal, index]))
  expect(engine.damage?.()[1]).toMatchObject({ bucket })
  await engine.close()
})

it('looks at logs from before a start as long as their points are in no segment', async () => {
  const { disk } = await makeFolder()
  const bucket = places[0].bucket
  const first = await open(disk, { ...quiet, flushAgeTicks: 1e9 })
  await new LineWriter().write(first.engine, bucket, 'scrubbed f=1 1')
  const wal = (await filesOf(disk)).filter((name) => name.includes('wal/')).at(-1)!
  const left = disk.clone()
  await first.engine.close()
  const scrubs = { retentionCheckMs: 1, scrubBytesPerSecond: 1e9, scrubEveryMs: 1 }
  const { engine, errors } = await open(left, { ...quiet, ...scrubs, flushAgeTicks: 1e9 })
  const rounds = await metric(engine, 'store_scrub_rounds_total')
  await vi.waitFor(async () =>
    expect(await metric(engine, 'store_scrub_rounds_total')).toBeGreaterThan(rounds + 2),
  )
  expect(errors()).toEqual([])
  expect(await left.exists(wal)).toBe(true)
  left.corrupt(wal, 17)
  await vi.waitFor(() => expect(errors().map(({ fields }) => fields.file)).toEqual([wal]))
  await vi.waitFor(async () => expect(await left.exists(wal)).toBe(false))
  await engine.close()
})
