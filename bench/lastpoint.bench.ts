// The newest point of each of a million series, asked in the three languages, on the embedded engine and on ClickHouse:
// seconds, processor time of Millrace and of ClickHouse, and how much memory Millrace had at most. Answers come as
// streams: nothing here keeps them, and the number of their rows is the same everywhere.

import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { requireAddress } from '../src/store/clickhouse/address.js'
import { makeTables } from '../src/store/clickhouse/open.js'
import { newDatabase } from '../test/catalog/postgres-databases.js'
import { startPostgres } from '../test/flux/sql-servers.js'
import { startClickhouse } from '../test/store/clickhouse-servers.js'
import { type Figures, startTime } from './cpu-data.js'
import { cpuOf, type RunningSystem, startNode } from './ingest-systems.js'

const sizes = { small: 500, large: 1_000_000 } as const
const seriesPerBody = 20_000
/** Of each series, a minute apart. */
const points = 2
const minute = 60_000_000_000n

interface Asked {
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

function questions(): Readonly<Record<string, Asked>> {
  const stop = new Date(Number((startTime + 60n * minute) / 1_000_000n)).toISOString()
  const start = new Date(Number(startTime / 1_000_000n)).toISOString()
  const text = `from(bucket: "b") |> range(start: ${start}, stop: ${stop})
    |> filter(fn: (r) => r._measurement == "cpu") |> last()`
  const sql = `SELECT host, selector_last(v, time)['value'] AS v FROM cpu GROUP BY host`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  return {
    InfluxQL: {
      path: '/query?db=b&epoch=ns&chunked=true',
      body: `q=${encodeURIComponent('SELECT last(v) FROM cpu GROUP BY host')}`,
      headers: { ...form, accept: 'application/csv' },
    },
    Flux: {
      path: '/api/v2/query?org=o',
      body: text,
      headers: { 'content-type': 'application/vnd.flux', accept: 'text/csv' },
    },
    SQL: {
      path: '/api/v3/query_sql',
      body: JSON.stringify({ db: 'b', q: sql, format: 'jsonl' }),
      headers: { 'content-type': 'application/json' },
    },
  }
}

export async function run(size: keyof typeof sizes): Promise<Figures> {
  const figures: Record<string, number> = {}
  const counts = new Set<number>()
  const seriesCount = sizes[size]
  const embedded = await startNode([])
  try {
    for (const count of await measure({ name: 'embedded', node: embedded }, seriesCount, figures))
      counts.add(count)
  } finally {
    await embedded.stop()
  }
  const postgres = await startPostgres()
  const clickhouse = await startClickhouse()
  try {
    const address = clickhouse.newAddress()
    await makeTables(requireAddress(address), () => undefined)
    const catalog = await newDatabase(`postgres://flux:flux@127.0.0.1:${postgres.port}`)
    const node = await startNode(['--store', address, '--catalog', catalog])
    try {
      const own = { name: 'ClickHouse', node, storePid: clickhouse.pid }
      for (const count of await measure(own, seriesCount, figures)) counts.add(count)
    } finally {
      await node.stop()
    }
  } finally {
    await clickhouse.stop()
    await postgres.stop()
  }
  return { name: 'lastpoint', figures, check: `${[...counts].join(' or ')} lines` }
}

interface Measured {
  readonly name: string
  readonly node: RunningSystem
  readonly storePid?: number | undefined
}

async function measure(
  { name, node, storePid }: Measured,
  seriesCount: number,
  figures: Record<string, number>,
): Promise<Set<number>> {
  await load(node, seriesCount)
  const storeSeconds = () => (storePid === undefined ? 0 : cpuOf(storePid).own)
  const counts = new Set<number>()
  for (const [language, asked] of Object.entries(questions())) {
    const before = [node.cpuSeconds(), storeSeconds()]
    const begun = performance.now()
    counts.add(await send(node, asked.path, asked.body, asked.headers))
    figures[`${name}, ${language}: s`] = (performance.now() - begun) / 1000
    figures[`${name}, ${language}: Millrace CPU s`] = node.cpuSeconds() - before[0]
    if (storePid !== undefined)
      figures[`${name}, ${language}: ClickHouse CPU s`] = storeSeconds() - before[1]
    figures[`${name}, ${language}: peak MB`] = node.memory().peakMB
  }
  return counts
}

async function load(node: RunningSystem, seriesCount: number): Promise<void> {
  for (let point = 0; point < points; point++) {
    const time = startTime + BigInt(point) * minute
    for (let first = 0; first < seriesCount; first += seriesPerBody) {
      const count = Math.min(seriesPerBody, seriesCount - first)
      const lines = Array.from({ length: count }, (_, i) => {
        return `cpu,host=host_${first + i} v=${first + i + point} ${time}`
      })
      await send(node, node.path, lines.join('\n'), {})
    }
  }
}

/** How many lines of the answer name a host. */
async function send(
  node: RunningSystem,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const [name, value] = node.headers.trim().split(': ')
  const url = `http://127.0.0.1:${node.port}${path}`
  // No `fetch`: it gives up an answer that has not begun within five minutes, which a busy machine may need.
  const asked = request(url, { method: 'POST', headers: { ...headers, [name]: value } })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let count = 0
  let rest = ''
  for await (const piece of answer) {
    const lines = (rest + Buffer.from(piece).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.includes('host_')) count++
  }
  if ((answer.statusCode ?? 500) >= 300) throw new Error(`${answer.statusCode} ${rest}`)
  return count
}
