// The rest of the official API package, unmodified, against a running server: checks, notifications,
// Telegraf configurations, scripts, sources, stacks, templates, and what a server says of itself.

import { InfluxDB } from '@influxdata/influxdb-client'
import {
  ChecksAPI,
  ConfigAPI,
  FlagsAPI,
  NotificationEndpointsAPI,
  NotificationRulesAPI,
  ResourcesAPI,
  ScriptsAPI,
  SetupAPI,
  SourcesAPI,
  StacksAPI,
  TelegrafAPI,
  TelegrafsAPI,
  TemplatesAPI,
} from '@influxdata/influxdb-client-apis'
import { expect, it } from 'vitest'
import { start } from '../api/harness.js'

async function setUp() {
  const { url } = await start()
  const body = { username: 'u', password: 'a-long-password', org: 'home', bucket: 'b' }
  const made = await new SetupAPI(new InfluxDB({ url, timeout: 60_000 })).postSetup({ body })
  const client = new InfluxDB({ url, timeout: 60_000, token: made.auth?.token ?? '' })
  return { client, orgID: made.org?.id ?? '', bucketID: made.bucket?.id ?? '' }
}

it('manages checks', async () => {
  const { client, orgID } = await setUp()
  const checks = new ChecksAPI(client)
  const check = await checks.createCheck({
    body: {
      type: 'deadman',
      name: 'silent',
      orgID,
      status: 'active',
      every: '1m',
      timeSince: '90s',
      staleTime: '10m',
      level: 'CRIT',
      statusMessageTemplate: 'silent for too long',
      query: { text: 'from(bucket: "b")' },
    },
  })
  const checkID = check.id ?? ''
  expect((await checks.getChecks({ orgID })).checks?.map(({ name }) => name)).toEqual(['silent'])
  await checks.patchChecksID({ checkID, body: { name: 'quiet' } })
  expect((await checks.getChecksID({ checkID })).name).toBe('quiet')
  await checks.deleteChecksID({ checkID })
  await expect(checks.getChecksID({ checkID })).rejects.toMatchObject({ statusCode: 404 })
})

it('manages notification endpoints and rules', async () => {
  const { client, orgID } = await setUp()
  const endpoints = new NotificationEndpointsAPI(client)
  const endpoint = await endpoints.createNotificationEndpoint({
    body: {
      type: 'http',
      name: 'hook',
      orgID,
      status: 'active',
      url: 'http://127.0.0.1:9/hook',
      method: 'POST',
      authMethod: 'none',
    },
  })
  const endpointID = endpoint.id ?? ''
  const rules = new NotificationRulesAPI(client)
  const rule = await rules.createNotificationRule({
    body: {
      type: 'http',
      name: 'tell',
      orgID,
      endpointID,
      status: 'active',
      every: '10m',
      statusRules: [{ currentLevel: 'CRIT' }],
    },
  })
  expect((await rules.getNotificationRules({ orgID })).notificationRules).toHaveLength(1)
  await rules.deleteNotificationRulesID({ ruleID: String((rule as { id?: string }).id) })
  await endpoints.deleteNotificationEndpointsID({ endpointID })
  const left = await endpoints.getNotificationEndpoints({ orgID })
  expect(left.notificationEndpoints).toEqual([])
})

it('manages Telegraf configurations', async () => {
  const { client, orgID } = await setUp()
  const telegrafs = new TelegrafsAPI(client)
  const made = await telegrafs.postTelegrafs({
    body: { orgID, name: 't', config: '[[inputs.cpu]]', metadata: { buckets: ['b'] } },
  })
  expect((await telegrafs.getTelegrafs({ orgID })).configurations).toHaveLength(1)
  await telegrafs.deleteTelegrafsID({ telegrafID: String((made as { id?: string }).id) })
  expect((await new TelegrafAPI(client).getTelegrafPlugins({})).plugins?.length).toBeGreaterThan(5)
})

it('manages scripts and lists sources', async () => {
  const { client } = await setUp()
  const scripts = new ScriptsAPI(client)
  const script = await scripts.postScripts({
    body: { name: 's', description: 'd', script: 'from(bucket: "b")', language: 'flux' },
  })
  expect((await scripts.getScripts({})).scripts?.map(({ id }) => id)).toEqual([script.id])
  await scripts.deleteScriptsID({ scriptID: script.id ?? '' })
  expect((await new SourcesAPI(client).getSources({ org: 'home' })).sources).toHaveLength(1)
})

it('exports and applies templates, and keeps stacks', async () => {
  const { client, orgID } = await setUp()
  const stacks = new StacksAPI(client)
  const stack = await stacks.createStack({ body: { orgID, name: 'st' } })
  expect((await stacks.listStacks({ orgID })).stacks).toHaveLength(1)
  const template = await new TemplatesAPI(client).exportTemplate({
    body: { orgIDs: [{ orgID }] },
  })
  expect(JSON.stringify(template)).toContain('Bucket')
  await stacks.deleteStack({ stack_id: stack.id ?? '', orgID })
})

it('says what the server is and can', async () => {
  const { client } = await setUp()
  expect(await new ConfigAPI(client).getConfig()).toHaveProperty('config')
  expect(typeof (await new FlagsAPI(client).getFlags())).toBe('object')
  expect(await new ResourcesAPI(client).getResources()).toContain('buckets')
})
