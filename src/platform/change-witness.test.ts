// The count of changes beside a database: what it remembers over closing and opening, and that it never touches a file
// that is not its own, however often it is closed.

import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { ChangeWitness } from './change-witness.js'

function path(): string {
  const folder = mkdtempSync(`${tmpdir()}/millrace-witness-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return `${folder}/changes`
}

it('remembers the highest number, or the one it was reset to', () => {
  const file = path()
  const first = ChangeWitness.open(file)
  for (const number of [1, 2, 5, 4]) first.note(number)
  first.close()
  const second = ChangeWitness.open(file)
  expect(second.number).toBe(5)
  second.reset(3)
  second.close()
  const third = ChangeWitness.open(file)
  expect(third.number).toBe(3)
  third.close()
})

it('closed twice, it closes nobody else’s file, and writes into none', () => {
  const file = path()
  const witness = ChangeWitness.open(file)
  witness.close()
  const other = openSync(`${file}-other`, 'w+')
  witness.close()
  expect(() => witness.note(1)).toThrow('is closed')
  expect(fstatSync(other).size).toBe(0)
  closeSync(other)
})
