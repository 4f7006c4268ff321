// Tasks and checks: what a run costs when very many are due at the same second, and how long a point query takes its
// caller meanwhile. The server has a folder, as in life, and a clock that is moved from minute to minute; the client is
// another process. CPU time is of this process, the server.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type RunningServer, startServer } from '../src/index.js'
import { ManualClock } from '../src/platform/clock.js'
import type { Figures } from './cpu-data.js'

type Kind = 'task' | 'check'

interface Site {
  readonly server: RunningServer
  readonly client: ChildProcess
  readonly clock: ManualClock
  readonly orgId: string
  readonly ownerId: string
  readonly token: string
  readonly kind: Kind
  readonly ids: string[]
}

const secondNs = 1_000_000_000n
const minuteNs = 60n * secondNs
/** 2024-01-01. */
const startNs = 1_704_067_200n * secondNs
const seriesCount = 100

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const count = size === 'small' ? 10 : 1000
  const queryCount = size === 'small' ? 20 : 2000
  const figures: Record<string, number> = {}
  const checks: string[] = []
  for (const kind of ['task', 'check'] as const) {
    const site = await setUp(kind)
    try {
      await make(site, count)
      // The first runs are slower: nothing is compiled yet.
      await round(site)
      await queries(site, queryCount)
      const { seconds, cpuMs } = await round(site)
      const alone = await queries(site, queryCount)
      const beside = await besideRuns(site, queryCount)
      figures[`${kind}s: runs/s`] = count / seconds
      figures[`${kind}s: CPU ms a run`] = cpuMs / count
      for (const [name, waits] of Object.entries({ alone, beside })) {
        figures[`${kind}s: query ms ${name}, median`] = percentile(waits, 0.5)
        figures[`${kind}s: query ms ${name}, p99`] = percentile(waits, 0.99)
      }
      checks.push(await shown(site))
    } finally {
      await site.close()
    }
  }
  return { name: 'tasks', figures, check: checks.join('; ') }
}

async function setUp(kind: Kind): Promise<Site & { close(): Promise<void> }> {
  const clock = new ManualClock(startNs)
  const folder = mkdtempSync(`${tmpdir()}/millrace-tasks-`)
  const server = await startServer({ dataDir: folder, jobs: 'inline', clock })
  const client = fork(fileURLToPath(new URL('./load-client.mjs', import.meta.url)))
  const body = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
  const made = await call(server, '', '/api/v2/setup', JSON.stringify(body))
  const { auth, org, user } = JSON.parse(made)
  const close = async () => {
    client.kill()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const site = { kind, server, client, clock, orgId: org.id, ownerId: user.id, token: auth.token }
  return { ...site, ids: [], close }
}

async function make({ server, kind, ids, orgId, ownerId }: Site, count: number): Promise<void> {
  await server.catalog.inTransaction(async ({ tasks, checks }) => {
    for (let i = 0; i < count; i++) {
      if (kind === 'task') await tasks.create(orgId, ownerId, { flux: downsampling(i) })
      else await checks.create(orgId, ownerId, { ...usageHigh, name: `check ${i}` })
    }
    for (const { id } of await tasks.known()) ids.push(id)
  })
}

function downsampling(i: number): string {
  return `option task = {name: "task ${i}", every: 1m}
from(bucket: "b") |> range(start: -task.every)
  |> filter(fn: (r) => r._measurement == "cpu" and r.host =~ /^h.$/)
  |> aggregateWindow(every: 30s, fn: mean) |> set(key: "task", value: "task ${i}")
  |> set(key: "_measurement", value: "means") |> to(bucket: "b")`
}

const usageHigh = {
  type: 'threshold',
  every: '1m',
  query: {
    text: `from(bucket: "b") |> range(start: v.timeRangeStart, stop: v.timeRangeStop)
  |> filter(fn: (r) => r._measurement == "cpu" and r._field == "usage")
  |> aggregateWindow(every: 1m, fn: mean, createEmpty: false)`,
  },
  statusMessageTemplate: '${ r.host } is ${ r._level }',
  thresholds: [
    { type: 'greater', level: 'CRIT', value: 90 },
    { type: 'greater', level: 'WARN', value: 70 },
  ],
} as const

/** A minute of points every ten seconds, and all runs at its end. */
async function round(site: Site): Promise<{ seconds: number; cpuMs: number }> {
  const { server, clock, token } = site
  const from = clock.now()
  const lines: string[] = []
  for (let at = 0n; at < minuteNs; at += 10n * secondNs) {
    for (let i = 0; i < seriesCount; i++) lines.push(`cpu,host=h${i} usage=${i} ${from + at}`)
  }
  await call(server, token, '/api/v2/write?org=o&bucket=b', lines.join('\n'))
  clock.set(from + minuteNs)
  const boundary = new Date(Number((from + minuteNs) / 1_000_000n)).toISOString().slice(0, 19)
  while ((await endedCount(site, boundary)) < 1) await pause(5)
  const cpu = process.cpuUsage()
  const since = performance.now()
  // Rarely while many are left: a look at all states is work of this process too, and none of the runs'.
  for (let left = site.ids.length; left > 0; left = await leftCount(site, boundary)) {
    await pause(Math.max(20, left * 4))
  }
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - since) / 1000, cpuMs: (user + system) / 1000 }
}

async function leftCount(site: Site, boundary: string): Promise<number> {
  return site.ids.length - (await endedCount(site, boundary))
}

async function endedCount({ server, ids }: Site, boundary: string): Promise<number> {
  const states = await server.catalog.tasks.states.ofAll(ids)
  let count = 0
  for (const { latestCompleted, lastRunStatus, lastRunError } of states.values()) {
    if (lastRunStatus === 'failed') throw new Error(lastRunError)
    if (latestCompleted?.startsWith(boundary) && lastRunStatus === 'success') count++
  }
  return count
}

async function besideRuns(site: Site, count: number): Promise<number[]> {
  let isOver = false
  const runs = round(site).then(() => {
    isOver = true
  })
  const waits: number[] = []
  while (!isOver) waits.push(...(await queries(site, Math.ceil(count / 100))))
  await runs
  return waits
}

/** How long point queries take, one after the other, in milliseconds. */
async function queries({ client, server, token }: Site, count: number): Promise<number[]> {
  const query = encodeURIComponent("SELECT last(usage) FROM cpu WHERE host = 'h1'")
  const headers = `host: 127.0.0.1\r\nauthorization: Token ${token}\r\n\r\n`
  const request = `GET /query?db=b&q=${query} HTTP/1.1\r\n${headers}`
  const requests = new Array<string>(count).fill(request)
  client.send({ port: server.port, connections: 1, requests, status: 200 })
  const [answer] = await once(client, 'message')
  if (answer.error !== undefined) throw new Error(answer.error)
  return answer.waitsMs
}

async function shown({ server, kind, token }: Site): Promise<string> {
  const [database, text] =
    kind === 'task'
      ? ['b', 'SELECT count(usage) FROM means']
      : ['_monitoring', 'SELECT count(usage) FROM statuses GROUP BY _level']
  const path = `/query?db=${database}&q=${encodeURIComponent(text)}`
  const { series } = JSON.parse(await call(server, token, path)).results[0]
  const counts = series.map(
    (one: { tags?: { _level: string }; values: number[][] }) =>
      `${one.tags?._level ?? 'points'} ${one.values[0][1]}`,
  )
  return `${kind}s ${counts.join(', ')}`
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)]
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function call(
  server: RunningServer,
  token: string,
  path: string,
  body?: string,
): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST'
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Token ${token}` }
  const answer = await fetch(`${server.url}${path}`, { method, headers, body: body ?? null })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
