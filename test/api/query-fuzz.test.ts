// `/query` under random and hostile requests: every one is answered in time, in a form that the
// contract knows, and never with a fault of the server's own. The seed is fixed and printed with a
// failure; FUZZ_SEED and FUZZ_RUNS try others and more.

import { request as httpRequest } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../../src/index.js'
import { adminToken, send } from './client.js'
import {
  accept,
  carriage,
  parameters,
  queryText,
  selectText,
  statements,
} from './query-fuzz-inputs.js'

const seed = Number(process.env.FUZZ_SEED ?? 20260414)
const numRuns = Number(process.env.FUZZ_RUNS ?? 500)
/** Machines may be busy; what hangs hangs for longer than this. */
const answerMsMax = 30_000

const points = `m,t=a f=1.5,i=1i,u=2u,s="x",b=true 1
m,t=a f=-2.5,i=9223372036854775807i,s="y",b=false 60000000000
m,t=b f=3,i=-9223372036854775808i,u=18446744073709551615u 120000000000
m,t=c\\ d f=4 600000000000
n,t=a,x=y f=7i,g="z" 60000000000`

interface Target {
  readonly url: string
  /** What the server logged as its own fault. */
  readonly faults: string[]
}

const servers: RunningServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

async function target(
  variant: 'managed' | 'cluster',
  options: ServerOptions = {},
): Promise<Target> {
  const faults: string[] = []
  const server = await startServer({
    ...options,
    jobs: 'inline',
    variant,
    adminToken,
    log: (level, message, details) => {
      const { error } = (details ?? {}) as { error?: Error }
      if (level === 'error') faults.push(`${message}: ${error?.stack ?? ''}`)
    },
  })
  servers.push(server)
  const { url } = server
  if (variant === 'managed') {
    const setup = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
    await send(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(setup) })
  } else {
    const q = `q=${encodeURIComponent('create database b')}`
    await send(`${url}/query?${q}`, { method: 'POST', token: adminToken })
  }
  const written = await send(`${url}/write?db=b`, {
    method: 'POST',
    token: adminToken,
    body: points,
  })
  expect(written.status).toBe(204)
  return { url, faults }
}

let shared: Promise<Target> | undefined

/** One for all tests that change nothing. */
function sharedTarget(): Promise<Target> {
  shared ??= target('managed')
  return shared
}

interface Reply {
  readonly status: number
  readonly type: string
  readonly isPacked: boolean
  readonly bytes: Buffer
}

interface Sending {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** The answer is not read beyond so many bytes. */
  readonly bytesMax?: number
}

/** Rejects when the whole answer is not there in time. */
function exchange(url: string, sending: Sending = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, body, bytesMax = 20_000_000 } = sending
  const authorization = `Token ${adminToken}`
  const signal = AbortSignal.timeout(answerMsMax)
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, {
      method,
      headers: { authorization, ...headers },
      signal,
      agent: false,
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      let length = 0
      const { statusCode = 0, headers: got } = response
      const done = () =>
        resolve({
          status: statusCode,
          type: got['content-type'] ?? '',
          isPacked: got['content-encoding'] === 'gzip',
          bytes: Buffer.concat(chunks),
        })
      response.on('error', reject)
      response.on('end', done)
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length <= bytesMax) return
        done()
        sent.destroy()
      })
    })
    sent.end(body)
  })
}

const resultKeys = new Set(['statement_id', 'series', 'messages', 'partial', 'error'])
const seriesKeys = new Set(['name', 'tags', 'columns', 'values', 'partial'])

function checkDocument(document: Record<string, unknown>): void {
  // What holds no statement has no results.
  const { results = [] } = document as { results?: Record<string, unknown>[] }
  expect(Array.isArray(results)).toBe(true)
  for (const result of results) {
    for (const key of Object.keys(result)) expect(resultKeys).toContain(key)
    for (const table of (result.series ?? []) as Record<string, unknown>[]) {
      for (const key of Object.keys(table)) expect(seriesKeys).toContain(key)
      const { columns, values = [] } = table as { columns: string[]; values?: unknown[][] }
      for (const row of values) expect(row).toHaveLength(columns.length)
    }
  }
}

/** Of the forms that the contract has. */
function checkReply({ status, type, isPacked, bytes }: Reply, method: string): void {
  if (method === 'PUT' || method === 'OPTIONS') {
    expect(status).toBeLessThan(500)
    return
  }
  expect([200, 400, 401, 404, 413, 415]).toContain(status)
  if (method === 'HEAD') return
  const body = isPacked ? gunzipSync(bytes) : bytes
  const text = body.toString()
  expect(text).not.toContain('internal error')
  // No chunk for a query without a statement.
  if (text === '' && status === 200) return
  if (type.startsWith('application/json')) checkJson(text, status === 200)
  else if (type.startsWith('text/csv')) {
    expect(text).toMatch(status === 200 ? /^(name,tags,|error\n)/ : /^error\n/)
  } else {
    expect(type).toBe('application/x-msgpack')
    // A map and its first key, a string: results alone, and an error with its code and message.
    const head = status === 200 ? '\x81\xa7results' : '\x83\xa5error'
    expect(body.subarray(0, head.length).toString('latin1')).toBe(head)
  }
}

function checkJson(text: string, isAnswer: boolean): void {
  if (!isAnswer) {
    const refusal = JSON.parse(text)
    expect(typeof (refusal.error ?? refusal.message)).toBe('string')
    return
  }
  // One document, or one a line where chunks were asked for.
  for (const part of text.trimEnd().split(/(?<=^\}|\]\})\n(?=\{)/m)) checkDocument(JSON.parse(part))
}

function formOf(given: Readonly<Record<string, string>>): string {
  // Lone surrogates become replacement characters, as a browser sends them.
  return new URLSearchParams(given).toString()
}

type Carriage = typeof carriage extends fc.Arbitrary<infer T> ? T : never

function bodyOf({ body, garbage, sendsGzip }: Carriage, q: string, form: string) {
  const multipart = `--x\r\nContent-Disposition: form-data; name="q"\r\n\r\n${q}\r\n--x--\r\n`
  const texts = { form, text: q, multipart, none: '' }
  const bytes = body === 'garbage' ? Buffer.from(garbage) : Buffer.from(texts[body])
  return sendsGzip ? gzipSync(bytes) : bytes
}

it.each(['managed', 'cluster'] as const)(
  'answers whatever it is asked: %s',
  async (variant) => {
    const { url, faults } = await target(variant)
    const property = fc.asyncProperty(
      queryText,
      parameters,
      accept,
      carriage,
      async (q, given, wanted, way) => {
        const { method, contentType, takesGzip, sendsGzip } = way
        const form = formOf({ ...given, q })
        const isInUrl = method !== 'POST' || way.body === 'none'
        const headers = {
          accept: wanted,
          ...(takesGzip ? { 'accept-encoding': 'gzip' } : {}),
          ...(contentType === undefined || isInUrl ? {} : { 'content-type': contentType }),
          ...(sendsGzip && !isInUrl ? { 'content-encoding': 'gzip' } : {}),
        }
        const query = isInUrl ? form : formOf(given)
        const sending = { method, headers, ...(isInUrl ? {} : { body: bodyOf(way, q, form) }) }
        const reply = await exchange(`${url}/query?${query}`, sending)
        checkReply(reply, method)
        expect(faults).toEqual([])
      },
    )
    await fc.assert(property, { seed, numRuns, endOnFailure: true })
  },
  600_000,
)

it('runs whatever is a query', async () => {
  const { url, faults } = await target('managed')
  let answered = 0
  const property = fc.asyncProperty(selectText, accept, async (q, wanted) => {
    const headers = { accept: wanted }
    const reply = await exchange(`${url}/query?${formOf({ db: 'b', q })}`, { headers })
    checkReply(reply, 'GET')
    expect(faults).toEqual([])
    if (reply.bytes.includes('columns') || reply.bytes.includes('name,tags')) answered++
  })
  await fc.assert(property, { seed, numRuns, endOnFailure: true })
  // What is refused says little of what runs.
  expect(answered).toBeGreaterThan(numRuns / 10)
}, 600_000)

// Found by the test above: InfluxDB shows both types in one column, and calls take those of their own.
it.each([
  [
    'select f from (select s as f from m), m',
    [
      [1, 'x'],
      [1, 1.5],
      [60, 'y'],
      [60, -2.5],
    ],
  ],
  ['select mean(f) from (select s as f from m), m', [[0, -0.5]]],
] as const)('brings types of several sources together: %s', async (q, values) => {
  const { url } = await sharedTarget()
  const text = `${q} where time < 61s`
  const { bytes } = await exchange(`${url}/query?${formOf({ db: 'b', epoch: 'ns', q: text })}`)
  const seconds = values.map(([time, value]) => [time === 60 ? 60e9 : time, value])
  expect(JSON.parse(bytes.toString()).results[0].series[0].values).toEqual(seconds)
})

const nested = (times: number) => {
  let text = 'select f from m'
  for (let i = 0; i < times; i++) text = `select f from (${text})`
  return text
}

/** What looks harmless and is a lot of work, or a lot of anything. */
const bombs: Readonly<Record<string, string>> = {
  'parentheses, as deep as they may be': `select ${'('.repeat(390)}f${')'.repeat(390)} from m`,
  'parentheses, too deep': `select ${'('.repeat(200_000)}f${')'.repeat(200_000)} from m`,
  'parentheses that are never closed': `select f from m where ${'('.repeat(100_000)}`,
  operators: `select f${' + 1'.repeat(4990)} from m`,
  'too many operators': `select f from m where f > 0${' and f > 0'.repeat(20_000)}`,
  alternatives: `select f from m where t = 'x'${" or t = 'a'".repeat(2400)}`,
  signs: `select ${'-'.repeat(20_000)}f from m`,
  subqueries: nested(390),
  'too many subqueries': nested(20_000),
  calls: `select ${'abs('.repeat(390)}f${')'.repeat(390)} from m`,
  fields: `select ${'f,'.repeat(20_000)}f from m`,
  aggregates: `select ${'mean(f),'.repeat(2_000)}mean(f) from m`,
  statements: 'select f from m limit 1;'.repeat(2_000),
  sources: `select f from ${'m,'.repeat(5_000)}m`,
  dimensions: `select f from m group by ${'t,'.repeat(20_000)}t`,
  names: `select "${'x'.repeat(500_000)}" from m`,
  'a long number': `select f from m where f > ${'9'.repeat(100_000)}.${'9'.repeat(100_000)}`,
  'a long duration': `select f from m where time > now() - ${'1h'.repeat(50_000)}`,
  'a pattern that others choke on': `select f from m where t =~ /${'(a*)*'.repeat(50)}$/ and s =~ /(x+x+)+y/`,
  'a pattern that grows': 'select f from m where t =~ /((a{1,100}){1,100}){1,100}/',
  comments: `${'/* x */ '.repeat(50_000)}select f from m`,
  blanks: `select f ${' '.repeat(1_000_000)} from m`,
  'many points of a sample': 'select sample(f, 2000000000) from m',
  'many of the top': 'select top(f, 2000000000) from m',
  'a long average': 'select moving_average(f, 2000000000) from m',
  'a far forecast':
    'select holt_winters(mean(f), 2000000000, 4) from m where time < 1h group by time(1m)',
  'a long season':
    'select holt_winters(mean(f), 10, 2000000000) from m where time < 1h group by time(1m)',
  'a high limit': 'select f from m limit 9223372036854775807 offset 9223372036854775807',
}

it.each(Object.entries(bombs))('takes no harm: %s', async (_name, q) => {
  const { url, faults } = await sharedTarget()
  const headers = { 'content-type': 'application/vnd.influxql' }
  const reply = await exchange(`${url}/query?db=b`, { method: 'POST', headers, body: q })
  checkReply(reply, 'POST')
  expect(faults).toEqual([])
})

/** Windows without end: streamed to whoever reads them, and over when nobody does. */
const endless: Readonly<Record<string, string>> = {
  'filled with a number': 'select mean(f) from m where time >= 0 group by time(1ns) fill(0)',
  counted: 'select count(f) from m where time >= 0 group by time(1ns), t',
  'filled with nothing':
    "select max(f) from m where time > '1700-01-01' group by time(1u) fill(null)",
  'drawn between': 'select mean(f), max(i) from m where time >= 0 group by time(1ns) fill(linear)',
  'going on':
    'select median(f) from m where time >= 0 group by time(1ns) fill(previous) order by time desc',
  'in a zone':
    "select mean(f) from m where time >= 0 group by time(1ms) fill(0) tz('Asia/Kolkata')",
  'put to nothing':
    'select moving_average(mean(f), 100000000) from m where time >= 0 group by time(1ns) fill(0)',
  'counted outside':
    'select count(x) from (select mean(f) as x from m where time >= 0 group by time(1ns) fill(0))',
  'used for a forecast':
    'select holt_winters(mean(f), 10, 4) from m where time >= 0 and time < 600s group by time(10ms) fill(0)',
  'side by side':
    'select derivative(mean(f)), moving_average(max(f), 100000000) from m where time >= 0 group by time(1ns) fill(0)',
}

it.each(Object.entries(endless))('goes on beside windows %s', async (_name, q) => {
  const { url, faults } = await sharedTarget()
  const gone = new AbortController()
  const asked = httpRequest(`${url}/query?${formOf({ db: 'b', q })}`, {
    headers: { authorization: `Token ${adminToken}` },
    signal: gone.signal,
  })
  const started = new Promise<void>((resolve) => {
    asked.on('response', (response) => {
      response.on('error', () => undefined)
      response.once('data', () => resolve())
    })
    setTimeout(resolve, 300)
  })
  asked.on('error', () => undefined)
  asked.end()
  await started
  const others = async () => {
    const { bytes } = await exchange(`${url}/query?${formOf({ q: 'show queries' })}`)
    const [{ values }] = JSON.parse(bytes.toString()).results[0].series
    return values.filter((row: unknown[]) => row[1] !== 'show queries')
  }
  expect(await others()).toHaveLength(1)
  gone.abort()
  await expect.poll(others, { timeout: answerMsMax }).toEqual([])
  expect(faults).toEqual([])
})

it('takes long URLs, and refuses those beyond any reason', async () => {
  const { url } = await sharedTarget()
  const q = (length: number) => `select f from m where t = '${'x'.repeat(length)}'`
  const long = await exchange(`${url}/query?${formOf({ db: 'b', q: q(500_000) })}`)
  expect(long.status).toBe(200)
  const tooLong = await exchange(`${url}/query?${formOf({ db: 'b', q: q(1_100_000) })}`)
  expect(tooLong.status).toBe(431)
})

it('refuses bodies that unpack to too much', async () => {
  const { url, faults } = await sharedTarget()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-encoding': 'gzip',
  }
  const body = gzipSync(Buffer.alloc(100_000_000, ' '))
  const { status } = await exchange(`${url}/query?db=b`, { method: 'POST', headers, body })
  expect(status).toBe(413)
  const cut = gzipSync('q=show databases').subarray(0, 20)
  checkReply(await exchange(`${url}/query?db=b`, { method: 'POST', headers, body: cut }), 'POST')
  expect(faults).toEqual([])
})

const windows =
  'select cumulative_sum(mean(f)) as x from m where time >= 0 group by time(1ns) fill(1)'

it.each([
  `select median(x) from (${windows})`,
  `select percentile(x, 50) from (${windows})`,
  `select mode(x) from (${windows})`,
  `select distinct(x) from (${windows})`,
  `select count(distinct(x)) from (${windows})`,
  `select top(x, 2000000000) from (${windows})`,
  `select sample(x, 2000000000) from (${windows})`,
  `select moving_average(x, 2000000000) from (${windows})`,
  'select moving_average(mean(f), 2000000000) from m where time >= 0 group by time(1ns) fill(0)',
])('refuses what it would have to hold: %s', async (q) => {
  const { url } = await target('managed', { queryMemoryBytesMax: 10_000_000 })
  const { bytes } = await exchange(`${url}/query?${formOf({ db: 'b', q })}`)
  const { error } = JSON.parse(bytes.toString()).results[0]
  expect(error).toMatch(/^query memory limit exceeded: \(\d+\/10000000 bytes\)$/)
})

it('refuses forecasts of more than it can go over', async () => {
  const { url } = await sharedTarget()
  const forecast = async (more: string, by: string) => {
    const q = `select holt_winters(mean(f), ${more}) from m where time >= 0 group by time(${by}) fill(0)`
    const { bytes } = await exchange(`${url}/query?${formOf({ db: 'b', q })}`)
    return JSON.parse(bytes.toString()).results[0].error
  }
  expect(await forecast('10, 4', '1ms')).toMatch(
    /^holt_winters: \d+ intervals of 1000000ns are more than 100000$/,
  )
  expect(await forecast('10, 3000', '1w')).toBeUndefined()
  expect(await forecast('10, 2500', '1d')).toBe(
    'holt_winters: a season of 2500 intervals is more than 2000',
  )
})

it('gives the first of endless windows', async () => {
  const { url } = await sharedTarget()
  const q = 'select mean(f) from m where time >= 0 group by time(1ns) fill(0) limit 2 offset 1'
  const { bytes } = await exchange(`${url}/query?${formOf({ db: 'b', epoch: 'ns', q })}`)
  expect(JSON.parse(bytes.toString()).results[0].series[0].values).toEqual([
    [1, 1.5],
    [2, 0],
  ])
})

it('understands its own statements', async () => {
  const { url } = await target('managed')
  for (const q of statements) {
    const query = formOf({ db: 'b', q, params: '{"x":"a","y":1}' })
    const { status, bytes } = await exchange(`${url}/query?${query}`, { method: 'POST' })
    expect(status, `${q}: ${bytes}`).toBe(200)
  }
}, 120_000)
