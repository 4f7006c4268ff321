// Large answers of `/query`: streamed as fast as they are read, stopped when the reader goes, when
// time is up and when somebody kills the query; and the limits on how many there may be.

import { Agent, type IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { expect, it, vi } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { type Installation, install, send } from './harness.js'
import { ask, open, queryUrl, readAll } from './query-v1-client.js'

const rows = 20_000

// Machines may be busy: what is waited for may take long.
vi.setConfig({ testTimeout: 60_000 })
const soon = { timeout: 30_000 }

async function filled(options: ServerOptions = {}): Promise<Installation> {
  const installed = await install(options)
  const lines = Array.from({ length: rows }, (_, i) => `m,t=host-${i % 7} f=${i}.25 ${i + 1}`)
  expect((await installed.writeV1(lines.join('\n'))).status).toBe(204)
  return installed
}

const headersOf = ({ token }: Installation) => ({ authorization: `Token ${token}` })

function query(installed: Installation, q: string, more: Record<string, string> = {}) {
  const target = queryUrl(installed.url, { db: 'b', q, ...more })
  return ask(target, { headers: headersOf(installed) })
}

/** How a query comes: through the framework, or on a connection that asked something with the same head before. */
type Way = 'framework' | 'connection'
const ways: readonly Way[] = ['framework', 'connection']

/** An answer of some hundred megabytes, of which nothing is read. */
function openEndless(
  installed: Installation,
  headers: Record<string, string> = {},
  way: Way = 'framework',
) {
  const q = 'select * from m;'.repeat(200)
  return way === 'framework' ? openPost(installed, q, headers) : openAgain(installed, q, headers)
}

async function openAgain(installed: Installation, q: string, more: Record<string, string>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { ...headersOf(installed), ...more }
  // The first is asked who it is, the second is parsed, the third is like it.
  for (let i = 0; i < 2; i++) {
    const target = queryUrl(installed.url, { db: 'b', q: 'show databases' })
    expect((await ask(target, { headers, agent })).status).toBe(200)
  }
  return open(queryUrl(installed.url, { db: 'b', q }), { headers, agent })
}

function openPost(installed: Installation, q: string, headers: Record<string, string>) {
  const target = queryUrl(installed.url, { db: 'b' })
  const body = `q=${encodeURIComponent(q)}`
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const all = { ...headersOf(installed), ...type, ...headers }
  return open(target, { method: 'POST', headers: all, body })
}

async function running(installed: Installation): Promise<number[]> {
  const { text } = await query(installed, 'show queries')
  const { values } = JSON.parse(text).results[0].series[0]
  return values
    .filter((row: unknown[]) => !/^show queries/i.test(String(row[1])))
    .map((row: unknown[]) => row[0])
}

it('arrives whole, packed or not, chunked or not', async () => {
  const installed = await filled()
  const plain = await query(installed, 'select * from m', { epoch: 'ns' })
  expect(plain.headers['transfer-encoding']).toBe('chunked')
  const { values } = JSON.parse(plain.text).results[0].series[0]
  expect(values).toHaveLength(rows)
  expect(values[rows - 1]).toEqual([rows, rows - 1 + 0.25, `host-${(rows - 1) % 7}`])
  const packed = await open(
    queryUrl(installed.url, { db: 'b', q: 'select * from m', epoch: 'ns' }),
    {
      headers: { ...headersOf(installed), 'accept-encoding': 'gzip' },
    },
  )
  const unpacked = await readAll(packed.pipe(createGunzip()) as unknown as IncomingMessage)
  expect(unpacked.equals(plain.bytes)).toBe(true)
  const chunked = await query(installed, 'select * from m', { epoch: 'ns', chunked: 'true' })
  const documents = chunked.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(documents).toHaveLength(2)
  const rowsOf = (document: (typeof documents)[0]) => document.results[0].series[0].values
  expect(documents.flatMap(rowsOf)).toEqual(values)
})

it.each(ways)('stops when the reader goes: %s', async (way) => {
  const installed = await filled()
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const response = await openEndless(installed, headers, way)
    expect(await running(installed)).toHaveLength(1)
    response.sent.destroy()
    await expect.poll(() => running(installed), soon).toEqual([])
  }
})

it.each(ways)('stops when somebody kills it, and says so: %s', async (way) => {
  const installed = await filled()
  const response = await openEndless(installed, {}, way)
  const [id] = await running(installed)
  const target = queryUrl(installed.url, { q: `kill query ${id}` })
  const killed = await ask(target, { method: 'POST', headers: headersOf(installed) })
  expect(killed.text).toBe('{"results":[{"statement_id":0}]}\n')
  const answer = JSON.parse((await readAll(response)).toString())
  const errors = answer.results.flatMap(({ error }: { error?: string }) => error ?? [])
  expect(errors[0]).toBe('query interrupted')
  expect(errors.at(-1)).toBe('not executed')
  expect(await running(installed)).toEqual([])
})

it.each(ways)('stops when its time is up: %s', async (way) => {
  const installed = await filled({ queryTimeoutSeconds: 1 })
  const response = await openEndless(installed, {}, way)
  // Read once the time is over, which the list of queries cannot tell: it still waits for us.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const text = (await readAll(response)).toString()
  expect(text).toContain('"error":"query-timeout limit exceeded"')
  expect(JSON.parse(text).results.at(-1).error).toBe('not executed')
})

it.each(ways)('does not keep a server that stops: %s', async (way) => {
  const installed = await filled({ shutdownGraceSeconds: 0 })
  const response = await openEndless(installed, {}, way)
  response.on('error', () => undefined)
  await installed.server.close()
  await expect.poll(() => response.destroyed || response.resume().destroyed, soon).toBe(true)
})

it('waits for nobody beyond as many as may run at once', async () => {
  const installed = await filled({ queryConcurrentMax: 1 })
  const response = await openEndless(installed)
  const refused = await query(installed, 'show databases')
  expect(refused.status).toBe(429)
  expect(refused.headers['retry-after']).toBe('1')
  expect(JSON.parse(refused.text)).toMatchObject({
    error: 'max-concurrent-queries limit exceeded(1, 1)',
    code: 'too many requests',
  })
  response.sent.destroy()
  await expect.poll(async () => (await query(installed, 'show databases')).status, soon).toBe(200)
})

it('keeps the limits of its organization', async () => {
  const installed = await filled()
  const { url, token, orgId } = installed
  const limit = async (rate: Record<string, number>) => {
    const target = `${url}/api/v2/orgs/${orgId}/limits`
    const answer = await send(target, { method: 'PUT', token, body: JSON.stringify({ rate }) })
    expect(answer.status).toBe(200)
  }
  await limit({ concurrentReadRequests: 1 })
  const response = await openEndless(installed)
  const refused = await query(installed, 'show databases')
  expect(refused.status).toBe(429)
  expect(JSON.parse(refused.text).error).toBe('more than 1 concurrent reads of the organization')
  response.sent.destroy()
  await expect.poll(async () => (await query(installed, 'show databases')).status, soon).toBe(200)

  await limit({ concurrentReadRequests: 0, queryTime: 1e9 })
  const slow = await openEndless(installed)
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect((await readAll(slow)).toString()).toContain('"error":"query-timeout limit exceeded"')

  // Half a megabyte over five minutes: one large answer passes, the next waits.
  await limit({ queryTime: 0, readKBs: 1 })
  expect((await query(installed, 'select * from m')).status).toBe(200)
  const late = await query(installed, 'select * from m')
  expect(late.status).toBe(429)
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
})

const byTime = 'select mean(f) from m where time >= 0 and time < 1s group by time(1ms)'

it.each([
  ['queryPointsMax', 'select f from m', /^max-select-point limit exceeed: \(\d+\/5\)$/],
  ['querySeriesMax', 'select f from m group by t', /^max-select-series limit exceeded: \(7\/5\)$/],
  ['queryBucketsMax', byTime, /^max-select-buckets limit exceeded: \(1000\/5\)$/],
] as const)('%s', async (option, q, error) => {
  const installed = await filled({ [option]: 5 })
  const { text, status } = await query(installed, q)
  expect(status).toBe(200)
  expect(JSON.parse(text).results[0].error).toMatch(error)
})
