// The house rules that a machine can check (STYLE.md says which), applied to the whole project. Each check is a small
// function under tidy/, with a test of its own.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { checkArchitecture } from './tidy/architecture.js'
import { checkFileCircles, checkFolderCircles } from './tidy/circles.js'
import { checkDependencyOwners, checkOwnersComplete } from './tidy/dependencies.js'
import { checkImportForm } from './tidy/imports.js'
import { checkLadder } from './tidy/ladder.js'
import { checkFunctionLengths } from './tidy/long-functions.js'
import { checkModuleState } from './tidy/module-state.js'
import { checkPlatformOnly } from './tidy/platform-only.js'
import { checkReachability } from './tidy/reachability.js'
import {
  checkDefaultExports,
  checkFileLengths,
  checkFileNames,
  checkLeftovers,
  checkLineWidths,
  checkOpenings,
} from './tidy/shape.js'
import { readSources, type SourceFile } from './tidy/source.js'
import { checkUiLadder } from './tidy/ui-ladder.js'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const read = (name: string) => readFileSync(`${root}/${name}`, 'utf8')
// What is compiled to WebAssembly is another language: it has memory of its own, and imports without extensions.
const isKernel = ({ path }: SourceFile) => path.includes('/kernels/')
const sources = readSources(root, ['src'])
const src = sources.filter((file) => !isKernel(file))
const kernels = sources.filter(isKernel)
const all = [...src, ...readSources(root, ['test', 'bench'])]
const flux = readSources(root, ['src'], /\.flux$/)
const ui = readSources(root, ['ui/src'], /\.tsx?$/)

it('imports go down the ladder', () => {
  expect(checkLadder(src)).toEqual([])
})

it('imports of the UI go down its own ladder', () => {
  expect(checkUiLadder(ui)).toEqual([])
})

it('imports of folders make no circles', () => {
  expect(checkFolderCircles(src)).toEqual([])
})

it('imports of files make no circles but those of a grammar', () => {
  expect(checkFileCircles(src)).toEqual([])
})

it('packages are imported by their owners only', () => {
  expect(checkDependencyOwners(src)).toEqual([])
})

it('every dependency has an owner', () => {
  expect(checkOwnersComplete(JSON.parse(read('package.json')))).toEqual([])
})

it('modules hold no state', () => {
  expect(checkModuleState(src)).toEqual([])
})

it('disk, clock and randomness come from platform', () => {
  expect(checkPlatformOnly(src)).toEqual([])
})

it('imports have extensions and node: prefixes', () => {
  expect(checkImportForm(all)).toEqual([])
})

it('exports have names', () => {
  expect(checkDefaultExports(all)).toEqual([])
})

it('files are named by what they are about', () => {
  expect(checkFileNames([...all, ...kernels, ...ui])).toEqual([])
})

it('files open with their role', () => {
  expect(checkOpenings([...src, ...kernels, ...ui])).toEqual([])
})

it('lines are not too wide', () => {
  expect(checkLineWidths([...all, ...kernels, ...flux, ...ui])).toEqual([])
})

it('files are not too long', () => {
  expect(checkFileLengths([...all, ...flux, ...ui])).toEqual([])
})

it('functions are not too long', () => {
  expect(checkFunctionLengths(all, read('test/tidy/long-functions.txt'))).toEqual([])
})

it('nothing is left to do in src', () => {
  expect(checkLeftovers([...src, ...flux, ...ui])).toEqual([])
})

it('every file of src is used', () => {
  expect(checkReachability([...all, ...flux])).toEqual([])
})

it('ARCHITECTURE.md names every folder', () => {
  const text = existsSync(`${root}/ARCHITECTURE.md`) ? read('ARCHITECTURE.md') : undefined
  expect(checkArchitecture(src, text)).toEqual([])
  expect(text).toContain('`ui/`')
})
