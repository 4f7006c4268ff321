// A database opened here keeps what it committed, has the settings it promises, tells a file that is no database from
// one that cannot be opened, and runs a statement any number of times after preparing it once.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
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

describe('prepared statements', () => {
  function open() {
    const database = openDatabase(':memory:')
    database.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)')
    onTestFinished(() => database.close())
    return database
  }

  const insert = 'INSERT INTO t VALUES (?, ?)'
  const select = 'SELECT * FROM t ORDER BY a'

  it('are kept, and see later rows and columns', () => {
    const database = open()
    expect(database.prepare(select)).toBe(database.prepare(select))
    database.prepare(insert).run([1, 'one'])
    expect(database.prepare(select).all()).toEqual([{ a: 1, b: 'one' }])
    database.prepare('ALTER TABLE t ADD COLUMN c TEXT').run()
    expect(database.prepare(select).all()).toEqual([{ a: 1, b: 'one', c: null }])
  })

  it('work again after they failed', () => {
    const database = open()
    database.prepare(insert).run([1, 'one'])
    for (const value of ['other', 'another']) {
      const error = caught(() => database.prepare(insert).run([1, value]))
      expect(sqliteCode(error)).toMatch(/^SQLITE_CONSTRAINT/)
    }
    database.prepare(insert).run([2, 'two'])
    expect(database.prepare(select).all()).toHaveLength(2)
    expect(caught(() => database.prepare('SELECT * FROM none'))).toBeInstanceOf(Error)
  })

  it('leave when others are used more', () => {
    const database = open()
    const [rare, often] = ['SELECT 1 AS rare', 'SELECT 2 AS often']
    const [rareBefore, oftenBefore] = [database.prepare(rare), database.prepare(often)]
    for (let i = 0; i < 600; i++) {
      database.prepare(`SELECT ${i} AS n`)
      database.prepare(often)
    }
    expect(database.prepare(often)).toBe(oftenBefore)
    expect(database.prepare(rare)).not.toBe(rareBefore)
    expect(database.prepare(rare).all()).toEqual([{ rare: 1 }])
  })

  it('may be asked again while somebody takes row by row', () => {
    const database = open()
    for (let i = 0; i < 300; i++) database.prepare(insert).run([i, 'x'])
    const rows = database.prepare(select).iterate()
    expect(rows.next().value).toMatchObject({ a: 0 })
    expect(database.prepare(select).all()).toHaveLength(300)
    expect([...rows]).toHaveLength(299)
  })
})
