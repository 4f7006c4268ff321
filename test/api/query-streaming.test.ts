// Large answers from a process of its own: two million rows reach a slow reader without growing the
// process by more than a part of the answer; what nobody reads any more stops.

import { setTimeout } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { serve, setUp } from '../crash/server-process.js'
import { send, temporaryFolder } from './client.js'
import { open, queryUrl, readAll } from './query-v1-client.js'

vi.setConfig({ testTimeout: 300_000 })

const rows = 2_000_000
const rowsPerWrite = 50_000
const seriesCount = 8
const soon = { timeout: 60_000 }

/** About 190 MB of JSON. */
async function fill(url: string, token: string): Promise<void> {
  for (let from = 0; from < rows; from += rowsPerWrite) {
    const lines: string[] = []
    for (let i = from; i < from + rowsPerWrite; i++) {
      lines.push(
        `m,t=h${i % seriesCount} f=${i / 7},g=${i / 11},h=${i / 13},i=${i}i,k=${i / 17} ${1_700_000_000 + i}`,
      )
    }
    const options = { method: 'POST', token, body: lines.join('\n') }
    const { status, text } = await send(`${url}/write?db=b&precision=s`, options)
    if (status !== 204) throw new Error(`${status} ${text}`)
  }
}

async function residentBytes(url: string): Promise<number> {
  const { text } = await send(`${url}/metrics`)
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
}

async function running(url: string, token: string): Promise<number[]> {
  const { json } = await send(queryUrl(url, { q: 'show queries' }), { token })
  const { values } = json.results[0].series[0]
  return values
    .filter((row: unknown[]) => row[1] !== 'show queries')
    .map((row: unknown[]) => row[0])
}

/** Reads to the end, with pauses, as a reader does that has work of its own to do. */
async function read(
  url: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  pauseMs: number,
): Promise<{ bytes: number; residentMax: number }> {
  let bytes = 0
  let pieces = 0
  let residentMax = 0
  for await (const chunk of await open(target, { headers })) {
    bytes += chunk.length
    if (++pieces % 100 !== 0) continue
    if (pauseMs > 0) await setTimeout(pauseMs)
    residentMax = Math.max(residentMax, await residentBytes(url))
  }
  return { bytes, residentMax }
}

it('streams two million rows, and stops when nobody reads them', async () => {
  const { url } = await serve(temporaryFolder())
  const token = await setUp(url)
  await fill(url, token)
  const headers = { authorization: `Token ${token}` }
  const everything = queryUrl(url, { db: 'b', q: 'select * from m', epoch: 's' })
  const before = await residentBytes(url)
  const fast = await read(url, everything, headers, 0)
  expect(fast.bytes).toBeGreaterThan(150_000_000)
  // A read holds some slices of time.
  expect(fast.residentMax - before).toBeLessThan(300_000_000)
  const slow = await read(url, everything, headers, 5)
  expect(slow.bytes).toBe(fast.bytes)
  expect(slow.residentMax - fast.residentMax).toBeLessThan(fast.bytes / 2)

  // A reader that does not read holds nothing up, and costs nothing.
  const unread = await open(everything, { headers })
  expect(await running(url, token)).toHaveLength(1)
  const held = await residentBytes(url)
  await setTimeout(500)
  expect((await residentBytes(url)) - held).toBeLessThan(50_000_000)
  unread.sent.destroy()
  await expect.poll(() => running(url, token), soon).toEqual([])

  const killed = await open(everything, { headers })
  const [id] = await running(url, token)
  await send(queryUrl(url, { q: `kill query ${id}` }), { method: 'POST', token })
  expect((await readAll(killed)).toString()).toMatch(/"error":"query interrupted"\}\]\}\n$/)
  expect(await running(url, token)).toEqual([])
})
