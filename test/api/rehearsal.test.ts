// A rehearsal of a running service, on the stage that it has for it: the same endpoint answers, and
// nothing of it is seen in the service's figures, its running queries or its organizations' usage.

import { expect, onTestFinished, test, vi } from 'vitest'
import { startServer } from '../../src/index.js'

const hasRehearsed = (log: unknown[][]) => log.find(([, message]) => message === 'rehearsed')

async function open(rehearsalSeconds: number) {
  const logged: unknown[][] = []
  const adminToken = 'admin-token'
  const log = (...entry: unknown[]) => void logged.push(entry)
  const server = await startServer({ adminToken, rehearsalSeconds, log, variant: 'cluster' })
  onTestFinished(() => server.close())
  const headers = { authorization: `Token ${adminToken}` }
  const start = Math.floor(Date.now() / 1000) - 2000
  const lines = Array.from({ length: 2000 }, (_, i) => `cpu,host=h${i % 5} v=${i} ${start + i}`)
  const url = `${server.url}/write?db=d&precision=s`
  const written = await fetch(url, { method: 'POST', headers, body: lines.join('\n') })
  expect(written.status).toBe(204)
  return { server, logged, headers }
}

test('a quiet service rehearses, and its figures know nothing of it', {
  timeout: 60_000,
}, async () => {
  const { server, logged, headers } = await open(1)
  await vi.waitFor(() => expect(hasRehearsed(logged)).toBeDefined(), {
    timeout: 50_000,
    interval: 100,
  })
  expect(hasRehearsed(logged)![2]).toMatchObject({ queries: expect.any(Number) })
  expect((hasRehearsed(logged)![2] as { queries: number }).queries).toBeGreaterThan(0)
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text()
  expect(metrics).toContain('http_requests_total{method="POST",route="/write",status="204"} 1')
  expect(metrics).not.toContain('route="/query"')
  expect(logged.filter(([level]) => level === 'error')).toEqual([])
})
