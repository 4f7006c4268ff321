// What is kept of a program is used at its next start, and what does not fit it is left alone: damage, another
// program's, or none at all. Further texts wait until they are needed.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

const parts = (name: string) => {
  const [begin, end] = ['(function(exports,require,module,__filename,__dirname){', '})']
  const file = join(folder, `${name}.cjs`)
  const first = `const base={};exports.modules={base:()=>base};
  exports.isSame=()=>require('part:${name}-later:a').base===base`
  const later = `exports.modules={a:()=>({base:require('part:${name}:base')})}`
  writeFileSync(file, `${begin}${first}${end}`)
  return {
    file,
    writeLater: () => writeFileSync(join(folder, `${name}-later.cjs`), `${begin}${later}${end}`),
  }
}

it('loads a second text when one of its modules is needed, which has those of the first', () => {
  const { file, writeLater } = parts('needed')
  const { exports, keepCompiled } = loadProgram<{ isSame(): boolean }>(file)
  // It would have failed if it had been read already.
  writeLater()
  expect(exports.isSame()).toBe(true)
  keepCompiled()
  expect(readdirSync(folder).filter((name) => /^needed.*cache$/.test(name))).toHaveLength(2)
})

it('keeps nothing of a second text that was not needed', () => {
  const { file, writeLater } = parts('waiting')
  writeLater()
  loadProgram(file).keepCompiled()
  expect(readdirSync(folder).filter((name) => /^waiting.*cache$/.test(name))).toEqual([
    'waiting.cjs.cache',
  ])
})
