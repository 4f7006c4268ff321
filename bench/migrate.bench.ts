// A real InfluxDB's folder into the store, against the same points as line protocol into the same store: rows a second
// of both, and what both cost, which says more on a machine that does other things too. In turn, the median of each.
// Needs Debian's influxd; without it there is nothing to measure.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { allTime } from '../src/column/time.js'
import { LineProtocolParser } from '../src/line-protocol/parser.js'
import { throwDamage } from '../src/migrate/sources/damage.js'
import { FolderSource } from '../src/migrate/sources/folder-source.js'
import { systemClock } from '../src/platform/clock.js'
import { NodeDisk } from '../src/platform/node-disk.js'
import { openEngine } from '../src/store/embedded/engine.js'
import { freePort } from '../test/free-port.js'
import { type Figures, makeBodies } from './cpu-data.js'

const bucket = '00000000000000ab'

export async function run(size: 'small' | 'large'): Promise<Figures> {
  if (spawnSync('influxd', ['version']).status !== 0) {
    return { name: 'migrate', figures: {}, check: 'influxd is not installed' }
  }
  const [hostCount, stepCount] = size === 'small' ? [20, 50] : [500, 1440]
  const bodies = makeBodies(hostCount, stepCount)
  const folder = mkdtempSync(`${tmpdir()}/millrace-bench-`)
  try {
    await fillInfluxd(folder, bodies)
    const moves: Timed[] = []
    const ingests: Timed[] = []
    for (let i = 0; i < (size === 'small' ? 1 : 5); i++) {
      moves.push(await timed(folder, (engine) => moveFolder(engine, `${folder}/influx`)))
      ingests.push(await timed(folder, (engine) => ingest(engine, bodies)))
    }
    const [moved, ingested] = [median(moves), median(ingests)]
    return {
      name: 'migrate',
      figures: {
        folderRowsPerSecond: Math.round(moved.rows / moved.seconds),
        lineProtocolRowsPerSecond: Math.round(ingested.rows / ingested.seconds),
        folderToLineProtocol: ingested.seconds / moved.seconds,
        folderCpuSecondsPerMillion: (moved.cpuSeconds / moved.rows) * 1e6,
        lineProtocolCpuSecondsPerMillion: (ingested.cpuSeconds / ingested.rows) * 1e6,
        folderToLineProtocolByCpu: ingested.cpuSeconds / moved.cpuSeconds,
      },
      check: `${moved.rows} rows from the folder, ${ingested.rows} from lines`,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type BenchEngine = Awaited<ReturnType<typeof openEngine>>

interface Timed {
  readonly rows: number
  readonly seconds: number
  readonly cpuSeconds: number
}

function median(runs: readonly Timed[]): Timed {
  const seconds = runs.map((run) => run.seconds).sort((a, b) => a - b)
  const cpuSeconds = runs.map((run) => run.cpuSeconds).sort((a, b) => a - b)
  const middle = runs.length >> 1
  return { rows: runs[0].rows, seconds: seconds[middle], cpuSeconds: cpuSeconds[middle] }
}

async function timed(
  folder: string,
  work: (engine: BenchEngine) => Promise<number>,
): Promise<Timed> {
  const place = mkdtempSync(`${folder}/store-`)
  const options = {
    disk: new NodeDisk(),
    folder: place,
    clock: systemClock,
    jobs: 'inline' as const,
  }
  const engine = await openEngine(options)
  const start = performance.now()
  const cpu = process.cpuUsage()
  const rows = await work(engine)
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  await engine.close()
  rmSync(place, { recursive: true, force: true })
  return { rows, seconds, cpuSeconds: (user + system) / 1e6 }
}

async function moveFolder(engine: BenchEngine, folder: string): Promise<number> {
  const source = await FolderSource.open(new NodeDisk(), folder)
  const { databases } = await source.describe()
  let rows = 0
  for (const unit of databases[0].policies[0].units) {
    const request = {
      database: 'd',
      policy: 'autogen',
      unit,
      range: allTime,
      wantsMeasurement: () => true,
      fieldTarget: (_: string, name: string, type: 'integer') => ({ name, type }),
      onDamage: throwDamage,
      onBytes: () => {},
    }
    for await (const batch of source.read(request as never)) {
      rows += (await engine.write(bucket, batch)).writtenCount
    }
  }
  return rows
}

async function ingest(engine: BenchEngine, bodies: readonly Uint8Array[]): Promise<number> {
  const parser = new LineProtocolParser()
  let rows = 0
  for (const body of bodies) {
    const { batch } = parser.parse(body, { precision: 'ns', now: 0n })
    rows += (await engine.write(bucket, batch)).writtenCount
    parser.release(batch)
  }
  return rows
}

/** Leaves `folder/influx` behind, with what the server had in its log written into TSM files. */
async function fillInfluxd(folder: string, bodies: readonly Uint8Array[]): Promise<void> {
  const root = `${folder}/influx`
  for (const name of ['meta', 'data', 'wal']) mkdirSync(`${root}/${name}`, { recursive: true })
  const [http, backup] = [await freePort(), await freePort()]
  writeFileSync(
    `${folder}/influxdb.conf`,
    `reporting-disabled = true
bind-address = "127.0.0.1:${backup}"
[meta]
  dir = "${root}/meta"
[data]
  dir = "${root}/data"
  wal-dir = "${root}/wal"
[http]
  bind-address = "127.0.0.1:${http}"
  log-enabled = false
[monitor]
  store-enabled = false
`,
  )
  const child = spawn('influxd', ['-config', `${folder}/influxdb.conf`], { stdio: 'ignore' })
  try {
    const url = `http://127.0.0.1:${http}`
    await answering(url, child)
    await post(`${url}/query`, new URLSearchParams({ q: 'CREATE DATABASE d' }))
    for (const body of bodies) await post(`${url}/write?db=d`, Buffer.from(body))
    // A backup writes what is in the log.
    spawnSync('influxd', [
      'backup',
      '-portable',
      '-host',
      `127.0.0.1:${backup}`,
      `${folder}/backup`,
    ])
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

async function post(url: string, body: URLSearchParams | Buffer): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body })
  if (!answer.ok) throw new Error(await answer.text())
  await answer.arrayBuffer()
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/ping`).catch(() => undefined)
    if (answer?.status === 204) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('influxd ended before it answered')
}
