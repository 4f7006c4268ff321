// Large answers of `/api/v2/query`: streamed as fast as they are read, stopped when the reader goes,
// when time is up and when somebody kills the query; and the limits on how many there may be.

import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { expect, it, vi } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { type Installation, install, send } from './harness.js'
import { ask, queryUrl, readAll } from './query-v1-client.js'
import { askFlux, openFlux } from './query-v2-client.js'

const rows = 20_000

// Machines may be busy: what is waited for may take long.
vi.setConfig({ testTimeout: 120_000 })
const soon = { timeout: 60_000 }

async function filled(options: ServerOptions = {}): Promise<Installation> {
  const installed = await install(options)
  const lines = Array.from({ length: rows }, (_, i) => `m,t=host-${i % 7} f=${i}.25 ${i + 1}`)
  expect((await installed.write(lines.join('\n'))).status).toBe(204)
  return installed
}

const everything = 'from(bucket: "b") |> range(start: 0, stop: 1)'
const small = 'import "array"\narray.from(rows: [{v: 1}])'

/** An answer of some hundred megabytes, of which nothing is read. */
function openEndless(installed: Installation, headers: Record<string, string> = {}) {
  const yields = Array.from({ length: 200 }, (_, i) => `t |> yield(name: "r${i}")`)
  return openFlux(installed, [`t = ${everything}`, ...yields].join('\n'), headers)
}

async function running({ url, token }: Installation): Promise<number[]> {
  const headers = { authorization: `Token ${token}` }
  const { text } = await ask(queryUrl(url, { q: 'show queries' }), { headers })
  const { values } = JSON.parse(text).results[0].series[0]
  return values
    .filter((row: unknown[]) => !/^show queries/i.test(String(row[1])))
    .map((row: unknown[]) => row[0])
}

it('arrives whole, packed or not', async () => {
  const installed = await filled()
  const plain = await askFlux(installed, everything)
  expect(plain.headers['transfer-encoding']).toBe('chunked')
  const lines = plain.text.split('\r\n')
  const values = lines.filter((line) => line.includes(',f,m,')).length
  expect(values).toBe(rows)
  const packed = await openFlux(installed, everything, { 'accept-encoding': 'gzip' })
  expect(packed.headers['content-encoding']).toBe('gzip')
  const unpacked = await readAll(packed.pipe(createGunzip()) as unknown as IncomingMessage)
  expect(unpacked.toString()).toBe(plain.text)
})

it('stops when the reader goes', async () => {
  const installed = await filled()
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const response = await openEndless(installed, headers)
    expect(await running(installed)).toHaveLength(1)
    response.sent.destroy()
    await expect.poll(() => running(installed), soon).toEqual([])
  }
})

it('stops when somebody kills it, and says so in a table', async () => {
  const installed = await filled()
  const response = await openEndless(installed)
  const [id] = await running(installed)
  const target = queryUrl(installed.url, { q: `kill query ${id}` })
  const headers = { authorization: `Token ${installed.token}` }
  const killed = await ask(target, { method: 'POST', headers })
  expect(killed.text).toBe('{"results":[{"statement_id":0}]}\n')
  const text = (await readAll(response)).toString()
  expect(text).toMatch(/\r\n\r\n,error,reference\r\n,query interrupted,\r\n$/)
  expect(await running(installed)).toEqual([])
})

it('stops when its time is up', async () => {
  const installed = await filled({ queryTimeoutSeconds: 1 })
  const response = await openEndless(installed)
  // Read once the time is over, which the list of queries cannot tell: it still waits for us.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const text = (await readAll(response)).toString()
  expect(text).toMatch(/\r\n,error,reference\r\n,query-timeout limit exceeded,\r\n$/)
})

it('stops a script that computes without end', async () => {
  const installed = await install({ queryTimeoutSeconds: 1 })
  const doubling = Array.from({ length: 60 }, (_, i) => `f${i + 1} = () => f${i}() + f${i}()`)
  const script = ['import "array"', 'f0 = () => 1', ...doubling, 'array.from(rows: [{v: f60()}])']
  const answer = await askFlux(installed, script.join('\n'))
  expect(answer.status).toBe(503)
  expect(answer.json.message).toContain('query-timeout limit exceeded')
  expect((await askFlux(installed, small)).status).toBe(200)
})

it('waits for nobody beyond as many as may run at once', async () => {
  const installed = await filled({ queryConcurrentMax: 1 })
  const response = await openEndless(installed)
  const refused = await askFlux(installed, small)
  expect(refused.status).toBe(429)
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.json).toEqual({
    code: 'too many requests',
    message: 'max-concurrent-queries limit exceeded(1, 1)',
  })
  response.sent.destroy()
  await expect.poll(async () => (await askFlux(installed, small)).status, soon).toBe(200)
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
  const refused = await askFlux(installed, small)
  expect([refused.status, refused.json.message]).toEqual([
    429,
    'more than 1 concurrent reads of the organization',
  ])
  response.sent.destroy()
  await expect.poll(async () => (await askFlux(installed, small)).status, soon).toBe(200)
  // A script that cannot be understood gives its place back.
  expect((await askFlux(installed, 'nonsense(')).status).toBe(400)
  expect((await askFlux(installed, small)).status).toBe(200)

  await limit({ concurrentReadRequests: 0, queryTime: 1e9 })
  const slow = await openEndless(installed)
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect((await readAll(slow)).toString()).toContain(',query-timeout limit exceeded,')

  // Half a megabyte over five minutes: one large answer passes, the next waits.
  await limit({ queryTime: 0, readKBs: 1 })
  expect((await askFlux(installed, everything)).status).toBe(200)
  const late = await askFlux(installed, everything)
  expect([late.status, late.json.code]).toEqual([429, 'too many requests'])
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
})

it('counts what was read for its organization', async () => {
  const installed = await install()
  const { text } = await askFlux(installed, small)
  const { url, token, orgId } = installed
  const usage = await send(`${url}/api/v2/orgs/${orgId}/usage?start=1`, { token })
  const [line] = usage.text.split('\r\n').filter((row) => row.includes(',query_bytes,'))
  expect(line.split(',')[6]).toBe(String(text.length))
})

it('holds a query to its memory', async () => {
  const installed = await filled({ queryMemoryBytesMax: 100_000 })
  const answer = await askFlux(installed, `${everything} |> group() |> sort(columns: ["_value"])`)
  expect([answer.status, answer.json?.code]).toEqual([400, 'invalid'])
  expect(answer.json.message).toContain('memory allocation limit reached: limit 100000 bytes')
})
