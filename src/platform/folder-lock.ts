// One process per data folder. The lock is an exclusive transaction held open on an empty SQLite database, `LOCK`: a
// file lock that the kernel drops when the process ends, however it ends, so that none is ever left to clean up.
//
// Nothing else in this process may open `LOCK`: closing any descriptor of a file gives up its locks (POSIX). SQLite
// itself knows this and keeps count; a file copier would not.

import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DiskError, UserError } from '../errors.js'
import { diskFailure } from './disk-failure.js'
import { connect, type Database, sqliteCode } from './sqlite.js'

export interface FolderLock {
  /** For whoever finds the folder taken: where it is served. */
  tellUrl(url: string): void
  release(): void
}

/** Throws UserError `conflict` where the folder is taken. The folder must exist. */
export function lockFolder(folder: string): FolderLock {
  const path = `${folder}/LOCK`
  // The holder's process id, for the message to the one who comes too late. It decides nothing.
  const pidPath = `${folder}/LOCK.pid`
  const database = openLock(folder, path)
  try {
    take(database)
  } catch (error) {
    database.close()
    if (sqliteCode(error) === 'SQLITE_BUSY') throw takenBy(folder, readPid(pidPath))
    const reason = error instanceof Error ? error.message : String(error)
    throw new DiskError(path, `cannot lock data folder: ${reason}`, error)
  }
  try {
    writeFileSync(pidPath, `${process.pid}\n`)
  } catch (error) {
    drop(database)
    throw diskFailure('write', pidPath, error)
  }
  let held = true
  return {
    tellUrl(url) {
      if (held) writeFileSync(pidPath, `${process.pid}\n${url}\n`)
    },
    release() {
      if (!held) return
      held = false
      // Before the lock goes: afterwards the file may be the next holder's.
      rmSync(pidPath, { force: true })
      drop(database)
    },
  }
}

/** SQLite says only that it cannot open the file; the folder says why. */
function openLock(folder: string, path: string): Database {
  try {
    return connect(path)
  } catch (error) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK)
    } catch (reason) {
      throw diskFailure('write', folder, reason)
    }
    throw error
  }
}

// Only `exec`: a prepared statement that is not yet collected would keep the connection, and the lock, past `close`.
function take(database: Database): void {
  database.exec('PRAGMA busy_timeout = 0')
  database.exec('PRAGMA journal_mode = DELETE')
  database.exec('PRAGMA locking_mode = EXCLUSIVE')
  database.exec('BEGIN EXCLUSIVE')
}

function drop(database: Database): void {
  database.exec('ROLLBACK')
  database.close()
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    return pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** Where the one that holds the folder serves it; undefined: it does not say. */
export function servedAt(folder: string): string | undefined {
  try {
    return readFileSync(`${folder}/LOCK.pid`, 'utf8').split('\n')[1] || undefined
  } catch {
    return undefined
  }
}

function takenBy(folder: string, pid: number | undefined): UserError {
  if (pid === process.pid) {
    return new UserError('conflict', `data folder ${folder} is already open in this process`)
  }
  const holder = pid === undefined ? '' : ` (pid ${pid})`
  const message = `data folder ${folder} is in use by another Millrace process${holder}`
  return new UserError('conflict', message)
}
