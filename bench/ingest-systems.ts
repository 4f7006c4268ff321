// The systems that the benchmark of writing compares, each a process of its own on a folder of its own: this project as
// it was built, or as another checkout was, InfluxDB 1 and VictoriaMetrics where they are installed. What they cost is
// read from /proc.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/free-port.js'

export interface RunningSystem {
  readonly pid: number
  readonly port: number
  /** Path of writes, and further header lines of each. */
  readonly path: string
  readonly headers: string
  /** Seconds of CPU since its start, its child processes included. */
  cpuSeconds(): number
  memory(): { rssMB: number; peakMB: number }
  /** Rows of the whole load; undefined where asking means something else than rows. */
  countRows(): Promise<number | undefined>
  stop(): Promise<void>
}

export type SystemName = 'millrace' | 'other checkout' | 'victoria' | 'influx'

/** Those that can be started here. `MILLRACE_BENCH_OTHER`: the folder of another checkout that was built. */
export function installedSystems(): SystemName[] {
  const systems: SystemName[] = ['millrace']
  if (process.env.MILLRACE_BENCH_OTHER !== undefined) systems.push('other checkout')
  if (isInstalled('victoria-metrics')) systems.push('victoria')
  if (isInstalled('influxd')) systems.push('influx')
  return systems
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** `cores`: those that it may use, as taskset takes them; all of them unless told. `flags`: of this project. */
export async function startSystem(
  name: SystemName,
  cores?: string,
  flags: readonly string[] = [],
): Promise<RunningSystem> {
  const folder = mkdtempSync(`${tmpdir()}/millrace-bench-`)
  const port = await freePort()
  switch (name) {
    case 'millrace':
      return startMillrace('.', folder, port, flags, undefined, cores)
    case 'other checkout':
      return startMillrace(process.env.MILLRACE_BENCH_OTHER!, folder, port)
    case 'victoria':
      return startVictoria(folder, port)
    case 'influx':
      return startInflux(folder, port)
  }
}

/** A process of this project over servers that others share. `headers`: of who was set up at the first of them. */
export async function startNode(flags: readonly string[], headers?: string) {
  const folder = mkdtempSync(`${tmpdir()}/millrace-bench-`)
  return startMillrace('.', folder, await freePort(), flags, headers)
}

async function startMillrace(
  root: string,
  folder: string,
  port: number,
  flags: readonly string[] = [],
  known?: string,
  cores?: string,
): Promise<RunningSystem> {
  const program = `${root}/dist/main.js`
  if (!existsSync(program)) throw new Error(`${program} is missing: npm run build`)
  const address = ['--http-address', `127.0.0.1:${port}`, '--data-dir', folder, ...flags]
  // A profile of the processor for each of them, in that folder.
  const { MILLRACE_BENCH_PROFILE: profiles } = process.env
  const profiled = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const command = [...profiled, program, 'serve', ...address, '--log-level', 'error']
  const [first, ...rest] = pinned(cores, [process.execPath, ...command])
  const child = launch(first, rest)
  await ready(`http://127.0.0.1:${port}/health`)
  const headers = known ?? (await authorizationAt(port))
  const path = '/api/v2/write?org=o&bucket=b&precision=ns'
  return running(child, folder, { port, path, headers }, () =>
    count(`http://127.0.0.1:${port}/query?db=b`, headers.slice('authorization: '.length).trim()),
  )
}

/** The command with the cores that it may use: taskset becomes the program, with the same number. */
export function pinned(cores: string | undefined, command: readonly string[]): readonly string[] {
  return cores === undefined ? command : ['taskset', '-c', cores, ...command]
}

async function authorizationAt(port: number): Promise<string> {
  const made = await post(`http://127.0.0.1:${port}/api/v2/setup`, {
    username: 'u',
    password: 'long-enough',
    org: 'o',
    bucket: 'b',
    retentionPeriodSeconds: 0,
  })
  const { auth } = JSON.parse(made) as { auth: { token: string } }
  return `authorization: Token ${auth.token}\r\n`
}

async function startVictoria(folder: string, port: number): Promise<RunningSystem> {
  const options = ['-retentionPeriod=100y', '-loggerLevel=ERROR', `-storageDataPath=${folder}`]
  const child = launch('victoria-metrics', [...options, `-httpListenAddr=127.0.0.1:${port}`])
  await ready(`http://127.0.0.1:${port}/health`)
  // Points become series of single values there: nothing that could be counted alike.
  const at = { port, path: '/write?db=b', headers: '' }
  return running(child, folder, at, async () => undefined)
}

async function startInflux(folder: string, port: number): Promise<RunningSystem> {
  const rpc = await freePort()
  writeFileSync(
    `${folder}/influx.conf`,
    [
      'reporting-disabled = true',
      `bind-address = "127.0.0.1:${rpc}"`,
      `[meta]\ndir = "${folder}/meta"`,
      `[data]\ndir = "${folder}/data"\nwal-dir = "${folder}/wal"\nindex-version = "tsi1"`,
      'query-log-enabled = false\nmax-series-per-database = 0\nmax-values-per-tag = 0',
      `[http]\nbind-address = "127.0.0.1:${port}"\nlog-enabled = false\nmax-body-size = 0`,
      '[logging]\nlevel = "error"\n',
    ].join('\n'),
  )
  const child = launch('influxd', ['-config', `${folder}/influx.conf`])
  await ready(`http://127.0.0.1:${port}/ping`)
  const url = `http://127.0.0.1:${port}/query`
  await fetch(`${url}?q=${encodeURIComponent('CREATE DATABASE b')}`, { method: 'POST' })
  return running(child, folder, { port, path: '/write?db=b', headers: '' }, () =>
    count(`${url}?db=b`, ''),
  )
}

function launch(program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

function running(
  child: ChildProcess,
  folder: string,
  at: { port: number; path: string; headers: string },
  countRows: RunningSystem['countRows'],
): RunningSystem {
  const pid = child.pid!
  return {
    ...at,
    pid,
    countRows,
    cpuSeconds() {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
      const alive = children.filter((child) => child !== '').map((child) => cpuOf(child).own)
      return alive.reduce((sum, own) => sum + own, cpuOf(pid).own + cpuOf(pid).ended)
    },
    memory() {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const megabytes = (name: string) =>
        Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024
      return { rssMB: megabytes('VmRSS'), peakMB: megabytes('VmHWM') }
    },
    async stop() {
      const gone = child.exitCode === null ? once(child, 'exit') : undefined
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Seconds of CPU of a process, and of its children that have ended. */
export function cpuOf(pid: number | string): { own: number; ended: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').map(Number)
  return { own: (fields[11] + fields[12]) / 100, ended: (fields[13] + fields[14]) / 100 }
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await sleep(50)
  }
  throw new Error(`${url} does not answer`)
}

async function post(url: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return answer.text()
}

/** Rows of all measurements: the sum of the counts of the first field of each. */
async function count(url: string, authorization: string): Promise<number> {
  const query = 'select count(field_0) from /.*/'
  const answer = await fetch(`${url}&q=${encodeURIComponent(query)}`, {
    headers: { authorization },
  })
  const { results } = (await answer.json()) as {
    results: { series?: { values: number[][] }[] }[]
  }
  return (results[0].series ?? []).reduce((sum, { values }) => sum + values[0][1], 0)
}
