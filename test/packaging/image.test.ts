// What the image does, without a container: its environment, user, entry point and health check are read from the
// Dockerfile and run on what was built here (package.test.ts looks at what is packed of it). The compose file and what
// it gives Grafana are checked against the shapes that their programs document.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { command, FlightClient, field, rowsOf } from '../flight/flight-client.js'
import { freePort } from '../free-port.js'
import { ask } from './installation.js'

const dockerfile = readFileSync('packaging/Dockerfile', 'utf8')
const compose = parse(readFileSync('packaging/compose.yaml', 'utf8'))
const sources = parse(readFileSync('packaging/grafana/datasources.yaml', 'utf8'))

/** The last of its kind: what the final stage says. */
function instruction(name: string): string {
  const lines = dockerfile.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))
  const found = Array.from(lines, ([, rest]) => rest)
  expect(found, name).not.toEqual([])
  return found.at(-1)!
}

const commandOf = (text: string): string[] => JSON.parse(text.slice(text.indexOf('[')))
const uid = Number(instruction('USER'))
/** Only root can become somebody else, who then must be able to reach the program. */
const isRoot = process.getuid?.() === 0 && reaches('dist/main.js')
const root = new URL('../..', import.meta.url).pathname

function reaches(file: string): boolean {
  return spawnSync('test', ['-r', resolve(file)], { uid, gid: uid, cwd: '/' }).status === 0
}

let volume: string
let port: number

beforeAll(async () => {
  volume = mkdtempSync(`${tmpdir()}/millrace-volume-`)
  // As `useradd --create-home` leaves it.
  if (isRoot) chownSync(volume, uid, uid)
  port = await freePort()
})

afterAll(() => {
  if (volume !== undefined) rmSync(volume, { recursive: true, force: true })
})

/** Where the image has its folders, here. */
const placed = (text: string) =>
  text
    .replace(/^\/opt\/millrace\/node_modules\/millrace\//, root)
    .replace(/^\/opt\/millrace\//, `${root}packaging/`)
    .replace(/^\/var\/lib\/millrace/, volume)

function environment(added: Record<string, string> = {}): NodeJS.ProcessEnv {
  const stated = instruction('ENV')
    .split(' ')
    .map((pair) => pair.split(/=(.*)/s, 2))
  const values = Object.fromEntries(stated.map(([name, value]) => [name, placed(value)]))
  expect(values.MILLRACE_HTTP_ADDRESS).toBe(':8086')
  return { PATH: process.env.PATH, ...values, MILLRACE_HTTP_ADDRESS: `:${port}`, ...added }
}

const asUser = isRoot ? { uid, gid: uid } : {}

function health(added: Record<string, string> = {}) {
  const [program, ...args] = commandOf(instruction('HEALTHCHECK')).map(placed)
  expect(program).toBe('node')
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: environment(added),
    encoding: 'utf8',
    ...asUser,
  })
  return { status, stderr }
}

function startContainer(added: Record<string, string>, args?: string[]): ChildProcess {
  const [program, ...entry] = commandOf(instruction('ENTRYPOINT')).map(placed)
  expect(program).toBe('node')
  const command = args ?? commandOf(instruction('CMD'))
  return spawn(process.execPath, [...entry, ...command], {
    env: environment(added),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...asUser,
  })
}

async function outcome(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, said }
}

/** Of the compose file, as the one who starts it fills in the rest. */
function composed(): Record<string, string> {
  const given: Record<string, string> = {
    MILLRACE_PASSWORD: 'long enough',
    MILLRACE_TOKEN: 'my-token',
  }
  const variables = Object.entries(compose.services.millrace.environment as Record<string, string>)
  const fill = (value: string) =>
    value.replace(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name) => given[name])
  return Object.fromEntries(variables.map(([name, value]) => [name, fill(value)]))
}

interface Source {
  readonly jsonData: Readonly<Record<string, string>>
  readonly secureJsonData: Readonly<Record<string, string>>
}

/** What Grafana asks with each of the sources that it is given, to check them and to draw: its plugin's requests. */
async function drawPanels(): Promise<void> {
  const here = `http://127.0.0.1:${port}`
  const secret = (text: string) => text.replace('$MILLRACE_TOKEN', 'my-token')
  const [influxql, flux, sql]: Source[] = sources.datasources
  const written = await fetch(`${here}/api/v2/write?org=my-org&bucket=my-bucket`, {
    method: 'POST',
    headers: { authorization: 'Token my-token' },
    body: 'cpu,host=a usage=1 1577836800000000000\ncpu,host=a usage=3 1577836801000000000',
  })
  expect(written.status).toBe(204)

  const ask1 = async (q: string) => {
    const database = new URLSearchParams({ db: influxql.jsonData.dbName, epoch: 'ms' })
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      [influxql.jsonData.httpHeaderName1]: secret(influxql.secureJsonData.httpHeaderValue1),
    }
    const request = {
      method: influxql.jsonData.httpMode,
      headers,
      body: new URLSearchParams({ q }),
    }
    return (await ask(`${here}/query?${database}`, request)).json.results[0].series[0]
  }
  expect(await ask1('SHOW measurements')).toMatchObject({ values: [['cpu']] })
  const range = `time >= 1577836800000ms and time <= 1577836860000ms`
  const panel = `SELECT mean("usage") FROM "cpu" WHERE ${range} GROUP BY time(1m), "host"::tag fill(none)`
  expect(await ask1(panel)).toMatchObject({ tags: { host: 'a' }, values: [[1577836800000, 2]] })

  const ask2 = async (query: string) => {
    const dialect = { annotations: ['datatype', 'group', 'default'], delimiter: ',', header: true }
    const answer = await fetch(`${here}/api/v2/query?org=${flux.jsonData.organization}`, {
      method: 'POST',
      headers: {
        authorization: `Token ${secret(flux.secureJsonData.token)}`,
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
      },
      body: JSON.stringify({ dialect, query, type: 'flux' }),
    })
    return answer.text()
  }
  expect(await ask2('buckets()')).toMatch(/,my-bucket,/)
  const script = `from(bucket: "${flux.jsonData.defaultBucket}")
    |> range(start: 2020-01-01T00:00:00Z, stop: 2020-01-01T00:01:00Z) |> mean()`
  expect(await ask2(script)).toContain(',2,usage,cpu,a\r\n')

  const client = new FlightClient(here, {
    authorization: `Bearer ${secret(sql.secureJsonData.token)}`,
    database: sql.jsonData.dbName,
  })
  const statement = (text: string) => command('CommandStatementQuery', field(1, text))
  expect(rowsOf(await client.ask(statement('select 1')))).toHaveLength(1)
  const rows = rowsOf(await client.ask(statement('SELECT avg(usage) AS usage FROM cpu')))
  expect(rows).toEqual([{ usage: 2 }])
}

it('starts as its user, is set up by its environment, is healthy, and stops in order', async () => {
  expect(health()).toMatchObject({ status: 1, stderr: expect.stringContaining('ECONNREFUSED') })
  const child = startContainer(composed())
  const ended = outcome(child)
  try {
    await expect.poll(() => health().status, { timeout: 120_000, interval: 200 }).toBe(0)
    const headers = { authorization: 'Token my-token' }
    const path = `http://127.0.0.1:${port}/api/v2/buckets?org=my-org&name=my-bucket`
    const { json } = await ask(path, { headers })
    expect(json.buckets).toMatchObject([{ name: 'my-bucket' }])
    expect(statSync(join(volume, 'data')).uid).toBe(isRoot ? uid : process.getuid?.())
    await drawPanels()
  } finally {
    child.kill('SIGTERM')
  }
  const { code, said } = await ended
  expect([code, said]).toEqual([0, expect.stringContaining('"msg":"stopped"')])
  expect(health().status).toBe(1)
})

it('is not healthy where something else answers on its port', async () => {
  const other = createServer((socket) =>
    socket.end('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n'),
  )
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port: there } = other.address() as { port: number }
  const checked = spawn(process.execPath, ['packaging/health.mjs'], {
    env: environment({ MILLRACE_HTTP_ADDRESS: `127.0.0.1:${there}` }),
  })
  expect((await outcome(checked)).code).toBe(1)
  other.close()
})

it.skipIf(!isRoot)('says which folder it may not write to', async () => {
  const theirs = join(volume, 'of-root')
  mkdirSync(theirs, { mode: 0o755 })
  const { code, said } = await outcome(startContainer({ MILLRACE_DATA_DIR: theirs }))
  expect(code).toBe(1)
  expect(said).toContain('permission denied')
  expect(said).toContain(theirs)
})

it('runs other commands in place of serving', async () => {
  const { code, said } = await outcome(startContainer({}, ['version']))
  expect([code, said]).toEqual([0, expect.stringMatching(/^millrace \d/)])
})

it('has one base for all stages, a fixed user, and what the others rely on', () => {
  const bases = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, base]) => base)
  expect(new Set(bases).size).toBe(1)
  expect(dockerfile).toContain(`groupadd --gid ${uid} `)
  expect(dockerfile).toContain(`useradd --uid ${uid} --gid ${uid} `)
  expect(instruction('VOLUME')).toBe('/var/lib/millrace')
  expect(instruction('EXPOSE')).toBe('8086')
  for (const [, file] of dockerfile.matchAll(/^COPY (packaging\/\S+)/gm)) {
    expect(statSync(file).isFile()).toBe(true)
  }
})

it('has a compose file whose parts fit each other', () => {
  const { millrace, grafana } = compose.services
  expect(
    statSync(join('packaging', millrace.build.context, millrace.build.dockerfile)).isFile(),
  ).toBe(true)
  expect(Object.keys(compose.volumes)).toEqual([millrace.volumes[0].split(':')[0]])
  expect(millrace.volumes[0].split(':')[1]).toBe(instruction('VOLUME'))
  expect(grafana.depends_on.millrace.condition).toBe('service_healthy')
  const [file, target] = grafana.volumes[0].split(':')
  expect(statSync(join('packaging', file)).isFile()).toBe(true)
  expect(target).toMatch(/^\/etc\/grafana\/provisioning\/datasources\/.*\.yaml$/)
  const used = readFileSync(join('packaging', file), 'utf8').matchAll(/\$(\w+)/g)
  const given = Object.keys(grafana.environment)
  expect(given).toEqual(expect.arrayContaining(Array.from(used, ([, name]) => name)))
})

it('gives Grafana a source in each of its three modes', () => {
  const { DOCKER_INFLUXDB_INIT_ORG: organization, DOCKER_INFLUXDB_INIT_BUCKET: bucket } =
    compose.services.millrace.environment
  expect(sources.apiVersion).toBe(1)
  const common = { type: 'influxdb', access: 'proxy', url: 'http://millrace:8086' }
  expect(sources.datasources).toMatchObject([
    {
      ...common,
      jsonData: { version: 'InfluxQL', dbName: bucket, httpHeaderName1: 'Authorization' },
      secureJsonData: { httpHeaderValue1: 'Token $MILLRACE_TOKEN' },
    },
    {
      ...common,
      jsonData: { version: 'Flux', organization, defaultBucket: bucket },
      secureJsonData: { token: '$MILLRACE_TOKEN' },
    },
    {
      ...common,
      jsonData: { version: 'SQL', dbName: bucket, insecureGrpc: true },
      secureJsonData: { token: '$MILLRACE_TOKEN' },
    },
  ])
  const names = sources.datasources.map(({ name }: { name: string }) => name)
  expect(new Set(names).size).toBe(3)
  expect(
    sources.datasources.filter(({ isDefault }: { isDefault?: boolean }) => isDefault),
  ).toHaveLength(1)
})
