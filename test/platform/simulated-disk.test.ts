// What the simulated disk adds to a disk: faults on order, a capacity, decay, and a hook before each operation.
// Its crashes are tested in crash-clone.test.ts.

import { describe, expect, it } from 'vitest'
import { readFile } from '../../src/platform/disk.js'
import { diskErrorCode } from '../../src/platform/disk-failure.js'
import { seededRandom } from '../../src/platform/random.js'
import { SimulatedDisk } from './simulated-disk.js'

const bytes = (size: number, value = 1) => new Uint8Array(size).fill(value)
const codeOf = (failing: Promise<unknown>) => failing.then(() => 'none', diskErrorCode)

describe('faults', () => {
  it('strike the named operation on the named path, from then on until taken back', async () => {
    const disk = new SimulatedDisk()
    const remove = disk.inject({ operation: 'write', path: /wal/, after: 1, error: 'EIO' })
    const wal = await disk.open('wal', 'create')
    const other = await disk.open('other', 'create')
    expect(await codeOf(wal.write([bytes(3)], 0))).toBe('none')
    expect(await codeOf(wal.write([bytes(3)], 3))).toBe('EIO')
    expect(await codeOf(wal.write([bytes(3)], 3))).toBe('EIO')
    expect(await codeOf(other.write([bytes(3)], 0))).toBe('none')
    expect(wal.size()).toBe(3)
    remove()
    expect(await codeOf(wal.write([bytes(3)], 3))).toBe('none')
  })

  it('strike once with failNext, also reads and renames by either path', async () => {
    const disk = new SimulatedDisk()
    const file = await disk.open('a', 'create')
    await file.write([bytes(3)], 0)
    disk.failNext('read', 'EIO')
    expect(() => file.readSync(bytes(3), 0)).toThrow('cannot read: input/output error (a)')
    expect(file.readSync(bytes(3), 0)).toBe(3)
    disk.failNext('rename', 'EROFS', /b$/)
    await expect(disk.rename('a', 'b')).rejects.toThrow('cannot rename: file system is read-only')
    expect(await disk.list('')).toEqual(['a'])
    await disk.rename('a', 'b')
    expect(await disk.list('')).toEqual(['b'])
  })

  it('may leave a prefix of the write behind', async () => {
    const disk = new SimulatedDisk()
    const file = await disk.open('a', 'create')
    disk.inject({ operation: 'write', error: 'EIO', times: 1, writtenBytes: 5 })
    expect(await codeOf(file.write([bytes(3, 1), bytes(4, 2), bytes(4, 3)], 0))).toBe('EIO')
    expect([...(await readFile(disk, 'a'))]).toEqual([1, 1, 1, 2, 2])
  })
})

describe('capacity', () => {
  it('takes what fits, then fails until there is room again', async () => {
    const disk = new SimulatedDisk({ capacityBytes: 10 })
    const first = await disk.open('first', 'create')
    await first.write([bytes(8)], 0)
    const second = await disk.open('second', 'create')
    const error = await second.write([bytes(1), bytes(4)], 0).catch((caught: unknown) => caught)
    expect(diskErrorCode(error)).toBe('ENOSPC')
    expect(second.size()).toBe(2)
    await first.write([bytes(8, 2)], 0)
    expect(await codeOf(first.truncate(9))).toBe('ENOSPC')
    await disk.remove('first')
    await second.write([bytes(4)], 1)
    expect(disk.usedBytes).toBe(5)
    disk.capacityBytes = 20
    await second.write([bytes(15)], 5)
    expect(await codeOf(second.write([bytes(1)], 30))).toBe('ENOSPC')
    expect(second.size()).toBe(20)
    expect(disk.usedBytes).toBe(20)
  })

  it('counts replaced, emptied, shortened and removed files out', async () => {
    const disk = new SimulatedDisk()
    await disk.makeDir('folder')
    for (const name of ['a', 'b', 'folder/c', 'd']) {
      await (await disk.open(name, 'create')).write([bytes(100)], 0)
    }
    await disk.rename('a', 'b')
    expect(disk.usedBytes).toBe(300)
    await disk.removeDir('folder')
    expect(disk.usedBytes).toBe(200)
    await (await disk.open('b', 'write')).truncate(30)
    expect(disk.usedBytes).toBe(130)
    await disk.open('d', 'create')
    expect(disk.usedBytes).toBe(30)
    expect(disk.clone().usedBytes).toBe(30)
  })
})

describe('the medium', () => {
  it('decays where told, also for a crash clone', async () => {
    const disk = new SimulatedDisk({ trackCrashes: true })
    const file = await disk.open('a', 'create')
    await file.write([bytes(3, 0)], 0)
    await file.sync()
    await disk.syncDir('')
    disk.corrupt('a', 1, 0x80)
    expect([...(await readFile(disk, 'a'))]).toEqual([0, 0x80, 0])
    const clone = disk.crashClone({ random: seededRandom(1), keep: 'synced' })
    expect([...(await readFile(clone, 'a'))]).toEqual([0, 0x80, 0])
    expect(() => disk.corrupt('a', 3)).toThrow('no byte 3 in a')
  })

  it('shows when a buffer is reused before its write has resolved', async () => {
    const disk = new SimulatedDisk()
    const file = await disk.open('a', 'create')
    const buffer = bytes(2, 1)
    const writing = file.write([buffer], 0)
    buffer.fill(9)
    await writing
    expect([...(await readFile(disk, 'a'))]).toEqual([9, 9])
  })
})

describe('the hook', () => {
  it('sees every operation before it takes effect, and may stop it', async () => {
    const disk = new SimulatedDisk()
    const seen: string[] = []
    disk.onOperation = (operation, path) => {
      seen.push(`${operation} ${path}`)
      if (operation === 'sync') throw new Error('stop the world')
    }
    const file = await disk.open('a', 'create')
    await file.write([bytes(1)], 0)
    await expect(file.sync()).rejects.toThrow('stop the world')
    expect(seen).toEqual(['open a', 'write a', 'sync a'])
    expect(disk.operationCount).toBe(3)
  })
})
