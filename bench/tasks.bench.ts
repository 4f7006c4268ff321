// Tasks: what a run of a downsampling task costs, when very many are due at the same second, and what a point query
// costs its caller meanwhile. CPU time is of this process, server and client together; waiting times are the client's.

import { request } from 'node:http'
import { type RunningServer, startServer } from '../src/index.js'
import type { Figures } from './cpu-data.js'

interface Site {
  readonly server: RunningServer
  readonly token: string
  readonly orgId: string
}

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const taskCount = size === 'small' ? 10 : 1000
  const queryCount = size === 'small' ? 20 : 1000
  const site = await setUp()
  const { server } = site
  try {
    const alone = await waits(site, queryCount, () => true)
    await makeTasks(site, taskCount)
    const cpu = process.cpuUsage()
    const since = performance.now()
    await askForAll(site)
    let isOver = false
    const busy = waits(site, queryCount, () => !isOver)
    const ended = await allEnded(site, taskCount)
    const seconds = (performance.now() - since) / 1000
    isOver = true
    const { user, system } = process.cpuUsage(cpu)
    const meanwhile = await busy
    const written = await pointsWritten(site)
    return {
      name: 'tasks',
      figures: {
        'runs/s': taskCount / seconds,
        'CPU ms a run': (user + system) / 1000 / taskCount,
        'point query p99 ms, alone': percentile(alone, 0.99),
        'point query p99 ms, with tasks': percentile(meanwhile, 0.99),
      },
      check: `${ended} runs went well, ${written} points written`,
    }
  } finally {
    await server.close()
  }
}

async function setUp(): Promise<Site> {
  const server = await startServer({ jobs: 'inline' })
  const body = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
  const made = JSON.parse(await send(server.url, '/api/v2/setup', '', JSON.stringify(body)))
  const site = { server, token: made.auth.token, orgId: made.org.id }
  const lines = Array.from({ length: 1000 }, (_, i) => `m,host=h${i % 10} v=${i} ${start + i}`)
  await send(server.url, '/api/v2/write?org=o&bucket=b&precision=s', site.token, lines.join('\n'))
  return site
}

/** 2024-01-01, in seconds. */
const start = 1_704_067_200

async function makeTasks({ server, orgId }: Site, count: number): Promise<void> {
  const user = (await server.catalog.users.list({}, { limit: 1, offset: 0, descending: false }))[0]
  await server.catalog.inTransaction(async ({ tasks }) => {
    for (let i = 0; i < count; i++) {
      const flux = `option task = {name: "t${i}", every: 1h}
from(bucket: "b") |> range(start: -task.every) |> filter(fn: (r) => r._measurement == "m")
  |> aggregateWindow(every: 10m, fn: mean) |> set(key: "task", value: "t${i}")
  |> set(key: "_measurement", value: "means") |> to(bucket: "b")`
      await tasks.create(orgId, user.id, { flux })
    }
  })
}

async function askForAll({ server }: Site): Promise<void> {
  const moment = BigInt(start + 3600) * 1_000_000_000n
  await server.catalog.inTransaction(async ({ tasks }) => {
    for (const { id, orgId } of await tasks.list({})) {
      await tasks.runs.schedule({ id, orgId, kind: 'task' }, moment)
    }
  })
}

async function allEnded({ server }: Site, count: number): Promise<number> {
  const ids = (await server.catalog.tasks.list({})).map(({ id }) => id)
  for (;;) {
    const states = [...(await server.catalog.tasks.states.ofAll(ids)).values()]
    const ended = states.filter(({ lastRunStatus }) => lastRunStatus !== undefined)
    if (ended.length >= count) {
      return ended.filter(({ lastRunStatus }) => lastRunStatus === 'success').length
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** How long point queries take, one after the other, in milliseconds. */
async function waits(site: Site, count: number, goesOn: () => boolean): Promise<number[]> {
  const found: number[] = []
  const query = encodeURIComponent("SELECT last(v) FROM m WHERE host = 'h1'")
  while (found.length < count && (goesOn() || found.length === 0)) {
    const since = performance.now()
    await send(site.server.url, `/query?db=b&q=${query}`, site.token)
    found.push(performance.now() - since)
  }
  return found
}

async function pointsWritten(site: Site): Promise<number> {
  const query = encodeURIComponent('SELECT count(v) FROM means')
  const answer = JSON.parse(await send(site.server.url, `/query?db=b&q=${query}`, site.token))
  return answer.results[0].series[0].values[0][1]
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)]
}

function send(url: string, path: string, token: string, body?: string): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST'
  const headers = token === '' ? {} : { authorization: `Token ${token}` }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks).toString()))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
