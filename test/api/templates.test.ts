// Templates over HTTP: applying, applying again, dry runs, mistakes, exporting what was applied,
// and who gets in.

import { expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { caller, checkGuards, type Guarded } from './guarded.js'
import { type Installation, install, send } from './harness.js'

const path = '/api/v2/templates'
const object = (kind: string, name: string, spec: object = {}) => ({
  apiVersion: 'influxdata.com/v2alpha1',
  kind,
  metadata: { name },
  spec,
})
const associations = [{ kind: 'Label', name: 'label-1' }]
const markdown = { kind: 'markdown', name: 'note', xPos: 1, width: 4, height: 2, note: 'hi' }
const stat = {
  kind: 'single_stat',
  name: 'stat',
  queries: [{ query: 'buckets()' }],
  axes: [{ name: 'x', label: 'l' }],
}
const whole = [
  object('Label', 'label-1', { name: 'the label', color: '#123456' }),
  object('Bucket', 'bucket-1', {
    name: 'the bucket',
    retentionRules: [{ type: 'expire', everySeconds: 7200 }],
    associations,
  }),
  object('Variable', 'variable-1', { type: 'map', values: { a: '1' }, associations }),
  object('Telegraf', 'telegraf-1', { config: '[agent]' }),
  object('Task', 'task-1', { every: '1h', query: 'buckets()', status: 'inactive' }),
  object('Dashboard', 'dashboard-1', { charts: [markdown, stat] }),
  object('CheckThreshold', 'check-1', {
    every: '1m',
    query: 'buckets()',
    thresholds: [{ type: 'inside_range', level: 'crit', min: 1, max: 2 }],
  }),
  object('CheckDeadman', 'check-2', { every: '1m', query: 'q', level: 'WARN', timeSince: '90s' }),
  object('NotificationEndpointHTTP', 'endpoint-1', {
    url: 'https://example.com',
    method: 'POST',
    type: 'bearer',
    token: { secretRef: { key: 'the-token' } },
  }),
  object('NotificationRule', 'rule-1', {
    endpointName: 'endpoint-1',
    every: '10m',
    statusRules: [{ currentLevel: 'CRIT' }],
    tagRules: [{ key: 'k', value: 'v', operator: 'equal' }],
  }),
]

const apply = (place: Installation, body: object) => caller(place)('POST', `${path}/apply`, body)

it('makes everything, and again changes it', async () => {
  const place = await install()
  const { catalog } = place.server
  const secrets = { 'the-token': 'very secret' }
  const first = await apply(place, { template: { contents: whole }, secrets })
  expect([first.status, first.json.errors]).toEqual([201, []])
  const { stackID, summary, diff } = first.json
  expect(first.text).not.toContain('very secret')
  const sections = Object.entries(diff).map(([name, list]) => [name, (list as []).length])
  expect(Object.fromEntries(sections)).toEqual({
    buckets: 1,
    checks: 2,
    dashboards: 1,
    labels: 1,
    labelMappings: 2,
    notificationEndpoints: 1,
    notificationRules: 1,
    tasks: 1,
    telegrafConfigs: 1,
    variables: 1,
  })
  expect(summary.buckets[0]).toMatchObject({
    kind: 'Bucket',
    templateMetaName: 'bucket-1',
    name: 'the bucket',
    labelAssociations: ['label-1'],
  })
  expect(diff.buckets[0]).toMatchObject({ stateStatus: 'new', new: { name: 'the bucket' } })
  expect(await catalog.secrets.get(place.orgId, 'the-token')).toBe('very secret')
  const [task] = await catalog.tasks.records.list({ orgId: place.orgId })
  expect(task.body).toMatchObject({ every: '1h', status: 'inactive' })
  expect(task.body.flux).toBe('option task = {name: "task-1", every: 1h}\n\nbuckets()')

  const changed = whole.filter(({ kind }) => kind !== 'Telegraf')
  changed[1] = object('Bucket', 'bucket-1', { name: 'renamed', associations })
  const second = await apply(place, { template: { contents: changed }, stackID })
  expect(second.status).toBe(201)
  expect(second.json.stackID).toBe(stackID)
  expect(second.json.diff.buckets).toMatchObject([
    { stateStatus: 'exists', id: diff.buckets[0].id, old: { name: 'the bucket' } },
  ])
  expect(second.json.diff.telegrafConfigs).toMatchObject([{ stateStatus: 'remove' }])
  expect(second.json.summary.telegrafConfigs).toEqual([])
  expect(await catalog.telegrafs.records.list({ orgId: place.orgId })).toEqual([])
  expect(await catalog.tasks.records.list({ orgId: place.orgId })).toHaveLength(1)
  expect((await catalog.buckets.findByName(place.orgId, 'renamed'))?.retentionSeconds).toBe(7200)
})

it('keeps nothing of a dry run or of a failure', async () => {
  const place = await install()
  const { catalog } = place.server
  const counts = async () => [
    (await catalog.buckets.all()).length,
    await catalog.tasks.records.count(place.orgId),
    await catalog.stacks.records.count(place.orgId),
  ]
  const before = await counts()
  const dry = await apply(place, { dryRun: true, template: { contents: whole } })
  expect(dry.status).toBe(200)
  expect(dry.json).toMatchObject({
    stackID: '',
    summary: { missingSecrets: ['the-token'] },
    diff: { buckets: [{ stateStatus: 'new', id: '' }] },
  })
  expect(await counts()).toEqual(before)
  const bad = object('Variable', 'last', { name: '1', type: 'constant', values: [] })
  const failed = await apply(place, { template: { contents: [...whole, bad] } })
  expect(failed.status).toBe(400)
  expect(await counts()).toEqual(before)
})

it('names mistakes and where they are', async () => {
  const place = await install()
  const contents = [
    object('Bucket', 'good'),
    { kind: 'Bucket', metadata: { name: 'x' } },
    object('Spaceship', 'x'),
    object('Bucket', 'Not A Name'),
    object('Bucket', 'good'),
    object('Bucket', 'other', { associations }),
    'nothing',
  ]
  const answer = await apply(place, { template: { contents } })
  expect(answer.status).toBe(422)
  expect(answer.json.code).toBe('unprocessable entity')
  const { errors } = answer.json
  const fields = errors.map((e: { fields: string[]; indexes: number[] }) => [
    e.fields.join('.'),
    ...e.indexes,
  ])
  expect(fields).toEqual([
    ['apiVersion', 1],
    ['kind', 2],
    ['metadata.name', 3],
    ['metadata.name', 4],
    ['apiVersion', 6],
    ['spec.associations'],
  ])
  const remote = await apply(place, { remotes: [{ url: 'https://example.com' }] })
  expect(remote.status).toBe(501)
})

it('puts in the environment and skips what it is told to', async () => {
  const place = await install()
  const contents = [
    object('Label', 'one', { name: { envRef: { key: 'name', default: 'x' } } }),
    object('Label', 'two', { name: { envRef: { key: 'absent' } } }),
    object('Label', 'three', { name: { envRef: { key: 'other', default: 'by default' } } }),
    object('Label', 'four'),
    object('Bucket', 'five'),
  ]
  const answer = await apply(place, {
    template: { contents },
    envRefs: { name: 'given' },
    actions: [
      { action: 'skipKind', properties: { kind: 'Bucket' } },
      { action: 'skipResource', properties: { kind: 'Label', resourceTemplateName: 'four' } },
    ],
  })
  const { labels, buckets, missingEnvRefs } = answer.json.summary
  expect(labels.map((label: { name: string }) => label.name)).toEqual([
    'given',
    'env-absent',
    'by default',
  ])
  expect([buckets, missingEnvRefs]).toEqual([[], ['absent']])
})

it('exports what it applied', async () => {
  const place = await install()
  const call = caller(place)
  await place.server.catalog.secrets.put(place.orgId, { 'the-token': 'x' })
  const { stackID, diff } = (await apply(place, { template: { contents: whole } })).json
  const byStack = (await call('POST', `${path}/export`, { stackID })).json
  expect(byStack).toHaveLength(whole.length)
  for (const { kind, metadata, spec } of whole) {
    const found = byStack.find((one: typeof spec & { metadata: { name: string } }) => {
      return one.metadata.name === metadata.name
    })
    expect(found).toMatchObject({ kind, spec: kind === 'CheckThreshold' ? {} : spec })
  }
  const again = await apply(place, { stackID, template: { contents: byStack } })
  for (const list of Object.values(again.json.diff) as { old: object; new: object }[][]) {
    for (const item of list.filter((one) => 'old' in one)) expect(item.new).toEqual(item.old)
  }

  const { id } = diff.checks[0]
  const byId = await call('POST', `${path}/export`, { resources: [{ kind: 'Check', id }] })
  expect(byId.json).toMatchObject([{ kind: 'CheckThreshold', spec: { name: 'check-1' } }])
  const rule = { kind: 'NotificationRule', name: 'rule-1' }
  const byName = (await call('POST', `${path}/export`, { resources: [rule] })).json
  expect(byName.map((one: { kind: string }) => one.kind)).toEqual([
    'NotificationRule',
    'NotificationEndpointHTTP',
  ])
  const resourceFilters = { byResourceKind: ['Bucket', 'Task'], byLabel: ['the label'] }
  const filtered = { orgIDs: [{ orgID: place.orgId, resourceFilters }] }
  const byFilter = (await call('POST', `${path}/export`, filtered)).json
  expect(byFilter.map((one: { kind: string }) => one.kind)).toEqual(['Bucket', 'Label'])
  const yaml = await send(`${place.url}${path}/export`, {
    method: 'POST',
    token: place.token,
    headers: { accept: 'application/x-yaml' },
    body: JSON.stringify({ stackID }),
  })
  expect(yaml.headers['content-type']).toContain('application/x-yaml')
  const unknown = { kind: 'Task', id: '0123456789abcdef' }
  expect((await call('POST', `${path}/export`, { resources: [unknown] })).status).toBe(404)
})

it('needs the permissions of what it makes, and holds quotas', async () => {
  const place = await install()
  const grant = (...types: readonly Permission['resource']['type'][]) =>
    place.addToken(types.map((type) => ({ action: 'write', resource: { type } })))
  const bucket = { template: { contents: [object('Bucket', 'made')] } }
  const status = async (token: string, body: object) =>
    (await apply({ ...place, token }, body)).status
  expect(await status(await grant('orgs'), bucket)).toBe(401)
  expect(await status(await grant('orgs', 'buckets'), bucket)).toBe(201)
  const endpoint = { template: { contents: [whole[8]] } }
  expect(await status(await grant('orgs', 'notificationEndpoints'), endpoint)).toBe(401)
  await place.server.catalog.limits.change(place.orgId, { bucket: { maxBuckets: 2 } })
  const third = { template: { contents: [object('Bucket', 'third')] } }
  expect((await apply(place, third)).status).toBe(403)
  const system = object('Bucket', 'system', { name: '_tasks' })
  expect((await apply(place, { template: { contents: [system] } })).status).not.toBe(201)
})

it.each<Guarded>([{ method: 'POST', path: `${path}/apply?orgID=:org`, status: 201, body: {} }])(
  '$method $path asks for its permission',
  async (endpoint) => {
    await checkGuards(await install(), 'orgs', '', endpoint)
  },
)
