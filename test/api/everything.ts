// One of everything in an installation, made over HTTP by its operator: what tests need that go
// through all endpoints and not through one resource.

import { expect } from 'vitest'
import { type Installation, send } from './harness.js'

const permissions = [{ action: 'read', resource: { type: 'buckets' } }]

/** The id of one resource of each kind, by its plural. Their names all begin with `mark`. */
export async function makeEverything(
  installed: Installation,
  mark = 'one',
): Promise<Record<string, string>> {
  const { url, token, orgId: orgID, bucketId: bucketID } = installed
  const ids: Record<string, string> = {}
  const make = async (path: string, body: object, plural = path) => {
    const target = path.startsWith('/') ? path : `/api/v2/${path}`
    const answer = await send(`${url}${target}`, {
      method: 'POST',
      token,
      body: JSON.stringify({ orgID, ...body }),
    })
    expect(answer.status, `${path} ${answer.text}`).toBe(201)
    ids[plural] = answer.json.id ?? answer.json.label?.id
  }
  const query = {
    text: 'from(bucket: "b") |> range(start: -1h) |> filter(fn: (r) => r._field == "f")',
  }
  const flux = `option task = {name: "${mark}", every: 1h}\n${query.text}`
  const named = { name: mark, description: `${mark} described` }
  // What is attacked may change or go: never what the attack itself stands on.
  await make('orgs', { name: `${mark} victim` })
  await make('users', { name: `${mark} victim` })
  await make('authorizations', { permissions, description: mark })
  await make('/legacy/authorizations', { token: `${mark}-login`, permissions }, 'legacy')
  ids.private = ids.legacy
  await make('buckets', { name: `${mark}-explicit`, schemaType: 'explicit' })
  const columns = [
    { name: 'time', type: 'timestamp' },
    { name: 'f', type: 'field', dataType: 'float' },
  ]
  await make(
    `buckets/${ids.buckets}/schema/measurements`,
    { name: `${mark}-m`, columns },
    'measurements',
  )
  await make('labels', { ...named, properties: { color: 'red' } })
  await make('dashboards', named)
  await make(`dashboards/${ids.dashboards}/cells`, { name: mark, x: 1, y: 1, w: 1, h: 1 }, 'cells')
  await make('variables', { ...named, arguments: { type: 'constant', values: [mark] } })
  await make('tasks', { flux })
  await make(`tasks/${ids.tasks}/runs`, { scheduledFor: '2020-01-01T00:00:00Z' }, 'runs')
  const span = { start: '2020-01-01T00:00:00Z', stop: '2020-12-31T00:00:00Z' }
  await make(`tasks/${ids.tasks}/backfill`, span, 'backfills')
  // Thousands of runs would be under way beside whatever is tested.
  const backfill = `${url}/api/v2/tasks/${ids.tasks}/backfills/${ids.backfills}`
  expect((await send(`${backfill}/pause`, { method: 'POST', token })).status).toBe(200)
  await expect
    .poll(async () => (await send(backfill, { token })).json.underWay, { timeout: 30_000 })
    .toBe(0)
  const script = `// ${mark}\nimport "array"\n\narray.from(rows: [{v: 1}])`
  await make('scripts', { ...named, script, language: 'flux' })
  await make('telegrafs', { ...named, config: `# ${mark}` })
  await make('sources', { name: mark, type: 'v1', url: 'http://127.0.0.1:9' })
  const http = { type: 'http', url: 'http://127.0.0.1:9', method: 'POST', authMethod: 'none' }
  await make('notificationEndpoints', { ...named, ...http, status: 'active' })
  const threshold = { type: 'greater', level: 'CRIT', value: 1 }
  const check = { type: 'threshold', status: 'active', every: '1m', thresholds: [threshold] }
  await make('checks', { ...named, ...check, query, statusMessageTemplate: 'm' })
  const statusRules = [{ currentLevel: 'CRIT' }]
  const rule = { type: 'http', status: 'active', every: '1m', statusRules, tagRules: [] }
  await make('notificationRules', { ...named, ...rule, endpointID: ids.notificationEndpoints })
  const matchers = [{ name: 'host', value: mark }]
  await make('silences', { matchers, endsAt: '2100-01-01T00:00:00Z', comment: mark })
  await make('stacks', { ...named, urls: [] })
  await makeNeighbours(make, ids, named, bucketID)
  return ids
}

async function makeNeighbours(
  make: (path: string, body: object, plural?: string) => Promise<void>,
  ids: Readonly<Record<string, string>>,
  named: { readonly name: string },
  localBucketID: string,
): Promise<void> {
  const bucketID = localBucketID
  await make('imports', { bucketID, format: 'csv', measurement: named.name })
  await make('dbrps', { bucketID, database: `${named.name}-d`, retention_policy: 'p' })
  // Once is enough: each time writes that the target is down.
  const target = { type: 'prometheus', url: 'http://127.0.0.1:9', intervalSeconds: 86_400 }
  await make('scrapers', { ...named, ...target, bucketID })
  const remote = { ...named, remoteURL: 'http://127.0.0.1:9', remoteAPIToken: named.name }
  await make('remotes', remote)
  // Of its own: a remote that is used cannot be deleted.
  await make('remotes', remote, 'usedRemotes')
  const remoteID = ids.usedRemotes
  await make('replications', { ...named, remoteID, localBucketID, remoteBucketName: 'x' })
}
