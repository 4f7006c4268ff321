// A database opened here keeps what it committed, has the settings it promises, and tells a file that is no database
// from one that cannot be opened.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, describe, expect, it } from 'vitest'
import { CorruptionError, DiskError } from '../errors.js'
import { openDatabase, sqliteCode } from './sqlite.js'

const folder = mkdtempSync(`${tmpdir()}/millrace-sqlite-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function caught(run: () => unknown): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

describe('openDatabase', () => {
  it('has durable commits, a write-ahead log and foreign keys', () => {
    const database = openDatabase(`${folder}/settings.db`)
    expect(database.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }])
    expect(database.prepare('PRAGMA synchronous').all()).toEqual([{ synchronous: 2 }])
    expect(database.prepare('PRAGMA foreign_keys').all()).toEqual([{ foreign_keys: 1 }])
    database.close()
  })

  it('keeps rows, in a file and in memory', () => {
    for (const path of [`${folder}/rows.db`, ':memory:']) {
      const database = openDatabase(path)
      database.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)')
      const insert = database.prepare('INSERT INTO t VALUES (?, ?)')
      expect(insert.reader).toBe(false)
      expect(insert.run([1, 'one']).changes).toBe(1)
      insert.run([2, null])
      const select = database.prepare('SELECT a, b FROM t ORDER BY a')
      expect(select.reader).toBe(true)
      expect(select.all()).toEqual([
        { a: 1, b: 'one' },
        { a: 2, b: null },
      ])
      database.close()
    }
    const again = openDatabase(`${folder}/rows.db`)
    expect(again.prepare('SELECT count(*) AS n FROM t').all()).toEqual([{ n: 2 }])
    expect(sqliteCode(caught(() => again.exec('INSERT INTO t VALUES (1, 1)')))).toMatch(
      /^SQLITE_CONSTRAINT/,
    )
    again.close()
  })

  it('tells a damaged file from a missing folder', () => {
    writeFileSync(
      `${folder}/junk.db`,
      'this is not a database, however long one looks at it'.repeat(9),
    )
    expect(caught(() => openDatabase(`${folder}/junk.db`))).toBeInstanceOf(CorruptionError)
    expect(caught(() => openDatabase(`${folder}/none/x.db`))).toBeInstanceOf(DiskError)
  })
})
