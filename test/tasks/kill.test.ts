// The real process, killed again and again with runs of a task under way: after the last start every moment has run,
// each is recorded once as a success, and the backfill that asked for them knows that it is done.

import { expect, it, vi } from 'vitest'
import { send, temporaryFolder } from '../api/client.js'
import { exported, serve, setUp } from '../crash/server-process.js'

const total = 24
const wait = { timeout: 60_000, interval: 20 }
/** Each hour of the first of January: none of its moments comes by itself while the test runs. */
const flux = `import "generate"
option task = {name: "t", cron: "0 * 1 1 *"}
generate.from(count: 20000, fn: (n) => n, start: 2020-01-01T00:00:00Z, stop: 2021-01-01T00:00:00Z)
  |> map(fn: (r) => ({r with _value: float(v: r._value) * 2.0})) |> sum()
  |> map(fn: (r) => ({_time: now(), _measurement: "m", _field: "f", _value: r._value}))
  |> to(bucket: "b")`

it('loses no run to a kill, and records none twice as a success', async () => {
  const folder = temporaryFolder()
  let server = await serve(folder)
  const token = await setUp(server.url)
  const get = async (path: string) => (await send(`${server.url}${path}`, { token })).json
  const post = async (path: string, body: object) => {
    const sent = { method: 'POST', token, body: JSON.stringify(body) }
    const answer = await send(`${server.url}${path}`, sent)
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const task = (await post('/api/v2/tasks', { org: 'o', flux })).links.self
  const day = { start: '2024-01-01T00:00:00Z', stop: '2024-01-02T00:00:00Z' }
  const { self } = (await post(`${task}/backfill`, day)).links
  for (const count of [3, 8, 15]) {
    // Somewhere in the midst of a run: that is where the process is nearly all the time.
    await vi.waitFor(async () => {
      const { succeeded, underWay } = await get(self)
      expect(succeeded).toBeGreaterThanOrEqual(count)
      expect(underWay).toBe(1)
    }, wait)
    await server.end('SIGKILL')
    server = await serve(folder)
  }
  await vi.waitFor(async () => expect((await get(self)).status).toBe('done'), wait)
  expect(await get(self)).toMatchObject({ total, succeeded: total, failed: 0, canceled: 0 })
  const { runs } = await get(`${task}/runs`)
  const moments = runs.map((run: { scheduledFor: string }) => run.scheduledFor).sort()
  const hours = Array.from({ length: total }, (_, hour) => String(hour).padStart(2, '0'))
  expect(moments).toEqual(hours.map((hour) => `2024-01-01T${hour}:00:00Z`))
  expect(runs.every((run: { status: string }) => run.status === 'success')).toBe(true)
  const lines = await exported(server.url, token)
  expect(lines).toHaveLength(total)
  await server.end('SIGTERM')
})
