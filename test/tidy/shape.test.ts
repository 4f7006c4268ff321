// Names, openings, widths, lengths, leftovers and default exports: a file that passes and one that does not for each.

import { expect, it } from 'vitest'
import {
  checkDefaultExports,
  checkFileLengths,
  checkFileNames,
  checkLeftovers,
  checkLineWidths,
  checkOpenings,
} from './shape.js'
import { source } from './source.js'

const count = (check: typeof checkOpenings, path: string, text: string) =>
  check([source(path, text)]).length

it('refuses names that say nothing', () => {
  for (const path of ['src/utils.ts', 'src/a/helpers.test.ts', 'test/common/x.ts', 'src/util.ts']) {
    expect(count(checkFileNames, path, '')).toBe(1)
  }
  for (const path of ['src/a/common-prefix.ts', 'src/commonplace.ts', 'src/a/miscount.ts']) {
    expect(count(checkFileNames, path, '')).toBe(0)
  }
})

it('asks for an opening of two lines', () => {
  const good = [
    '// One.\n// Two.\n\ncode()',
    '/*\n * One.\n * Two.\n */',
    '#!/bin/x\n// 1 a\n// 2 b',
  ]
  for (const text of good) expect(count(checkOpenings, 'src/a.ts', text)).toBe(0)
  const bad = ['', '// One.\n\n// Two.', '// One.\n//\ncode()', '\n// One.\n// Two.', '/* One. */']
  for (const text of bad) expect(count(checkOpenings, 'src/a.ts', text)).toBe(1)
})

it('refuses lines of more than 120 columns', () => {
  const text = `${'x'.repeat(120)}\n${'x'.repeat(121)}`
  expect(checkLineWidths([source('src/a.ts', text)])).toEqual([
    'src/a.ts:2: 121 columns, at most 120',
  ])
})

it('refuses files of more than 600 lines without a reason', () => {
  expect(count(checkFileLengths, 'src/a.ts', 'x\n'.repeat(600))).toBe(0)
  expect(count(checkFileLengths, 'src/a.ts', 'x\n'.repeat(601))).toBe(1)
  expect(count(checkFileLengths, 'src/a.ts', `// length: one table\n${'x\n'.repeat(700)}`)).toBe(0)
  expect(count(checkFileLengths, 'src/a.ts', `${'x\n'.repeat(700)}// length: too late`)).toBe(1)
})

it('refuses leftovers', () => {
  // Put together here, so that nobody who searches for leftovers finds this file.
  const marker = ['TO', 'DO'].join('')
  expect(checkLeftovers([source('src/a.ts', `ok\n// ${marker}: later`)])).toEqual([
    `src/a.ts:2: ${marker} left behind`,
  ])
  expect(count(checkLeftovers, 'src/a.ts', `const ${marker}S = 1`)).toBe(0)
})

it('refuses default exports', () => {
  expect(count(checkDefaultExports, 'src/a.ts', 'export default 1')).toBe(1)
  expect(count(checkDefaultExports, 'src/a.ts', "export const a = 'export default 1'")).toBe(0)
})
