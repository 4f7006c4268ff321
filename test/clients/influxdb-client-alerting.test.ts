// Every method of the official client's TasksAPI, ChecksAPI, NotificationRulesAPI and NotificationEndpointsAPI, called
// unmodified against a running server. A proxy notes which ones were: none may be left out.

import { InfluxDB } from '@influxdata/influxdb-client'
import {
  ChecksAPI,
  LabelsAPI,
  NotificationEndpointsAPI,
  NotificationRulesAPI,
  SetupAPI,
  TasksAPI,
  UsersAPI,
} from '@influxdata/influxdb-client-apis'
import { expect, it } from 'vitest'
import { start } from '../api/harness.js'

async function setUp() {
  const { url } = await start()
  const body = { username: 'u', password: 'a-long-password', org: 'home', bucket: 'b' }
  const made = await new SetupAPI(new InfluxDB({ url, timeout: 60_000 })).postSetup({ body })
  const client = new InfluxDB({ url, timeout: 60_000, token: made.auth?.token ?? '' })
  const orgID = made.org?.id ?? ''
  const label = await new LabelsAPI(client).postLabels({ body: { orgID, name: 'l' } })
  return { client, orgID, labelID: label.label?.id ?? '' }
}

/** The interface itself, and the names of its methods that were not called yet. */
function watched<Api extends object>(api: Api): { api: Api; left: Set<string> } {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(api))
  const left = new Set(names.filter((name) => name !== 'constructor'))
  const proxy = new Proxy(api, {
    get(target, name, receiver) {
      left.delete(String(name))
      return Reflect.get(target, name, receiver)
    },
  })
  return { api: proxy, left }
}

const missing = { statusCode: 404 }

it('calls every method of TasksAPI', async () => {
  const { client, orgID, labelID } = await setUp()
  const { api: tasks, left } = watched(new TasksAPI(client))
  expect(left.size).toBe(21)
  const flux = `option task = {name: "t", every: 1h}\nfrom(bucket: "b") |> range(start: -1h)`
  const { id: taskID } = await tasks.postTasks({ body: { orgID, flux } })
  expect((await tasks.getTasks({ orgID })).tasks?.map(({ id }) => id)).toEqual([taskID])
  expect((await tasks.getTasksID({ taskID })).name).toBe('t')
  const changed = await tasks.patchTasksID({ taskID, body: { description: 'd' } })
  expect(changed.description).toBe('d')

  const scheduledFor = '2100-01-01T00:00:00Z'
  const waiting = await tasks.postTasksIDRuns({ taskID, body: { scheduledFor } as never })
  const runID = waiting.id ?? ''
  expect((await tasks.getTasksIDRunsID({ taskID, runID })).status).toBe('scheduled')
  expect((await tasks.getTasksIDRuns({ taskID })).runs).toHaveLength(1)
  await tasks.deleteTasksIDRunsID({ taskID, runID })
  expect((await tasks.getTasksIDRunsID({ taskID, runID })).status).toBe('canceled')
  const logs = await tasks.getTasksIDRunsIDLogs({ taskID, runID })
  expect(logs.events?.map(({ message }) => message)).toEqual(['Run canceled'])
  expect((await tasks.getTasksIDLogs({ taskID })).events).toHaveLength(1)
  const again = await tasks.postTasksIDRunsIDRetry({ taskID, runID, body: '' })
  expect(String(again.scheduledFor)).toContain('2100-01-01')

  const labelled = await tasks.postTasksIDLabels({ taskID, body: { labelID } })
  expect(labelled.label?.id).toBe(labelID)
  expect((await tasks.getTasksIDLabels({ taskID })).labels).toHaveLength(1)
  await tasks.deleteTasksIDLabelsID({ taskID, labelID })
  expect((await tasks.getTasksIDLabels({ taskID })).labels).toEqual([])

  const user = await new UsersAPI(client).postUsers({ body: { name: 'other' } })
  const body = { id: user.id ?? '' }
  await tasks.postTasksIDMembers({ taskID, body })
  expect((await tasks.getTasksIDMembers({ taskID })).users?.map(({ id }) => id)).toEqual([body.id])
  await tasks.deleteTasksIDMembersID({ taskID, userID: body.id })
  expect((await tasks.getTasksIDMembers({ taskID })).users).toEqual([])
  const before = (await tasks.getTasksIDOwners({ taskID })).users?.length ?? 0
  await tasks.postTasksIDOwners({ taskID, body })
  expect((await tasks.getTasksIDOwners({ taskID })).users).toHaveLength(before + 1)
  await tasks.deleteTasksIDOwnersID({ taskID, userID: body.id })
  expect((await tasks.getTasksIDOwners({ taskID })).users).toHaveLength(before)

  await tasks.deleteTasksID({ taskID })
  await expect(tasks.getTasksID({ taskID })).rejects.toMatchObject(missing)
  expect([...left]).toEqual([])
})

it('calls every method of ChecksAPI', async () => {
  const { client, orgID, labelID } = await setUp()
  const { api: checks, left } = watched(new ChecksAPI(client))
  const body = {
    type: 'threshold',
    name: 'high',
    orgID,
    status: 'active',
    every: '1m',
    query: { text: 'from(bucket: "b") |> range(start: -1m) |> filter(fn: (r) => r._field == "f")' },
    statusMessageTemplate: 'm',
    thresholds: [{ type: 'greater', level: 'CRIT', value: 90 }],
  } as const
  const made = await checks.createCheck({ body: { ...body, thresholds: [...body.thresholds] } })
  const checkID = made.id ?? ''
  expect((await checks.getChecks({ orgID })).checks).toHaveLength(1)
  const other = { ...body, name: 'higher', thresholds: [] }
  expect(await checks.putChecksID({ checkID, body: other })).toMatchObject({ name: 'higher' })
  await checks.patchChecksID({ checkID, body: { status: 'inactive' } })
  expect(await checks.getChecksID({ checkID })).toMatchObject({ status: 'inactive' })
  expect((await checks.getChecksIDQuery({ checkID })).flux).toContain('monitor')
  await checks.postChecksIDLabels({ checkID, body: { labelID } })
  expect((await checks.getChecksIDLabels({ checkID })).labels).toHaveLength(1)
  await checks.deleteChecksIDLabelsID({ checkID, labelID })
  expect((await checks.getChecksIDLabels({ checkID })).labels).toEqual([])
  await checks.deleteChecksID({ checkID })
  await expect(checks.getChecksID({ checkID })).rejects.toMatchObject(missing)
  expect([...left]).toEqual([])
})

it('calls every method of NotificationEndpointsAPI and NotificationRulesAPI', async () => {
  const { client, orgID, labelID } = await setUp()
  const { api: endpoints, left: ofEndpoints } = watched(new NotificationEndpointsAPI(client))
  const { api: rules, left: ofRules } = watched(new NotificationRulesAPI(client))
  const http = {
    type: 'http',
    name: 'hook',
    orgID,
    status: 'active',
    url: 'http://127.0.0.1:9/hook',
    method: 'POST',
    authMethod: 'none',
  } as const
  const endpointID = (await endpoints.createNotificationEndpoint({ body: http })).id ?? ''
  expect((await endpoints.getNotificationEndpoints({ orgID })).notificationEndpoints).toHaveLength(
    1,
  )
  const body = { ...http, name: 'hook 2' }
  await endpoints.putNotificationEndpointsID({ endpointID, body })
  expect(await endpoints.getNotificationEndpointsID({ endpointID })).toMatchObject({
    name: 'hook 2',
    type: 'http',
  })
  await endpoints.patchNotificationEndpointsID({ endpointID, body: { description: 'd' } })
  await endpoints.postNotificationEndpointIDLabels({ endpointID, body: { labelID } })
  const labelled = await endpoints.getNotificationEndpointsIDLabels({ endpointID })
  expect(labelled.labels).toHaveLength(1)
  await endpoints.deleteNotificationEndpointsIDLabelsID({ endpointID, labelID })

  const rule = {
    type: 'http',
    name: 'tell',
    orgID,
    endpointID,
    status: 'active',
    every: '10m',
    statusRules: [{ currentLevel: 'CRIT' }],
  } as const
  const statusRules = [...rule.statusRules]
  const made = await rules.createNotificationRule({ body: { ...rule, statusRules } })
  const ruleID = String((made as { id?: string }).id)
  expect((await rules.getNotificationRules({ orgID })).notificationRules).toHaveLength(1)
  await rules.putNotificationRulesID({ ruleID, body: { ...rule, statusRules, name: 'tell 2' } })
  await rules.patchNotificationRulesID({ ruleID, body: { status: 'inactive' } })
  expect(await rules.getNotificationRulesID({ ruleID })).toMatchObject({
    name: 'tell 2',
    status: 'inactive',
  })
  const { flux } = await rules.getNotificationRulesIDQuery({ ruleID })
  expect(flux).toContain('http://127.0.0.1:9/hook')
  await rules.postNotificationRuleIDLabels({ ruleID, body: { labelID } })
  expect((await rules.getNotificationRulesIDLabels({ ruleID })).labels).toHaveLength(1)
  await rules.deleteNotificationRulesIDLabelsID({ ruleID, labelID })
  expect((await rules.getNotificationRulesIDLabels({ ruleID })).labels).toEqual([])

  await rules.deleteNotificationRulesID({ ruleID })
  await endpoints.deleteNotificationEndpointsID({ endpointID })
  await expect(endpoints.getNotificationEndpointsID({ endpointID })).rejects.toMatchObject(missing)
  expect([...ofEndpoints, ...ofRules]).toEqual([])
})
