// `sql` with SQLite files: only those of the folder that is set apart for scripts, and only what a script may do there.

import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/platform/sqlite.js'
import { fluxError, type RunOptions, runFlux, runRows } from './run-flux.js'
import {
  buildSessionProgram,
  databasesWith,
  type SessionProgram,
  temporaryFolder,
} from './sql-servers.js'

describe('sql with SQLite', () => {
  let session: SessionProgram
  let options: RunOptions
  const folder = temporaryFolder()
  const outside = temporaryFolder()

  beforeAll(async () => {
    session = await buildSessionProgram()
    const databasesOutside = databasesWith(session.program, { sqliteFolder: folder.path })
    options = { scope: { databasesOutside } }
    for (const place of [folder.path, outside.path]) {
      const database = openDatabase(`${place}/pets.db`)
      database.exec(
        'CREATE TABLE pets (name TEXT, age INT, seeded BOOL, born DATETIME, weight FLOAT, extra)',
      )
      database.exec(`INSERT INTO pets VALUES ('Stanley', 15, true, '2009-01-02 03:04:05.5', 4.5, 'x'),
        ('Lucy', 9007199254740993, false, 1230865445, 5, 1), (NULL, NULL, NULL, NULL, NULL, NULL)`)
      database.close()
    }
  }, 60_000)
  afterAll(() => {
    session.cleanUp()
    folder.cleanUp()
    outside.cleanUp()
  })

  const from = (query: string, dsn = 'pets.db') =>
    `import "sql" sql.from(driverName: "sqlite3", dataSourceName: "${dsn}", query: ${JSON.stringify(query)})`
  const to = (table: string, dsn = 'file:pets.db') =>
    `sql.to(driverName: "sqlite3", dataSourceName: "${dsn}", table: "${table}", batchSize: 999)`

  test('columns have the types that they were declared with', async () => {
    const [{ tables }] = await runFlux(from('SELECT * FROM pets'), options)
    expect(tables[0].columns.map(({ name, type }) => `${name} ${type}`).join(', ')).toBe(
      'name string, age int, seeded int, born time, weight float, extra string',
    )
    expect(tables[0].rows.map((row) => [...row.values()])).toEqual([
      ['Stanley', 15n, 1n, 1230865445500000000n, 4.5, 'x'],
      ['Lucy', 9007199254740993n, 0n, 1230865445000000000n, 5, '1'],
      [null, null, null, null, null, null],
    ])
  })

  test('expressions are what their first value is', async () => {
    const query = 'SELECT count(*) AS a, avg(weight) AS b, max(name) AS c, NULL AS d FROM pets'
    expect(await runRows(from(query), options)).toEqual([{ a: 3n, b: 4.75, c: 'Stanley', d: null }])
  })

  test('a value that is not of its column is an error', async () => {
    const text = `import "sql" import "array"
      array.from(rows: [{a: 1}]) |> ${to('loose')}`
    await runFlux(text, options)
    const database = openDatabase(`${folder.path}/pets.db`)
    database.exec("INSERT INTO loose VALUES ('one')")
    database.close()
    expect(await fluxError(from('SELECT * FROM loose'), options)).toContain(
      'column a: "one" is not of type int',
    )
  })

  test('text that is no UTF-8 ends the program that reads it at most, with an error', async () => {
    const text = "SELECT CAST(X'68FF' AS TEXT) AS a"
    expect(await fluxError(from(text), options)).toContain('ended unexpectedly')
    expect(await runRows(from('SELECT 1 AS a'), options)).toEqual([{ a: 1n }])
  })

  test('what is written can be read back', async () => {
    const text = `import "sql" import "array"
      array.from(rows: [
        {name: "O'Hara", age: 9007199254740993, height: 1.5, at: 2019-06-03T13:59:01.123456789Z},
        {name: "\\"", age: -1, height: -0.25, at: 1960-01-01T00:00:00Z},
      ]) |> ${to('back and \\"forth', 'inner/new.db')}`
    const rows = await runRows(text, options)
    const query = 'SELECT * FROM "back and ""forth" ORDER BY age DESC'
    expect(await runRows(from(query, 'file:inner/new.db?mode=ro'), options)).toEqual(rows)
    const absolute = `file://${folder.path}/inner/new.db`
    expect(await runRows(from(query, absolute), options)).toEqual(rows)
    const truths = `import "sql" import "array" array.from(rows: [{a: true}]) |> ${to('truths')}`
    expect(await fluxError(truths, options)).toContain('SQLite does not support column type bool')
  })

  test('files elsewhere are not there, whichever way they are named', async () => {
    symlinkSync(`${outside.path}/pets.db`, `${folder.path}/link.db`)
    symlinkSync(outside.path, `${folder.path}/linked`)
    writeFileSync(
      `${folder.path}/notes.txt`,
      'this is no database, but it is long enough to be read as one',
    )
    const names = [
      `${outside.path}/pets.db`,
      `file:${outside.path}/pets.db`,
      '../pets.db',
      'inner/../../pets.db',
      'link.db',
      'linked/pets.db',
      'file:%2e%2e/pets.db',
      'none.db',
      'inner',
      '.',
    ]
    for (const name of names) {
      expect(await fluxError(from('SELECT 1', name), options), name).toContain(
        'unable to open database file: no such file or directory',
      )
    }
    expect(existsSync(`${folder.path}/none.db`)).toBe(false)
    expect(await fluxError(from('SELECT * FROM pets', 'notes.txt'), options)).toMatch(
      /runtime error .*not a database/,
    )
    const made = `import "sql" import "array" array.from(rows: [{a: 1}]) |> ${to('t', '../made.db')}`
    expect(await fluxError(made, options)).toContain('unable to open database file')
  })

  test('without a folder there is no SQLite', async () => {
    const closed = { scope: { databasesOutside: databasesWith(session.program) } }
    for (const dsn of ['pets.db', ':memory:', 'file::memory:']) {
      expect(await fluxError(from('SELECT 1', dsn), closed)).toContain(
        'sql driver sqlite3 not supported: no folder is set for it',
      )
    }
    expect(await runRows(from('SELECT 1 AS a', ':memory:'), options)).toEqual([{ a: 1n }])
  })

  test('only questions are asked, and they change nothing', async () => {
    const refused = [
      `ATTACH '${outside.path}/pets.db' AS other`,
      `VACUUM INTO '${outside.path}/copy.db'`,
      'PRAGMA query_only = OFF',
      "INSERT INTO pets (name) VALUES ('Sophie')",
      `/* SELECT */ ATTACH '${outside.path}/pets.db' AS other`,
    ]
    for (const statement of refused) {
      expect(await fluxError(from(statement), options), statement).toContain(
        'only SELECT statements can be run on SQLite databases',
      )
    }
    expect(
      await fluxError(from('WITH a AS (SELECT 1) DELETE FROM pets RETURNING name'), options),
    ).toContain('readonly')
    expect(await fluxError(from('SLECT name FROM pets'), options)).toContain('syntax error')
    expect(await fluxError(from("SELECT load_extension('x')"), options)).toContain('not authorized')
    expect(await runRows(from('-- how many\n SELECT count(*) AS n FROM pets'), options)).toEqual([
      { n: 3n },
    ])
    expect(
      await runRows(from(`SELECT 1 AS a; ATTACH '${outside.path}/x.db' AS x`), options),
    ).toEqual([{ a: 1n }])
    expect(existsSync(`${outside.path}/copy.db`)).toBe(false)
  })

  test('so many sessions at once, and each that ends makes room', async () => {
    const limits = { sessionsMax: 1 }
    const databasesOutside = databasesWith(session.program, { sqliteFolder: folder.path, limits })
    const target = { kind: 'sqlite', path: undefined, access: 'read' } as const
    const { signal } = new AbortController()
    const first = await databasesOutside.connect(target, signal)
    await expect(databasesOutside.connect(target, signal)).rejects.toThrow(
      'sql: 1 sessions with databases are under way',
    )
    await first.close()
    await (await databasesOutside.connect(target, signal)).close()
  })

  test('a question without an end is ended', async () => {
    const endless =
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) AS n FROM c'
    const abort = new AbortController()
    const running = runFlux(from(endless), { ...options, signal: abort.signal })
    setTimeout(() => abort.abort(new Error('enough')), 500)
    await expect(running).rejects.toThrow('enough')
    const limits = { sessionSecondsMax: 1 }
    const databasesOutside = databasesWith(session.program, { sqliteFolder: folder.path, limits })
    expect(await fluxError(from(endless), { scope: { databasesOutside } })).toContain(
      'sql: the session took longer than 1 seconds',
    )
  })
})
