// Files that are gone, old, or that nobody knows: a manifest lost or put back from before, a log removed or emptied, a
// segment that is missing for a while. Each is found out or makes no difference, and nothing that holds points is ever
// deleted because a manifest does not name it.

import { describe, expect, it } from 'vitest'
import { CorruptionError } from '../../src/errors.js'
import { readFile } from '../../src/platform/disk.js'
import { loadManifest, manifestNumbers } from '../../src/store/embedded/files/manifest.js'
import type { SimulatedDisk } from '../platform/simulated-disk.js'
import { SimulatedDisk as Disk } from '../platform/simulated-disk.js'
import { contentsOf, everyName, folder, LineWriter, linesOf, metric, open } from './contents.js'
import { buckets } from './workload.js'

const [bucket] = buckets
const quiet = { memtableBytesMax: 1 << 20, compactionSegments: 100, flushRetryMs: 1 }

async function place(disk: SimulatedDisk, path: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(path, 'create')
  await file.write([bytes], 0)
  await file.sync()
  await file.close()
  await disk.syncDir(path.slice(0, path.lastIndexOf('/')))
}

async function manifests(disk: SimulatedDisk): Promise<string[]> {
  const names = await disk.list(folder)
  return names.filter((name) => name.startsWith('MANIFEST'))
}

async function files(disk: SimulatedDisk, ending: string): Promise<string[]> {
  return (await everyName(disk, folder)).filter((name) => name.endsWith(ending))
}

/** Flushes three times, one point each, and stops. */
async function threeFlushes(): Promise<Disk> {
  const disk = new Disk()
  const { engine } = await open(disk, quiet)
  const writer = new LineWriter()
  for (let i = 0; i < 3; i++) {
    await writer.write(engine, bucket, `m,s=1 f=${i} ${i}`)
    await engine.flush()
  }
  await engine.close()
  return disk
}

describe('manifests', () => {
  it('are numbered, and the last three stay', async () => {
    const disk = await threeFlushes()
    const numbers = await manifestNumbers(disk, folder)
    const newest = (await loadManifest(disk, folder))?.number ?? 0
    expect(numbers).toEqual([newest - 2, newest - 1, newest])
  })

  it('refuses to open without any, and removes nothing', async () => {
    const disk = await threeFlushes()
    for (const name of await manifests(disk)) await disk.remove(`${folder}/${name}`)
    for (const name of await files(disk, '.wal')) await disk.remove(`${folder}/${name}`)
    const before = await files(disk, '.seg')
    expect(before).toHaveLength(3)
    await expect(open(disk, quiet)).rejects.toThrow('the manifest is missing')
    expect(await files(disk, '.seg')).toEqual(before)
  })

  it('finds out that the newest is gone', async () => {
    const disk = await threeFlushes()
    const newest = (await manifests(disk)).at(-1)!
    await disk.remove(`${folder}/${newest}`)
    await expect(open(disk, quiet)).rejects.toMatchObject({ file: `${folder}/${newest}` })
    expect(await files(disk, '.seg')).toHaveLength(3)
  })

  it('finds out that an old set was put back', async () => {
    const disk = new Disk()
    const { engine } = await open(disk, quiet)
    const writer = new LineWriter()
    await writer.write(engine, bucket, 'm,s=1 f=1 1')
    await engine.flush()
    const old = new Map<string, Uint8Array>()
    for (const name of await manifests(disk)) {
      old.set(name, await readFile(disk, `${folder}/${name}`))
    }
    for (let i = 0; i < 4; i++) {
      await writer.write(engine, bucket, `m,s=1 f=1 ${i + 2}`)
      await engine.flush()
    }
    await engine.close()
    for (const name of await manifests(disk)) await disk.remove(`${folder}/${name}`)
    for (const [name, bytes] of old) await place(disk, `${folder}/${name}`, bytes)
    const segments = await files(disk, '.seg')
    await expect(open(disk, quiet)).rejects.toThrow('older than the data')
    expect(await files(disk, '.seg')).toEqual(segments)
  })

  it('sets a segment aside that nobody knows, with its reason', async () => {
    const disk = await threeFlushes()
    const [known] = await files(disk, '.seg')
    const stranger = known.replace(/\d+\.seg$/, '0000099999.seg')
    await place(disk, `${folder}/${stranger}`, Buffer.from('somebody put this here'))
    const { engine, log } = await open(disk, quiet)
    expect(log.filter(({ message }) => message.startsWith('set aside'))).toHaveLength(1)
    expect((await contentsOf(engine, bucket)).size).toBe(3)
    await engine.close()
    const aside = (await everyName(disk, folder)).filter((name) => name.startsWith('set-aside/'))
    expect(aside).toHaveLength(2)
    expect(Buffer.from(await readFile(disk, `${folder}/${aside[0]}`)).toString()).toBe(
      'somebody put this here',
    )
    const reason = Buffer.from(await readFile(disk, `${folder}/${aside[1]}`)).toString()
    expect(JSON.parse(reason)).toMatchObject({ file: stranger })
  })

  it('sets the folder of a bucket aside that the manifest does not name', async () => {
    const disk = await threeFlushes()
    const other = '00000000000000ff'
    for (const name of await everyName(disk, `${folder}/${bucket}`)) {
      const path = `${folder}/${bucket}/${name}`
      if (!name.includes('.')) await disk.makeDir(`${folder}/${other}/${name}`)
      else await place(disk, `${folder}/${other}/${name}`, await readFile(disk, path))
    }
    const { engine } = await open(disk, quiet)
    expect((await contentsOf(engine, bucket)).size).toBe(3)
    await engine.close()
    expect((await files(disk, '.seg')).filter((name) => name.startsWith('set-aside'))).toHaveLength(
      3,
    )
  })
})

/** A log with two writes in it, and one before it that is not flushed yet. */
async function twoLogs(): Promise<{ disk: Disk; logs: string[] }> {
  const disk = new Disk()
  const { engine } = await open(disk, { ...quiet, flushRetryMs: 1e6 })
  const writer = new LineWriter()
  await writer.write(engine, bucket, 'm,s=1 f=1 1')
  disk.inject({ operation: 'open', path: /\.seg$/, error: 'EIO' })
  await engine.flush().catch(() => undefined)
  await writer.write(engine, bucket, 'm,s=1 f=2 2')
  const left = disk.clone()
  await engine.close()
  return { disk: left, logs: await files(left, '.wal') }
}

describe('logs', () => {
  it('are whole as they are', async () => {
    const { disk, logs } = await twoLogs()
    expect(logs).toHaveLength(2)
    const { engine, errors } = await open(disk, quiet)
    expect(errors()).toEqual([])
    expect((await contentsOf(engine, bucket)).size).toBe(2)
    await engine.close()
  })

  it.each([
    ['removed', 0],
    ['removed', 1],
    ['emptied', 0],
    ['emptied', 1],
    ['without its beginning', 1],
  ])('one that is %s is told (%i)', async (how, which) => {
    const { disk, logs } = await twoLogs()
    const path = `${folder}/${logs[which]}`
    if (how === 'removed') await disk.remove(path)
    else {
      const file = await disk.open(path, 'write')
      if (how === 'emptied') await file.truncate(0)
      else await file.write([new Uint8Array(36)], 0)
      await file.close()
    }
    const { engine, errors } = await open(disk, quiet)
    expect(errors().map(({ fields }) => fields.file)).toContain(path)
    expect(await metric(engine, 'store_damaged_places')).toBeGreaterThan(0)
    expect(engine.damage?.().some(({ message }) => message.includes(path))).toBe(true)
    await engine.close()
    // Told once: what is there is flushed, and the chain begins anew.
    const again = await open(disk, quiet)
    expect(again.errors()).toEqual([])
    await again.engine.close()
  })
})

it('a log that a crash left without its beginning is no damage, also behind later ones', async () => {
  const { disk, logs } = await twoLogs()
  const newest = Number.parseInt(logs[1].replace('wal/', ''), 10)
  // The process was killed when it had made the file, and nothing knows of it.
  const unfinished = `${folder}/wal/${String(newest + 1).padStart(10, '0')}.wal`
  await place(disk, unfinished, new Uint8Array())
  const second = await open(disk, { ...quiet, flushRetryMs: 1e6 })
  expect(second.errors()).toEqual([])
  // Killed again, with the rows of all logs in memory and a manifest that knows a later log.
  const left = disk.clone()
  await second.engine.close()
  expect(await files(left, '.wal')).toHaveLength(4)
  const third = await open(left, quiet)
  expect(third.errors()).toEqual([])
  expect((await contentsOf(third.engine, bucket)).size).toBe(2)
  await third.engine.close()
})

describe('a missing segment', () => {
  const merging = { ...quiet, compactionSegments: 2 }

  async function segmentsOf(disk: Disk): Promise<string[]> {
    return (await files(disk, '.seg')).map((name) => `${folder}/${name}`)
  }

  it('that comes back has its place in the order of writes', async () => {
    for (const which of [0, 1, 2]) {
      const disk = new Disk()
      const { engine } = await open(disk, quiet)
      const writer = new LineWriter()
      for (const value of [1, 2, 3]) {
        await writer.write(engine, bucket, `m f=${value} 0\nm f=${value} ${value}`)
        await engine.flush()
      }
      await engine.close()
      const path = (await segmentsOf(disk))[which]
      const bytes = await readFile(disk, path)
      await disk.remove(path)
      const without = await open(disk, merging)
      await writer.write(without.engine, bucket, 'm f=4 4')
      await without.engine.flush()
      await without.engine.compact()
      await expect(linesOf(without.engine, bucket)).rejects.toBeInstanceOf(CorruptionError)
      await without.engine.close()
      await place(disk, path, bytes)
      const again = await open(disk, merging)
      await again.engine.compact()
      const lines = await linesOf(again.engine, bucket)
      expect(lines).toEqual(['m f=3 0', 'm f=1 1', 'm f=2 2', 'm f=3 3', 'm f=4 4'])
      await again.engine.close()
    }
  })

  it('that comes back has lost what was deleted meanwhile', async () => {
    const disk = await threeFlushes()
    const [path] = await segmentsOf(disk)
    const bytes = await readFile(disk, path)
    await disk.remove(path)
    const without = await open(disk, merging)
    await without.engine.delete({ bucket, range: { start: 0n, stop: 2n } })
    await without.engine.close()
    await place(disk, path, bytes)
    const again = await open(disk, merging)
    await again.engine.compact()
    expect(await linesOf(again.engine, bucket)).toEqual(['m,s=1 f=2 2'])
    await again.engine.close()
  })

  it('is told with bucket, measurement and span, and others are read', async () => {
    const disk = await threeFlushes()
    const [path] = await segmentsOf(disk)
    await disk.remove(path)
    const { engine } = await open(disk, quiet)
    await expect(linesOf(engine, bucket, { measurement: 'm', stop: 1n })).rejects.toThrow(path)
    expect(await linesOf(engine, bucket, { measurement: 'm', start: 1n })).toHaveLength(2)
    expect(engine.damage?.()).toContainEqual(
      expect.objectContaining({ bucket, measurement: 'm', range: { start: 0n, stop: 1n } }),
    )
    await engine.close()
  })
})

it('an error of the disk in one file is the damage of that file', async () => {
  for (const ending of ['.seg', 'index.log', '.wal']) {
    const disk = await threeFlushes()
    const name = (await files(disk, ending))[0]
    const repair = disk.inject({ operation: 'read', path: new RegExp(`${name}$`), error: 'EIO' })
    const { engine, errors } = await open(disk, quiet)
    expect(errors().map(({ fields }) => fields.file)).toContain(`${folder}/${name}`)
    await new LineWriter().write(engine, buckets[1], 'm f=1 1')
    expect(await linesOf(engine, buckets[1])).toEqual(['m f=1 1'])
    repair()
    await engine.close()
  }
})
