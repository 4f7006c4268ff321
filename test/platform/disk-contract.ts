// What every Disk promises, as tests: run against the real disk and against the simulated one, so that whatever is
// tried in memory also holds on a machine. Each test gets a disk and a folder of its own to work in.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DiskError } from '../../src/errors.js'
import { type Disk, readFile, writeFileAtomically } from '../../src/platform/disk.js'
import { diskErrorCode } from '../../src/platform/disk-failure.js'

export interface DiskUnderTest {
  readonly disk: Disk
  /** Exists and is empty. */
  readonly folder: string
  readonly dispose: () => Promise<void>
}

const utf8 = new TextEncoder()
const bytes = (text: string) => utf8.encode(text)
const text = (content: Uint8Array) => new TextDecoder().decode(content)

export function runDiskContract(name: string, make: () => Promise<DiskUnderTest>): void {
  let tested: DiskUnderTest
  const here = () => tested
  describe(`${name} keeps the disk contract`, () => {
    beforeEach(async () => {
      tested = await make()
    })
    afterEach(() => tested.dispose())
    describe('reading and writing', () => {
      contentContract(here)
      handleContract(here)
    })
    describe('names', () => {
      nameContract(here)
      folderContract(here)
    })
    describe('failures', () => failureContract(here))
  })
}

function contentContract(here: () => DiskUnderTest): void {
  it('reads back what was written, in parts and in pieces', async () => {
    const { disk, folder } = here()
    const file = await disk.open(`${folder}/a`, 'create')
    await file.write([bytes('one '), bytes(''), bytes('two '), bytes('three')], 0)
    await file.write([bytes('TWO')], 4)
    expect(file.size()).toBe(13)
    const into = new Uint8Array(5)
    expect(file.readSync(into, 4)).toBe(5)
    expect(text(into)).toBe('TWO t')
    expect(file.readSync(into, 10)).toBe(3)
    expect(file.readSync(into, 13)).toBe(0)
    expect(file.readSync(into, 99)).toBe(0)
    await file.close()
    expect(text(await readFile(disk, `${folder}/a`))).toBe('one TWO three')
  })

  it('reads zeros where nothing was written', async () => {
    const { disk, folder } = here()
    const file = await disk.open(`${folder}/a`, 'create')
    await file.write([bytes('end')], 10)
    const into = new Uint8Array(13).fill(255)
    expect(file.readSync(into, 0)).toBe(13)
    expect([...into.subarray(0, 10)]).toEqual(Array(10).fill(0))
    await file.close()
  })

  it('shortens and lengthens', async () => {
    const { disk, folder } = here()
    const file = await disk.open(`${folder}/a`, 'create')
    await file.write([bytes('abcdef')], 0)
    await file.truncate(3)
    expect(file.size()).toBe(3)
    await file.truncate(5)
    await file.close()
    expect([...(await readFile(disk, `${folder}/a`))]).toEqual([97, 98, 99, 0, 0])
  })

  it('takes many parts and many bytes at once', async () => {
    const { disk, folder } = here()
    const parts = Array.from({ length: 3000 }, (_, i) => new Uint8Array(i % 1000).fill(i))
    const file = await disk.open(`${folder}/a`, 'create')
    await file.write(parts, 0)
    await file.close()
    const read = await readFile(disk, `${folder}/a`)
    expect(Buffer.compare(read, Buffer.concat(parts))).toBe(0)
  })

  it('puts a file in place as a whole', async () => {
    const { disk, folder } = here()
    await writeFileAtomically(disk, folder, 'a', bytes('first'))
    await writeFileAtomically(disk, folder, 'a', bytes('second'))
    expect(text(await readFile(disk, `${folder}/a`))).toBe('second')
    expect(await disk.list(folder)).toEqual(['a'])
  })
}

function handleContract(here: () => DiskUnderTest): void {
  it('opens an existing file without touching it, and empties it only on create', async () => {
    const { disk, folder } = here()
    await writeFileAtomically(disk, folder, 'a', bytes('kept'))
    const opened = await disk.open(`${folder}/a`, 'write')
    await opened.write([bytes('K')], 0)
    await opened.sync()
    await opened.close()
    expect(text(await readFile(disk, `${folder}/a`))).toBe('Kept')
    const created = await disk.open(`${folder}/a`, 'create')
    expect(created.size()).toBe(0)
    await created.close()
  })

  it('opens an existing file as a log, which is written and shortened like any other', async () => {
    const { disk, folder } = here()
    await writeFileAtomically(disk, folder, 'a', bytes('kept'))
    const parts = Array.from({ length: 3000 }, (_, i) => new Uint8Array(i % 10).fill(i))
    const file = await disk.open(`${folder}/a`, 'log')
    await file.write(parts, 4)
    const all = Buffer.concat([bytes('kept'), ...parts])
    expect(Buffer.compare(await readFile(disk, `${folder}/a`), all)).toBe(0)
    await file.truncate(4)
    await file.sync()
    await file.close()
    expect(text(await readFile(disk, `${folder}/a`))).toBe('kept')
    const missing = await disk.open(`${folder}/b`, 'log').catch((caught: unknown) => caught)
    expect(diskErrorCode(missing)).toBe('ENOENT')
  })

  it('keeps an open file readable after its name is gone', async () => {
    const { disk, folder } = here()
    await writeFileAtomically(disk, folder, 'a', bytes('still here'))
    const file = await disk.open(`${folder}/a`, 'read')
    await disk.remove(`${folder}/a`)
    expect(await disk.exists(`${folder}/a`)).toBe(false)
    const into = new Uint8Array(10)
    expect(file.readSync(into, 0)).toBe(10)
    expect(text(into)).toBe('still here')
    await file.close()
  })

  it('refuses a closed file and writing to one opened for reading', async () => {
    const { disk, folder } = here()
    await writeFileAtomically(disk, folder, 'a', bytes('x'))
    const file = await disk.open(`${folder}/a`, 'read')
    await expect(file.write([bytes('y')], 0)).rejects.toThrow(DiskError)
    await file.close()
    await file.close()
    expect(() => file.readSync(new Uint8Array(1), 0)).toThrow('cannot read: file is closed')
    expect(() => file.size()).toThrow(DiskError)
    await expect(file.sync()).rejects.toThrow('cannot sync: file is closed')
    expect(text(await readFile(disk, `${folder}/a`))).toBe('x')
  })
}

function nameContract(here: () => DiskUnderTest): void {
  it('renames over an existing file and into another folder', async () => {
    const { disk, folder } = here()
    await disk.makeDir(`${folder}/other`)
    await writeFileAtomically(disk, folder, 'a', bytes('a'))
    await writeFileAtomically(disk, folder, 'b', bytes('b'))
    await disk.rename(`${folder}/a`, `${folder}/b`)
    expect(await disk.list(folder)).toEqual(['b', 'other'])
    await disk.rename(`${folder}/b`, `${folder}/other/c`)
    expect(await disk.list(folder)).toEqual(['other'])
    expect(text(await readFile(disk, `${folder}/other/c`))).toBe('a')
  })

  it('removes files', async () => {
    const { disk, folder } = here()
    await writeFileAtomically(disk, folder, 'a', bytes('a'))
    await disk.remove(`${folder}/a`)
    await disk.syncDir(folder)
    expect(await disk.exists(`${folder}/a`)).toBe(false)
    expect(await disk.list(folder)).toEqual([])
  })
}

function folderContract(here: () => DiskUnderTest): void {
  it('lists names in order, and nothing for a folder that is not there', async () => {
    const { disk, folder } = here()
    for (const name of ['b', '10', 'B', '9', 'a']) {
      await (await disk.open(`${folder}/${name}`, 'create')).close()
    }
    expect(await disk.list(folder)).toEqual(['10', '9', 'B', 'a', 'b'])
    expect(await disk.list(`${folder}/none`)).toEqual([])
    expect(await disk.exists(`${folder}/none`)).toBe(false)
    expect(await disk.exists(`${folder}/a/under-a-file`)).toBe(false)
  })

  it('makes folders with their parents, also twice, and removes them with their content', async () => {
    const { disk, folder } = here()
    await disk.makeDir(`${folder}/x/y`)
    await disk.makeDir(`${folder}/x/y`)
    await writeFileAtomically(disk, `${folder}/x/y`, 'a', bytes('a'))
    expect(await disk.exists(`${folder}/x/y`)).toBe(true)
    await disk.removeDir(`${folder}/x`)
    await disk.removeDir(`${folder}/x`)
    expect(await disk.list(folder)).toEqual([])
  })

  it('moves a folder with what is in it', async () => {
    const { disk, folder } = here()
    await disk.makeDir(`${folder}/x`)
    await writeFileAtomically(disk, `${folder}/x`, 'a', bytes('moved'))
    await disk.rename(`${folder}/x`, `${folder}/y`)
    expect(text(await readFile(disk, `${folder}/y/a`))).toBe('moved')
    expect(await disk.list(folder)).toEqual(['y'])
  })
}

function failureContract(here: () => DiskUnderTest): void {
  it('says what failed, why, and on which file', async () => {
    const { disk, folder } = here()
    const missing = `${folder}/none`
    const failures: [() => Promise<unknown>, string][] = [
      [() => disk.open(missing, 'read'), 'cannot open: no such file or folder'],
      [() => disk.open(missing, 'write'), 'cannot open: no such file or folder'],
      [() => disk.open(`${missing}/a`, 'create'), 'no such file or folder'],
      [() => disk.remove(missing), 'cannot remove: no such file or folder'],
      [() => disk.rename(missing, `${folder}/a`), 'no such file or folder'],
      [() => disk.syncDir(missing), 'cannot sync folder: no such file or folder'],
    ]
    for (const [failing, message] of failures) {
      const error = await failing().catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(DiskError)
      expect((error as DiskError).message).toContain(message)
      expect((error as DiskError).file).toContain(missing)
      expect(diskErrorCode(error)).toBe('ENOENT')
    }
  })

  it('refuses a file in the place of a folder', async () => {
    const { disk, folder } = here()
    await writeFileAtomically(disk, folder, 'a', bytes('a'))
    await expect(disk.open(`${folder}/a/b`, 'create')).rejects.toThrow('not a folder')
    await expect(disk.list(`${folder}/a`)).rejects.toThrow('not a folder')
    await expect(disk.makeDir(`${folder}/a`)).rejects.toThrow('already exists')
    await expect(disk.open(folder, 'write')).rejects.toThrow('is a folder')
  })
}
