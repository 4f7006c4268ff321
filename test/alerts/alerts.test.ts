// From a written point to the message, over HTTP against a running server whose clock is moved: what rules tell, when,
// how often, and what they keep quiet about.

import { afterEach, expect, it, vi } from 'vitest'
import { AlertPlace, start } from './alert-place.js'

let opened: AlertPlace | undefined

afterEach(() => opened?.close())

async function open(): Promise<AlertPlace> {
  opened = await AlertPlace.open()
  return opened
}

it('tells a change once and at once', async () => {
  const place = await open()
  const checkId = await place.check({ tags: [{ key: 'team', value: 'ops' }] })
  const ruleId = await place.rule()
  expect(await place.told(10)).toEqual([])
  expect(await place.told(95)).toEqual(['a is crit at 95'])
  expect(await place.told(96)).toEqual([])
  expect(await place.told(10)).toEqual([])
  expect(await place.told(97)).toEqual(['a is crit at 97'])
  const lines = await place.place.lines('_monitoring')
  const [statuses, notifications] = ['statuses', 'notifications'].map((measurement) =>
    lines.filter((line) => line.startsWith(`${measurement},`)),
  )
  expect(statuses).toHaveLength(5)
  const tags = `_check_id=${checkId},_check_name=usage\\ 0,_level=crit`
  const first = start + 20_000_000_000n
  expect(statuses).toContain(
    `statuses,${tags},_source_measurement=cpu,_type=threshold,host=a,team=ops ` +
      `_message="a is crit at 95",_source_timestamp=${first - 1_000_000_000n + 1n}i,usage=95 ${first}`,
  )
  expect(notifications).toHaveLength(2)
  expect(notifications[0]).toContain(`_notification_rule_id=${ruleId}`)
  expect(notifications[0]).toContain('_sent=true')
  expect(notifications[0]).toContain(`_status_timestamp=${first}i`)
})

it('fills templates in, and tells the status itself where one cannot be', async () => {
  const place = await open()
  await place.check()
  const contentTemplate =
    '{"text": "${ r._check_name }: ${ string(v: r.usage) } ${ r._notification_rule_name }"}'
  await place.rule({}, await place.endpoint({ name: 'good', contentTemplate }))
  await place.rule({}, await place.endpoint({ name: 'bad', contentTemplate: '${ r.nothing }' }))
  const messages = await place.step(95)
  expect(messages.map(({ json }) => json.text ?? json._message).sort()).toEqual([
    'a is crit at 95',
    'usage 0: 95 tell 0',
  ])
})

it('makes one message of a group, and ends it when all of it is over', async () => {
  const place = await open()
  await place.check()
  await place.rule({ groupBy: [], sendResolved: true })
  await place.write(95, 'a')
  const [both] = await place.step(96, 'b')
  expect(both.json).toMatchObject({ status: 'firing', level: 'crit', group: {} })
  expect(both.json.alerts.map((alert: { host: string }) => alert.host)).toEqual(['a', 'b'])
  await place.write(10, 'a')
  const [one] = await place.step(97, 'b')
  expect([one.json.status, one.json.alerts.length]).toEqual(['firing', 1])
  await place.write(10, 'a')
  const [end] = await place.step(10, 'b')
  expect([end.json.status, end.json.level]).toEqual(['resolved', 'ok'])
})

it('keeps quiet about what is silenced, and speaks when the silence ends', async () => {
  const place = await open()
  await place.check()
  await place.rule()
  const endsAt = new Date(Number(start / 1_000_000n) + 35_000).toISOString()
  const id = await place.make('silences', { matchers: [{ name: 'host', value: 'a' }], endsAt })
  await place.write(95, 'b')
  expect(await place.told(95, 'a')).toEqual(['b is crit at 95'])
  const { json } = await place.call('GET', '/api/v2/silences')
  expect(json.silences).toMatchObject([{ id, status: 'active' }])
  expect(await place.told(96, 'a')).toEqual([])
  expect(await place.told(96, 'a')).toEqual([])
  expect(await place.told(97, 'a')).toEqual(['a is crit at 97'])
  expect((await place.call('DELETE', `/api/v2/silences/${id}`)).status).toBe(204)
})

it('keeps quiet while the parent of a check is as bad, and speaks when it is not', async () => {
  const place = await open()
  const power = `from(bucket: "b") |> range(start: v.timeRangeStart)
    |> filter(fn: (r) => r._measurement == "power" and r._field == "off")`
  const parentCheckID = await place.check({
    name: 'power',
    query: { text: power },
    statusMessageTemplate: 'power of ${ r.host } is ${ r._level }',
    tags: [{ key: 'team', value: 'house' }],
    thresholds: [{ type: 'greater', level: 'CRIT', value: 0 }],
  })
  await place.check({ parentCheckID, tags: [{ key: 'team', value: 'web' }] })
  await place.rule({ sendResolved: true })
  const feed = async (off: number, usageA: number, usageB: number) => {
    const time = place.clock.now() + 9_000_000_000n
    await place.place.write(`power,host=a off=${off} ${time}`)
    await place.write(usageA, 'a')
    return (await place.told(usageB, 'b')).sort()
  }
  expect(await feed(0, 95, 10)).toEqual(['a is crit at 95'])
  expect(await feed(0, 10, 10)).toEqual(['a is ok at 10'])
  // Of host a only the power is told; of host b, whose power is on, everything.
  expect(await feed(1, 96, 96)).toEqual(['b is crit at 96', 'power of a is crit'])
  expect(await feed(1, 97, 97)).toEqual([])
  expect(await feed(0, 98, 98)).toEqual(['a is crit at 98', 'power of a is ok'])
  // What ends is told, whatever is above it.
  expect(await feed(1, 10, 98)).toEqual(['a is ok at 10', 'power of a is crit'])
})

it('refuses checks that stand above themselves', async () => {
  const place = await open()
  const one = await place.check()
  const two = await place.check({ parentCheckID: one })
  const { json } = await place.call('GET', `/api/v2/checks/${one}`)
  const circle = await place.call('PUT', `/api/v2/checks/${one}`, { ...json, parentCheckID: two })
  expect([circle.status, circle.json.message]).toEqual([400, 'a check cannot be above itself'])
  const gone = { ...json, parentCheckID: '0000000000000001' }
  expect((await place.call('PUT', `/api/v2/checks/${one}`, gone)).status).toBe(404)
  const wrong = { ...json, parentCheckID: 'nonsense' }
  expect((await place.call('PUT', `/api/v2/checks/${one}`, wrong)).status).toBe(400)
})

it('tries again when the receiver is ready, not before', async () => {
  const place = await open()
  await place.check()
  await place.rule()
  place.receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '4' }).end()
  await place.write(95)
  await place.run()
  const asked = (count: number) =>
    vi.waitFor(() => expect(place.receiver.requests).toHaveLength(count), { timeout: 20_000 })
  await asked(1)
  place.receiver.answer = (_, response) => response.end()
  // The wait begins when the refusal has arrived: the clock must not move before.
  await vi.waitFor(async () => {
    const { text } = await place.call('GET', '/metrics')
    expect(text).toContain('millrace_notifications_total{result="retried"} 1')
  })
  place.clock.advance(3_000_000_000n)
  await new Promise((resolve) => setTimeout(resolve, 2500))
  await asked(1)
  place.clock.advance(2_000_000_000n)
  await asked(2)
  await place.delivered()
  expect((await place.place.lines('_monitoring')).join('\n')).toContain('_sent=true')
  const { text } = await place.call('GET', '/metrics')
  expect(text).toContain('millrace_notifications_total{result="sent"} 1')
  expect(text).toContain('millrace_notifications_total{result="retried"} 1')
})

it('writes down what it gave up', async () => {
  const place = await open()
  await place.check()
  await place.rule()
  place.receiver.answer = (_, response) => response.writeHead(400).end('no')
  expect((await place.step(95)).length).toBe(1)
  expect((await place.place.lines('_monitoring')).join('\n')).toContain('_sent=false')
})

it('watches for silence, however long it lasts', async () => {
  const place = await open()
  await place.check({
    type: 'deadman',
    timeSince: '15s',
    staleTime: '30s',
    level: 'CRIT',
    statusMessageTemplate: '${ r.host } dead: ${ string(v: r.dead) }',
  })
  await place.rule()
  expect(await place.told(1)).toEqual([])
  const told: string[] = []
  for (let i = 0; i < 6; i++) {
    await place.next()
    told.push(...place.taken().map(({ json }) => json._message))
  }
  expect(told).toEqual(['a dead: true'])
  const lines = await place.place.lines('_monitoring')
  const levels = lines.flatMap((line) => /^statuses,.*_level=(\w+)/.exec(line)?.[1] ?? [])
  expect(levels.filter((level) => level === 'crit').length).toBeGreaterThanOrEqual(4)
})

it('tells what a check would have said', async () => {
  const place = await open()
  const id = await place.check()
  for (const value of [10, 80, 95]) {
    await place.write(value)
    await place.next()
  }
  const [from, to] = [start, start + 31_000_000_000n].map((ns) =>
    new Date(Number(ns / 1_000_000n)).toISOString(),
  )
  const before = await place.place.lines('_monitoring')
  const path = `/api/v2/checks/${id}/test`
  const { status, json } = await place.call('POST', path, { start: from, stop: to })
  expect([status, json.runs, json.errors]).toEqual([200, 4, []])
  expect(json.statuses.map((one: { level: string }) => one.level)).toEqual(['ok', 'warn', 'crit'])
  expect(json.statuses[2]).toMatchObject({
    message: 'a is crit at 95',
    time: '2026-03-02T10:00:30.000000000Z',
    fields: { usage: 95 },
  })
  expect(json.statuses[2].tags.host).toBe('a')
  expect(await place.place.lines('_monitoring')).toEqual(before)
  const bad = await place.call('POST', path, { start: '2020-01-01T00:00:00Z', stop: from })
  expect([bad.status, bad.json.message]).toEqual([400, expect.stringContaining('1000 times')])
  expect((await place.call('POST', path, { start: 'x' })).status).toBe(400)
})

it('gives a series without data the level that the check asks for, until there is data again', async () => {
  const place = await open()
  await place.check({ noDataLevel: 'UNKNOWN', tags: [{ key: 'team', value: 'ops' }] })
  await place.rule({
    statusRules: [{ currentLevel: 'UNKNOWN', previousLevel: 'ANY' }],
    repeatEvery: '1h',
    sendResolved: true,
  })
  await place.write(10, 'b')
  expect(await place.told(10)).toEqual([])
  expect(await place.told(10, 'b')).toEqual([
    'Check: usage 0 is: unknown: no data since 2026-03-02T10:00:09.000000000Z',
  ])
  const statuses = (await place.place.lines('_monitoring')).filter((line) =>
    /^statuses,.*_level=unknown/.test(line),
  )
  expect(statuses).toHaveLength(1)
  expect(statuses[0]).toMatch(/_source_measurement=cpu,_type=threshold,host=a,team=ops /)
  expect(statuses[0]).toMatch(
    new RegExp(`_source_timestamp=${start + 9_000_000_000n}i ${start + 20_000_000_000n}$`),
  )
  expect(await place.told(10, 'b')).toEqual([])
  await place.write(10, 'b')
  expect(await place.told(20)).toEqual(['a is ok at 20'])
  // Nobody asked for it: nothing is said.
  const quiet = await place.call('POST', '/api/v2/checks', {
    orgID: place.place.orgId,
    name: 'wrong',
    type: 'deadman',
    every: '10s',
    query: { text: 'from(bucket: "b") |> range(start: -1h)' },
    noDataLevel: 'AWFUL',
  })
  expect([quiet.status, quiet.json.message]).toEqual([400, 'invalid check level AWFUL'])
})

it('gives all series the level that the check asks for when it fails', async () => {
  const place = await open()
  await place.place.server.catalog.buckets.create({
    orgId: place.place.orgId,
    name: 'other',
    retentionSeconds: 0,
  })
  const text = `from(bucket: "other") |> range(start: -1h)
    |> filter(fn: (r) => r._measurement == "cpu" and r._field == "usage")`
  const id = await place.check({ errorLevel: 'UNKNOWN', query: { text } })
  await place.next()
  const bucket = await place.place.server.catalog.buckets.findByName(place.place.orgId, 'other')
  await place.call('DELETE', `/api/v2/buckets/${bucket?.id}`)
  place.clock.advance(10_000_000_000n)
  const own = `_check_id=${id},_check_name=usage\\ 0,_level=unknown,_type=threshold`
  const statuses = async () =>
    (await place.place.lines('_monitoring')).filter((line) => line.includes(own))
  await expect.poll(statuses, { timeout: 10_000 }).toHaveLength(1)
  const [status] = await statuses()
  expect(status).toContain('is: unknown: ')
  expect(status).toContain('could not find bucket \\"other\\"')
})
