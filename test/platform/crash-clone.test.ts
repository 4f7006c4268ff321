// What a simulated power cut may and may not leave: synced bytes and names always, unsynced ones in any part, renames
// whole; and the same seed always leaves the same.

import { describe, expect, it } from 'vitest'
import { readFile, writeFileAtomically } from '../../src/platform/disk.js'
import { seededRandom } from '../../src/platform/random.js'
import { SimulatedDisk } from './simulated-disk.js'

const bytes = (size: number, value: number) => new Uint8Array(size).fill(value)
const seeds = Array.from({ length: 300 }, (_, seed) => seed)

/** A disk with a synced folder `data` and in it a synced file `a` of 2000 ones. */
async function prepared() {
  const disk = new SimulatedDisk({ trackCrashes: true })
  await disk.makeDir('data')
  await disk.syncDir('')
  const file = await disk.open('data/a', 'create')
  await file.write([bytes(2000, 1)], 0)
  await file.sync()
  await disk.syncDir('data')
  return { disk, file }
}

async function contentAfter(disk: SimulatedDisk, seed: number): Promise<Uint8Array> {
  return readFile(disk.crashClone(seededRandom(seed)), 'data/a')
}

async function namesAfter(disk: SimulatedDisk, seed: number): Promise<string> {
  const clone = disk.crashClone({ random: seededRandom(seed) })
  return `${await clone.list('data')} | ${await clone.list('other')}`
}

describe('bytes', () => {
  it('that were synced survive every crash', async () => {
    const { disk, file } = await prepared()
    await file.write([bytes(5000, 2)], 2000)
    for (const seed of seeds) {
      const left = await contentAfter(disk, seed)
      expect(left.length).toBeGreaterThanOrEqual(2000)
      expect(left.length).toBeLessThanOrEqual(7000)
      expect(left.subarray(0, 2000).every((byte) => byte === 1)).toBe(true)
      expect(left.subarray(2000).every((byte) => byte === 2 || byte === 0)).toBe(true)
    }
  })

  it('of a write to a log survive every crash once it has ended', async () => {
    const { disk } = await prepared()
    const log = await disk.open('data/a', 'log')
    await log.write([bytes(5000, 2)], 2000)
    for (const seed of seeds) {
      const left = await contentAfter(disk, seed)
      expect(left.length).toBe(7000)
      expect(left.subarray(2000).every((byte) => byte === 2)).toBe(true)
    }
  })

  it('that were not survive in any part, by sectors', async () => {
    const { disk, file } = await prepared()
    await file.write([bytes(2000, 2)], 0)
    await file.write([bytes(1000, 3)], 500)
    const seen = new Set<string>()
    for (const seed of seeds) {
      const left = await contentAfter(disk, seed)
      expect(left.length).toBe(2000)
      const starts = [0, 500, 512, 1024, 1500, 1536]
      for (const [i, start] of starts.entries()) {
        const piece = left.subarray(start, starts[i + 1])
        expect(piece.every((byte) => byte === piece[0])).toBe(true)
      }
      seen.add(starts.map((start) => left[start]).join(''))
    }
    // Six pieces; the extremes and torn states in between must all turn up.
    expect(seen).toContain('111111')
    expect(seen).toContain('233322')
    expect(seen.size).toBeGreaterThan(20)
  })

  it('may leave the size without the bytes, and shortened files long', async () => {
    const { disk, file } = await prepared()
    await file.truncate(10)
    const sizes = new Set<number>()
    for (const seed of seeds) sizes.add((await contentAfter(disk, seed)).length)
    expect([...sizes].sort()).toEqual([10, 2000])
    await file.sync()
    await file.write([bytes(100, 5)], 10)
    let holes = 0
    for (const seed of seeds) {
      const left = await contentAfter(disk, seed)
      if (left.length > 10 && left.at(-1) === 0) holes++
    }
    expect(holes).toBeGreaterThan(0)
  })

  it('are not made safe by a sync that follows a failed one', async () => {
    const { disk, file } = await prepared()
    await file.write([bytes(10, 2)], 0)
    disk.failNext('sync', 'EIO')
    await expect(file.sync()).rejects.toThrow('cannot sync: input/output error')
    await file.write([bytes(10, 3)], 10)
    await file.sync()
    const left = await contentAfter(disk, 0)
    expect([left[0], left[10]]).toEqual([1, 3])
    expect((await readFile(disk, 'data/a'))[0]).toBe(2)
  })
})

describe('names', () => {
  it('that were synced survive, and of the others a prefix', async () => {
    const { disk } = await prepared()
    for (const name of ['b', 'c']) await disk.open(`data/${name}`, 'create')
    await disk.remove('data/a')
    const seen = new Set<string>()
    for (const seed of seeds) seen.add(await namesAfter(disk, seed))
    expect([...seen].sort()).toEqual(['a | ', 'a,b | ', 'a,b,c | ', 'b,c | '])
    await disk.syncDir('data')
    for (const seed of seeds) expect(await namesAfter(disk, seed)).toBe('b,c | ')
  })

  it('change whole in a rename, also across folders', async () => {
    const { disk } = await prepared()
    await disk.makeDir('other')
    await disk.syncDir('')
    await disk.open('other/x', 'create')
    await disk.rename('data/a', 'other/b')
    const seen = new Set<string>()
    for (const seed of seeds) seen.add(await namesAfter(disk, seed))
    expect([...seen].sort()).toEqual([' | b,x', 'a | ', 'a | x'])
    await disk.syncDir('data')
    for (const seed of seeds) expect(await namesAfter(disk, seed)).toBe(' | b,x')
  })

  it('of a folder being removed go one by one', async () => {
    const { disk } = await prepared()
    await writeFileAtomically(disk, 'data', 'b', bytes(1, 1))
    await disk.removeDir('data')
    const seen = new Set<string>()
    for (const seed of seeds) {
      const clone = disk.crashClone(seededRandom(seed))
      seen.add((await clone.exists('data')) ? `kept ${await clone.list('data')}` : 'gone')
    }
    expect([...seen].sort()).toEqual(['gone', 'kept ', 'kept a,b', 'kept b'])
  })

  it('of files never synced may stand for partial content', async () => {
    const { disk } = await prepared()
    const file = await disk.open('data/b', 'create')
    await file.write([bytes(1024, 4)], 0)
    await disk.syncDir('data')
    const sizes = new Set<number>()
    for (const seed of seeds) {
      const clone = disk.crashClone(seededRandom(seed))
      sizes.add((await readFile(clone, 'data/b')).length)
    }
    expect(sizes).toContain(0)
    expect(sizes).toContain(512)
    expect(sizes).toContain(1024)
  })
})

describe('a crash clone', () => {
  it('repeats by its seed', async () => {
    const { disk, file } = await prepared()
    await file.write([seededRandom(9).bytes(9000)], 100)
    for (const seed of seeds.slice(0, 20)) {
      expect(await contentAfter(disk, seed)).toEqual(await contentAfter(disk, seed))
    }
  })

  it('keeps all or only what was synced when told to', async () => {
    const { disk, file } = await prepared()
    await file.write([bytes(10, 2)], 0)
    await disk.rename('data/a', 'data/b')
    const random = seededRandom(1)
    const all = disk.crashClone({ random, keep: 'all' })
    expect(await all.list('data')).toEqual(['b'])
    expect((await readFile(all, 'data/b'))[0]).toBe(2)
    const synced = disk.crashClone({ random, keep: 'synced' })
    expect(await synced.list('data')).toEqual(['a'])
    expect((await readFile(synced, 'data/a'))[0]).toBe(1)
  })

  it('is a disk of its own that starts synced and can crash again', async () => {
    const { disk, file } = await prepared()
    const clone = disk.crashClone({ random: seededRandom(1), keep: 'all' })
    await file.write([bytes(10, 7)], 0)
    expect((await readFile(clone, 'data/a'))[0]).toBe(1)
    const again = clone.crashClone({ random: seededRandom(2), keep: 'synced' })
    expect(await readFile(again, 'data/a')).toEqual(bytes(2000, 1))
  })

  it('taken before any operation finds an atomic write done or not begun', async () => {
    const { disk } = await prepared()
    const clones: SimulatedDisk[] = []
    disk.onOperation = () => {
      for (const seed of [1, 2, 3, 4, 5]) clones.push(disk.crashClone(seededRandom(seed)))
    }
    await writeFileAtomically(disk, 'data', 'a', bytes(3000, 2))
    disk.onOperation = undefined
    clones.push(disk.crashClone(seededRandom(6)))
    const outcomes = new Set<string>()
    for (const clone of clones) {
      const left = await readFile(clone, 'data/a')
      expect(left).toEqual(left.length === 2000 ? bytes(2000, 1) : bytes(3000, 2))
      outcomes.add(String(left.length))
    }
    expect([...outcomes].sort()).toEqual(['2000', '3000'])
    expect(await readFile(clones.at(-1)!, 'data/a')).toHaveLength(3000)
  })

  it('needs tracking', () => {
    expect(() => new SimulatedDisk().crashClone(seededRandom(1))).toThrow('trackCrashes')
  })
})
