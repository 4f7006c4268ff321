// Everything that a service is asked to do in a day, in small: points, questions in every language and over Flight,
// people who break off, changes of the catalog, tasks. Each kind is a function that makes one round and tells the
// status of every answer to whoever counts.

import { Client, credentials, status as grpcStatus, Metadata } from '@grpc/grpc-js'
import type { Random } from '../../src/platform/random.js'
import { type Ask, ask, Gone, pause } from './service-process.js'

export interface Soaked {
  readonly url: string
  readonly token: string
  readonly orgId: string
  readonly random: Random
  /** `broken off`, a status of HTTP, or the name of gRPC's. */
  count(kind: string, status: number | string, text?: string): void
  waited(ms: number): void
}

async function tell(soaked: Soaked, kind: string, path: string, options: Ask = {}) {
  try {
    const answer = await ask(`${soaked.url}${path}`, { token: soaked.token, ...options })
    soaked.count(kind, answer.status, answer.text)
    return answer
  } catch (error) {
    if (!(error instanceof Gone) || options.abortAfterMs === undefined) throw error
    soaked.count(kind, 'broken off')
    return undefined
  }
}

const post = (body: object): Ask => ({ method: 'POST', body: JSON.stringify(body) })

const hosts = 100
const rowsPerWrite = 200

async function write(soaked: Soaked): Promise<void> {
  const base = BigInt(Date.now()) * 1_000_000n
  const lines = Array.from({ length: rowsPerWrite }, (_, i) => {
    const host = soaked.random.below(hosts)
    const load = soaked.random.below(1000) / 10
    const fields = `load=${load},n=${i}i,note="n${i % 7}"`
    return `cpu,host=h${host},region=r${host % 5} ${fields} ${base + BigInt(i)}`
  })
  const body = lines.join('\n')
  await tell(soaked, 'write', '/api/v2/write?org=o&bucket=b', { method: 'POST', body })
  await pause(100)
}

const encoded = (text: string) => encodeURIComponent(text)

const texts = {
  means: 'SELECT mean(load), max(n) FROM cpu WHERE time > now() - 1h GROUP BY time(10s), host',
  rows: 'SELECT * FROM cpu WHERE time > now() - 2m',
  regions:
    'SELECT region, avg(load), count(*) FROM cpu ' +
    "WHERE time > now() - interval '10 minutes' GROUP BY region ORDER BY region",
  pairs: 'SELECT a.load + b.load AS s FROM cpu a, cpu b WHERE a.n = b.n LIMIT 50000',
  flux:
    'from(bucket: "b") |> range(start: -10m) |> filter(fn: (r) => r._field == "load") ' +
    '|> map(fn: (r) => ({r with _value: r._value * 2.0})) |> group(columns: ["region"]) |> mean()',
}

const questions: Readonly<Record<string, (abort: Ask) => readonly [path: string, options: Ask]>> = {
  influxql: (abort) => [`/query?db=b&q=${encoded(texts.means)}`, abort],
  'influxql rows': (abort) => [`/query?db=b&chunked=true&q=${encoded(texts.rows)}`, abort],
  flux: (abort) => ['/api/v2/query?org=o', { ...post({ query: texts.flux }), ...abort }],
  sql: (abort) => [`/api/v3/query_sql?db=b&q=${encoded(texts.regions)}`, abort],
  'sql rows': (abort) => [`/api/v3/query_sql?db=b&q=${encoded(texts.pairs)}`, abort],
}

async function question(soaked: Soaked): Promise<void> {
  const kinds = Object.keys(questions)
  const kind = soaked.random.pick(kinds)
  await tell(soaked, kind, ...questions[kind]({}))
  await pause(soaked.random.below(200))
}

async function brokenOff(soaked: Soaked): Promise<void> {
  const kind = soaked.random.pick(Object.keys(questions))
  const abort = { abortAfterMs: 1 + soaked.random.below(60) }
  await tell(soaked, `${kind}, broken off`, ...questions[kind](abort))
  await pause(soaked.random.below(100))
}

async function catalogChange(soaked: Soaked): Promise<void> {
  const { orgId: orgID, random } = soaked
  const name = `made-${random.below(1_000_000_000)}`
  const kind = 'catalog'
  const bucket = await tell(soaked, kind, '/api/v2/buckets', post({ orgID, name }))
  const { id } = JSON.parse(bucket?.text ?? '{}')
  await tell(soaked, kind, `/api/v2/write?org=o&bucket=${name}`, { method: 'POST', body: 'm f=1' })
  const permissions = [{ action: 'read', resource: { type: 'buckets', orgID, id } }]
  const made = await tell(soaked, kind, '/api/v2/authorizations', post({ orgID, permissions }))
  const authorization = JSON.parse(made?.text ?? '{}')
  const query = `from(bucket: "${name}") |> range(start: -1h)`
  const token = authorization.token
  await tell(soaked, kind, '/api/v2/query?org=o', { ...post({ query }), token })
  await tell(soaked, kind, `/api/v2/authorizations/${authorization.id}`, { method: 'DELETE' })
  await tell(soaked, kind, `/api/v2/buckets/${id}`, { method: 'DELETE' })
  await pause(300)
}

async function taskChange(soaked: Soaked): Promise<void> {
  const { orgId: orgID, random } = soaked
  const flux = `option task = {name: "t${random.below(1_000_000_000)}", every: 1s}
from(bucket: "b") |> range(start: -10s) |> filter(fn: (r) => r._field == "load") |> mean()
  |> map(fn: (r) => ({r with _time: now(), _measurement: "means", _field: "load"})) |> to(bucket: "b")`
  const made = await tell(soaked, 'tasks', '/api/v2/tasks', post({ orgID, flux }))
  const { id } = JSON.parse(made?.text ?? '{}')
  await pause(5000)
  const runs = await tell(soaked, 'tasks', `/api/v2/tasks/${id}/runs`)
  for (const run of JSON.parse(runs?.text ?? '{}').runs ?? []) {
    soaked.count('task runs', run.status)
  }
  await tell(soaked, 'tasks', `/api/v2/tasks/${id}`, { method: 'DELETE' })
}

/** A message of Flight with a ticket in JSON: one field of bytes. */
function ticketOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = [(bytes.length % 128) | 128, bytes.length >> 7]
  return Buffer.concat([Buffer.from([10, ...length]), bytes])
}

const same = (bytes: Buffer) => bytes

/** Half of them are broken off while rows come, as dashboards do. */
async function flight(soaked: Soaked): Promise<void> {
  const client = new Client(new URL(soaked.url).host, credentials.createInsecure())
  const metadata = new Metadata()
  metadata.add('authorization', `Bearer ${soaked.token}`)
  metadata.add('database', 'b')
  const content = { database: 'b', sql_query: texts.pairs, query_type: 'sql' }
  const ticket = ticketOf(JSON.stringify(content))
  const breaksOff = soaked.random.below(2) === 0
  const kind = breaksOff ? 'flight, broken off' : 'flight'
  const path = '/arrow.flight.protocol.FlightService/DoGet'
  const stream = client.makeServerStreamRequest(path, same, same, ticket, metadata)
  if (breaksOff) setTimeout(() => stream.cancel(), 1 + soaked.random.below(80))
  await new Promise<void>((resolve) => {
    stream.on('data', () => undefined)
    stream.on('error', () => undefined)
    stream.on('status', ({ code, details }) => {
      soaked.count(kind, grpcStatus[code], details)
      resolve()
    })
  })
  client.close()
  await pause(soaked.random.below(300))
}

/** How long somebody waits who asks for nothing. */
async function ping(soaked: Soaked): Promise<void> {
  const before = performance.now()
  await tell(soaked, 'ping', '/ping')
  soaked.waited(Math.round(performance.now() - before))
  await pause(500)
}

export const actors: readonly ((soaked: Soaked) => Promise<void>)[] = [
  write,
  write,
  question,
  question,
  brokenOff,
  brokenOff,
  catalogChange,
  taskChange,
  flight,
  ping,
]
