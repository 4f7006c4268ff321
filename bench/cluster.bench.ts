// The same load and the same questions on the embedded engine and on ClickHouse, with one process of Millrace and with
// two: rows a second, and the processor time of Millrace and of ClickHouse for each. The statements that a question
// becomes (EXPLAIN tells them) are also sent to ClickHouse by hand, which shows what Millrace adds. Debian's ClickHouse
// is served through a dialect that reads slowly: MILLRACE_TEST_CLICKHOUSE names a newer one.

import { requireAddress } from '../src/store/clickhouse/address.js'
import { makeTables } from '../src/store/clickhouse/open.js'
import { newDatabase } from '../test/catalog/postgres-databases.js'
import { startPostgres } from '../test/flux/sql-servers.js'
import { type ClickhouseServer, startClickhouse } from '../test/store/clickhouse-servers.js'
import { type Figures, makeBodies, startTime } from './cpu-data.js'
import { cpuOf, type RunningSystem, startNode, startSystem } from './ingest-systems.js'

/**
 * Hosts, steps, rounds, for how long a question is asked before it is measured, and while it is, and how many short
 * questions each process has answered before the first is measured.
 */
const sizes = { small: [10, 600, 2, 0, 1], large: [100, 4320, 10, 4000, 2000] } as const
/** Requests under way at each process. */
const writersEach = 4
/** At least. */
const warmUps = 20
const hour = 3_600_000_000_000n

/** What is measured, and whose time is taken. */
interface Bench {
  readonly name: string
  readonly nodes: readonly RunningSystem[]
  readonly store: { readonly pid: number | undefined; readonly address: string } | undefined
}

export async function run(size: keyof typeof sizes): Promise<Figures> {
  const [hosts, steps, rounds, ms, before] = sizes[size]
  const bodies = makeBodies(hosts, steps)
  const figures: Record<string, number> = {}
  const counts: number[] = []
  const measure = async (bench: Bench) => {
    await ingest(bench, bodies, hosts * steps, figures)
    await settle(bench, statements(steps).point, before)
    counts.push(await questions(bench, steps, { rounds, ms }, figures))
  }
  const embedded = await startSystem('millrace')
  try {
    await measure({ name: 'embedded', nodes: [embedded], store: undefined })
  } finally {
    await embedded.stop()
  }
  const postgres = await startPostgres()
  const clickhouse = await startClickhouse()
  try {
    for (const count of [1, 2]) {
      const nodes = await nodesOver(clickhouse, postgres.port, count)
      try {
        await measure({ name: count === 1 ? '1 node' : '2 nodes', ...nodes })
      } finally {
        for (const node of nodes.nodes) await node.stop()
      }
    }
  } finally {
    await clickhouse.stop()
    await postgres.stop()
  }
  return { name: 'cluster', figures, check: `${[...new Set(counts)].join(' or ')} rows` }
}

/** In a database and a catalog of their own. */
async function nodesOver(clickhouse: ClickhouseServer, postgresPort: number, count: number) {
  const address = clickhouse.newAddress()
  await makeTables(requireAddress(address), () => undefined)
  const catalog = await newDatabase(`postgres://flux:flux@127.0.0.1:${postgresPort}`)
  const nodes: RunningSystem[] = []
  for (let i = 0; i < count; i++) {
    const flags = ['--store', address, '--catalog', catalog, '--node-id', `n${i}`]
    nodes.push(await startNode(flags, nodes[0]?.headers))
  }
  return { nodes, store: { pid: clickhouse.pid, address } }
}

const millraceSeconds = ({ nodes }: Bench) =>
  nodes.reduce((sum, node) => sum + node.cpuSeconds(), 0)
const storeSeconds = ({ store }: Bench) => (store?.pid === undefined ? 0 : cpuOf(store.pid).own)

async function ingest(
  bench: Bench,
  bodies: readonly Uint8Array[],
  rows: number,
  figures: Record<string, number>,
): Promise<void> {
  const { name, nodes, store } = bench
  // As a process that has run for a while finds it: of a load of seconds half the time is the compiler's.
  const warmUp = warmUpBodies(bodies)
  for (const node of nodes) await writeAll([node], warmUp)
  const before = [millraceSeconds(bench), storeSeconds(bench)]
  const begun = performance.now()
  await writeAll(nodes, bodies)
  figures[`${name}: rows/s`] = (rows * 1000) / (performance.now() - begun)
  const spent = millraceSeconds(bench) - before[0]
  figures[`${name}: Millrace CPU s/M rows`] = (spent * 1e6) / rows
  figures[`${name}: rows/s for a core of Millrace`] = rows / spent
  if (store?.pid !== undefined)
    figures[`${name}: ClickHouse CPU s/M rows`] = ((storeSeconds(bench) - before[1]) * 1e6) / rows
}

async function writeAll(
  nodes: readonly RunningSystem[],
  bodies: readonly Uint8Array[],
): Promise<void> {
  let next = 0
  const writer = async (node: RunningSystem) => {
    while (next < bodies.length) await write(node, bodies[next++])
  }
  await Promise.all(
    nodes.flatMap((node) => Array.from({ length: writersEach }, () => writer(node))),
  )
}

/** Of a measurement that nobody asks for. */
function warmUpBodies(bodies: readonly Uint8Array[]): Uint8Array[] {
  return bodies.slice(0, Math.ceil(bodies.length / 2)).map((body) => {
    const text = Buffer.from(body).toString('latin1')
    return Buffer.from(text.replace(/^cpu,/gm, 'warm,'), 'latin1')
  })
}

async function write({ port, path, headers }: RunningSystem, body: Uint8Array): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: headersOf(headers),
    body: body as Uint8Array<ArrayBuffer>,
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

function headersOf(lines: string): Record<string, string> {
  const [name, value] = lines.trim().split(': ')
  return { [name]: value }
}

const fields = 'user system idle nice iowait irq softirq steal guest guest_nice'.split(' ')
const means = (count: number) =>
  fields
    .slice(0, count)
    .map((name) => `mean(usage_${name})`)
    .join(', ')

function statements(steps: number) {
  const end = startTime + BigInt(steps) * 10_000_000_000n
  const within = (length: bigint) => `time >= ${end - length} AND time < ${end}`
  const all = within(12n * hour)
  return {
    point: `SELECT ${means(1)} FROM cpu WHERE hostname = 'host_3' AND ${within(hour)} GROUP BY time(1m)`,
    'double-groupby-1': `SELECT ${means(1)} FROM cpu WHERE ${all} GROUP BY time(1h), hostname`,
    'double-groupby-all': `SELECT ${means(10)} FROM cpu WHERE ${all} GROUP BY time(1h), hostname`,
    'last point': 'SELECT last(usage_user) FROM cpu GROUP BY hostname',
  }
}

/**
 * As a process that has run for a while answers: its compiler is at work for the first thousand questions, which the
 * embedded engine has answered within a second, but of ClickHouse not within the seconds that are measured.
 */
async function settle({ nodes }: Bench, q: string, rounds: number): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      for (let i = 0; i < rounds; i++) await ask(node, q)
    }),
  )
}

/** Rows of all answers: the same on every store. */
async function questions(
  bench: Bench,
  steps: number,
  least: Least,
  figures: Record<string, number>,
): Promise<number> {
  const { name, nodes, store } = bench
  let rows = 0
  for (const [question, q] of Object.entries(statements(steps))) {
    rows += await ask(nodes[0], q)
    // As dashboards find it: asked before, of every process.
    await timed(bench, { rounds: warmUps, ms: least.ms * nodes.length }, (i) =>
      ask(nodes[i % nodes.length], q),
    )
    const own = await timed(bench, least, (i) => ask(nodes[i % nodes.length], q))
    const key = `${name}: ${question}`
    figures[`${key} ms`] = own.ms
    figures[`${key} Millrace CPU ms`] = own.millrace
    if (store?.pid === undefined) continue
    figures[`${key} ClickHouse CPU ms`] = own.store
    const bare = await bareStatements(nodes[0], q)
    const alone = await timed(bench, least, () => sendAll(store.address, bare))
    figures[`${key} bare statements ms`] = alone.ms
    figures[`${key} bare CPU ms`] = alone.store
  }
  return rows
}

/** How often, and for how long, something is done. */
interface Least {
  readonly rounds: number
  readonly ms: number
}

async function timed(bench: Bench, least: Least, work: (round: number) => Promise<unknown>) {
  const before = [millraceSeconds(bench), storeSeconds(bench)]
  const times: number[] = []
  const stop = performance.now() + least.ms
  while (times.length < least.rounds || performance.now() < stop) {
    const begun = performance.now()
    await work(times.length)
    times.push(performance.now() - begun)
  }
  const rounds = times.length
  const each = (now: number, then: number) => ((now - then) * 1000) / rounds
  return {
    ms: times.sort((a, b) => a - b)[Math.floor(rounds / 2)],
    millrace: each(millraceSeconds(bench), before[0]),
    store: each(storeSeconds(bench), before[1]),
  }
}

interface Answer {
  readonly results: readonly { readonly series?: readonly { readonly values: unknown[][] }[] }[]
}

async function answerOf({ port, headers }: RunningSystem, q: string): Promise<unknown[][]> {
  const url = `http://127.0.0.1:${port}/query?${new URLSearchParams({ db: 'b', q })}`
  const answer = await fetch(url, { headers: headersOf(headers) })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  const { results } = (await answer.json()) as Answer
  return (results[0].series ?? []).flatMap(({ values }) => values)
}

async function ask(node: RunningSystem, q: string): Promise<number> {
  return (await answerOf(node, q)).length
}

/** What ClickHouse gets for a question. */
async function bareStatements(node: RunningSystem, q: string): Promise<string[]> {
  const lines = (await answerOf(node, `EXPLAIN ${q}`)).map(([line]) => `${line}`)
  return lines.flatMap((line) => /^STATEMENT: shard \d+: (.*)$/s.exec(line)?.[1] ?? [])
}

async function sendAll(address: string, sql: readonly string[]): Promise<void> {
  const { endpoints, user, password, database } = requireAddress(address)
  // As the dialect for Debian's does.
  const threads = process.env.MILLRACE_TEST_CLICKHOUSE
    ? ''
    : '&max_threads=1&enable_optimize_predicate_expression=0'
  for (const statement of sql) {
    const answer = await fetch(`${endpoints[0]}/?database=${database}${threads}`, {
      method: 'POST',
      headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password },
      body: `${statement} FORMAT Native`,
    })
    const body = await answer.arrayBuffer()
    if (!answer.ok) throw new Error(Buffer.from(body).toString().slice(0, 300))
  }
}
