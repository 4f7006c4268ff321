// What there is, asked of a bucket with a million series: every SHOW statement, the schema calls of the web UI, and
// names in SQL. Of each: how long it took, what it cost the service, and the longest a ping waited beside it. The
// service is a process of its own; pings come from here, which does nothing else while it waits.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Figures } from './cpu-data.js'
import { type RunningSystem, startSystem } from './ingest-systems.js'

const sizes = { small: 2000, large: 1_000_000 } as const
const linesPerRequest = 5000
const startNs = 1_700_000_000_000_000_000n

interface Asked {
  readonly name: string
  readonly path: string
  readonly sql?: string
  /** What the answer must hold. */
  readonly holds: string
}

export async function run(size: keyof typeof sizes): Promise<Figures> {
  const system = await startSystem('millrace')
  try {
    const seriesCount = sizes[size]
    await load(system, seriesCount)
    return await measure(system, seriesCount)
  } finally {
    await system.stop()
  }
}

const headersOf = ({ headers }: RunningSystem) => ({
  authorization: headers.slice('authorization: '.length).trim(),
  'content-type': 'application/json',
})

async function load(system: RunningSystem, seriesCount: number): Promise<void> {
  for (let start = 0; start < seriesCount; start += linesPerRequest) {
    let lines = ''
    for (let i = start; i < Math.min(start + linesPerRequest, seriesCount); i++) {
      const pod = (Math.imul(i, 2654435761) >>> 0).toString(36)
      lines += `req,pod=${pod},route=/r/${i % 977},zone=z${i % 11} latency=${i / 8} ${startNs}\n`
    }
    const url = `http://127.0.0.1:${system.port}${system.path}`
    const answer = await fetch(url, { method: 'POST', headers: headersOf(system), body: lines })
    if (!answer.ok) throw new Error(await answer.text())
  }
}

async function questions(system: RunningSystem, seriesCount: number): Promise<Asked[]> {
  const list = await (
    await fetch(`http://127.0.0.1:${system.port}/api/v2/buckets?name=b`, {
      headers: headersOf(system),
    })
  ).json()
  const { id } = (list as { buckets: { id: string }[] }).buckets[0]
  const pod = (Math.imul(seriesCount - 1, 2654435761) >>> 0).toString(36)
  const show = (name: string, holds: string): Asked => ({
    name,
    path: `/query?db=b&q=${encodeURIComponent(name)}`,
    holds,
  })
  const schema = (name: string, holds: string): Asked => ({
    name: `schema?${name}`,
    path: `/api/v2/buckets/${id}/schema?${name}`,
    holds,
  })
  const sql = (text: string, holds: string): Asked => ({
    name: text,
    path: '/api/v3/query_sql',
    sql: text,
    holds,
  })
  return [
    schema('', 'req'),
    schema('figures=true', `"seriesCount":${seriesCount}`),
    schema('measurement=req', `"seriesCount":${seriesCount}`),
    schema('measurement=req&tag=pod&limit=20', `"total":${seriesCount}`),
    schema(`measurement=req&tag=pod&limit=20&search=${pod}`, pod),
    show('SHOW MEASUREMENTS', 'req'),
    show('SHOW FIELD KEYS', 'latency'),
    show('SHOW TAG KEYS', 'route'),
    show('SHOW TAG KEYS FROM req WHERE zone = $z'.replace('$z', "'z3'"), 'route'),
    show('SHOW TAG VALUES WITH KEY = zone', 'z10'),
    show('SHOW TAG VALUES FROM req WITH KEY = pod LIMIT 20', 'pod'),
    show(`SHOW TAG VALUES FROM req WITH KEY = zone WHERE pod = '${pod}'`, 'zone'),
    show('SHOW SERIES LIMIT 10', 'req,pod='),
    show(`SHOW SERIES FROM req WHERE pod = '${pod}'`, `pod=${pod}`),
    show('SHOW SERIES CARDINALITY', String(seriesCount)),
    show('SHOW SERIES EXACT CARDINALITY', String(seriesCount)),
    show('SHOW TAG VALUES EXACT CARDINALITY WITH KEY = pod', String(seriesCount)),
    show('SHOW MEASUREMENT CARDINALITY', '1'),
    sql('SELECT DISTINCT zone FROM req', 'z10'),
    sql('SELECT count(DISTINCT pod) AS n FROM req', String(seriesCount)),
  ]
}

async function measure(system: RunningSystem, seriesCount: number): Promise<Figures> {
  const figures: Record<string, number> = {}
  let answered = 0
  figures['ping alone, max ms'] = await pingsDuring(system, sleep(500))
  for (const asked of await questions(system, seriesCount)) {
    const cpu = system.cpuSeconds()
    const begun = performance.now()
    let elapsedMs = 0
    const done = ask(system, asked).then((text) => {
      elapsedMs = performance.now() - begun
      if (!text.includes(asked.holds)) throw new Error(`${asked.name}: ${text.slice(0, 300)}`)
      answered++
    })
    const pingMs = await pingsDuring(system, done)
    figures[`${asked.name}: ms`] = elapsedMs
    figures[`${asked.name}: CPU ms`] = (system.cpuSeconds() - cpu) * 1000
    figures[`${asked.name}: ping max ms`] = pingMs
  }
  return { name: 'schema-questions', figures, check: `${answered} answers` }
}

async function ask(system: RunningSystem, { path, sql }: Asked): Promise<string> {
  const body =
    sql === undefined ? {} : { method: 'POST', body: JSON.stringify({ db: 'b', q: sql }) }
  const headers = headersOf(system)
  const answer = await fetch(`http://127.0.0.1:${system.port}${path}`, { headers, ...body })
  return answer.text()
}

/** The longest wait, at least three pings. */
async function pingsDuring(system: RunningSystem, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  let longestMs = 0
  for (let count = 0; count < 3 || !isOver; count++) {
    const begun = performance.now()
    await (await fetch(`http://127.0.0.1:${system.port}/ping`)).arrayBuffer()
    longestMs = Math.max(longestMs, performance.now() - begun)
    await sleep(2)
  }
  await over
  return longestMs
}
