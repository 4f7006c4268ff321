// Notification rules over HTTP: every operation, the rules of each type, filters, and who gets in.

import { expect, it } from 'vitest'
import { caller, type Installation, install } from './harness.js'

const path = '/api/v2/notificationRules'
const absent = '0123456789abcdef'
const slack = {
  name: 'r',
  type: 'slack',
  status: 'active',
  every: '10m',
  offset: '1m',
  messageTemplate: 'm',
  channel: '#c',
  tagRules: [{ key: 'k', value: 'v', operator: 'equal' }],
  statusRules: [{ currentLevel: 'crit', previousLevel: 'OK' }],
}

async function endpointOf({ server, orgId }: Installation): Promise<string> {
  const input = { name: 'e', type: 'slack', url: 'https://example.com' }
  return (await server.catalog.notificationEndpoints.create(orgId, undefined, input)).id
}

it('creates, shows, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const body = { ...slack, orgID: place.orgId, endpointID: await endpointOf(place) }
  const made = await call('POST', path, body)
  expect(made.status).toBe(201)
  const self = `${path}/${made.json.id}`
  expect(made.json).toMatchObject({
    ...body,
    statusRules: [{ currentLevel: 'CRIT', previousLevel: 'OK' }],
    labels: [],
    links: {
      self,
      labels: `${self}/labels`,
      members: `${self}/members`,
      owners: `${self}/owners`,
      query: `${self}/query`,
    },
  })
  expect((await call('GET', self)).json).toEqual(made.json)
  const patched = await call('PATCH', self, { status: 'inactive' })
  expect(patched.json).toMatchObject({ name: 'r', status: 'inactive', channel: '#c' })
  const put = await call('PUT', self, { ...body, name: 's', channel: undefined })
  expect(put.json).toMatchObject({ name: 's', status: 'active' })
  expect(put.json).not.toHaveProperty('channel')
  expect((await call('DELETE', self)).status).toBe(204)
  const gone = await call('GET', self)
  expect([gone.status, gone.json.message]).toEqual([404, 'notification rule not found'])
})

it.each([
  [{ name: '' }, 400, "Notification Rule Name can't be empty"],
  [{ type: 'constructor' }, 400, 'invalid notification type constructor'],
  [{ type: 'smtp' }, 400, 'smtp to is empty'],
  [{ type: 'smtp', to: 'a@b.c' }, 400, 'smtp subject template is empty'],
  [
    { type: 'smtp', to: 'a@b.c', subjectTemplate: 's' },
    400,
    'a smtp rule cannot notify a slack endpoint',
  ],
  [{ every: undefined, offset: undefined }, 400, 'Notification Rule Every must exist'],
  [{ endpointID: '' }, 400, 'Notification Rule EndpointID is invalid'],
  [{ endpointID: absent }, 404, 'notification endpoint not found'],
  [{ type: 'pagerduty' }, 400, 'a pagerduty rule cannot notify a slack endpoint'],
  [{ offset: '10m' }, 400, 'Offset should not be equal or greater than the interval'],
  [{ limit: 1 }, 400, 'if limit is set, limit and limitEvery must be larger than 0'],
  [{ messageTemplate: '' }, 400, 'slack msg template is empty'],
  [{ statusRules: [] }, 400, 'a rule needs a status rule'],
  [{ statusRules: [{ currentLevel: 'x' }] }, 400, 'invalid level x'],
  [{ tagRules: [{ key: 'k', value: 'v', operator: 'x' }] }, 400, 'Operator is invalid: "x"'],
  [
    { tagRules: [{ key: 'k', value: '(', operator: 'equalregex' }] },
    400,
    expect.stringContaining('invalid regular expression'),
  ],
])('refuses %j', async (change, status, message) => {
  const place = await install()
  const body = { ...slack, endpointID: await endpointOf(place), ...change }
  const answer = await caller(place)('POST', path, body)
  expect([answer.status, answer.json.message]).toEqual([status, message])
})

it('tells the script of a rule', async () => {
  const place = await install()
  const call = caller(place)
  const endpointID = await endpointOf(place)
  const made = (await call('POST', path, { ...slack, endpointID })).json
  expect((await call('GET', made.links.query)).json.flux).toBe(`import "influxdata/influxdb/monitor"
import "slack"
import "influxdata/influxdb/secrets"
import "experimental"

option task = {name: "r", every: 10m, offset: 1m}

slack_endpoint = slack["endpoint"](url: "https://example.com")
notification = {
    _notification_rule_id: "${made.id}",
    _notification_rule_name: "r",
    _notification_endpoint_id: "${endpointID}",
    _notification_endpoint_name: "e",
}
statuses = monitor["from"](start: -11m, fn: (r) => r["k"] == "v")
ok_to_crit = statuses |> monitor["stateChanges"](fromLevel: "ok", toLevel: "crit")
all_statuses = ok_to_crit |> filter(fn: (r) => r["_time"] >= experimental["subDuration"](from: now(), d: 10m))

all_statuses
    |> monitor["notify"](
        data: notification,
        endpoint:
            slack_endpoint(
                mapFn: (r) =>
                    ({
                        channel: "#c",
                        text: "m",
                        color:
                            if r["_level"] == "crit" then
                                "danger"
                            else if r["_level"] == "warn" then
                                "warning"
                            else
                                "good",
                    }),
            ),
    )
`)
})

it('sends mails through an http endpoint', async () => {
  const place = await install()
  const call = caller(place)
  const { notificationEndpoints } = place.server.catalog
  const endpoint = await notificationEndpoints.create(place.orgId, undefined, {
    name: 'gate',
    type: 'http',
    url: 'https://example.com/mail',
    method: 'POST',
    authMethod: 'none',
  })
  const mail = { to: 'a@b.c', subjectTemplate: `\${r._level}!`, bodyTemplate: 'line\nline' }
  const { messageTemplate: _message, channel: _channel, ...rule } = slack
  const body = { ...rule, type: 'smtp', ...mail, endpointID: endpoint.id }
  const made = await call('POST', path, body)
  expect(made.json).toMatchObject({ type: 'smtp', ...mail })
  const { flux } = (await call('GET', made.json.links.query)).json
  const sent = `to: "a@b.c", subject: "\${r._level}!", body: "line\\nline"`
  expect(flux).toContain(`body = {r with _version: 1, ${sent}}`)
})

it('has a task that changes with it and with its endpoint', async () => {
  const place = await install()
  const call = caller(place)
  const endpointID = await endpointOf(place)
  const made = (await call('POST', path, { ...slack, endpointID })).json
  const task = `/api/v2/tasks/${made.taskID}`
  const script = async () => (await call('GET', made.links.query)).json.flux
  expect((await call('GET', task)).json).toMatchObject({
    name: 'r',
    status: 'active',
    flux: await script(),
  })
  await call('PATCH', made.links.self, { status: 'inactive' })
  expect((await call('GET', task)).json.status).toBe('inactive')
  const endpoint = `/api/v2/notificationEndpoints/${endpointID}`
  await call('PUT', endpoint, { name: 'f', type: 'slack', url: 'https://example.org' })
  const { flux } = (await call('GET', task)).json
  expect(flux).toBe(await script())
  expect(flux).toContain('slack["endpoint"](url: "https://example.org")')
  expect(flux).toContain('_notification_endpoint_name: "f"')
  // The rule could no longer speak to it.
  const pager = { name: 'f', type: 'pagerduty', routingKey: 'k' }
  const changed = await call('PUT', endpoint, pager)
  const message = 'a slack rule cannot notify a pagerduty endpoint'
  expect([changed.status, changed.json.message]).toEqual([400, message])
  expect((await call('GET', endpoint)).json.type).toBe('slack')
  expect((await call('GET', '/api/v2/tasks')).json.tasks).toEqual([])
  await call('DELETE', made.links.self)
  expect((await call('GET', task)).status).toBe(404)
})

it('lists by tag and by check', async () => {
  const place = await install()
  const call = caller(place)
  const endpointID = await endpointOf(place)
  const rule = (name: string, tagRules: object[]) =>
    call('POST', path, { ...slack, name, endpointID, tagRules })
  await rule('any', [])
  await rule('v', [{ key: 'k', value: 'v' }])
  await rule('w', [{ key: 'k', value: 'w' }])
  const check = await place.server.catalog.checks.create(place.orgId, undefined, {
    name: 'c',
    type: 'threshold',
    every: '1m',
    query: { text: 'from(bucket: "b") |> filter(fn: (r) => r._field == "f")' },
    tags: [{ key: 'k', value: 'v' }],
  })
  const names = async (query: string) => {
    const { json } = await call('GET', `${path}?orgID=${place.orgId}&${query}`)
    return json.notificationRules.map((found: { name: string }) => found.name)
  }
  expect(await names('')).toEqual(['any', 'v', 'w'])
  expect(await names('tag=k:w')).toEqual(['w'])
  expect(await names('tag=k:w&tag=k:v')).toEqual([])
  expect(await names('tag=malformed')).toEqual(['any', 'v', 'w'])
  expect(await names(`checkID=${check.id}`)).toEqual(['any', 'v'])
  expect((await call('GET', `${path}?checkID=${absent}`)).status).toBe(404)
})

it('holds the quotas of its organization', async () => {
  const place = await install()
  const call = caller(place)
  const body = { ...slack, endpointID: await endpointOf(place) }
  const { limits } = place.server.catalog
  await limits.change(place.orgId, { notificationRule: { maxNotifications: 1 } })
  expect((await call('POST', path, body)).status).toBe(201)
  expect((await call('POST', path, body)).status).toBe(403)
  await limits.change(place.orgId, {
    notificationRule: { maxNotifications: 0, blockedNotificationRules: 'slack' },
  })
  expect((await call('POST', path, body)).status).toBe(403)
})
