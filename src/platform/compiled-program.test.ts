// What is kept of a program is used at its next start, and what does not fit it is left alone: damage, another
// program's, or none at all.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadProgram } from './compiled-program.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-compiled-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Program {
  double(value: number): number
  readonly from: string
}

const text = (factor: number) =>
  `(function(exports,require,module,__filename,__dirname){const path=require('node:path');module.exports={
  double:(value)=>value*${factor},from:path.basename(__filename)}})`

function written(name: string, factor: number): string {
  const file = join(folder, name)
  writeFileSync(file, text(factor))
  return file
}

it('runs a program with what it requires', () => {
  const { exports, wasCompiled } = loadProgram<Program>(written('a.cjs', 2))
  expect([exports.double(4), exports.from, wasCompiled]).toEqual([8, 'a.cjs', false])
})

it('begins with what was compiled before', () => {
  const file = written('b.cjs', 3)
  loadProgram<Program>(file).keepCompiled()
  const { exports, wasCompiled } = loadProgram<Program>(file)
  expect([exports.double(4), wasCompiled]).toEqual([12, true])
})

it('compiles from the text what was kept of another one, or is damaged', () => {
  const file = written('c.cjs', 4)
  loadProgram<Program>(file).keepCompiled()
  const kept = readFileSync(`${file}.cache`)
  writeFileSync(file, text(5_000))
  const other = loadProgram<Program>(file)
  expect([other.exports.double(1), other.wasCompiled]).toEqual([5_000, false])
  const damages = [kept.subarray(0, 40), Buffer.alloc(kept.length), Buffer.alloc(0)]
  for (const [index, damage] of damages.entries()) {
    // V8 would know a text again that it has compiled itself, whatever was kept.
    const fresh = written(`damaged-${index}.cjs`, 6 + index)
    writeFileSync(`${fresh}.cache`, damage)
    const { exports, wasCompiled } = loadProgram<Program>(fresh)
    expect([exports.double(1), wasCompiled]).toEqual([6 + index, false])
  }
})
