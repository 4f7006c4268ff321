// Reading sources: their paths, the part of the house they belong to, and their tokens.

import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isTest, partOf, readSources, source, tokensOf } from './source.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('finds the files of a folder, and none in a folder that is missing', () => {
  const paths = readSources(root, ['test', 'no-such-folder']).map((file) => file.path)
  expect(paths).toContain('test/tidy/source.test.ts')
  expect(paths.every((path) => path.startsWith('test/'))).toBe(true)
})

it('tells parts and tests apart', () => {
  expect(partOf('src/store/embedded/wal/format.ts')).toBe('store')
  expect(partOf('src/config.ts')).toBe('config.ts')
  expect(partOf('src/config.test.ts')).toBe('config.ts')
  expect(partOf('test/tidy.test.ts')).toBeUndefined()
  expect(isTest('src/platform/disk-contract.ts')).toBe(true)
  expect(isTest('src/platform/disk.test.ts')).toBe(true)
  expect(isTest('src/platform/disk.ts')).toBe(false)
})

it('names the file that cannot be read', () => {
  const broken = source('src/a.ts', 'f(\n[)')
  expect(() => tokensOf(broken)).toThrow('src/a.ts: cannot be read: bracket ) of line 2')
})
