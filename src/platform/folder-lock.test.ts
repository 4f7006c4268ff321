// One holder per folder: within a process, between processes, and free again when the holder is killed. The other
// process takes the lock by the same statements through the package itself, as TypeScript does not run there.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DiskError, UserError } from '../errors.js'
import { lockFolder } from './folder-lock.js'

const program = `
  const Database = require('libsql')
  const folder = process.argv[1]
  try {
    const database = new Database(folder + '/LOCK')
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    require('node:fs').writeFileSync(folder + '/LOCK.pid', String(process.pid))
    console.log('held')
    setInterval(() => database.open, 1000)
  } catch (error) {
    console.log(error.code)
  }
`

let folder: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/millrace-lock-`)
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a process that takes the lock; resolves with it and its first words. */
async function startHolder(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, ['-e', program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [said] = await once(child.stdout!, 'data')
  return { child, said: String(said).trim() }
}

describe('lockFolder', () => {
  it('excludes a second opener in the same process until released', () => {
    const lock = lockFolder(folder)
    expect(() => lockFolder(folder)).toThrow(`data folder ${folder} is already open`)
    expect(() => lockFolder(folder)).toThrow(UserError)
    lock.release()
    lock.release()
    expect(existsSync(`${folder}/LOCK.pid`)).toBe(false)
    lockFolder(folder).release()
  })

  it('is not given up by somebody who fails to take it', async () => {
    const lock = lockFolder(folder)
    expect(() => lockFolder(folder)).toThrow('already open')
    expect((await startHolder()).said).toBe('SQLITE_BUSY')
    lock.release()
    expect((await startHolder()).said).toBe('held')
  })

  it('names the process that holds it, and is free once that is killed', async () => {
    const { child, said } = await startHolder()
    expect(said).toBe('held')
    expect(() => lockFolder(folder)).toThrow(
      `data folder ${folder} is in use by another Millrace process (pid ${child.pid})`,
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockFolder(folder).release()
  })

  it('says so when the folder is not there', () => {
    expect(() => lockFolder(`${folder}/none`)).toThrow(DiskError)
  })
})
