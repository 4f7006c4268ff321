// One organization asks as much as it can, another goes on with its work: 200 heavy queries at once of each language,
// then 500 writers with 200 queries of all languages, beside the point queries, writes and pings of the other. Printed
// are the waits alone and beside, and what was refused. The service and both sides are processes of their own.

import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Figures, makeBodies } from './cpu-data.js'
import { type RunningSystem, startSystem } from './ingest-systems.js'

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Lane {
  readonly name: string
  readonly connections: number
  readonly requests: readonly Sent[]
  readonly pauseMs: number
}

interface LaneResult {
  readonly name: string
  readonly seconds: number
  readonly waitsMs: readonly number[]
  readonly statuses: Readonly<Record<string, number>>
  readonly texts: readonly string[]
}

type Size = 'small' | 'large'

const sizes = {
  small: { hosts: 10, steps: 100, floods: 8, writers: 10, seconds: 0.3 },
  large: { hosts: 500, steps: 720, floods: 200, writers: 500, seconds: 6 },
} as const

const from = '2016-01-01T00:00:00Z'
const until = '2016-01-01T02:00:00Z'
const jsonHeaders = { 'content-type': 'application/json' }

export async function run(size: Size): Promise<Figures> {
  const system = await startSystem('millrace')
  try {
    return await measure(system, size)
  } finally {
    await system.stop()
  }
}

async function measure(system: RunningSystem, size: Size): Promise<Figures> {
  const { hosts, steps, floods, writers, seconds } = sizes[size]
  const many = bearerOf(system)
  const memory = new MemoryWatch(system)
  const few = await otherOrganization(system, many)
  for (const body of makeBodies(hosts, steps)) await write(system, '/write?db=b', many, body)
  for (const body of makeBodies(10, steps)) await write(system, '/write?db=p', few, body)
  const people = peopleLanes(few)
  await beside(system, people, [], seconds / 4)
  const figures: Record<string, number> = {}
  const statuses = new Set<string>()
  const alone = await beside(system, people, [], seconds)
  note(figures, 'alone', alone.people)
  for (const [name, flood] of Object.entries(floodLanes(many, floods, writers))) {
    const { people: beheld, flood: flooded } = await beside(system, people, flood, seconds)
    note(figures, name, beheld)
    for (const lane of flooded) noteFlood(figures, name, lane)
    for (const lane of [...beheld, ...flooded]) {
      for (const status of Object.keys(lane.statuses)) statuses.add(status)
      if (lane.texts.length > 0) console.log(`  ${name}, ${lane.name}: ${lane.texts.join('; ')}`)
    }
  }
  memory.stop()
  figures['peak of memory, MB'] = memory.peakMB
  const unexpected = [...statuses].filter(
    (status) => !['200', '204', '429', '503'].includes(status),
  )
  return { name: 'overload', figures, check: `other answers: ${unexpected.join(', ') || 'none'}` }
}

function note(figures: Record<string, number>, name: string, lanes: readonly LaneResult[]): void {
  for (const { name: lane, seconds, waitsMs, statuses } of lanes) {
    const sorted = [...waitsMs].sort((a, b) => a - b)
    const refused = Object.entries(statuses).filter(
      ([status]) => Number(status) !== 200 && Number(status) !== 204,
    )
    figures[`${name}: ${lane} p50 ms`] = sorted[sorted.length >> 1] ?? 0
    figures[`${name}: ${lane} p99 ms`] = sorted[Math.floor(sorted.length * 0.99)] ?? 0
    figures[`${name}: ${lane} max ms`] = sorted.at(-1) ?? 0
    figures[`${name}: ${lane}s per second`] = waitsMs.length / seconds
    for (const [status, count] of refused) figures[`${name}: ${lane} answered ${status}`] = count
  }
}

function noteFlood(figures: Record<string, number>, name: string, lane: LaneResult): void {
  figures[`${name}: flood ${lane.name}s per second`] = lane.waitsMs.length / lane.seconds
  figures[`${name}: flood ${lane.name} max ms`] = lane.waitsMs.reduce((a, b) => Math.max(a, b), 0)
  for (const [status, count] of Object.entries(lane.statuses)) {
    figures[`${name}: flood ${lane.name} answered ${status}`] = count
  }
}

/** The people's lanes, timed while the flood runs. */
async function beside(
  { port }: RunningSystem,
  people: readonly Lane[],
  flood: readonly Lane[],
  seconds: number,
): Promise<{ people: LaneResult[]; flood: LaneResult[] }> {
  const flooding = flood.length === 0 ? undefined : start(port, flood)
  if (flooding !== undefined) await sleep(seconds * 125)
  const timed = start(port, people)
  await sleep(seconds * 1000)
  const results = await timed.stop()
  return { people: results, flood: (await flooding?.stop()) ?? [] }
}

function start(port: number, lanes: readonly Lane[]): { stop(): Promise<LaneResult[]> } {
  const client = fork(fileURLToPath(new URL('./overload-client.mjs', import.meta.url)))
  const answer = new Promise<LaneResult[]>((resolve, reject) => {
    client.on('message', (results) => resolve(results as LaneResult[]))
    client.on('exit', (code) => reject(new Error(`a client ended with ${code}`)))
  })
  // Told when it is asked for.
  answer.catch(() => undefined)
  client.send({ port, lanes })
  return {
    stop() {
      client.send('stop')
      return answer
    },
  }
}

/** What the other organization does: a point query, a write of some lines and a ping, each over and over. */
function peopleLanes(authorization: string): Lane[] {
  const query = (q: string): Sent => ({
    method: 'GET',
    path: `/query?db=p&q=${encodeURIComponent(q)}`,
    headers: { authorization },
  })
  const points = Array.from({ length: 10 }, (_, i) =>
    query(
      `select mean(usage_user) from cpu where hostname = 'host_${i}' and time >= '${from}'
        and time < '2016-01-01T00:10:00Z' group by time(1m)`,
    ),
  )
  const lines = Array.from({ length: 100 }, (_, i) => `written,host=h${i} value=${i}`).join('\n')
  const writes: Sent[] = [
    { method: 'POST', path: '/write?db=p', headers: { authorization }, body: lines },
  ]
  return [
    { name: 'point query', connections: 2, requests: points, pauseMs: 5 },
    { name: 'write', connections: 2, requests: writes, pauseMs: 0 },
    { name: 'ping', connections: 1, requests: [{ method: 'GET', path: '/ping' }], pauseMs: 10 },
  ]
}

function floodLanes(authorization: string, count: number, writers: number): Record<string, Lane[]> {
  const within = `time >= '${from}' and time < '${until}'`
  const influxql: Sent[] = [
    `select percentile(usage_user, 95), mean(usage_idle) from cpu where ${within} group by time(5m), hostname`,
    `select usage_user from cpu where usage_user > 90 and ${within}`,
    `select stddev(usage_system) from cpu where ${within} group by region, time(1m)`,
  ].map((q) => ({
    method: 'GET',
    path: `/query?db=b&q=${encodeURIComponent(q)}`,
    headers: { authorization },
  }))
  const range = `from(bucket: "b") |> range(start: ${from}, stop: ${until})`
  const flux: Sent[] = [
    `${range} |> filter(fn: (r) => r._field == "usage_user" or r._field == "usage_idle")
      |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")
      |> filter(fn: (r) => r.usage_user > 95 and r.usage_idle < 20)`,
    `${range} |> filter(fn: (r) => r._field == "usage_user")
      |> map(fn: (r) => ({r with _value: r._value * 2})) |> group(columns: ["region"]) |> mean()`,
  ].map((body) => ({
    method: 'POST',
    path: '/api/v2/query?org=o',
    headers: { authorization, 'content-type': 'application/vnd.flux' },
    body,
  }))
  const sql: Sent[] = [
    `select hostname, max(usage_user) - lag(max(usage_user)) over (order by hostname) as d from cpu
      group by hostname order by d desc limit 10`,
    `select a.hostname, count(*) as n from cpu a join cpu b on a.time = b.time and a.rack = b.rack
      where a.usage_user > 80 group by a.hostname order by n limit 10`,
    `select date_bin(interval '1 minute', time) as at, hostname, avg(usage_user) as mean from cpu
      where ${within} group by 1, 2 order by 1, 2`,
  ].map((q) => ({
    method: 'POST',
    path: '/api/v3/query_sql',
    headers: { authorization, ...jsonHeaders },
    body: JSON.stringify({ db: 'b', q, format: 'json' }),
  }))
  const lane = (name: string, requests: readonly Sent[], connections = count): Lane => ({
    name,
    connections,
    requests,
    pauseMs: 0,
  })
  const lines = Array.from({ length: 1000 }, (_, i) => `flood,host=h${i} a=${i},b=${i}i`).join('\n')
  const writes: Sent[] = [
    { method: 'POST', path: '/write?db=b', headers: { authorization }, body: lines },
  ]
  return {
    InfluxQL: [lane('query', influxql)],
    Flux: [lane('query', flux)],
    SQL: [lane('query', sql)],
    writers: [lane('write', writes, writers), lane('query', [...influxql, ...flux, ...sql])],
  }
}

function bearerOf({ headers }: RunningSystem): string {
  return headers.replace('authorization: ', '').trim()
}

async function otherOrganization({ port }: RunningSystem, authorization: string): Promise<string> {
  const url = `http://127.0.0.1:${port}/api/v2`
  const make = async (path: string, body: object) => {
    const headers = { authorization, ...jsonHeaders }
    const answer = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string; token: string }
  }
  const { id: orgID } = await make('orgs', { name: 'people' })
  await make('buckets', { orgID, name: 'p', retentionRules: [{ type: 'expire', everySeconds: 0 }] })
  const permissions = ['read', 'write'].map((action) => ({
    action,
    resource: { type: 'buckets', orgID },
  }))
  const { token } = await make('authorizations', { orgID, permissions })
  return `Token ${token}`
}

async function write(
  { port }: RunningSystem,
  path: string,
  authorization: string,
  body: Uint8Array,
): Promise<void> {
  const url = `http://127.0.0.1:${port}${path}`
  const answer = await fetch(url, { method: 'POST', headers: { authorization }, body })
  if (answer.status !== 204) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

/** Looks at what the service and its engines hold while the benchmark runs. */
class MemoryWatch {
  peakMB = 0
  readonly #pid: number
  readonly #timer: NodeJS.Timeout

  constructor({ pid }: RunningSystem) {
    this.#pid = pid
    this.#timer = setInterval(() => this.#look(), 200)
  }

  #look(): void {
    const children = readFileSync(`/proc/${this.#pid}/task/${this.#pid}/children`, 'utf8')
    const engines = children.split(' ').filter((pid) => pid !== '')
    const heldMB = [String(this.#pid), ...engines].reduce((sum, pid) => sum + residentMB(pid), 0)
    this.peakMB = Math.max(this.peakMB, heldMB)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** 0 where it has just ended. */
function residentMB(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
