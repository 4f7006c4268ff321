// An owner of one organization sends the ids of another one's things, in every place where an
// endpoint takes an id: no answer shows anything of them, and nothing happens to them.

import { expect, it } from 'vitest'
import { everythingIn, type Ids, type IdsOfRequest, requestOf } from './access-requests.js'
import { areas, type Row } from './access-table.js'
import { makeEverything } from './everything.js'
import { adminToken, type Installation, install, send } from './harness.js'

const timeout = 300_000

/** In the names of everything that is theirs. */
const mark = 'theirs-alone'

interface Neighbours {
  readonly url: string
  readonly token: string
  readonly ours: Ids
  readonly theirs: Ids
}

async function neighbours(): Promise<Neighbours> {
  const place = await install({ adminToken, noTasks: true })
  const { url, server, orgId, addToken } = place
  const other = await server.catalog.organizations.create({ name: mark })
  const bucket = await server.catalog.buckets.create({ orgId: other.id, name: `${mark}-b` })
  const there: Installation = { ...place, orgId: other.id, bucketId: bucket.id }
  const ours = { ...(await makeEverything(place)), ...ownIds(place) }
  // Users belong to no organization: their names are no secret.
  const theirs = {
    ...(await makeEverything(there, mark)),
    ...ownIds(there),
    users: ours.users,
  }
  return { url, token: await addToken(everythingIn(orgId)), ours, theirs }
}

function ownIds({ orgId, bucketId }: Installation): Ids {
  return { org: orgId, orgs: orgId, bucket: bucketId }
}

/** Where bodies and queries can name more things than those of the table do. */
const references: Readonly<Record<string, readonly Omit<Row, 'needs' | 'status'>[]>> = {
  tasks: [
    { endpoint: 'POST /api/v2/tasks', body: { name: 'n', every: '1h', scriptID: '{scripts}' } },
    { endpoint: 'PATCH /api/v2/tasks/{id}', body: { scriptID: '{scripts}' } },
    { endpoint: 'GET /api/v2/tasks', query: '?after={tasks}&scriptID={scripts}' },
  ],
  dashboards: [
    { endpoint: 'POST /api/v2/dashboards/{id}/cells', body: { usingView: '{cells}' } },
    { endpoint: 'GET /api/v2/dashboards', query: '?id={dashboards}&after={dashboards}' },
  ],
  checks: [{ endpoint: 'POST /api/v2/checks', body: checkWith('labels', ['{labels}']) }],
  notificationRules: [
    { endpoint: 'GET /api/v2/notificationRules', query: '?checkID={checks}&after={checks}' },
  ],
  buckets: [
    { endpoint: 'GET /api/v2/buckets', query: '?id={buckets}' },
    { endpoint: 'GET /api/v2/buckets', query: '?after={buckets}' },
  ],
  authorizations: ['buckets', 'orgs', 'users', 'labels', 'dashboards'].flatMap((type) => {
    const permissions = [{ action: 'read', resource: { type, id: `{${type}}` } }]
    return [
      { endpoint: 'POST /api/v2/authorizations', body: { orgID: '{orgOfPath}', permissions } },
      { endpoint: 'GET /api/v2/authorizations', query: '?id={authorizations}' },
    ]
  }),
  stacks: [
    {
      endpoint: 'PATCH /api/v2/stacks/{id}',
      body: {
        additionalResources: [
          { kind: 'Dashboard', resourceID: '{dashboards}' },
          { kind: 'Bucket', resourceID: '{buckets}' },
          { kind: 'Label', resourceID: '{labels}' },
        ],
      },
    },
    { endpoint: 'GET /api/v2/stacks', query: '?stackID={stacks}' },
    { endpoint: 'GET /api/v2/stacks/{id}' },
    { endpoint: 'POST /api/v2/templates/export', body: { stackID: '{stacks}' } },
    { endpoint: 'POST /api/v2/stacks/{id}/uninstall' },
  ],
  templates: [
    ...['Dashboard', 'Label', 'Task', 'Variable', 'Telegraf', 'Check', 'NotificationRule'].map(
      (kind) => {
        const plural = `{${kind[0].toLowerCase()}${kind.slice(1)}s}`
        const body = { resources: [{ kind, id: plural }] }
        return { endpoint: 'POST /api/v2/templates/export', body }
      },
    ),
    { endpoint: 'POST /api/v2/templates/export', body: { orgIDs: [{ orgID: '{org}' }] } },
    { endpoint: 'POST /api/v2/templates/apply', body: { stackID: '{stacks}' } },
  ],
}

function checkWith(field: string, value: unknown): object {
  const rows = areas.checks.find(({ endpoint }) => endpoint === 'POST /api/v2/checks')
  return { ...(rows?.body as object), [field]: value }
}

/** As the operator sees what is theirs. */
async function state({ url, theirs }: Neighbours): Promise<Map<string, string>> {
  const seen = new Map<string, string>()
  for (const [area, rows] of Object.entries(areas)) {
    for (const row of rows) {
      // Reading a source that is another server asks that one.
      if (!row.endpoint.startsWith('GET ') || !row.endpoint.includes('{') || row.id) continue
      // Of the last minutes: they pass, and the scrapers write.
      if (row.endpoint.endsWith('/usage/recent')) continue
      const { target } = requestOf(area, row, { path: theirs })
      const answer = await send(`${url}${target}`, { token: adminToken })
      // Usage is told up to the moment of asking, and the tasks of both use the service.
      const isUsage = row.endpoint.endsWith('/usage')
      const text = isUsage ? answer.text.replace(/\d{4}-[^,]*Z/g, '') : answer.text
      seen.set(target, `${answer.status} ${text}`)
    }
  }
  return seen
}

it('shows nothing of another organization and changes nothing there', { timeout }, async () => {
  const place = await neighbours()
  const { url, token, ours, theirs } = place
  // The scrapers of both write into the buckets by themselves, when they begin.
  await expect
    .poll(async () => (await send(`${url}/metrics`)).text, { timeout: 60_000 })
    .toContain('millrace_scrape_failures_total 2\n')
  const before = await state(place)
  expect([...before.values()].join()).toContain(mark)
  const mixtures: IdsOfRequest[] = [
    { path: ours, query: ours, body: theirs },
    { path: ours, query: theirs, body: ours },
    { path: theirs, query: ours, body: ours },
    { path: theirs, query: theirs, body: theirs },
  ]
  const shown: string[] = []
  let refusedCount = 0
  for (const ids of mixtures) {
    const all = [...Object.entries(areas), ...Object.entries(references)]
    for (const [area, rows] of all) {
      for (const row of rows) {
        // Our own things are still needed.
        if (row.endpoint.startsWith('DELETE ') && ids.path === ours) continue
        const { method, target, body } = requestOf(area, row as Row, {
          ...ids,
          body: { ...ids.body, orgOfPath: ids.path.org },
        })
        const answer = await send(`${url}${target}`, { method, token, ...body })
        if (answer.status >= 400) refusedCount++
        if (answer.text.includes(mark)) shown.push(`${method} ${target} ${answer.text}`)
      }
    }
  }
  expect(shown).toEqual([])
  expect(refusedCount).toBeGreaterThan(300)
  expect(await state(place)).toEqual(before)
})
