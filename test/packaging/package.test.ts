// The package holds what it needs and nothing else: what npm would pack is put beside the declared dependencies alone,
// and serves. DuckDB is optional: without it SQL says what to install, and everything else works.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { InfluxDBClient } from '@influxdata/influxdb3-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, type Installed, installPacked, type PackedFile, packedFiles } from './installation.js'

const megabyte = 1024 * 1024
/** What an installation may take on the disk, packages of this machine's kind included. */
const installedMegabytesMax = 120

const files: PackedFile[] = packedFiles()
let installed: Installed
let child: ChildProcess
let url: string
let token: string
let orgId: string

beforeAll(async () => {
  installed = installPacked(files)
  // As `npx millrace` runs it: by its link, without a word, in the folder where one is.
  child = spawn(process.execPath, [installed.command], {
    cwd: installed.folder,
    env: {
      PATH: process.env.PATH,
      MILLRACE_HTTP_ADDRESS: '127.0.0.1:0',
      MILLRACE_FLUX_PRIVATE_HOSTS: 'true',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on('data', (text) => {
      said += text
      const found = /Listening on (http:\S+)\n/.exec(said)
      if (found !== null) resolve(found[1])
    })
    child.on('close', (code) => reject(new Error(`ended with ${code}: ${said}`)))
  })
  const setup = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
  const { auth, org } = (await post('/api/v2/setup', JSON.stringify(setup))).json
  token = auth.token
  orgId = org.id
  expect((await post('/api/v2/write?org=o&bucket=b', 'm,host=web1 f=1.5 1000000000')).status).toBe(
    204,
  )
}, 30_000)

afterAll(() => {
  child?.kill('SIGKILL')
  if (installed !== undefined) rmSync(installed.folder, { recursive: true, force: true })
})

function post(path: string, body: string, headers: Record<string, string> = {}) {
  const credential = token === undefined ? {} : { authorization: `Token ${token}` }
  return ask(url + path, { method: 'POST', body, headers: { ...credential, ...headers } })
}

/** Plain statements are answered without an engine; a subquery needs one. */
const wholeSql = 'WITH all_rows AS (SELECT host, f FROM m) SELECT host, f FROM all_rows'

const askSql = (q: string) =>
  post('/api/v3/query_sql', JSON.stringify({ db: 'b', q, format: 'jsonl' }))

async function askFlux(script: string) {
  const headers = { 'content-type': 'application/vnd.flux' }
  return post('/api/v2/query?org=o', script, headers)
}

/** Which kinds of files may be packed. */
const packable = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/.*\.(js|d\.ts)$/,
  /^dist\/(thread|program(-[a-z]+)?|[a-z]+-worker(-[a-z]+)?)\.cjs(\.cache)?$/,
  /^dist\/ui\/(assets\/.*\.(js|css|svg)(\.br|\.gz)?|manifest\.json)$/,
  /^dist\/.*(third-party|LEGAL)\.txt$/,
]

it('has the program, its pages, types of the library and licences, and nothing else', () => {
  const paths = files.map(({ path }) => path)
  expect(paths.filter((path) => !packable.some((kind) => kind.test(path)))).toEqual([])
  const some = [
    'dist/main.js',
    'dist/program.cjs.cache',
    'dist/program-control.cjs.cache',
    'dist/program-flux.cjs.cache',
    'dist/job-worker.cjs.cache',
    'dist/parse-worker.cjs.cache',
    'dist/query-worker.cjs.cache',
    'dist/index.d.ts',
    'dist/ui/manifest.json',
  ]
  const licences = ['LICENSE', 'dist/third-party.txt', 'dist/ui/third-party.txt']
  expect(paths).toEqual(expect.arrayContaining([...some, ...licences]))
})

it('has types that need no other package', () => {
  const types = files.map(({ path }) => path).filter((path) => path.endsWith('.d.ts'))
  const imports = types.flatMap((path) => {
    const found = readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?'([^.'][^']*)'/g)
    return Array.from(found, ([, name]) => `${path}: ${name}`)
  })
  expect(imports.filter((each) => !each.includes(': node:'))).toEqual([])
  expect(types.length).toBeLessThan(40)
})

it(`takes at most ${installedMegabytesMax} MB with all that is installed with it`, () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const names = Object.keys(packages).filter(
    (name) => name.startsWith('node_modules/') && !packages[name].dev && !packages[name].link,
  )
  const installedBytes = names.reduce((sum, name) => sum + bytesIn(name), 0)
  const ownBytes = files.reduce((sum, { size }) => sum + size, 0)
  const megabytes = (installedBytes + ownBytes) / megabyte
  // DuckDB alone is half of it: less would mean that nothing was counted.
  expect(megabytes).toBeGreaterThan(50)
  expect(megabytes).toBeLessThan(installedMegabytesMax)
})

/** Packages of other kinds of machines are in the lock file and not there. */
function bytesIn(folder: string): number {
  let bytes = 0
  const entries = lstatSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder, { withFileTypes: true })
    : []
  for (const entry of entries) {
    if (entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? bytesIn(path) : lstatSync(path).size
  }
  return bytes
}

it('serves in ./millrace-data', () => {
  expect(readdirSync(join(installed.folder, 'millrace-data'))).toContain('catalog.sqlite')
})

it('without DuckDB answers SQL and Parquet imports with what to install', async () => {
  const version = JSON.parse(readFileSync('package.json', 'utf8')).optionalDependencies[
    '@duckdb/node-api'
  ]
  const advice = `not installed here: run 'npm install @duckdb/node-api@${version}' where Millrace is installed`
  const sql = await askSql(wholeSql)
  expect([sql.status, sql.text]).toEqual([
    501,
    expect.stringContaining(`SQL needs DuckDB, which is ${advice}`),
  ])
  const client = new InfluxDBClient({ host: url, token, database: 'b' })
  const flight = (async () => {
    for await (const row of client.query(wholeSql, 'b')) expect(row).toBeUndefined()
  })()
  await expect(flight).rejects.toThrow('SQL needs DuckDB')
  await client.close()
  const wanted = { orgID: orgId, bucket: 'b', format: 'parquet', measurement: 'm' }
  const { json } = await post('/api/v2/imports', JSON.stringify(wanted))
  const imported = await post(`/api/v2/imports/${json.id}/data?last=true`, 'PAR1PAR1')
  expect(imported.text).toContain(`to read Parquet needs DuckDB, which is ${advice}`)
})

it('without DuckDB does everything else', async () => {
  const influxql = await post('/query?db=b&q=SELECT+f+FROM+m+WHERE+host=~/^web/', '')
  expect(influxql.json.results[0].series[0].values).toEqual([['1970-01-01T00:00:01Z', 1.5]])
  const flux = await askFlux('from(bucket: "b") |> range(start: 0)')
  expect([flux.status, flux.text]).toEqual([200, expect.stringContaining(',1.5,f,m,web1')])
  // Of SQL what needs no engine.
  expect((await askSql('SELECT host, f FROM m')).text).toBe('{"host":"web1","f":1.5}\n')
  expect((await askSql('SHOW TABLES')).text).toContain('"table_name":"m"')
  const client = new InfluxDBClient({ host: url, token, database: 'b' })
  const rows = []
  for await (const row of client.query('SELECT f FROM m', 'b', { type: 'influxql' })) rows.push(row)
  await client.close()
  expect(rows).toMatchObject([{ f: 1.5 }])
  expect((await ask(url)).text).toContain('<html')
  expect((await ask(`${url}/health`)).json.status).toBe('pass')
  expect((await ask(`${url}/metrics`)).text).toContain('millrace_')
})

it('finds the clients of databases', async () => {
  // Nobody listens there: each has to say so itself.
  for (const [driver, address] of [
    ['postgres', 'postgresql://u:p@127.0.0.1:1/d'],
    ['mysql', 'u:p@tcp(127.0.0.1:1)/d'],
  ]) {
    const source = `sql.from(driverName: "${driver}", dataSourceName: "${address}", query: "SELECT 1")`
    const { text } = await askFlux(`import "sql"\n${source}`)
    expect(text).toMatch(/ECONNREFUSED|refused/)
  }
})

it('has SQL as soon as DuckDB is there', async () => {
  installed.add('@duckdb')
  const answer = await askSql(wholeSql)
  expect([answer.status, answer.text]).toEqual([200, '{"host":"web1","f":1.5}\n'])
})

it('ends in order', async () => {
  child.kill('SIGTERM')
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(code).toBe(0)
})

it('names the package to install where the binary of SQLite was left out', () => {
  const own = join(installed.folder, 'node_modules/libsql')
  // A copy looks for its binary beside itself, where none is.
  rmSync(own)
  cpSync('node_modules/libsql', own, { recursive: true })
  installed.add('@neon-rs')
  const started = spawnSync(process.execPath, [installed.command], {
    cwd: installed.folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, MILLRACE_HTTP_ADDRESS: '127.0.0.1:0' },
  })
  expect([started.status, started.stderr]).toEqual([
    1,
    expect.stringMatching(/SQLite is not installed here: run 'npm install @libsql\/[\w-]+' where/),
  ])
})
