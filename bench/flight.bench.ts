// How fast rows leave over Flight: a moment, a tag and two fields, asked with InfluxQL, and fetched by a process
// of its own. Once its columns are read by Arrow's library, once the unmodified v3 client makes an object of
// every row, which takes many times longer than everything before it. The check string counts rows and adds up
// a column.

import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startServer } from '../src/index.js'
import { ManualClock } from '../src/platform/clock.js'
import { type Figures, startTime } from './cpu-data.js'

const adminToken = 'token-of-the-benchmark'
const linesPerWrite = 50_000
const text = 'SELECT usage, count FROM cpu GROUP BY host'

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const rowCount = size === 'small' ? 10_000 : 1_000_000
  const rounds = size === 'small' ? 1 : 7
  const clock = new ManualClock(startTime + 1_000_000_000_000n)
  const server = await startServer({ variant: 'cluster', adminToken, clock, jobs: 'inline' })
  const client = fork(clientPath())
  try {
    await load(server.url, rowCount)
    const ask = (how: How) => fetchAll(client, server.url, how)
    const columns: Fetched[] = []
    for (let i = 0; i < rounds; i++) columns.push(await ask('arrow'))
    const rows = await ask('rows')
    const sums = new Set([...columns, rows].map((each) => `${each.rows} rows, ${each.sum}`))
    return {
      name: 'flight',
      figures: {
        rowsPerSecond: rowCount / median(columns.map(({ seconds }) => seconds)),
        rowsPerServerCpuSecond: rowCount / median(columns.map((each) => each.serverCpuSeconds)),
        rowsPerSecondAsObjectsOfClient: rowCount / rows.seconds,
      },
      check: [...sums].join(' and '),
    }
  } finally {
    client.kill()
    await server.close()
  }
}

/** Benchmarks are compiled into a folder below node_modules; the client stays where it is. */
function clientPath(): string {
  const beside = new URL('./flight-client.mjs', import.meta.url)
  const source = new URL('../../bench/flight-client.mjs', import.meta.url)
  return fileURLToPath(existsSync(beside) ? beside : source)
}

async function load(url: string, rowCount: number): Promise<void> {
  for (let from = 0; from < rowCount; from += linesPerWrite) {
    const lines: string[] = []
    for (let row = from; row < Math.min(from + linesPerWrite, rowCount); row++) {
      const fields = `usage=${(row % 1000) / 10},count=${row}i`
      lines.push(`cpu,host=host-${row % 10} ${fields} ${startTime + BigInt(row) * 1000n}`)
    }
    const headers = { authorization: `Bearer ${adminToken}` }
    const body = lines.join('\n')
    const answer = await fetch(`${url}/write?db=b`, { method: 'POST', headers, body })
    if (answer.status !== 204) throw new Error(await answer.text())
  }
}

type How = 'arrow' | 'rows'

interface Fetched {
  readonly rows: number
  readonly sum: number
  readonly seconds: number
  /** Of this process, which has nothing else to do meanwhile. */
  readonly serverCpuSeconds: number
}

async function fetchAll(client: ChildProcess, url: string, how: How): Promise<Fetched> {
  const before = process.cpuUsage()
  const came = new Promise<Fetched & { readonly error?: string }>((resolve, reject) => {
    client.once('message', resolve)
    client.once('exit', () => reject(new Error('the client has ended')))
  })
  client.send({ url, token: adminToken, text, how })
  const fetched = await came
  if (fetched.error !== undefined) throw new Error(fetched.error)
  const { user, system } = process.cpuUsage(before)
  return { ...fetched, serverCpuSeconds: (user + system) / 1e6 }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]
}
