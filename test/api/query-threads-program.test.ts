// Query threads of the built program: long queries that come at once leave the serving thread, and answer what they
// answer by themselves.

import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, vi } from 'vitest'
import { temporaryFolder } from './client.js'
import { run } from './program.js'
import { ask, queryUrl } from './query-v1-client.js'

vi.setConfig({ testTimeout: 120_000 })

const headers = { authorization: 'Token t' }
const questions = [
  'select percentile(f, 90) from m group by host',
  'select f from m where f > 990',
  'select stddev(f) from m where time >= 0 and time < 1ms group by time(50u), host',
]

it('runs long queries on threads while others are served', async () => {
  const child = run([
    ...['serve', '--variant', 'cluster', '--admin-token', 't', '--http-address', '127.0.0.1:0'],
    ...['--data-dir', temporaryFolder()],
  ])
  const url = await listeningAt(child.stdout!)
  const database = { method: 'POST', body: '{"db": "b"}' }
  const json = { ...headers, 'content-type': 'application/json' }
  await ask(`${url}/api/v3/configure/database`, { ...database, headers: json })
  for (let from = 0; from < 400_000; from += 50_000) {
    const body = Array.from({ length: 50_000 }, (_, i) => {
      const n = from + i
      return `m,host=h${n % 20} f=${(n * 7919) % 1000} ${n}`
    }).join('\n')
    const { status, text } = await ask(`${url}/write?db=b`, { method: 'POST', headers, body })
    expect(status, text).toBe(204)
  }
  const answer = async (q: string) => (await ask(queryUrl(url, { db: 'b', q }), { headers })).text
  const alone: string[] = []
  for (const q of questions) alone.push(await answer(q))
  // The first that come at once only start the thread.
  await vi.waitFor(
    async () => {
      const all = [...questions, ...questions].map(answer)
      expect(await Promise.all(all)).toEqual([...alone, ...alone])
      expect(await handedOver(url)).toBeGreaterThan(0)
    },
    { timeout: 100_000 },
  )
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})

async function listeningAt(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /Listening on (\S+)/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the program has ended')
}

async function handedOver(url: string): Promise<number> {
  const { text } = await ask(`${url}/metrics`, { headers })
  return Number(/^millrace_queries_handed_over_total (\d+)$/m.exec(text)?.[1])
}
