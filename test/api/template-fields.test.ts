// Templates carry every field of tasks, checks, endpoints and rules, those that InfluxDB does not have included: what
// is exported of one organization and applied to another is the same there, and exported from there once more it is
// the same template.

import { expect, it } from 'vitest'
import { caller, install } from './harness.js'

type Json = Record<string, unknown>

const data = (name: string) =>
  `from(bucket: "b") |> range(start: -1m) |> filter(fn: (r) => r._measurement == "${name}" and r._field == "v")`

const flux = `option task = {name: "hourly", every: 1h, offset: 5m}

from(bucket: "b") |> range(start: -1h) |> to(bucket: "b2")`

const tasks: readonly Json[] = [
  {
    flux,
    ...{ zone: 'Europe/Berlin', catchUp: 'all', timeout: '10m', late: '1d' },
    ...{ concurrency: 3, retry: 2 },
  },
  {
    ...{
      name: 'means',
      cron: '0 2 * * *',
      language: 'influxql',
      database: 'b',
      status: 'inactive',
    },
    query: 'SELECT mean(v) AS v INTO "b2".."m" FROM m WHERE time >= now() - 1h GROUP BY *',
    ...{ zone: 'Asia/Tokyo', catchUp: 'last', concurrency: 2, description: 'by night' },
  },
  {
    ...{ name: 'top', every: '1h', language: 'sql', database: 'b', timeout: '1m', retry: 3 },
    query: "SELECT host, max(v) AS v FROM m WHERE time >= now() - INTERVAL '1 hour' GROUP BY host",
    ...{ targetBucket: 'b2', targetMeasurement: 'highest' },
  },
]

// Templates keep the text alone.
const editMode = 'advanced'

const holds = { for: '5m', keepFor: '10m', noDataLevel: 'WARN', errorLevel: 'UNKNOWN' }

const checks: readonly Json[] = [
  {
    ...{ type: 'deadman', name: 'host', every: '1m', timeSince: '90s', staleTime: '1h' },
    ...{
      query: { text: data('host'), editMode },
      level: 'CRIT',
      statusMessageTemplate: 'gone',
      ...holds,
    },
  },
  {
    ...{ type: 'threshold', name: 'usage', every: '1m', offset: '10s', status: 'inactive' },
    ...{ query: { text: data('cpu'), editMode }, tags: [{ key: 'team', value: 'a' }], ...holds },
    thresholds: [
      { type: 'greater', level: 'CRIT', value: 90 },
      { type: 'range', level: 'WARN', min: 1.5, max: 2, within: true },
    ],
  },
  {
    ...{ type: 'custom', name: 'own', for: '1m', keepFor: '2m' },
    query: {
      editMode,
      text: `import "influxdata/influxdb/monitor"
option task = {name: "own", every: 1m, offset: 0s}
check = {_check_id: "0000000000000001", _check_name: "own", _type: "custom", tags: {}}
${data('x')} |> monitor.check(data: check, messageFn: (r) => "x", crit: (r) => r.v > 1.0)`,
    },
  },
]

const url = 'http://127.0.0.1:9/x'

/** With the fields of a rule for it. */
const endpoints: readonly (readonly [Json, Json])[] = [
  [
    { type: 'http', url, method: 'PUT', authMethod: 'basic', username: 'u', password: 'p' },
    { groupBy: [], repeatEvery: '4h' },
  ],
  [
    { type: 'slack', url, token: 't' },
    { channel: '#x', messageTemplate: 'a', sendResolved: true },
  ],
  [
    { type: 'pagerduty', url, clientURL: 'http://127.0.0.1:9/y', routingKey: 'k' },
    { messageTemplate: 'b', limit: 3, limitEvery: 60, sleepUntil: '2026-01-01T00:00:00Z' },
  ],
  [
    { type: 'telegram', token: 't', channel: '-1' },
    { messageTemplate: 'c', parseMode: 'HTML', disableWebPagePreview: true },
  ],
  [
    { type: 'teams', url },
    { messageTemplate: 'd', for: '1m', keepFor: '2m' },
  ],
  [{ type: 'discord', url }, { tagRules: [{ key: 'host', value: 'a.*', operator: 'equalregex' }] }],
  [
    { type: 'opsgenie', token: 't', url },
    { groupBy: ['host', 'rack'], offset: '5s', runbookLink: 'http://127.0.0.1/r' },
  ],
  [
    { type: 'alertmanager', url, authMethod: 'bearer', token: 't' },
    {
      muteTimes: [{ days: ['sat'], start: '22:00', end: '07:00', timeZone: 'Europe/Berlin' }],
      statusRules: [{ currentLevel: 'WARN', previousLevel: 'OK', count: 3, period: '1h' }],
    },
  ],
  [
    { type: 'smtp', host: 'mail', port: 2525, security: 'none', from: 'a@b', to: 'c@d' },
    { subjectTemplate: 's', bodyTemplate: 'b', to: 'e@f' },
  ],
  [
    {
      type: 'http',
      url,
      method: 'POST',
      authMethod: 'none',
      headers: { a: 'b' },
      contentTemplate: 'x',
    },
    { url, status: 'inactive' },
  ],
]

it('carries every field of tasks, checks, endpoints and rules', async () => {
  const place = await install()
  const call = caller(place)
  const make = async (path: string, body: Json): Promise<string> => {
    const { status, json, text } = await call('POST', `/api/v2/${path}`, {
      orgID: place.orgId,
      ...body,
    })
    expect(`${status} ${status === 201 ? '' : text}`).toBe('201 ')
    return json.id
  }
  for (const name of ['b2']) await make('buckets', { name })
  for (const task of tasks) await make('tasks', task)
  const parent = await make('checks', checks[0])
  for (const check of checks.slice(1)) await make('checks', { ...check, parentCheckID: parent })
  for (const [i, [endpoint, rule]] of endpoints.entries()) {
    const endpointID = await make('notificationEndpoints', { ...endpoint, name: `e${i}` })
    const statusRules = [{ currentLevel: 'CRIT', previousLevel: 'ANY' }]
    const { type } = endpoint
    await make('notificationRules', {
      ...{ type, name: `r${i}`, every: '1m', statusRules, tagRules: [], endpointID, ...rule },
    })
  }

  const exported = await exportOf(call, place.orgId)
  const other = (await call('POST', '/api/v2/orgs', { name: 'other' })).json.id
  const applied = await call('POST', '/api/v2/templates/apply', {
    orgID: other,
    template: { contents: exported },
  })
  expect(`${applied.status} ${applied.status === 201 ? '' : applied.text}`).toBe('201 ')
  expect(withoutIds(await exportOf(call, other))).toEqual(withoutIds(exported))
  for (const kind of ['tasks', 'checks', 'notificationEndpoints', 'notificationRules']) {
    const there = await listed(call, kind, other)
    expect(there).toEqual(await listed(call, kind, place.orgId))
    expect(there.length).toBeGreaterThan(2)
  }
})

it('names what a task or a check refers to and is not there', async () => {
  const place = await install()
  const call = caller(place)
  const apply = (kind: string, spec: Json) =>
    call('POST', '/api/v2/templates/apply', {
      orgID: place.orgId,
      template: {
        contents: [{ apiVersion: 'influxdata.com/v2alpha1', kind, metadata: { name: 'a' }, spec }],
      },
    })
  const script = await apply('Task', { every: '1h', scriptID: '0123456789abcdef' })
  expect(script.status).toBe(422)
  expect(script.json.message).toContain('script "0123456789abcdef" of task "a" is not here')
  const check = { every: '1m', query: data('m'), level: 'CRIT', timeSince: '90s' }
  const parent = await apply('CheckDeadman', { ...check, parentCheckName: 'b' })
  expect(parent.status).toBe(422)
  expect(parent.json.message).toContain('check "b" is not in the template')
  const wrong = await apply('CheckDeadman', { ...check, reportZero: 'yes' })
  expect(wrong.json.message).toContain('reportZero must be of type boolean')
})

type Call = ReturnType<typeof caller>

async function exportOf(call: Call, orgID: string): Promise<Json[]> {
  const { json } = await call('POST', '/api/v2/templates/export', { orgIDs: [{ orgID }] })
  return json
}

/** Names in a template end in part of an id. */
function withoutIds(entries: readonly Json[]): Json[] {
  const text = JSON.stringify(entries)
    .replace(/-[0-9a-f]{12}"/g, '"')
    .replace(/_check_id: \\"[0-9a-f]{16}\\"/g, '')
  return JSON.parse(text).sort((a: Json, b: Json) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function keyOf({ kind, spec }: Json): string {
  return `${kind}/${(spec as Json).name}`
}

async function listed(call: Call, kind: string, orgID: string): Promise<Json[]> {
  const { json } = await call('GET', `/api/v2/${kind}?orgID=${orgID}&limit=100`)
  const own =
    /^(id|orgID|org|ownerID|links|createdAt|updatedAt|latest.*|nextDue|taskID|endpointID|parentCheckID|status.*)$/
  const secret = /^(token|password|username|routingKey)$/
  const shown = (json[kind] as Json[]).map((item) => {
    const kept = Object.entries(item).filter(([name]) => !own.test(name) && !secret.test(name))
    return { ...Object.fromEntries(kept), status: item.status, statusRules: item.statusRules }
  })
  const text = JSON.stringify(shown).replace(/_check_id: \\"[0-9a-f]{16}\\"/g, '')
  return JSON.parse(text).sort((a: Json, b: Json) => (String(a.name) < String(b.name) ? -1 : 1))
}
