// The file of refused lines: a reason before each batch, and bounded by making room beside itself.
// On a disk in memory.

import { expect, it } from 'vitest'
import { readFile } from '../../platform/disk.js'
import { MemoryDisk } from '../../platform/memory-disk.js'
import { RefusedLines } from './refused-lines.js'

it('keeps lines with their reason, and of full files the last two', async () => {
  const disk = new MemoryDisk()
  await disk.makeDir('q')
  const refused = new RefusedLines(disk, 'q', 40)
  const text = async (name: string) => Buffer.from(await readFile(disk, `q/${name}`)).toString()
  await refused.add('m f=1 1\n', 'wrong\ntype')
  expect(await text('refused.lp')).toBe('# wrong type\nm f=1 1\n')
  await refused.add('m f=2 2\n', 'no')
  expect(await text('refused.lp')).toBe('# wrong type\nm f=1 1\n# no\nm f=2 2\n')
  await refused.add('m f=3 3\n', 'no')
  expect(await text('refused.older.lp')).toBe('# wrong type\nm f=1 1\n# no\nm f=2 2\n')
  expect(await text('refused.lp')).toBe('# no\nm f=3 3\n')
})
