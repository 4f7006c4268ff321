// The same questions in InfluxQL, Flux and SQL, as dashboards send them: another host and another time with each ask.
// Printed is the processor time of the service and its engines for one ask once it is warm, and how many times that of
// InfluxQL the other two cost: at most 2 wanted for Flux and 3 for SQL. That the three give as many rows is checked.

import { type Figures, makeBodies, startTime } from './cpu-data.js'
import { type RunningSystem, startSystem } from './ingest-systems.js'

/** Hosts, steps, asks whose rows are counted, and for how long it is asked before and while it is measured. */
const sizes = { small: [4, 720, 2, 0, 0], large: [100, 4320, 10, 1500, 1500] } as const
const minute = 60_000_000_000n

interface Asked {
  readonly host: string
  readonly start: bigint
  readonly stop: bigint
}

interface Question {
  readonly name: string
  readonly whole?: boolean
  influxql(asked: Asked): string
  flux(asked: Asked): string
  sql(asked: Asked): string
}

type Language = 'influxql' | 'flux' | 'sql'

export async function run(size: keyof typeof sizes): Promise<Figures> {
  const [hosts, steps] = sizes[size]
  const system = await startSystem('millrace')
  try {
    for (const body of makeBodies(hosts, steps)) await write(system, body)
    const figures: Record<string, number> = {}
    const rows: string[] = []
    for (const question of questions) {
      const counts = await measure(system, question, size, figures)
      rows.push(`${question.name} ${[...new Set(counts)].join(' or ')}`)
    }
    return { name: 'languages', figures, check: rows.join('\n') }
  } finally {
    await system.stop()
  }
}

async function measure(
  system: RunningSystem,
  question: Question,
  size: keyof typeof sizes,
  figures: Record<string, number>,
): Promise<number[]> {
  const [hosts, steps, asks, warmMs, measuredMs] = sizes[size]
  const asked = askedOf(question, hosts, steps, asks)
  const counts: number[] = []
  const spent: Record<Language, number> = { influxql: 0, flux: 0, sql: 0 }
  for (const language of ['influxql', 'flux', 'sql'] as const) {
    const one = (i: number) => ask(system, language, question[language](asked[i % asks]))
    let rows = 0
    for (let i = 0; i < asks; i++) rows += await one(i)
    counts.push(rows)
    await askFor(warmMs, one)
    const before = system.cpuSeconds()
    const count = await askFor(measuredMs, one)
    spent[language] = ((system.cpuSeconds() - before) * 1000) / count
    figures[`${question.name}: ${language} ms`] = spent[language]
  }
  figures[`${question.name}: flux/influxql`] = spent.flux / spent.influxql
  figures[`${question.name}: sql/influxql`] = spent.sql / spent.influxql
  return counts
}

function askedOf(question: Question, hosts: number, steps: number, asks: number): Asked[] {
  const span = BigInt(steps / 6) * minute
  const length = question.whole ? span : span / 12n
  return Array.from({ length: asks }, (_, i) => {
    const moved = question.whole ? 0n : (BigInt(i) * 7n * minute) % (span - length)
    const start = startTime + moved - (moved % minute)
    return { host: `host_${(i * 37) % hosts}`, start, stop: start + length }
  })
}

/** One ask at least. Resolves to how many there were. */
async function askFor(ms: number, one: (i: number) => Promise<number>): Promise<number> {
  const until = performance.now() + ms
  let count = 0
  do await one(count++)
  while (performance.now() < until)
  return count
}

const isoTime = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString()
const whereTime = ({ start, stop }: Asked) => `time >= ${start} AND time < ${stop}`
const sqlTime = ({ start, stop }: Asked) =>
  `time >= '${isoTime(start)}' AND time < '${isoTime(stop)}'`

const from = ({ start, stop }: Asked, field?: string) =>
  `from(bucket: "b") |> range(start: ${isoTime(start)}, stop: ${isoTime(stop)})
    |> filter(fn: (r) => r._measurement == "cpu"${field ? ` and r._field == "${field}"` : ''})`
const ofHost = ({ host }: Asked) => `|> filter(fn: (r) => r.hostname == "${host}")`
const byTime = '|> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")'

const questions: readonly Question[] = [
  {
    name: 'one host by minute',
    influxql: (a) =>
      `SELECT mean(usage_user) FROM cpu WHERE hostname = '${a.host}' AND ${whereTime(a)} GROUP BY time(1m)`,
    flux: (a) =>
      `${from(a, 'usage_user')} ${ofHost(a)} |> aggregateWindow(every: 1m, fn: mean, timeSrc: "_start")`,
    sql: (a) =>
      `SELECT date_bin(INTERVAL '1 minute', time) AS t, avg(usage_user) AS v FROM cpu
        WHERE hostname = '${a.host}' AND ${sqlTime(a)} GROUP BY t ORDER BY t`,
  },
  {
    name: 'mean by host and hour',
    whole: true,
    influxql: (a) =>
      `SELECT mean(usage_user) FROM cpu WHERE ${whereTime(a)} GROUP BY time(1h), hostname`,
    flux: (a) =>
      `${from(a, 'usage_user')} |> group(columns: ["hostname"])
        |> aggregateWindow(every: 1h, fn: mean, timeSrc: "_start")`,
    sql: (a) =>
      `SELECT date_bin(INTERVAL '1 hour', time) AS t, hostname, avg(usage_user) AS v FROM cpu
        WHERE ${sqlTime(a)} GROUP BY t, hostname ORDER BY hostname, t`,
  },
  {
    name: 'high values',
    influxql: (a) =>
      `SELECT usage_user, usage_system FROM cpu WHERE usage_user > 90 AND ${whereTime(a)}`,
    flux: (a) =>
      `${from(a)} |> filter(fn: (r) => r._field == "usage_user" or r._field == "usage_system")
        ${byTime} |> filter(fn: (r) => r.usage_user > 90)`,
    sql: (a) =>
      `SELECT time, usage_user, usage_system FROM cpu WHERE usage_user > 90 AND ${sqlTime(a)} ORDER BY time`,
  },
  {
    name: 'one host raw',
    whole: true,
    influxql: (a) => `SELECT usage_user FROM cpu WHERE hostname = '${a.host}' AND ${whereTime(a)}`,
    flux: (a) => `${from(a, 'usage_user')} ${ofHost(a)}`,
    sql: (a) =>
      `SELECT time, usage_user FROM cpu WHERE hostname = '${a.host}' AND ${sqlTime(a)} ORDER BY time`,
  },
  {
    name: 'last by host',
    whole: true,
    influxql: (a) => `SELECT last(usage_user) FROM cpu WHERE ${whereTime(a)} GROUP BY hostname`,
    flux: (a) => `${from(a, 'usage_user')} |> group(columns: ["hostname"]) |> last()`,
    sql: (a) =>
      `SELECT hostname, selector_last(usage_user, time)['value'] AS v FROM cpu
        WHERE ${sqlTime(a)} GROUP BY hostname ORDER BY hostname`,
  },
  {
    name: 'derivative of one host',
    influxql: (a) =>
      `SELECT derivative(mean(usage_user), 1s) FROM cpu
        WHERE hostname = '${a.host}' AND ${whereTime(a)} GROUP BY time(1m)`,
    flux: (a) =>
      `${from(a, 'usage_user')} ${ofHost(a)} |> aggregateWindow(every: 1m, fn: mean, timeSrc: "_start")
        |> derivative(unit: 1s)`,
    sql: (a) =>
      `WITH m AS (SELECT date_bin(INTERVAL '1 minute', time) AS t, avg(usage_user) AS v FROM cpu
        WHERE hostname = '${a.host}' AND ${sqlTime(a)} GROUP BY t)
        SELECT * FROM (SELECT t, (v - lag(v) OVER (ORDER BY t)) / 60 AS d FROM m) WHERE d IS NOT NULL ORDER BY t`,
  },
  {
    name: 'computed columns',
    whole: true,
    influxql: (a) =>
      `SELECT usage_user / usage_system + 1 AS v FROM cpu WHERE hostname = '${a.host}' AND ${whereTime(a)}`,
    flux: (a) =>
      `${from(a)} |> filter(fn: (r) => r._field == "usage_user" or r._field == "usage_system") ${ofHost(a)}
        ${byTime}
        |> map(fn: (r) => ({_time: r._time, v: float(v: r.usage_user) / float(v: r.usage_system) + 1.0}))`,
    sql: (a) =>
      `SELECT time, usage_user::double / usage_system + 1 AS v FROM cpu
        WHERE hostname = '${a.host}' AND ${sqlTime(a)} ORDER BY time`,
  },
  {
    name: 'join on time',
    whole: true,
    influxql: (a) =>
      `SELECT mean(usage_user) AS u, mean(usage_system) AS s FROM cpu
        WHERE hostname = '${a.host}' AND ${whereTime(a)} GROUP BY time(1m)`,
    flux: (a) =>
      ['usage_user', 'usage_system']
        .map(
          (field, i) =>
            `${'us'[i]} = ${from(a, field)} ${ofHost(a)} |> aggregateWindow(every: 1m, fn: mean, timeSrc: "_start")
              |> keep(columns: ["_time", "_value"])`,
        )
        .concat('join(tables: {u: u, s: s}, on: ["_time"])')
        .join('\n'),
    sql: (a) =>
      `SELECT date_bin(INTERVAL '1 minute', time) AS t, avg(usage_user) AS u, avg(usage_system) AS s FROM cpu
        WHERE hostname = '${a.host}' AND ${sqlTime(a)} GROUP BY t ORDER BY t`,
  },
  {
    name: 'max by region, grouped',
    influxql: (a) => `SELECT max(usage_user) FROM cpu WHERE ${whereTime(a)} GROUP BY region`,
    flux: (a) => `${from(a, 'usage_user')} |> group(columns: ["region"]) |> max()`,
    sql: (a) =>
      `SELECT region, max(usage_user) AS v FROM cpu WHERE ${sqlTime(a)} GROUP BY region ORDER BY region`,
  },
  {
    name: 'sum by region, reduced',
    influxql: (a) => `SELECT sum(usage_user) FROM cpu WHERE ${whereTime(a)} GROUP BY region`,
    flux: (a) =>
      `${from(a, 'usage_user')} |> group(columns: ["region"])
        |> reduce(fn: (r, accumulator) => ({sum: accumulator.sum + r._value}), identity: {sum: 0})`,
    sql: (a) =>
      `SELECT region, sum(usage_user) AS v FROM cpu WHERE ${sqlTime(a)} GROUP BY region ORDER BY region`,
  },
]

async function write(system: RunningSystem, body: Uint8Array): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${system.port}${system.path}`, {
    method: 'POST',
    headers: { authorization: authorizationOf(system) },
    body: Buffer.from(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** How many rows it has. */
async function ask(system: RunningSystem, language: Language, text: string): Promise<number> {
  const root = `http://127.0.0.1:${system.port}`
  const headers = { authorization: authorizationOf(system), 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(`${root}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await (language === 'influxql'
    ? fetch(`${root}/query?db=b&q=${encodeURIComponent(text)}`, { headers })
    : language === 'flux'
      ? post('/api/v2/query?org=o', { query: text, dialect: { header: true, annotations: [] } })
      : post('/api/v3/query_sql', { db: 'b', q: text, format: 'jsonl' }))
  const given = await answer.text()
  if (!answer.ok) throw new Error(`${text}: ${given}`)
  if (language === 'sql') return given.split('\n').filter((line) => line !== '').length
  if (language === 'flux') {
    return given.split('\r\n').filter((line) => line !== '' && !line.startsWith(',result')).length
  }
  const { results } = JSON.parse(given) as { results: { series?: { values: unknown[] }[] }[] }
  return (results[0].series ?? []).reduce((sum, { values }) => sum + values.length, 0)
}

const authorizationOf = ({ headers }: RunningSystem) =>
  headers.slice('authorization: '.length).trim()
