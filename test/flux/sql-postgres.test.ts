// `sql` against a real PostgreSQL: types of columns, errors in the server's words, writing in one transaction,
// encryption, limits, and servers that speak nonsense.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatabaseProcesses } from '../../src/platform/outside-databases.js'
import { lyingServer } from './lying-server.js'
import { fluxError, type RunOptions, runFlux, runRows } from './run-flux.js'
import {
  buildSessionProgram,
  type DatabaseServer,
  databasesWith,
  postgresMissing,
  type SessionProgram,
  startPostgres,
} from './sql-servers.js'

if (postgresMissing !== undefined)
  console.warn(`sql with PostgreSQL is not tested: ${postgresMissing}`)

describe.skipIf(postgresMissing !== undefined)('sql with PostgreSQL', () => {
  let session: SessionProgram
  let server: DatabaseServer
  let databasesOutside: DatabaseProcesses
  let options: RunOptions

  beforeAll(async () => {
    session = await buildSessionProgram()
    server = await startPostgres()
    databasesOutside = databasesWith(session.program)
    options = { scope: { databasesOutside } }
  }, 120_000)
  afterAll(async () => {
    session?.cleanUp()
    await server?.stop()
  }, 60_000)

  const source = (parameters = 'sslmode=disable', login = 'flux:flux') =>
    `postgres://${login}@127.0.0.1:${server.port}/flux?${parameters}`
  const from = (query: string, dsn = source()) =>
    `import "sql" sql.from(driverName: "postgres", dataSourceName: "${dsn}", query: ${JSON.stringify(query)})`
  const run = async (sql: string) => {
    const target = new URL(source())
    const connection = await databasesOutside.connect(
      {
        kind: 'postgres',
        host: '127.0.0.1',
        port: Number(target.port),
        user: 'flux',
        password: 'flux',
        database: 'flux',
        encryption: 'none',
        settings: new Map(),
      },
      new AbortController().signal,
    )
    await connection.execute(sql)
    await connection.close()
  }

  test('columns have the types that Flux gives them, and null stays null', async () => {
    const query = `SELECT 1::int2 AS a, 2147483647::int4 AS b, 9223372036854775807::int8 AS c,
      1.5::float4 AS d, 'NaN'::float8 AS e, true AS f, 'x'::text AS g, 'y'::varchar(3) AS h,
      '2019-06-03 13:59:01.25'::timestamp AS i, '2019-06-03'::date AS j,
      '2019-06-03 13:59:01+02'::timestamptz AS k, 12.50::numeric AS l, '\\x4142'::bytea AS m,
      '{"a": 1}'::json AS n, '13:59'::time AS o, NULL::int4 AS p, NULL::text AS q`
    const [{ tables }] = await runFlux(from(query), options)
    const types = tables[0].columns.map(({ name, type }) => `${name} ${type}`)
    expect(types.join(', ')).toBe(
      'a int, b int, c int, d float, e float, f bool, g string, h string, i time, j time, k time, ' +
        'l string, m string, n string, o string, p int, q string',
    )
    expect(Object.fromEntries(tables[0].rows[0])).toEqual({
      a: 1n,
      b: 2147483647n,
      c: 9223372036854775807n,
      d: 1.5,
      e: Number.NaN,
      f: true,
      g: 'x',
      h: 'y',
      i: 1559570341250000000n,
      j: 1559520000000000000n,
      k: 1559563141000000000n,
      l: '12.50',
      m: 'AB',
      n: '{"a": 1}',
      o: '13:59:00',
      p: null,
      q: null,
    })
  })

  test('many rows come in order, and a reader that has enough ends the session', async () => {
    const query = 'SELECT i AS _value FROM generate_series(1, 20000) AS i'
    expect(await runRows(`${from(query)} |> sum()`, options)).toEqual([{ _value: 200010000n }])
    expect(await runRows(`${from(query)} |> limit(n: 2)`, options)).toEqual([
      { _value: 1n },
      { _value: 2n },
    ])
  })

  test('a query without rows gives an empty table of its columns', async () => {
    const [{ tables }] = await runFlux(from('SELECT 1 AS a WHERE false'), options)
    expect(tables).toHaveLength(1)
    expect(tables[0].columns.map(({ name }) => name)).toEqual(['a'])
    expect(tables[0].rows).toEqual([])
  })

  test('failures are told in the words of the server', async () => {
    expect(await fluxError(from('SELECT * FROM nowhere'), options)).toMatch(
      /ERROR: relation "nowhere" does not exist \(SQLSTATE 42P01\)$/,
    )
    expect(await fluxError(from('SELECT 1; SELECT 2'), options)).toContain(
      'cannot insert multiple commands into a prepared statement',
    )
    expect(
      await fluxError(from('SELECT 1 / (3 - i) FROM generate_series(1, 5) i'), options),
    ).toContain('ERROR: division by zero (SQLSTATE 22012)')
    expect(
      await fluxError(from('SELECT 1', source('sslmode=disable', 'flux:wrong')), options),
    ).toContain('FATAL: password authentication failed for user "flux" (SQLSTATE 28P01)')
    expect(await fluxError(from('SELECT 1 AS a, 2 AS a'), options)).toContain(
      'table builder already has column with label a',
    )
    expect(await fluxError(from("SELECT 'infinity'::timestamp AS a"), options)).toContain(
      'column a: "infinity" is not of type time',
    )
  })

  test('statements that copy do not bring the session down', async () => {
    await run('CREATE TABLE copied (a int)')
    expect(await fluxError(from('COPY copied FROM STDIN'), options)).toContain(
      'copying is not supported',
    )
  })

  test('what is written can be read back', async () => {
    const text = `import "sql" import "array"
      array.from(rows: [
        {name: "O'Hara", age: 15, height: 1.5, at: 2019-06-03T13:59:01.123456Z, ok: true, n: uint(v: 7)},
        {name: "\\\\ \\"", age: -1, height: -0.1, at: 1960-01-01T00:00:00Z, ok: false, n: uint(v: 0)},
      ]) |> sql.to(driverName: "postgres", dataSourceName: "${source()}", table: "back and \\"forth")`
    const rows = await runRows(text, options)
    expect(rows).toHaveLength(2)
    const back = await runFlux(from('SELECT * FROM "back and ""forth" ORDER BY age DESC'), options)
    expect(back[0].tables[0].columns.map(({ type }) => type)).toEqual([
      'string',
      'int',
      'float',
      'time',
      'bool',
      'int',
    ])
    const plain = back[0].tables[0].rows.map((row) => Object.fromEntries(row))
    expect(plain).toEqual(rows)
  })

  test('rows without values, in batches of several statements, and behind a reader that stops', async () => {
    const numbers = `import "sql" import "generate" import "internal/debug"
      generate.from(count: 1000, fn: (n) => n, start: 2020-01-01T00:00:00Z, stop: 2020-01-02T00:00:00Z)
        |> map(fn: (r) => ({r with half: if r._value % 2 == 0 then r._value else debug.null(type: "int")}))`
    const to = (table: string, batch: number) =>
      `sql.to(driverName: "postgres", dataSourceName: "${source()}", table: "${table}", batchSize: ${batch})`
    await runFlux(`${numbers} |> ${to('many', 7)}`, options)
    await runFlux(`${numbers} |> ${to('stopped', 1)} |> limit(n: 1)`, options)
    await runFlux(
      `${numbers} |> ${to('found', 100)} |> findRecord(fn: (key) => true, idx: 0)`,
      options,
    )
    const count = async (table: string) => {
      const query = `SELECT count(*) AS a, count(half) AS b, sum(_value)::int8 AS c FROM ${table}`
      return (await runRows(from(query), options))[0]
    }
    expect(await count('many')).toEqual({ a: 1000n, b: 500n, c: 499500n })
    expect(await count('stopped')).toEqual({ a: 1000n, b: 500n, c: 499500n })
    // Once for the record, and once as a result of the script, as in Flux.
    expect(await count('found')).toEqual({ a: 2000n, b: 1000n, c: 999000n })
  })

  test('a table is written as a whole or not at all', async () => {
    await run('CREATE TABLE strict (_value int8 CHECK (_value < 900), _time timestamptz)')
    const text = `import "sql" import "generate"
      generate.from(count: 1000, fn: (n) => n, start: 2020-01-01T00:00:00Z, stop: 2020-01-02T00:00:00Z)
        |> keep(columns: ["_time", "_value"])
        |> sql.to(driverName: "postgres", dataSourceName: "${source()}", table: "strict", batchSize: 10)`
    expect(await fluxError(text, options)).toContain('violates check constraint')
    expect(await runRows(from('SELECT count(*) AS a FROM strict'), options)).toEqual([{ a: 0n }])
  })

  test('names of columns are never part of a statement', async () => {
    await run('CREATE TABLE "pet info" (a int)')
    const evil = `import "sql" import "array"
      array.from(rows: [{"x\\" INT);drop table \\"pet info\\";--": 1}])
        |> sql.to(driverName: "postgres", dataSourceName: "${source()}", table: "injection", batchSize: 1)`
    await runFlux(evil, options)
    expect(await runRows(from('SELECT count(*) AS n FROM "pet info"'), options)).toEqual([
      { n: 0n },
    ])
  })

  test('encryption: required, preferred, and refused for a certificate that is not of this host', async () => {
    const query = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
    const isEncrypted = async (mode: string) =>
      (await runRows(from(query, source(mode)), options))[0].ssl
    expect(await isEncrypted('sslmode=disable')).toBe(false)
    expect(await isEncrypted('sslmode=require')).toBe(true)
    expect(await isEncrypted('')).toBe(true)
    expect(await fluxError(from(query, source('sslmode=verify-full')), options)).toContain(
      'self-signed certificate',
    )
  })

  test('settings of the session come from the source', async () => {
    const query =
      "SELECT current_setting('search_path') AS a, current_setting('application_name') AS b"
    const dsn = source('sslmode=disable&search_path=elsewhere&application_name=me')
    expect(await runRows(from(query, dsn), options)).toEqual([{ a: 'elsewhere', b: 'me' }])
  })

  test('this machine is not reached unless that is allowed', async () => {
    const closed = databasesWith(session.program, { arePrivateHostsAllowed: false })
    const refused = 'data source did not pass url validation: no such host'
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254']) {
      const dsn = `postgres://flux:flux@${host}:${server.port}/flux`
      const error = await fluxError(from('SELECT 1', dsn), { scope: { databasesOutside: closed } })
      expect(error).toContain(refused)
    }
  })

  test('an abort ends a query that would take long', async () => {
    const abort = new AbortController()
    const running = runFlux(from('SELECT pg_sleep(600)'), { ...options, signal: abort.signal })
    setTimeout(() => abort.abort(new Error('enough')), 500)
    await expect(running).rejects.toThrow('enough')
  })

  test('limits of time and size', async () => {
    const limited = (limits: object) => ({
      scope: { databasesOutside: databasesWith(session.program, { limits }) },
    })
    expect(
      await fluxError(from('SELECT pg_sleep(600)'), limited({ sessionSecondsMax: 1 })),
    ).toMatch(/session took longer than 1 seconds|statement timeout/)
    const large = "SELECT repeat('x', 1000000) AS a FROM generate_series(1, 1000)"
    expect(await fluxError(from(large), limited({ receivedBytesMax: 1_000_000 }))).toContain(
      'the answer is larger than 1000000 bytes',
    )
    const memory = { ...options, limits: { memoryBytesMax: 100_000 } }
    expect(
      await fluxError(
        `${from('SELECT i FROM generate_series(1, 100000) i')} |> sort(columns: ["i"])`,
        memory,
      ),
    ).toContain('memory allocation limit reached')
  })

  test('a server that speaks nonsense ends only its session', async () => {
    const answers = [
      Buffer.from('N'),
      Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
      // Authentication passed, ready, and then a row that nobody asked for.
      Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05ID\0\0\0\x06\0\0T\0\0\0\x02D\0\0\0\x01', 'latin1'),
    ]
    for (const answer of answers) {
      const liar = await lyingServer(answer, 'asked')
      const dsn = `postgres://a:b@127.0.0.1:${liar.port}/c?sslmode=disable`
      expect(await fluxError(from('SELECT 1', dsn), options)).toContain('runtime error')
      liar.close()
    }
  })
})
