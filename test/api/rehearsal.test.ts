// A rehearsal of a running service: the endpoint that clients use answers, as they are answered, and nothing of it
// counts for an organization.

import { expect, onTestFinished, test, vi } from 'vitest'
import { startServer } from '../../src/index.js'

const hasRehearsed = (log: unknown[][]) => log.find(([, message]) => message === 'rehearsed')

async function open(rehearsalSeconds: number) {
  const logged: unknown[][] = []
  const log = (...entry: unknown[]) => void logged.push(entry)
  const server = await startServer({ rehearsalSeconds, log })
  onTestFinished(() => server.close())
  const setup = { username: 'u', password: 'password', org: 'o', bucket: 'd' }
  const answer = await fetch(`${server.url}/api/v2/setup`, {
    method: 'POST',
    body: JSON.stringify(setup),
  })
  const { auth, org } = (await answer.json()) as { auth: { token: string }; org: { id: string } }
  const headers = { authorization: `Token ${auth.token}` }
  const start = Math.floor(Date.now() / 1000) - 2000
  const lines = Array.from({ length: 2000 }, (_, i) => `cpu,host=h${i % 5} v=${i} ${start + i}`)
  const url = `${server.url}/api/v2/write?org=o&bucket=d&precision=s`
  const written = await fetch(url, { method: 'POST', headers, body: lines.join('\n') })
  expect(written.status).toBe(204)
  return { server, logged, headers, orgId: org.id }
}

test('a quiet service asks itself, as requests that count for no organization', {
  timeout: 60_000,
}, async () => {
  const { server, logged, headers, orgId } = await open(1)
  await vi.waitFor(() => expect(hasRehearsed(logged)).toBeDefined(), {
    timeout: 50_000,
    interval: 100,
  })
  const { queries } = hasRehearsed(logged)![2] as { queries: number }
  expect(queries).toBeGreaterThan(0)
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text()
  const asked = /http_requests_total\{method="GET",route="\/query",status="(\d+)"\} (\d+)/g
  expect([...metrics.matchAll(asked)].map(([, status, count]) => [status, count])).toEqual([
    ['200', String(queries)],
  ])
  const usage = await fetch(`${server.url}/api/v2/orgs/${orgId}/usage?start=1`, { headers })
  const text = await usage.text()
  expect(usage.status).toBe(200)
  expect(text).toContain('write_requests')
  expect(text).not.toContain('query_requests')
  expect(logged.filter(([level]) => level === 'error')).toEqual([])
})
