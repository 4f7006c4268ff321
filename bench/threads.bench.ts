// Where the processor's time goes, thread by thread, while points are loaded and while heavy queries of each language
// run, and how much more of both a second core gives. The service may use one core, then two (`taskset`); the client is
// a process of its own on the machine's last core, so that it takes none from a service on the first.

import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Figures, makeBodies } from './cpu-data.js'
import { cpuOf, pinned, type RunningSystem, startSystem } from './ingest-systems.js'

type Size = 'small' | 'large'

const sizes = {
  small: { hosts: 10, steps: 100, queries: 3, coreCounts: [1], restMs: 0 },
  large: { hosts: 1000, steps: 600, queries: 24, coreCounts: [1, 2], restMs: 8000 },
} as const

/** Enough for heavy queries to meet each other, and for a load to keep the service busy. */
const connections = 4

/** Wanted: docs/performance.md. */
const wanted = { secondCore: 1.7, servingSecondsPerMillion: 0.6 }

export async function run(size: Size): Promise<Figures> {
  const { coreCounts } = sizes[size]
  const cores = allowedCores()
  const figures: Record<string, number> = {}
  const answers: string[] = []
  if (size === 'large') console.log(`  ${aboutCores(cores.length)}`)
  for (const count of coreCounts.filter((each) => each <= cores.length)) {
    const service = cores.slice(0, count).join(',')
    const name = count === 1 ? '1 core' : `${count} cores`
    answers.push(await measureOn(service, String(cores.at(-1)), size, name, figures))
  }
  if (figures['2 cores: load, rows/s'] !== undefined) {
    await measureParsing(cores.slice(0, 2).join(','), String(cores.at(-1)), size, figures)
  }
  for (const what of ['load, rows/s', ...Object.keys(heavyQueries).map(perSecond)]) {
    const [one, two] = ['1 core', '2 cores'].map((name) => figures[`${name}: ${what}`])
    if (one === undefined || two === undefined) continue
    const hope = what.startsWith('load') ? '' : ` (wanted ${wanted.secondCore})`
    figures[`2 cores / 1 core: ${what}${hope}`] = two / one
  }
  return { name: 'threads', figures, check: [...new Set(answers)].join('; ') }
}

function aboutCores(count: number): string {
  const known = `${count} cores in this machine.`
  if (count > 2) return `${known} The client has the last one for itself.`
  return `${known} The client has the second for itself while the service has one core; with two cores
  it takes its part of them, so the ratios are smaller than on a machine with a third.`
}

function perSecond(language: string): string {
  return `${language}, queries/s`
}

async function measureOn(
  serviceCores: string,
  clientCores: string,
  size: Size,
  name: string,
  figures: Record<string, number>,
): Promise<string> {
  const { queries, restMs } = sizes[size]
  const system = await startSystem('millrace', serviceCores)
  const client = startClient(clientCores)
  try {
    await measureLoad(system, client, size, name, figures)
    // What a load leaves to be merged is none of the queries' work.
    await sleep(restMs)
    for (const [language, texts] of Object.entries(heavyQueries)) {
      const ask = (count: number) =>
        Array.from({ length: count }, (_, i) => query(system, language, texts[i % texts.length]))
      await send(client, system, ask(texts.length), 200)
      const asked = await measured(system, () => send(client, system, ask(queries), 200))
      figures[`${name}: ${perSecond(language)}`] = queries / asked.seconds
      for (const [thread, seconds] of asked.threads) {
        figures[`${name}: ${language}, CPU ms/query: ${thread}`] = (seconds / queries) * 1000
      }
    }
    return `${await rowCount(system)} rows`
  } finally {
    client.kill()
    await system.stop()
  }
}

/** The load once more, with a thread that parses, which the service has by itself where there are more cores. */
async function measureParsing(
  serviceCores: string,
  clientCores: string,
  size: Size,
  figures: Record<string, number>,
): Promise<void> {
  const system = await startSystem('millrace', serviceCores, ['--parse-threads', '1'])
  const client = startClient(clientCores)
  try {
    await measureLoad(system, client, size, '2 cores, a thread that parses', figures)
  } finally {
    client.kill()
    await system.stop()
  }
}

async function measureLoad(
  system: RunningSystem,
  client: ChildProcess,
  size: Size,
  name: string,
  figures: Record<string, number>,
): Promise<void> {
  const { hosts, steps } = sizes[size]
  const loads = makeBodies(hosts, steps).map((body) => post(system, system.path, body))
  const rows = hosts * steps
  const load = await measured(system, () => send(client, system, loads, 204))
  figures[`${name}: load, rows/s`] = rows / load.seconds
  for (const [thread, seconds] of load.threads) {
    const hope = thread === serving ? ` (wanted ${wanted.servingSecondsPerMillion})` : ''
    figures[`${name}: load, CPU s/M rows: ${thread}${hope}`] = (seconds / rows) * 1e6
  }
}

const within = "time >= '2016-01-01T00:00:00Z' AND time < '2016-01-01T02:00:00Z'"
const range = 'from(bucket: "b") |> range(start: 2016-01-01T00:00:00Z, stop: 2016-01-01T02:00:00Z)'

/** Much to read and little to send: the client is to have nothing to do. */
const heavyQueries: Readonly<Record<string, readonly string[]>> = {
  InfluxQL: [
    `SELECT percentile(usage_user, 95), mean(usage_idle) FROM cpu WHERE ${within} GROUP BY region`,
    `SELECT stddev(usage_system) FROM cpu WHERE ${within} GROUP BY region, time(10m)`,
  ],
  'InfluxQL on scan threads': [
    `SELECT mean(usage_user), mean(usage_idle) FROM cpu WHERE ${within} GROUP BY region, time(1m)`,
    `SELECT max(usage_user) FROM cpu WHERE usage_system > 50 AND ${within} GROUP BY region`,
  ],
  Flux: [
    `${range} |> filter(fn: (r) => r._field == "usage_user") |> group(columns: ["region"])
      |> quantile(q: 0.95, method: "exact_selector")`,
    `${range} |> filter(fn: (r) => r._field == "usage_system")
      |> map(fn: (r) => ({r with _value: r._value * 2})) |> group(columns: ["region"]) |> mean()`,
  ],
  SQL: [
    `SELECT region, approx_percentile_cont(usage_user, 0.95) AS p FROM cpu WHERE ${within} GROUP BY region`,
    `SELECT region, stddev(usage_system) AS s FROM cpu WHERE ${within} GROUP BY region`,
  ],
}

function query(system: RunningSystem, language: string, text: string): Uint8Array {
  switch (language) {
    case 'InfluxQL':
    case 'InfluxQL on scan threads':
      return post(system, `/query?db=b&q=${encodeURIComponent(text)}`, '')
    case 'Flux':
      return post(system, '/api/v2/query?org=o', text, 'application/vnd.flux')
    default: {
      const body = JSON.stringify({ db: 'b', q: text, format: 'json' })
      return post(system, '/api/v3/query_sql', body, 'application/json')
    }
  }
}

function post(
  { headers }: RunningSystem,
  path: string,
  body: Uint8Array | string,
  type = 'text/plain',
): Uint8Array {
  const bytes = Buffer.from(body)
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n${headers}`
  return Buffer.concat([Buffer.from(`${head}content-length: ${bytes.length}\r\n\r\n`), bytes])
}

function startClient(cores: string): ChildProcess {
  const [execPath, ...execArgv] = pinned(cores, [process.execPath])
  const file = fileURLToPath(new URL('./load-client.mjs', import.meta.url))
  return fork(file, [], { execPath, execArgv, serialization: 'advanced' })
}

/** How long it took, as the client says. */
function send(
  client: ChildProcess,
  { port }: RunningSystem,
  requests: readonly Uint8Array[],
  status: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => reject(new Error(`the client ended with ${code}`))
    client.once('exit', gone)
    client.once('message', (result: { error?: string; seconds: number }) => {
      client.off('exit', gone)
      if (result.error === undefined) resolve(result.seconds)
      else reject(new Error(result.error))
    })
    client.send({ port, connections, requests, status })
  })
}

/** The system counts in hundredths of a second, each thread by itself: less is nothing. */
const secondsMin = 0.025

interface Measured {
  readonly seconds: number
  /** Seconds of CPU by kind of thread, those that took some. */
  readonly threads: ReadonlyMap<string, number>
}

async function measured(system: RunningSystem, work: () => Promise<number>): Promise<Measured> {
  const before = threadTimes(system)
  const seconds = await work()
  const after = threadTimes(system)
  const threads = new Map<string, number>()
  const add = (kind: string, taken: number) => {
    if (taken >= secondsMin) threads.set(kind, (threads.get(kind) ?? 0) + taken)
  }
  let ended = after.all - before.all
  for (const [task, { kind, seconds: now }] of after.threads) {
    const taken = now - (before.threads.get(task)?.seconds ?? 0)
    add(kind, taken)
    ended -= taken
  }
  add('threads that have ended', ended)
  add('engines of SQL', after.engines - before.engines)
  return { seconds, threads }
}

const serving = 'serving thread'
/** What a thread is called that has no name of its own. */
const unnamed = 'node'

/** Seconds of CPU since the start of the service. */
interface ThreadTimes {
  /** Of its process, threads that have ended included. */
  readonly all: number
  readonly engines: number
  readonly threads: ReadonlyMap<string, { readonly kind: string; readonly seconds: number }>
}

/** Threads of V8 and libuv are told apart where Node names them; version 20 does not. */
function threadTimes(system: RunningSystem): ThreadTimes {
  const { pid } = system
  const { own: all } = cpuOf(pid)
  const engines = system.cpuSeconds() - all
  const threads = new Map<string, { kind: string; seconds: number }>()
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const found = threadOf(pid, task)
    if (found === undefined) continue
    const name = found.name === unnamed ? 'V8 and libuv' : found.name
    const kind = Number(task) === pid ? serving : name
    threads.set(task, { kind, seconds: found.seconds })
  }
  return { all, engines, threads }
}

/** Undefined: it has ended meanwhile. */
function threadOf(pid: number, task: string): { name: string; seconds: number } | undefined {
  try {
    const name = readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim()
    return { name, seconds: cpuOf(`${pid}/task/${task}`).own }
  } catch {
    return undefined
  }
}

/** By number, as this process may use them. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8')
  const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)!
  return list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}

async function rowCount(system: RunningSystem): Promise<number> {
  const q = encodeURIComponent('SELECT count(usage_user) FROM cpu')
  const authorization = system.headers.replace('authorization: ', '').trim()
  const url = `http://127.0.0.1:${system.port}/query?db=b&q=${q}`
  const answer = await fetch(url, { headers: { authorization } })
  const { results } = (await answer.json()) as {
    results: { series: { values: number[][] }[] }[]
  }
  return results[0].series[0].values[0][1]
}
