// The official API package, unmodified, from a point to a message: checks, endpoints and rules made, run, looked at and
// deleted through it.

import { InfluxDB, Point } from '@influxdata/influxdb-client'
import {
  ChecksAPI,
  NotificationEndpointsAPI,
  NotificationRulesAPI,
} from '@influxdata/influxdb-client-apis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AlertPlace } from './alert-place.js'

it('drives all of it through the official client', async () => {
  const opened = await AlertPlace.open()
  onTestFinished(() => opened.close())
  const { place, clock, receiver } = opened
  const client = new InfluxDB({ url: place.url, timeout: 60_000, token: place.token })
  const orgID = place.orgId
  const endpoint = await new NotificationEndpointsAPI(client).createNotificationEndpoint({
    body: {
      type: 'http',
      name: 'hook',
      orgID,
      status: 'active',
      url: receiver.url,
      method: 'POST',
      authMethod: 'bearer',
      token: 'of-the-hook',
    },
  })
  const text = `from(bucket: "b") |> range(start: v.timeRangeStart)
    |> filter(fn: (r) => r._measurement == "cpu" and r._field == "usage")`
  const checks = new ChecksAPI(client)
  const check = await checks.createCheck({
    body: {
      type: 'threshold',
      name: 'high',
      orgID,
      status: 'active',
      every: '10s',
      query: { text },
      statusMessageTemplate: 'too high',
      thresholds: [{ type: 'greater', level: 'CRIT', value: 90 }],
    },
  })
  const rules = new NotificationRulesAPI(client)
  const rule = await rules.createNotificationRule({
    body: {
      type: 'http',
      name: 'tell',
      orgID,
      endpointID: endpoint.id ?? '',
      status: 'active',
      every: '10s',
      // As InfluxDB's own interface sends it where no level before matters.
      statusRules: [{ currentLevel: 'CRIT', previousLevel: null as never }],
      tagRules: [{ key: 'host', value: 'a', operator: 'equal' }],
    },
  })
  const [checkID, ruleID] = [check.id ?? '', String((rule as { id?: string }).id)]
  const writer = client.getWriteApi('o', 'b', 'ns')
  for (const host of ['a', 'b']) {
    const time = (clock.now() + 9_000_000_000n).toString()
    writer.writePoint(new Point('cpu').tag('host', host).floatField('usage', 99).timestamp(time))
  }
  await writer.close()
  clock.advance(10_000_000_001n)
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), { timeout: 20_000 })
  const [{ headers, body }] = receiver.requests
  expect(headers.authorization).toBe('Bearer of-the-hook')
  expect(JSON.parse(body)).toMatchObject({ _message: 'too high', host: 'a', _level: 'crit' })
  await vi.waitFor(
    async () => {
      const [one, other] = [
        await checks.getChecksID({ checkID }),
        await rules.getNotificationRulesID({ ruleID }),
      ]
      const moment = '2026-03-02T10:00:10'
      for (const found of [one, other] as { latestCompleted?: string; lastRunStatus?: string }[]) {
        expect(found.lastRunStatus).toBe('success')
        expect(found.latestCompleted).toContain(moment)
        expect(found).toHaveProperty('latestScheduled')
      }
    },
    { timeout: 20_000 },
  )
  expect((await checks.getChecksIDQuery({ checkID })).flux).toContain('monitor')
  await rules.deleteNotificationRulesID({ ruleID })
  await checks.deleteChecksID({ checkID })
  const left = await place.server.catalog.alertStates.load(ruleID)
  expect(left).toEqual([])
})
