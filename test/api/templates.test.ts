// Templates over HTTP: applying, applying again, dry runs, mistakes, exporting what was applied,
// and who gets in.

import { expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { type Answer, caller, type Installation, install, send } from './harness.js'
import { exactIds } from './template-client.js'

const path = '/api/v2/templates'
const object = (kind: string, name: string, spec: object = {}) => ({
  apiVersion: 'influxdata.com/v2alpha1',
  kind,
  metadata: { name },
  spec,
})
const associations = [{ kind: 'Label', name: 'label-1' }]
const markdown = { kind: 'Markdown', name: 'note', xPos: 1, width: 4, height: 2, note: 'hi' }
const stat = {
  kind: 'Single_Stat',
  name: 'stat',
  width: 2,
  height: 1,
  decimalPlaces: 2,
  queries: [{ query: 'buckets()' }],
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
    query: 'buckets() |> filter(fn: (r) => r._field == "f")',
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
    labelAssociations: [{ kind: 'Label', templateMetaName: 'label-1', name: 'the label' }],
    retentionPeriod: 7_200_000_000_000,
  })
  const bucket = await catalog.buckets.findByName(place.orgId, 'the bucket')
  expect(exactIds(first.text).summary.buckets[0].id).toBe(bucket?.id)
  expect(diff.buckets[0]).toMatchObject({ stateStatus: 'new', new: { name: 'the bucket' } })
  expect(await catalog.secrets.get(place.orgId, 'the-token')).toBe('very secret')
  const [task] = await catalog.tasks.list({ orgId: place.orgId })
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
  expect(await catalog.tasks.list({ orgId: place.orgId })).toHaveLength(1)
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
    diff: { buckets: [{ stateStatus: 'new', id: 0 }] },
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
})

it('takes a thousand resources at a time', async () => {
  const { url, token, orgId: orgID } = await install()
  const apiVersion = 'influxdata.com/v2alpha1'
  const contents = Array.from({ length: 1001 }, (_, i) => {
    return { apiVersion, kind: 'Label', metadata: { name: `l${i}` } }
  })
  const body = JSON.stringify({ orgID, dryRun: true, template: { contents } })
  const answer = await send(`${url}/api/v2/templates/apply`, { method: 'POST', token, body })
  expect(answer.status).toBe(422)
  expect(answer.json.message).toContain('at most 1000 resources, not 1001')
})

it('fetches nothing from elsewhere and runs no programs', async () => {
  const place = await install()
  const refusal = async (body: object) => {
    const { status, json } = await apply(place, body)
    return [status, json.code, json.message]
  }
  expect(await refusal({ remotes: [{ url: 'https://example.com/t.yml' }] })).toEqual([
    422,
    'unprocessable entity',
    'template from url["https://example.com/t.yml"] had an issue: ' +
      'templates are not fetched from elsewhere, send their contents',
  ])
  expect(await refusal({ remotes: [{ url: 'https://example.com/t.%6Asonnet' }] })).toEqual([
    422,
    'unprocessable entity',
    'template from url["https://example.com/t.%6Asonnet"] had an issue: invalid encoding provided',
  ])
  expect(await refusal({ template: { contents: [], sources: ['a.jsonnet'] } })).toEqual([
    422,
    'unprocessable entity',
    'template[0] from source(s) "a.jsonnet" had an issue: invalid encoding provided: jsonnet',
  ])
  const program = await applyText(place, 'application/x-jsonnet', '{}')
  expect([program.status, program.json.message]).toEqual([
    422,
    'template from source(s) had an issue: invalid encoding provided',
  ])
  expect((await apply(place, { remotes: [{ url: '' }] })).status).toBe(201)
})

const applyText = ({ url, token }: Installation, type: string, body: string): Promise<Answer> =>
  send(`${url}${path}/apply`, { method: 'POST', token, headers: { 'content-type': type }, body })

const documents = `# Two documents
apiVersion: influxdata.com/v2alpha1
kind: Label
metadata: {name: one}
spec:
  name: "1"
---
apiVersion: influxdata.com/v2alpha1
kind: Bucket
metadata:
  name: two
spec:
  name: by yaml
  retentionRules: [{type: expire, everySeconds: 7200}]
  associations: [{kind: Label, name: one}]
`

it('reads YAML, as a text among JSON and as the whole body', async () => {
  const place = await install()
  const names = ({ json }: Answer) =>
    [...json.summary.labels, ...json.summary.buckets].map((one: { name: string }) => one.name)
  const sources = ['file:///t.yml']
  const asText = await apply(place, { template: { contents: documents, sources } })
  expect([asText.status, names(asText), asText.json.sources]).toEqual([
    201,
    ['1', 'by yaml'],
    sources,
  ])
  const indented = documents.replace(/^/gm, '      ')
  const whole = `dryRun: true\ntemplates:\n  - contents: |\n${indented}`
  for (const type of ['application/x-yaml', 'text/yml; charset=utf-8']) {
    const asBody = await applyText(place, type, whole)
    expect([asBody.status, names(asBody)]).toEqual([200, ['1', 'by yaml']])
    expect(asBody.json.diff.buckets[0].stateStatus).toBe('exists')
  }
  const list = `dryRun: true\ntemplate:\n  contents:\n  - {kind: Label}`
  const unknown = await applyText(place, 'text/yml', list)
  expect([unknown.status, unknown.json.errors[0].fields]).toEqual([422, ['apiVersion']])
})

it.each([
  ['a: [', 400, 'unable to unmarshal yaml: yaml: line 1: '],
  ['a: 1\n---\nb: 2', 400, 'unable to unmarshal yaml: more than one document'],
  ['a: *none', 400, 'unable to unmarshal yaml: yaml: Unresolved alias'],
  [`a: ${'['.repeat(600)}${']'.repeat(600)}`, 400, 'levels of nesting'],
  ['a: "\\0"', 400, 'NUL in a string'],
  ['a: "\\ud800"', 400, 'unable to unmarshal yaml'],
  [`a: ${'b'.repeat(300_000)}`, 413, 'the maximum is 262144 bytes'],
  ['template: 5', 400, 'template'],
  ['', 400, 'body'],
])('refuses YAML %j', async (text, status, message) => {
  const answer = await applyText(await install(), 'text/yml', text)
  expect([answer.status, answer.json.message]).toEqual([status, expect.stringContaining(message)])
})

it('does not let references multiply', async () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let i = 1; i < 9; i++) lines.push(`a${i}: &a${i} [${`*a${i - 1}, `.repeat(10)}]`)
  const answer = await applyText(await install(), 'text/yml', lines.join('\n'))
  expect(answer.status).toBe(400)
  expect(answer.json.message).toContain('Excessive alias count')
})

it('names the template that cannot be read', async () => {
  const place = await install()
  const templates = [{ contents: documents }, { contents: 'a: [', sources: ['x.yml', 'y'] }]
  const answer = await apply(place, { templates })
  expect(answer.status).toBe(422)
  expect(answer.json.message).toMatch(
    /^template\[1\] from source\(s\) "x\.yml; y" had an issue: yaml: line 1: /,
  )
  const deep = { template: { contents: `${'['.repeat(5000)}${']'.repeat(5000)}` } }
  expect((await apply(place, deep)).status).toBe(422)
  const number = await apply(place, { template: { contents: 5 } })
  expect(number.json.message).toContain('contents is neither a list nor a text')
})

it('carries the schemas of explicit buckets', async () => {
  const place = await install()
  const columns = [
    { name: 'time', type: 'timestamp' },
    { name: 'host', type: 'tag' },
    { name: 'usage', type: 'field', dataType: 'float' },
  ]
  const explicit = (...measurementSchemas: object[]) => ({
    template: {
      contents: [object('Bucket', 'b-1', { schemaType: 'explicit', measurementSchemas })],
    },
  })
  const first = await apply(place, explicit({ name: 'cpu', columns }))
  expect(first.status).toBe(201)
  const [made] = exactIds(first.text).diff.buckets
  expect(made.new).toMatchObject({ measurementSchemas: [{ name: 'cpu', columns }] })
  const { measurementSchemas } = place.server.catalog
  const versions = async () =>
    (await measurementSchemas.ofBucket(made.id)).map(({ name, body }) => [name, body.version])
  await apply(place, explicit({ name: 'cpu', columns: columns.slice(0, 1) }))
  expect(await versions()).toEqual([['cpu', 1]])
  const more = { name: 'idle', type: 'field', dataType: 'integer' }
  await apply(place, explicit({ name: 'cpu', columns: [more] }, { name: 'mem', columns }))
  expect(await versions()).toEqual([
    ['cpu', 2],
    ['mem', 1],
  ])
  const other = { ...columns[2], dataType: 'string' }
  const changed = await apply(place, explicit({ name: 'cpu', columns: [other] }))
  expect([changed.status, changed.json.message]).toEqual([
    400,
    'Unable to change column "usage" of the schema',
  ])
  const implicit = { measurementSchemas: [{ name: 'cpu', columns }] }
  const refused = await apply(place, {
    template: { contents: [object('Bucket', 'b-2', implicit)] },
  })
  expect([refused.status, refused.json.message]).toEqual([
    422,
    'bucket schemaType must be explicit',
  ])
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
  // InfluxDB's tool asks for all of them, and sends an empty text where a default is to hold.
  expect([buckets, missingEnvRefs]).toEqual([[], ['absent', 'other']])
  expect(labels[2].envReferences).toEqual([
    {
      resourceField: 'spec.name',
      envRefKey: 'other',
      value: null,
      defaultValue: 'by default',
      valueType: '',
    },
  ])
  const envRefs = { name: 'given', absent: 'now here', other: '' }
  const asked = await apply(place, { dryRun: true, template: { contents }, envRefs })
  expect(asked.json.summary.missingEnvRefs).toEqual([])
  expect(asked.json.summary.labels.map((label: { name: string }) => label.name)).toEqual([
    'given',
    'now here',
    'by default',
    'four',
  ])
})

it('exports what it applied', async () => {
  const place = await install()
  const call = caller(place)
  await place.server.catalog.secrets.put(place.orgId, { 'the-token': 'x' })
  const { stackID, diff } = exactIds((await apply(place, { template: { contents: whole } })).text)
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
  const renamed = { kind: 'Check', id, name: 'otherwise' }
  const byNewName = await call('POST', `${path}/export`, { resources: [renamed] })
  expect(byNewName.json).toMatchObject([{ kind: 'CheckThreshold', spec: { name: 'otherwise' } }])
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
  expect(yaml.text).toMatch(/^- apiVersion: influxdata.com\/v2alpha1\n {2}kind: Label\n/)
  const byYaml = await apply(place, { stackID, dryRun: true, template: { contents: yaml.text } })
  expect(byYaml.json.summary).toEqual(again.json.summary)
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
