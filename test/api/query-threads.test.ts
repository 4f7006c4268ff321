// Queries that run on other threads answer as they do on the thread that serves, in every language and form, with the
// same refusals; they are stopped as others are, and a thread that dies takes nothing but its own queries with it.

import { expect, it, vi } from 'vitest'
import type {
  MakeThreadPort,
  ThreadListener,
  ThreadPort,
} from '../../src/service/query-thread/messages.js'
import { FlightClient, jsonTicket } from '../flight/flight-client.js'
import { type Installation, install, send } from './harness.js'
import { inlineThreads } from './inline-threads.js'
import { type Asking, ask, open, queryUrl, type RawAnswer } from './query-v1-client.js'

// Machines may be busy: what is waited for may take long.
vi.setConfig({ testTimeout: 60_000 })
const soon = { timeout: 30_000 }

const lines = Array.from(
  { length: 5000 },
  (_, i) =>
    `m,host=h${i % 7},region=r${i % 3} f=${(i * 37) % 101}.5,i=${i}i,s="t${i % 5}" ${i * 10}`,
).join('\n')

async function filled(place: Installation): Promise<Installation> {
  expect((await place.write(lines)).status).toBe(204)
  return place
}

async function handedOver({ url }: Installation): Promise<number> {
  const { text } = await send(`${url}/metrics`)
  return Number(/^millrace_queries_handed_over_total (\d+)$/m.exec(text)?.[1])
}

type Question = (place: Installation) => Promise<RawAnswer>

function v1(q: string, more: Record<string, string> = {}, headers: Record<string, string> = {}) {
  return ({ url, token }: Installation) =>
    ask(queryUrl(url, { db: 'b', q, ...more }), {
      headers: { authorization: `Token ${token}`, ...headers },
    })
}

function posted(path: string, body: string, headers: Record<string, string>): Question {
  return ({ url, token }) => {
    const asking: Asking = { method: 'POST', body }
    const own = { authorization: `Token ${token}`, ...headers }
    return ask(`${url}${path}`, { ...asking, headers: own })
  }
}

function flux(script: string, headers: Record<string, string> = {}): Question {
  const type = { 'content-type': 'application/vnd.flux' }
  return posted('/api/v2/query?org=o', script, { ...type, ...headers })
}

function v3(q: string, format: string): Question {
  const body = JSON.stringify({ db: 'b', q, format })
  return posted('/api/v3/query_influxql', body, { 'content-type': 'application/json' })
}

function sql(q: string, format = 'json', params?: Record<string, unknown>): Question {
  const body = JSON.stringify({ db: 'b', q, format, params })
  return posted('/api/v3/query_sql', body, { 'content-type': 'application/json' })
}

const all = 'from(bucket: "b") |> range(start: 0, stop: 1970-01-02T00:00:00Z)'

/** That read points and nothing else. */
const reading: readonly Question[] = [
  v1('select * from m'),
  v1('select f, i from m where host = $h', { params: '{"h": "h3"}', epoch: 'ns' }),
  v1('select percentile(f, 90) from m group by host; select last(s) from m', { pretty: 'true' }),
  v1(
    'select mean(f), max(i) from m where time >= 0 and time < 60u group by time(10u), region fill(0)',
  ),
  v1('select f from m where f > 40 order by time desc limit 30', {}, { accept: 'application/csv' }),
  v1('select stddev(f) from m group by *', {}, { accept: 'application/x-msgpack' }),
  v1('select f from m', { chunked: 'true', chunk_size: '700' }),
  v1(
    'select spread(f) from (select mean(f) as f from m where time >= 0 and time < 50u group by time(5u))',
  ),
  // Fails behind an answer.
  v1('select max(f) from m; select sum(s) from m'),
  flux(`${all} |> filter(fn: (r) => r._field == "f") |> group(columns: ["host"]) |> mean()`),
  flux(`import "math" ${all} |> filter(fn: (r) => r._field == "i")
    |> map(fn: (r) => ({r with _value: math.abs(x: float(v: r._value))}))`),
  flux(`${all} |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")`, {
    accept: 'application/vnd.apache.arrow.stream',
  }),
  flux(`${all} |> filter(fn: (r) => r._field == "f") |> keep(columns: ["_time", "_value"])`, {
    accept: 'application/vnd.apache.parquet',
  }),
  flux(`${all} |> filter(fn: (r) => r._field == "f") |> map(fn: (r) => ({_value: int(v: "x")}))`),
  ...['json', 'jsonl', 'csv', 'pretty', 'parquet', 'arrow'].map((format) =>
    v3("select f, s from m where host = 'h1' limit 100", format),
  ),
  v3('select count(f) from m where time < 1u group by host', 'json'),
  ...['json', 'jsonl', 'csv', 'pretty', 'parquet', 'arrow'].map((format) =>
    sql('select host, avg(f) as f, max(i) as i from m group by host order by host', format),
  ),
  sql('select * from m order by time limit 2000'),
  sql('select time, f * 2 as twice from m where host = $h order by f desc, time', 'csv', {
    h: 'h3',
  }),
  sql('select f from m where f > 1000'),
  // Found out on the way to be an engine's: begins on a thread, and is answered here.
  sql('select i * 4503599627370496 as large from m order by f, i'),
]

/** That do more, or read no points. */
const staying: readonly Question[] = [
  v1('show measurements'),
  v1('select mean(f) from nowhere..m'),
  v1('explain select f from m'),
  v1('select f from'),
  sql('with late as (select f from m where i > 4000) select count(*) from late'),
  sql('select a.f from m a join m b on a.time = b.time limit 3'),
  sql('show tables'),
  sql('explain select f from m'),
  sql('select f from missing'),
  sql('select f from m where nothing = 1'),
  flux('buckets() |> keep(columns: ["name"])'),
  flux(`${all} |> filter(fn: (r) => r._field == "f") |> limit(n: 1)
    |> set(key: "_measurement", value: "w") |> to(bucket: "b")`),
]

it('answers the same, wherever a query runs', async () => {
  const here = await filled(await install())
  const there = await filled(await install(inlineThreads()))
  for (const question of reading) {
    const before = await handedOver(there)
    const [expected, found] = [await question(here), await question(there)]
    expect(told(found)).toEqual(told(expected))
    expect(await handedOver(there)).toBe(before + 1)
  }
  const before = await handedOver(there)
  for (const question of staying) {
    expect(told(await question(there)).status).toBe(told(await question(here)).status)
  }
  expect(await handedOver(there)).toBe(before)
  expect(await handedOver(here)).toBe(0)
})

/** Without what differs from one request to the next. */
function told({ status, headers, bytes }: RawAnswer) {
  const text = bytes.toString('latin1')
  return { status, type: headers['content-type'], text }
}

/** Each message of the answer, or how the call was refused. */
async function overFlight({ url, token }: Installation, query_type: string, sql_query: string) {
  const client = new FlightClient(url, { authorization: `Bearer ${token}` })
  try {
    const messages = await client.all('DoGet', jsonTicket({ database: 'b', sql_query, query_type }))
    return messages.map((bytes) => bytes.toString('latin1'))
  } catch (error) {
    const { code, details } = error as { code?: number; details?: string }
    return { code, details }
  }
}

it('answers the same over Flight', async () => {
  const here = await filled(await install())
  const there = await filled(await install(inlineThreads()))
  const many = Array.from({ length: 30_000 }, (_, i) => `l v=${i},s="text ${i}" ${i}`).join('\n')
  for (const place of [here, there]) expect((await place.write(many)).status).toBe(204)
  const questions = [
    ['sql', 'select host, avg(f) as f from m group by host order by host', 1],
    // Several messages, each in several pieces of memory.
    ['sql', 'select * from l', 1],
    ['sql', 'select f from m where f > 1000', 1],
    ['sql', 'select i * 4503599627370496 as large from m order by f, i', 1],
    ['sql', 'select count(*) from (select 1)', 0],
    ['influxql', 'select mean(f) from m group by host', 1],
    ['influxql', 'select * from l', 1],
    ['influxql', 'select sum(s) from m', 0],
    ['influxql', 'show measurements', 0],
  ] as const
  for (const [language, text, moves] of questions) {
    const before = await handedOver(there)
    expect(await overFlight(there, language, text)).toEqual(await overFlight(here, language, text))
    expect([text, await handedOver(there)]).toEqual([text, before + moves])
  }
})

it('reads tables with fields that nobody has written', async () => {
  const places = [await install(), await install(inlineThreads())]
  const answers = []
  for (const place of places) {
    const fields = [
      { name: 'f', type: 'float64' },
      { name: 'later', type: 'int64' },
    ]
    const body = JSON.stringify({ db: 'b', table: 'd', tags: ['host'], fields })
    const { url, token } = place
    const made = await send(`${url}/api/v3/configure/table`, { method: 'POST', token, body })
    expect(made.status).toBe(201)
    expect((await place.write('d,host=a f=1 10\nd,host=b f=2 20')).status).toBe(204)
    answers.push(told(await v1('select * from d')(place)))
  }
  expect(answers[1]).toEqual(answers[0])
  expect(answers[0].text).toContain('later')
  expect(await handedOver(places[1])).toBe(1)
})

it('shows whom it may see, and refuses others as ever', async () => {
  const there = await filled(await install(inlineThreads()))
  const token = await there.addToken([{ action: 'read', resource: { type: 'orgs' } }])
  const other = { ...there, token }
  const q = 'select f from m'
  expect((await v1(q)(there)).status).toBe(200)
  expect((await v1(q)(other)).text).toContain('insufficient permissions')
  expect((await flux(all)(other)).text).toContain('is unauthorized')
  expect((await v1('select f from other..m')(there)).text).toContain('database not found')
})

/** An answer of some hundred megabytes, of which nothing is read. */
function openEndless({ url, token }: Installation) {
  return open(queryUrl(url, { db: 'b' }), {
    method: 'POST',
    headers: {
      authorization: `Token ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `q=${encodeURIComponent('select * from m;'.repeat(1000))}`,
  })
}

async function listed({ url, token }: Installation): Promise<{ id: string; rowsRead: number }[]> {
  return (await send(`${url}/api/v2/queries`, { token })).json.queries
}

it('stops a query that is killed, and one whose client has gone', async () => {
  const there = await filled(await install(inlineThreads()))
  const killed = await openEndless(there)
  const [{ id }] = await listed(there)
  const { url, token } = there
  const answer = await send(`${url}/api/v2/queries/${id}`, { method: 'DELETE', token })
  expect(answer.status).toBe(204)
  killed.resume()
  await vi.waitFor(async () => expect(await listed(there)).toEqual([]), soon)
  const left = await openEndless(there)
  expect(await listed(there)).toHaveLength(1)
  left.destroy()
  await vi.waitFor(async () => expect(await listed(there)).toEqual([]), soon)
  expect(await handedOver(there)).toBe(2)
  // Nothing is held on to any more: what was read can be dropped.
  expect((await v1('select count(f) from m')(there)).text).toContain('5000')
})

it('waits for a client that reads slowly', async () => {
  const pieces = { sent: 0, taken: 0, aheadMax: 0 }
  const counting = (makePort: MakeThreadPort) => (listener: ThreadListener) => {
    const reply: ThreadListener['reply'] = (said) => {
      if (said.kind === 'bytes')
        pieces.aheadMax = Math.max(pieces.aheadMax, ++pieces.sent - pieces.taken)
      listener.reply(said)
    }
    const port = makePort({ ...listener, reply })
    const post: ThreadPort['post'] = (request) => {
      if (request.kind === 'taken') pieces.taken++
      port.post(request)
    }
    const [acquire, release, close] = [
      () => port.acquire(),
      () => port.release(),
      () => port.close(),
    ]
    return { post, acquire, release, close }
  }
  const there = await filled(await install(inlineThreads(counting)))
  const slow = await openEndless(there)
  await vi.waitFor(async () => {
    const before = pieces.sent
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(pieces.sent).toBe(before)
    expect(before).toBeGreaterThan(4)
  }, soon)
  // A thousand statements of some hundred kilobytes each.
  expect(pieces.sent).toBeLessThan(1000)
  expect(pieces.aheadMax).toBeLessThanOrEqual(4)
  slow.destroy()
  await vi.waitFor(async () => expect(await listed(there)).toEqual([]), soon)
  expect(pieces.taken).toBe(pieces.sent)
})

it('counts what a query holds there against what all may hold', async () => {
  const limits = { queryMemoryBytes: 100_000 }
  const there = await install({ ...inlineThreads(), ...limits })
  const many = Array.from({ length: 200_000 }, (_, i) => `m f=${i} ${i}`).join('\n')
  expect((await there.write(many)).status).toBe(204)
  const answer = await v1('select percentile(f, 90), median(f) from m;'.repeat(20))(there)
  expect(answer.text).toContain('the memory of all queries is used up')
  expect(await handedOver(there)).toBe(1)
})

/** A thread that ends with this error when it gets its first query. */
function dying(error: Error): (makePort: MakeThreadPort) => MakeThreadPort {
  let hasDied = false
  return (makePort) => (listener: ThreadListener) => {
    const port = makePort(listener)
    return {
      post(request) {
        if (request.kind !== 'begin' || hasDied) return port.post(request)
        hasDied = true
        setImmediate(() => listener.failed(error))
      },
      acquire: () => port.acquire(),
      release: () => port.release(),
      close: () => port.close(),
    }
  }
}

it('loses only its own queries with a thread', async () => {
  const there = await filled(await install(inlineThreads(dying(new Error('gone')))))
  const q = 'select count(f) from m'
  expect((await v1(q)(there)).status).toBe(500)
  expect((await v1(q)(there)).text).toContain('5000')
  expect(await listed(there)).toEqual([])
})

it('tells of a thread that had too little memory', async () => {
  const full = Object.assign(new Error('full'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
  const there = await filled(await install(inlineThreads(dying(full))))
  const answer = await v1('select count(f) from m')(there)
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('query memory limit exceeded')
})
