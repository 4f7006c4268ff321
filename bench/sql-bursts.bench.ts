// SQL as dashboards send it: 24 statements at once over 8 connections, beside the same ones in a row. Processor time of
// everything is counted (service, engines, client) and compared, as milliseconds on a busy machine say little. Cold: of
// a service that has no engine yet; warm: the same again, when its engines are there. `factor` is at once by in a row:
// at most 2 wanted.

import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { startServer } from '../src/index.js'
import { ManualClock } from '../src/platform/clock.js'
import { type Figures, startTime } from './cpu-data.js'

const adminToken = 'token-of-the-benchmark'
const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
const statementCount = 24
const hostCount = 10

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const rounds = size === 'small' ? 1 : 5
  const taken: Record<Kind, Taken[]> = { row: [], rowWarm: [], burst: [], burstWarm: [] }
  const answers = new Set<string>()
  for (let i = 0; i < rounds; i++) {
    for (const connections of [1, 8]) {
      const cold = connections === 1 ? 'row' : 'burst'
      for (const [kind, each] of await inNewService(size, connections, cold)) {
        taken[kind].push(each)
        answers.add(each.answer)
      }
    }
  }
  const cpu = (kind: Kind) => median(taken[kind].map((each) => each.cpuMilliseconds))
  const milliseconds = (kind: Kind) => median(taken[kind].map((each) => each.milliseconds))
  return {
    name: 'sql-bursts',
    figures: {
      rowCpuMilliseconds: cpu('row'),
      burstCpuMilliseconds: cpu('burst'),
      factor: cpu('burst') / cpu('row'),
      rowWarmCpuMilliseconds: cpu('rowWarm'),
      burstWarmCpuMilliseconds: cpu('burstWarm'),
      factorWarm: cpu('burstWarm') / cpu('rowWarm'),
      rowMilliseconds: milliseconds('row'),
      burstMilliseconds: milliseconds('burst'),
      burstWarmMilliseconds: milliseconds('burstWarm'),
    },
    check: [...answers].join(' and '),
  }
}

type Kind = 'row' | 'rowWarm' | 'burst' | 'burstWarm'

interface Taken {
  readonly cpuMilliseconds: number
  readonly milliseconds: number
  readonly answer: string
}

async function inNewService(
  size: 'small' | 'large',
  connections: number,
  cold: 'row' | 'burst',
): Promise<[Kind, Taken][]> {
  const clock = new ManualClock(startTime + 100_000_000_000_000n)
  const server = await startServer({ variant: 'cluster', adminToken, clock, jobs: 'inline' })
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    await load(server.url, size === 'small' ? 100 : 5000)
    const first = await ask(server.url, agent)
    return [
      [cold, first],
      [`${cold}Warm`, await ask(server.url, agent)],
    ]
  } finally {
    agent.destroy()
    await server.close()
  }
}

async function load(url: string, stepCount: number): Promise<void> {
  const lines: string[] = []
  for (let step = 0; step < stepCount; step++) {
    const time = startTime + BigInt(step) * 10_000_000_000n
    for (let host = 0; host < hostCount; host++) {
      lines.push(`cpu,host=h${host} usage=${(step * 7 + host) % 100} ${time}`)
    }
  }
  const body = lines.join('\n')
  const answer = await fetch(`${url}/write?db=d`, { method: 'POST', headers, body })
  if (answer.status !== 204) throw new Error(await answer.text())
}

/** One panel per host and kind of figure, as they stand on a dashboard; computed, as plain ones need no engine. */
function statement(i: number): string {
  const call = ['avg', 'max', 'count'][i % 3]
  return `SELECT date_bin(INTERVAL '10 minutes', time) AS t, ${call}(usage) + 0 AS v FROM cpu
    WHERE host = 'h${i % hostCount}' GROUP BY t ORDER BY t`
}

async function ask(url: string, agent: Agent): Promise<Taken> {
  const start = performance.now()
  const cpu = cpuMilliseconds()
  const texts = Array.from({ length: statementCount }, (_, i) => statement(i))
  const answers = await Promise.all(texts.map((text) => post(url, agent, text)))
  const rows = answers.reduce((sum, answer) => sum + (JSON.parse(answer) as unknown[]).length, 0)
  return {
    cpuMilliseconds: cpuMilliseconds() - cpu,
    milliseconds: performance.now() - start,
    answer: `${answers.length} answers, ${rows} rows`,
  }
}

function post(url: string, agent: Agent, q: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v3/query_sql`, { method: 'POST', agent, headers })
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(text))
    })
    sent.end(JSON.stringify({ db: 'd', q, format: 'json' }))
  })
}

/** Of this process, the children that it has and those that have ended. Linux counts in hundredths of a second. */
function cpuMilliseconds(): number {
  const self = statOf('self')
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
  const ticks = children
    .split(' ')
    .filter((pid) => pid !== '')
    .reduce((sum, pid) => sum + statOf(pid).own, self.own + self.ended)
  return ticks * 10
}

function statOf(pid: string): { own: number; ended: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  return { own: fields[11] + fields[12], ended: fields[13] + fields[14] }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]
}
