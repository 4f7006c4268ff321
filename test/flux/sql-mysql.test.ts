// `sql` against a real MariaDB: types of columns, errors in the server's words, writing in one transaction, and servers
// that speak nonsense.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatabaseProcesses } from '../../src/platform/outside-databases.js'
import { lyingServer } from './lying-server.js'
import { fluxError, type RunOptions, runFlux, runRows } from './run-flux.js'
import {
  buildSessionProgram,
  type DatabaseServer,
  databasesWith,
  mariadbMissing,
  type SessionProgram,
  startMariadb,
} from './sql-servers.js'

if (mariadbMissing !== undefined) console.warn(`sql with MariaDB is not tested: ${mariadbMissing}`)

describe.skipIf(mariadbMissing !== undefined)('sql with MariaDB', () => {
  let session: SessionProgram
  let server: DatabaseServer
  let databasesOutside: DatabaseProcesses
  let options: RunOptions

  beforeAll(async () => {
    session = await buildSessionProgram()
    server = await startMariadb()
    databasesOutside = databasesWith(session.program)
    options = { scope: { databasesOutside } }
  }, 120_000)
  afterAll(async () => {
    session?.cleanUp()
    await server?.stop()
  }, 60_000)

  const source = (parameters = '', login = 'flux:flux') =>
    `${login}@tcp(127.0.0.1:${server.port})/flux${parameters}`
  const from = (query: string, dsn = source()) =>
    `import "sql" sql.from(driverName: "mysql", dataSourceName: "${dsn}", query: ${JSON.stringify(query)})`
  const to = (table: string, batchSize = 10_000) =>
    `sql.to(driverName: "mysql", dataSourceName: "${source()}", table: "${table}", batchSize: ${batchSize})`
  const run = async (sql: string) => {
    const connection = await databasesOutside.connect(
      {
        kind: 'mysql',
        host: '127.0.0.1',
        port: server.port,
        user: 'flux',
        password: 'flux',
        database: 'flux',
        encryption: 'none',
        settings: new Map(),
        areTablesNamed: false,
      },
      new AbortController().signal,
    )
    await connection.execute(sql)
    await connection.close()
  }

  test('columns have the types that Flux gives them, and null stays null', async () => {
    await run(`CREATE TABLE kinds (a TINYINT, b SMALLINT, c INT, d BIGINT, e FLOAT, f DOUBLE,
      g DATETIME(6), h VARCHAR(20), i TEXT, j DECIMAL(6, 2), k DATE, l TIMESTAMP NULL, m INT UNSIGNED,
      n BLOB, o BOOL, p INT, q DATETIME)`)
    await run(`INSERT IGNORE INTO kinds VALUES (-1, 2, 3, 9223372036854775807, 1.5, 0.1,
      '2019-06-03 13:59:01.25', 'Grüße', 'x', 12.5, '2019-06-03', '2019-06-03 13:59:00', 4000000000,
      'AB', true, NULL, '0000-00-00 00:00:00')`)
    const [{ tables }] = await runFlux(from('SELECT * FROM kinds'), options)
    const types = tables[0].columns.map(({ name, type }) => `${name} ${type}`)
    expect(types.join(', ')).toBe(
      'a int, b int, c int, d int, e float, f float, g time, h string, i string, j string, k string, ' +
        'l string, m string, n string, o int, p int, q time',
    )
    expect(Object.fromEntries(tables[0].rows[0])).toEqual({
      a: -1n,
      b: 2n,
      c: 3n,
      d: 9223372036854775807n,
      e: 1.5,
      f: 0.1,
      g: 1559570341250000000n,
      h: 'Grüße',
      i: 'x',
      j: '12.50',
      k: '2019-06-03',
      l: '2019-06-03 13:59:00',
      m: '4000000000',
      n: 'AB',
      o: 1n,
      p: null,
      q: null,
    })
  })

  test('many rows come in order, and a reader that has enough ends the session', async () => {
    const query = 'SELECT seq AS _value FROM seq_1_to_20000'
    const numbers = `${from(query)} |> map(fn: (r) => ({_value: int(v: r._value)}))`
    expect(await runRows(`${numbers} |> sum()`, options)).toEqual([{ _value: 200010000n }])
    expect(await runRows(`${numbers} |> limit(n: 2)`, options)).toEqual([
      { _value: 1n },
      { _value: 2n },
    ])
  })

  test('statements without rows, and tables without rows', async () => {
    const [{ tables }] = await runFlux(from('SELECT 1 AS a FROM dual WHERE false'), options)
    expect(tables[0].columns.map(({ name }) => name)).toEqual(['a'])
    expect(tables[0].rows).toEqual([])
    expect((await runFlux(from('SET @a = 1'), options)).flatMap((result) => result.tables)).toEqual(
      [],
    )
  })

  test('failures are told in the words of the server', async () => {
    expect(await fluxError(from('SELECT * FROM nowhere'), options)).toMatch(
      /Error 1146 \(42S02\): Table 'flux.nowhere' doesn't exist$/,
    )
    expect(await fluxError(from('SELECT 1; SELECT 2'), options)).toContain('Error 1064 (42000)')
    expect(await fluxError(from('SELECT 1', source('', 'flux:wrong')), options)).toContain(
      'Error 1045 (28000): Access denied for user',
    )
    expect(await fluxError(from('SELECT 1', source('?nonsense=1')), options)).toContain(
      "Unknown system variable 'nonsense'",
    )
    expect(
      await fluxError(from("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE kinds"), options),
    ).toMatch(/Error \d+/)
    expect(await fluxError(from('SELECT 1', source('?tls=true')), options)).toContain(
      'runtime error',
    )
  })

  test('settings of the session and names of tables come from the source', async () => {
    await run('CREATE TABLE named (a INT)')
    await run('INSERT INTO named VALUES (1)')
    expect(
      await runRows(from('SELECT a FROM named', source('?columnsWithAlias=true')), options),
    ).toEqual([{ 'named.a': 1n }])
    const dsn = source('?sql_mode=%27ANSI_QUOTES%27&parseTime=true')
    expect(await runRows(from('SELECT @@sql_mode AS a', dsn), options)).toEqual([
      { a: 'ANSI_QUOTES' },
    ])
  })

  test('what is written can be read back', async () => {
    const text = `import "sql" import "array"
      array.from(rows: [
        {name: "O'Hara", age: 9007199254740993, height: 1.5, at: 2019-06-03T13:59:01Z, ok: true, n: uint(v: 7)},
        {name: "\\\\ \\"", age: -1, height: -0.25, at: 1960-01-01T00:00:00Z, ok: false, n: uint(v: 0)},
      ]) |> ${to('back and `forth')}`
    const rows = await runRows(text, options)
    const back = await runRows(from('SELECT * FROM `back and ``forth` ORDER BY age DESC'), options)
    // There is no type for truth values.
    expect(back).toEqual(rows.map((row) => ({ ...row, ok: row.ok === true ? 1n : 0n })))
  })

  test('rows without values, in batches of several statements', async () => {
    const numbers = `import "sql" import "generate" import "internal/debug"
      generate.from(count: 1000, fn: (n) => n, start: 2020-01-01T00:00:00Z, stop: 2020-01-02T00:00:00Z)
        |> map(fn: (r) => ({r with half: if r._value % 2 == 0 then r._value else debug.null(type: "int")}))`
    await runFlux(`${numbers} |> ${to('many', 7)}`, options)
    const query = 'SELECT count(*) AS a, count(half) AS b FROM many'
    expect(await runRows(from(query), options)).toEqual([{ a: 1000n, b: 500n }])
  })

  test('a table is written as a whole or not at all', async () => {
    await run('CREATE TABLE strict (_value BIGINT CHECK (_value < 900))')
    const text = `import "sql" import "generate"
      generate.from(count: 1000, fn: (n) => n, start: 2020-01-01T00:00:00Z, stop: 2020-01-02T00:00:00Z)
        |> keep(columns: ["_value"]) |> ${to('strict', 10)}`
    expect(await fluxError(text, options)).toMatch(/Error 4025 \(23000\): CONSTRAINT/)
    expect(await runRows(from('SELECT count(*) AS a FROM strict'), options)).toEqual([{ a: 0n }])
  })

  test('names of columns are never part of a statement', async () => {
    await run('CREATE TABLE `pet info` (a INT)')
    const evil = `import "sql" import "array"
      array.from(rows: [{"x\` INT);drop table \`pet info\`;--": 1}]) |> ${to('injection', 1)}`
    await runFlux(evil, options)
    expect(await runRows(from('SELECT count(*) AS n FROM `pet info`'), options)).toEqual([
      { n: 0n },
    ])
  })

  test('an abort ends a query that would take long, limits end those that go on', async () => {
    const abort = new AbortController()
    const running = runFlux(from('SELECT sleep(600)'), { ...options, signal: abort.signal })
    setTimeout(() => abort.abort(new Error('enough')), 500)
    await expect(running).rejects.toThrow('enough')
    const limits = { receivedBytesMax: 1_000_000 }
    const limited = { scope: { databasesOutside: databasesWith(session.program, { limits }) } }
    const large = "SELECT repeat('x', 100000) AS a FROM seq_1_to_5000"
    expect(await fluxError(from(large), limited)).toContain(
      'the answer is larger than 1000000 bytes',
    )
  })

  test('a server that speaks nonsense ends only its session', async () => {
    for (const answer of [
      '',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      '\x05\0\0\0\x0a5.5\0',
      '\xff\xff\xff\0\x0a',
    ]) {
      const liar = await lyingServer(Buffer.from(answer, 'latin1'), 'greets')
      const dsn = `a:b@tcp(127.0.0.1:${liar.port})/c`
      expect(await fluxError(from('SELECT 1', dsn), options)).toContain('runtime error')
      liar.close()
    }
  })
})
