// `import`, `write` and `query` as the shell calls them, against a server that runs.

import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { Field, Float64, Schema, Table, TimestampNanosecond, tableToIPC, Utf8 } from 'apache-arrow'
import { expect, it } from 'vitest'
import { loadBindings } from '../../src/sql/engine/bindings.js'
import { lineValues } from '../migrate/line-values.js'
import { adminToken, send, start, temporaryFolder } from './harness.js'
import { finish, run } from './program.js'

/** A database that a write makes keeps its points for some time only. */
const now = BigInt(Date.now()) * 1_000_000n

async function running() {
  const server = await start({ adminToken, variant: 'cluster' })
  const call = (...args: string[]) =>
    finish(run(args, { MILLRACE_HOST: server.url, MILLRACE_TOKEN: adminToken }))
  const exported = async (bucket: string) => {
    const url = `${server.url}/debug/export?bucket=${encodeURIComponent(bucket)}`
    return lineValues((await send(url, { token: adminToken })).text)
  }
  return { call, exported, server, folder: temporaryFolder() }
}

it('imports line protocol, plain and gzipped, and puts what is refused into a file', async () => {
  const { call, exported, folder } = await running()
  const lines = Array.from({ length: 60_000 }, (_, i) => {
    return `m,t=a\\ b${i % 7} f=${i},s="two\nlines \\" ${i}" ${now + BigInt(i)}\n`
  }).join('')
  writeFileSync(`${folder}/a.lp`, `${lines}bad line\nm f="x" ${now}\n# a comment\n`)
  const first = await call(
    'import',
    `${folder}/a.lp`,
    '--database',
    'd',
    '--errors-file',
    `${folder}/bad`,
  )
  expect([first.code, first.errors]).toEqual([0, ''])
  expect(first.output).toMatch(/^60000 points in .* s, 2 refused\n$/)
  const bad = readFileSync(`${folder}/bad`, 'utf8')
  expect(bad).toContain(`# line 120001: unable to parse 'bad line': invalid field format`)
  expect(bad).toMatch(/^# line 120002: .*field type conflict/m)
  expect(await exported('d')).toEqual(lineValues(lines))

  writeFileSync(`${folder}/b.lp.gz`, gzipSync(lines))
  const second = await call('import', `${folder}/b.lp.gz`, '--bucket', 'd', '--json')
  expect([second.code, second.errors]).toEqual([0, ''])
  expect(JSON.parse(second.output)).toMatchObject({ points: 60_000, refused: 0, dryRun: false })
  expect(await exported('d')).toEqual(lineValues(lines))

  writeFileSync(`${folder}/c.lp`, 'x\n'.repeat(20))
  const third = await call('import', `${folder}/c.lp`, '--database', 'd', '--errors-max', '5')
  expect(third.code).toBe(1)
  expect(third.errors).toContain('more than 5 lines were refused (--errors-max)')
  expect(third.errors).toContain('go on with --skip-lines 20')
})

it('imports CSV, JSON lines and Parquet, and shows first what it takes columns for', async () => {
  const { call, exported, folder, server } = await running()
  const at = (i: number) => new Date(Number(now / 1_000_000n) + i * 1000).toISOString()
  const rows = Array.from({ length: 3000 }, (_, i) => `${at(i)},h${i % 3},${i}.5,${i}\n`).join('')
  writeFileSync(`${folder}/a.csv`, `time,host,load,count\n${rows}${at(1)},h1,wrong,1\n`)
  const file = [`${folder}/a.csv`, '--measurement', 'm', '--database', 'd']
  const trial = await call('import', ...file, '--dry-run')
  expect([trial.code, trial.output]).toEqual([0, '3000 points, nothing was written, 1 refused\n'])
  expect(trial.errors).toContain(
    'columns:\n  time: time\n  host: tag\n  load: double\n  count: long\n',
  )
  expect(trial.errors).toContain('points:\n  m,host=h0 load=0.5,count=0i ')
  expect(trial.errors).toContain('# line 3002: column "load": "wrong" is no number')
  const csv = await call('import', ...file, '--columns', 'count=double')
  expect(csv.output).toMatch(/^3000 points in .* s, 1 refused\n$/)
  const points = await exported('d')
  expect(points.size).toBe(6000)
  expect(
    points.get(
      JSON.stringify(['m,host=h2', 'count', String(BigInt(Date.parse(at(2))) * 1_000_000n)]),
    ),
  ).toBe('2')

  writeFileSync(`${folder}/bare.csv`, `exported\n${rows}`)
  const bare = [`${folder}/bare.csv`, '--measurement', 'm', '--database', 'f']
  const headed = await call(
    ...['import', ...bare, '--skipHeader', '1', '--rate-limit', '100 MB/s'],
    ...['--header', '#datatype dateTime,tag,double,double', '--header=time,host,load,count'],
  )
  expect(headed.output).toMatch(/^3000 points in .* s, 0 refused\n$/)
  expect(await exported('f')).toEqual(points)
  const jam = await call('import', ...bare, '--rate-limit', 'fast')
  expect([jam.code, jam.errors]).toEqual([2, expect.stringContaining('flag --rate-limit: "fast"')])

  const lines = `{"measurement":"j","tags":{"t":"x"},"fields":{"f":1},"time":"${at(1)}"}\n`
  writeFileSync(`${folder}/b.jsonl.gz`, gzipSync(lines.repeat(2)))
  const json = await call('import', `${folder}/b.jsonl.gz`, '--database', 'd')
  expect(json.output).toMatch(/^2 points in .* s, 0 refused\n$/)

  const body = JSON.stringify({ db: 'd', q: 'SELECT * FROM m', format: 'parquet' })
  const answer = await fetch(`${server.url}/api/v3/query_sql`, {
    method: 'POST',
    headers: { authorization: `Token ${adminToken}` },
    body,
  })
  writeFileSync(`${folder}/c.parquet`, Buffer.from(await answer.arrayBuffer()))
  const parquet = await call(
    'import',
    `${folder}/c.parquet`,
    '--measurement',
    'm',
    '--database',
    'e',
  )
  expect(parquet.output).toMatch(/^3000 points in .* s, 0 refused\n$/)
  expect(await exported('e')).toEqual(points)

  await influxParquet(`${folder}/old.parquet`)
  const old = await call('import', `${folder}/old.parquet`, '--database', 'g')
  expect(old.output).toMatch(/^2 points in .* s, 0 refused\n$/)
  const expected = `cpu,host=a f=1.5,note="same" ${now}\ncpu,host=b f=2,note="same" ${now + 1n}`
  expect(await exported('g')).toEqual(lineValues(expected))
})

/** As it lies in the object store of an InfluxDB 3: texts that repeat are fields, others tags, and the file says so. */
async function influxParquet(path: string): Promise<void> {
  const role = (kind: string) => new Map([['iox::column::type', `iox::column_type::${kind}`]])
  const schema = new Schema(
    [
      new Field('host', new Utf8(), true, role('tag')),
      new Field('note', new Utf8(), true, role('field::string')),
      new Field('f', new Float64(), true, role('field::float')),
      new Field('time', new TimestampNanosecond(), false, role('timestamp')),
    ],
    new Map([['iox::measurement::name', 'cpu']]),
  )
  // The message alone, without the mark of the stream's end.
  const packed = Buffer.from(tableToIPC(new Table(schema), 'stream').slice(0, -8))
  const { api } = await loadBindings()
  const connection = await (await api.DuckDBInstance.create(':memory:')).connect()
  const row = (host: string, value: number, at: bigint) =>
    `SELECT '${host}' AS host, 'same' AS note, ${value}::DOUBLE AS f, make_timestamp_ns(${at}) AS time`
  await connection.run(
    `COPY (${row('a', 1.5, now)} UNION ALL ${row('b', 2, now + 1n)}) TO '${path}'
     (FORMAT parquet, KV_METADATA {'ARROW:schema': '${packed.toString('base64')}'})`,
  )
  connection.closeSync()
}

it('reads what an export says between its lines', async () => {
  const { call, exported, folder } = await running()
  const text = `# INFLUXDB EXPORT: 1677-09-21T00:12:43Z - 2262-04-11T23:47:16Z
# DDL
CREATE DATABASE old WITH NAME autogen
# DML
# CONTEXT-DATABASE:old
# CONTEXT-RETENTION-POLICY:autogen
# writing tsm data
m,t=a f=1 ${now}
# writing wal data
m,t=a i=2i ${now}
# CONTEXT-DATABASE: other
CREATE,t=a f=3 ${now}
`
  writeFileSync(`${folder}/export`, text)
  const imported = await call('import', `${folder}/export`)
  expect([imported.code, imported.errors]).toEqual([0, ''])
  expect(await exported('old')).toEqual(lineValues(`m,t=a f=1,i=2i ${now}`))
  expect(await exported('other')).toEqual(lineValues(`CREATE,t=a f=3 ${now}`))

  const table = await call('query', 'SELECT f, i FROM m', '--database', 'old')
  expect([table.code, table.output.split('\n')[1]]).toEqual([0, expect.stringContaining('| f')])
  const csv = await call(
    'query',
    'SELECT f, i FROM m',
    '--database',
    'old',
    '--language',
    'sql',
    '--format',
    'csv',
  )
  expect([csv.code, csv.output]).toEqual([0, 'f,i\n1,2\n'])
  const json = await call('query', 'SELECT f FROM m', '--database', 'old', '--format', 'json')
  expect(JSON.parse(json.output)).toMatchObject([{ f: 1 }])
  const wrong = await call('query', 'SELECT', '--database', 'old')
  expect([wrong.code, wrong.output]).toEqual([1, ''])
  expect(wrong.errors).toContain('error parsing query')
})

it.each([
  [['import', '/nowhere', '--bucket', 'b'], 'there is no file "/nowhere"'],
  [['import', '--format', 'xml'], 'flag --format: "xml" is not one of'],
  [['import', '--columns', 'a=nonsense'], '"nonsense" is no type of a column'],
  [['import', '--precision', 'x', '-'], 'flag --precision: "x" is not one of'],
  [['query'], 'one query is expected'],
  [
    ['query', 'x', '--language', 'flux', '--format', 'xml'],
    'flag --format: "xml" is not one of table, csv, json',
  ],
  [['migrate'], 'flag --from or --data-dir is required'],
  [['migrate', '--from', '/nowhere'], 'flag --to, or --store with --catalog, is required'],
  [['migrate', '--from', 'a', '--to', 'b', '--rename', 'x'], 'flag --rename: "x" is not OLD=NEW'],
])('%j is called wrongly', async (args, message) => {
  const { code, errors } = await finish(run(args))
  expect(code).toBe(2)
  expect(errors).toContain(message)
})
