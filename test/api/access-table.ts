// What every endpoint of the managed variant asks of whoever calls it, area by area. Within an area
// the rows are played in their order, so that what a row makes another one can take away. length: one table, in which
// a route is looked for.

export interface Row {
  /** Method and path as the API document has them. */
  readonly endpoint: string
  /**
   * Who gets in. `open`: everybody; `token`: any token that is good for something; `session`: the
   * cookie of one; else the permissions that are needed, all of them, as the contract names them:
   * `read-buckets` of the organization, `write-users-{me}` for one id, `write-orgs-*` for all.
   */
  readonly needs: string
  /** For whoever gets in. */
  readonly status: number
  /** `{org}`, `{bucket}` and so on stand for ids, here and in the body. */
  readonly query?: string
  readonly body?: unknown
  /** For whoever has every permission in another organization, where it is not as usual. */
  readonly stranger?: number | 'sees nothing'
  /** For whoever lacks a permission, where it is not 401. */
  readonly lacking?: 'sees nothing'
  /** The text of a refusal, where it names no permission. */
  readonly refusal?: string
  /** What stands before the permission in the text of a refusal. */
  readonly refusedWhile?: string
  /** What the path's `{id}` stands for, where it is not the area's own. */
  readonly id?: string
  /** It concerns the bucket `b`, though the request does not name it. */
  readonly isAboutB?: boolean
}

type Extras = Omit<Row, 'endpoint' | 'needs' | 'status'>

function row(endpoint: string, needs: string, status: number, extras: Extras = {}): Row {
  return { endpoint, needs, status, ...extras }
}

const ofOrg = { query: '?orgID={org}' }
const api = '/api/v2'

function labels(plural: string, type = plural): Row[] {
  const path = `${api}/${plural}/{id}/labels`
  return [
    row(`GET ${path}`, `read-${type}`, 200),
    row(`POST ${path}`, `write-${type}`, 201, { body: { labelID: '{labels}' } }),
    row(`DELETE ${path}/{labelID}`, `write-${type}`, 204),
  ]
}

function members(plural: string, type = plural): Row[] {
  return ['members', 'owners'].flatMap((roles) => {
    const path = `${api}/${plural}/{id}/${roles}`
    return [
      row(`GET ${path}`, `read-${type}`, 200),
      row(`POST ${path}`, `write-${type}`, 201, { body: { id: '{users}' } }),
      row(`DELETE ${path}/{userID}`, `write-${type}`, 204),
    ]
  })
}

/** The routes of a resource with one permission for each direction. */
function resource(
  plural: string,
  bodies: { readonly create: object; readonly put?: object; readonly patch?: unknown },
  type = plural,
): { readonly before: Row[]; readonly remove: Row } {
  const path = `${api}/${plural}`
  const [read, write] = [`read-${type}`, `write-${type}`]
  const { create, put, patch } = bodies
  const before = [
    row(`GET ${path}`, read, 200, { ...ofOrg, lacking: 'sees nothing' }),
    row(`POST ${path}`, write, 201, { body: { orgID: '{org}', ...create } }),
    row(`GET ${path}/{id}`, read, 200),
  ]
  if (put !== undefined) before.push(row(`PUT ${path}/{id}`, write, 200, { body: put }))
  if (patch !== undefined) before.push(row(`PATCH ${path}/{id}`, write, 200, { body: patch }))
  return { before, remove: row(`DELETE ${path}/{id}`, write, 204) }
}

const system: Row[] = [
  row('GET /ping', 'open', 204),
  row('GET /health', 'open', 200),
  row('GET /ready', 'open', 200),
  row('GET /metrics', 'open', 200),
  row('GET /debug/vars', 'open', 200),
  row('GET /docs', 'open', 200),
  row('GET /api/v2/swagger.json', 'open', 200),
  row('GET /api/v2', 'token', 200),
  row('GET /api/v2/resources', 'token', 200),
  row('GET /api/v2/flags', 'token', 200),
  row('GET /api/v2/metrics', 'token', 200),
  row('GET /api/v2/maps/mapToken', 'token', 200),
  row('GET /api/v2/config', 'write-orgs-*', 200, {
    refusal: 'access to /api/v2/config requires operator permissions',
  }),
  row('GET /api/v2/telegraf/plugins', 'token', 200),
]

const onboarding = { username: 'n', org: 'n', bucket: 'n' }

const signing: Row[] = [
  row('GET /api/v2/setup', 'open', 200),
  // Set up already, whoever asks.
  row('POST /api/v2/setup', 'open', 422, { body: onboarding }),
  row('POST /api/v2/setup/user', 'write-users-* write-orgs-*', 201, { body: onboarding }),
  // No token is a name with a password.
  row('POST /api/v2/signin', 'open', 401),
  row('POST /api/v2/signout', 'session', 204),
  row('GET /api/v2/me', 'token', 200),
  row('PUT /api/v2/me/password', 'write-users-{me}', 204, { body: { password: 'long enough' } }),
]

const points: Row[] = [
  row('POST /api/v2/write', 'write-buckets', 204, {
    query: '?orgID={org}&bucketID={bucket}',
    body: 'm f=1 1',
  }),
  // The database is looked for in the stranger's own organization.
  row('POST /write', 'write-buckets', 204, {
    query: '?db=b',
    body: 'm f=1 1',
    stranger: 404,
    refusal: 'user is not authorized to write to database "b"',
  }),
  // An empty message, packed.
  row('POST /api/v1/prom/write', 'write-buckets', 204, {
    query: '?db=b',
    body: '\0',
    stranger: 404,
    refusal: 'user is not authorized to write to database "b"',
  }),
  row('POST /api/v1/prom/read', 'read-buckets', 200, {
    query: '?db=b',
    body: '\0',
    stranger: 404,
    refusal: 'not authorized to read from database "b"',
  }),
  ...['GET', 'POST'].map((method) =>
    row(`${method} /query`, 'read-buckets', 200, {
      query: '?db=b&q=select%20f%20from%20m',
      stranger: 'sees nothing',
      refusal: 'insufficient permissions',
    }),
  ),
  row('POST /api/v3/write_lp', 'write-buckets', 204, {
    query: '?db=b',
    body: 'm f=1 1',
    stranger: 404,
    refusal: 'not authorized to write to database "b"',
  }),
  ...['sql', 'influxql'].flatMap((language) =>
    ['GET', 'POST'].map((method) =>
      row(`${method} /api/v3/query_${language}`, 'read-buckets', 200, {
        query: '?db=b&q=select%20f%20from%20m',
        stranger: 404,
        refusal: 'not authorized to read from database "b"',
      }),
    ),
  ),
  row('POST /api/v2/query', 'read-buckets', 200, {
    query: '?orgID={org}',
    body: { query: 'from(bucket: "b") |> range(start: 0)' },
    refusedWhile: 'failed to initialize execute state: ',
  }),
  row('POST /api/v2/query/analyze', 'token', 200, { body: { query: 'x' } }),
  row('GET /api/v2/queries', 'token', 200),
  row('GET /api/v2/queries/slowest', 'token', 200),
  // None runs, whoever asks.
  row('GET /api/v2/queries/{queryID}', 'token', 404),
  row('DELETE /api/v2/queries/{queryID}', 'token', 404),
  row('POST /api/v2/query/ast', 'token', 200, { body: { query: 'x' } }),
  row('GET /api/v2/query/suggestions', 'token', 200),
  row('GET /api/v2/query/suggestions/{name}', 'token', 200),
  row('GET /debug/export', 'read-buckets', 200, { query: '?orgID={org}&bucketID={bucket}' }),
  row('GET /api/v2/backup/metadata', 'write-orgs-*', 200),
  row('GET /api/v2/backup/kv', 'write-orgs-*', 200),
  row('GET /api/v2/backup/shards/{shardID}', 'write-orgs-*', 404),
  row('POST /api/v2/restore/kv', 'write-orgs-*', 501),
  row('POST /api/v2/restore/sql', 'write-orgs-*', 501),
  row('POST /api/v2/restore/shards/{shardID}', 'write-orgs-*', 404),
  row('POST /api/v2/restore/bucketMetadata', 'write-orgs-*', 201, {
    body: { organizationID: '{org}', bucketName: 'restored', retentionPolicies: [] },
    stranger: 401,
  }),
  row('POST /api/v2/restore/bucket-metadata', 'write-orgs-*', 201, {
    body: { organizationID: '{org}', bucketName: 'restored-2', retentionPolicies: [] },
    stranger: 401,
  }),
  row('POST /api/v2/backups', 'write-orgs-*', 200, { body: { have: [] } }),
  row('POST /api/v2/writes/changes', 'write-orgs-*', 200, {
    body: { bucketID: '{bucket}', since: '0' },
  }),
  row('POST /api/v2/writes/hold', 'write-orgs-*', 200, { body: { seconds: 1 } }),
  row('DELETE /api/v2/writes/hold', 'write-orgs-*', 204),
  row('POST /api/v2/delete', 'write-buckets', 204, {
    query: '?orgID={org}&bucketID={bucket}',
    body: { start: '2000-01-01T00:00:00Z', stop: '2001-01-01T00:00:00Z' },
  }),
]

const users: Row[] = [
  row('GET /api/v2/users', 'read-users', 200, {
    stranger: 'sees nothing',
    lacking: 'sees nothing',
  }),
  row('POST /api/v2/users', 'write-users-*', 201, { body: { name: 'new' } }),
  row('GET /api/v2/users/{id}', 'read-users-{users}', 200),
  row('PATCH /api/v2/users/{id}', 'write-users-{users}', 200, { body: { name: 'x' } }),
  ...['POST', 'PUT'].map((method) =>
    row(`${method} /api/v2/users/{id}/password`, 'write-users-{users}', 204, {
      body: { password: 'long enough' },
    }),
  ),
  row('DELETE /api/v2/users/{id}', 'write-users-{users}', 204),
]

const orgs: Row[] = [
  row('GET /api/v2/orgs', 'read-orgs', 200, { stranger: 'sees nothing', lacking: 'sees nothing' }),
  row('POST /api/v2/orgs', 'write-orgs-*', 201, { body: { name: 'new' } }),
  row('GET /api/v2/orgs/{id}', 'read-orgs', 200),
  row('PATCH /api/v2/orgs/{id}', 'write-orgs', 200, { body: { description: 'x' } }),
  row('GET /api/v2/orgs/{id}/limits', 'read-orgs', 200),
  row('PUT /api/v2/orgs/{id}/limits', 'write-orgs-*', 200, { body: { task: { maxTasks: 9 } } }),
  row('GET /api/v2/orgs/{id}/usage', 'read-orgs', 200, { query: '?start=1' }),
  row('GET /api/v2/orgs/{id}/usage/recent', 'read-orgs', 200),
  row('PATCH /api/v2/orgs/{id}/secrets', 'write-secrets', 204, { body: { k: 'v', l: 'v' } }),
  row('GET /api/v2/orgs/{id}/secrets', 'read-secrets', 200),
  row('POST /api/v2/orgs/{id}/secrets/delete', 'write-secrets', 204, { body: { secrets: ['k'] } }),
  row('DELETE /api/v2/orgs/{id}/secrets/{secretID}', 'write-secrets', 204),
  ...members('orgs'),
  row('DELETE /api/v2/orgs/{id}', 'write-orgs', 204),
]

const permissions = [{ action: 'read', resource: { type: 'buckets' } }]

function authorizations(path: string): Row[] {
  const [read, write] = ['read-authorizations read-users', 'write-authorizations write-users-{me}']
  // Nobody grants what they do not have.
  const granting = 'write-authorizations write-users-{users} read-buckets'
  const body = { orgID: '{org}', userID: '{users}', token: path.slice(1, 4), permissions }
  return [
    row(`GET ${path}`, read, 200, ofOrg),
    row(`POST ${path}`, granting, 201, { body }),
    row(`GET ${path}/{id}`, read, 200),
    row(`PATCH ${path}/{id}`, write, 200, { body: { description: 'x' } }),
  ]
}

function legacyAuthorizations(path: string): Row[] {
  const write = 'write-authorizations write-users-{me}'
  return [
    ...authorizations(path),
    row(`POST ${path}/{id}/password`, write, 204, { body: { password: 'long enough' } }),
    row(`DELETE ${path}/{id}`, write, 204),
  ]
}

const columns = [
  { name: 'time', type: 'timestamp' },
  { name: 'f', type: 'field', dataType: 'float' },
]
const schemas = '/api/v2/buckets/{id}/schema/measurements'
const bucket = resource('buckets', { create: { name: 'new' }, patch: { retentionRules: [] } })

const buckets: Row[] = [
  // The organization that is named is not used: each token lists its own.
  { ...bucket.before[0], stranger: 'sees nothing' },
  ...bucket.before.slice(1),
  ...labels('buckets'),
  ...members('buckets', 'orgs'),
  row('GET /api/v2/buckets/{id}/schema', 'read-buckets', 200),
  // For whoever accepts events it has no end.
  row('GET /api/v2/buckets/{id}/live', 'read-buckets', 400),
  row(`GET ${schemas}`, 'read-buckets', 200),
  row(`POST ${schemas}`, 'write-buckets', 201, { body: { name: 'n', columns } }),
  row(`GET ${schemas}/{measurementID}`, 'read-buckets', 200),
  row(`PATCH ${schemas}/{measurementID}`, 'write-buckets', 200, { body: { columns } }),
  bucket.remove,
]

const mapping = { orgID: '{org}', bucketID: '{bucket}', database: 'x', retention_policy: 'r' }

/** In the token's own organization, whoever asks. */
const configured = '/api/v3/configure/database'

const operatorOnly = { refusal: 'only the admin token may manage databases and tokens' }
const v3Token = '/api/v3/configure/token'
const v3TokenBody = {
  permissions: [{ resource_type: 'db', resource_names: ['b'], actions: ['read'] }],
}

const v3Tokens: Row[] = [
  row(`GET ${v3Token}`, 'write-orgs-*', 200, operatorOnly),
  row(`POST ${v3Token}`, 'write-orgs-*', 201, { ...operatorOnly, body: v3TokenBody }),
  row('POST /api/v3/enterprise/configure/token', 'write-orgs-*', 201, {
    ...operatorOnly,
    body: v3TokenBody,
  }),
  row(`POST ${v3Token}/named_admin`, 'write-orgs-*', 201, {
    ...operatorOnly,
    body: { token_name: 'named' },
  }),
  // For whoever gets so far: the first one's name is taken, it was set by a flag, and the last is not there.
  row(`POST ${v3Token}/admin`, 'write-orgs-*', 409, operatorOnly),
  row(`POST ${v3Token}/admin/regenerate`, 'write-orgs-*', 409, operatorOnly),
  row(`DELETE ${v3Token}`, 'write-orgs-*', 404, { ...operatorOnly, query: '?id=none' }),
]

const databases: Row[] = [
  row(`GET ${configured}`, 'read-buckets', 200, {
    stranger: 'sees nothing',
    lacking: 'sees nothing',
  }),
  row(`POST ${configured}`, 'write-buckets', 201, { body: { db: 'new' }, stranger: 201 }),
  row(`PUT ${configured}`, 'write-buckets', 200, {
    body: { db: '{buckets}', retention_period: '1d' },
    stranger: 404,
  }),
  row(`DELETE ${configured}/retention_period`, 'write-buckets', 200, {
    query: '?db={buckets}',
    stranger: 404,
  }),
  row('GET /api/v3/configure/table', 'read-buckets', 200, {
    query: '?db=b',
    stranger: 404,
    refusal: 'not authorized to read from database "b"',
  }),
  row('POST /api/v3/configure/table', 'write-buckets', 201, {
    body: { db: 'b', table: 'made', tags: ['t'] },
    stranger: 404,
    refusal: 'not authorized to write to database "b"',
  }),
  // One that is not there, for whoever gets so far.
  row('DELETE /api/v3/configure/table', 'write-buckets', 404, {
    query: '?db=b&table=none',
    stranger: 404,
    refusal: 'not authorized to write to database "b"',
  }),
  ...['last_cache', 'distinct_cache'].flatMap((kind) => [
    row(`POST /api/v3/configure/${kind}`, 'write-buckets', 404, {
      body: { db: 'b', table: 'none', columns: ['t'] },
      stranger: 404,
      refusal: 'not authorized to write to database "b"',
    }),
    row(`DELETE /api/v3/configure/${kind}`, 'write-buckets', 404, {
      query: '?db=b&table=none&name=none',
      stranger: 404,
      refusal: 'not authorized to write to database "b"',
    }),
  ]),
  row(`DELETE ${configured}`, 'write-buckets', 200, { query: '?db={buckets}', stranger: 404 }),
]

const dbrps: Row[] = [
  row('GET /api/v2/dbrps', 'read-buckets', 200, {
    ...ofOrg,
    lacking: 'sees nothing',
    isAboutB: true,
  }),
  row('POST /api/v2/dbrps', 'write-buckets', 201, { body: mapping }),
  row('GET /api/v2/dbrps/{id}', 'read-buckets', 200, { ...ofOrg, isAboutB: true }),
  row('PATCH /api/v2/dbrps/{id}', 'write-buckets', 200, { ...ofOrg, body: { default: true } }),
  row('DELETE /api/v2/dbrps/{id}', 'write-buckets', 204, ofOrg),
]

const label = resource('labels', { create: { name: 'new' }, patch: { name: 'x' } })

const constant = { type: 'constant', values: ['a'] }
const variableBody = { name: 'v', arguments: constant }
const variable = resource('variables', {
  create: { name: 'new', arguments: constant },
  put: variableBody,
  patch: variableBody,
})

const dashboard = resource('dashboards', { create: { name: 'new' }, patch: { name: 'x' } })
const cells = '/api/v2/dashboards/{id}/cells'

const dashboards: Row[] = [
  ...dashboard.before,
  row(`GET ${cells}/{cellID}/view`, 'read-dashboards', 200),
  row(`PATCH ${cells}/{cellID}/view`, 'write-dashboards', 200, { body: { name: 'x' } }),
  row(`PATCH ${cells}/{cellID}`, 'write-dashboards', 200, { body: { x: 2 } }),
  row(`POST ${cells}`, 'write-dashboards', 201, { body: { x: 3 } }),
  row(`DELETE ${cells}/{cellID}`, 'write-dashboards', 204),
  row(`PUT ${cells}`, 'write-dashboards', 201, { body: [] }),
  ...labels('dashboards'),
  ...members('dashboards'),
  dashboard.remove,
]

const flux = 'option task = {name: "new", every: 1h}\nfrom(bucket: "b") |> range(start: -1h)'
const task = resource('tasks', { create: { flux }, patch: { description: 'x' } })
const runs = '/api/v2/tasks/{id}/runs'
const backfill = '/api/v2/tasks/{id}/backfills/{backfillID}'
const span = { start: '2020-01-01T00:00:00Z', stop: '2020-01-02T00:00:00Z' }

const tasks: Row[] = [
  ...task.before,
  row('GET /api/v2/tasks/{id}/logs', 'read-tasks', 200),
  row(`GET ${runs}`, 'read-tasks', 200),
  row(`POST ${runs}`, 'write-tasks', 201, { body: {} }),
  row(`GET ${runs}/{runID}`, 'read-tasks', 200),
  row(`GET ${runs}/{runID}/logs`, 'read-tasks', 200),
  row(`POST ${runs}/{runID}/retry`, 'write-tasks', 200, { body: {} }),
  row(`DELETE ${runs}/{runID}`, 'write-tasks', 204),
  row('GET /api/v2/tasks/{id}/backfills', 'read-tasks', 200),
  row(`GET ${backfill}`, 'read-tasks', 200),
  row(`POST ${backfill}/resume`, 'write-tasks', 200, { body: {} }),
  row(`POST ${backfill}/pause`, 'write-tasks', 200, { body: {} }),
  row(`POST ${backfill}/cancel`, 'write-tasks', 200, { body: {} }),
  row('POST /api/v2/tasks/{id}/backfill', 'write-tasks', 201, { body: span }),
  ...labels('tasks'),
  ...members('tasks'),
  task.remove,
]

const script = resource(
  'scripts',
  { create: { name: 'new', script: 'x', language: 'flux' }, patch: { description: 'x' } },
  'functions',
)

const scripts: Row[] = [
  ...script.before,
  row('GET /api/v2/scripts/{id}/params', 'read-functions', 200),
  // It reads no bucket: what it may use is asked of whoever invokes it.
  row('POST /api/v2/scripts/{id}/invoke', 'read-functions', 200, { body: {} }),
  script.remove,
]

const threshold = { type: 'greater', level: 'CRIT', value: 1 }
const query = {
  text: 'from(bucket: "b") |> range(start: -1h) |> filter(fn: (r) => r._field == "f")',
}
const checkFields = { type: 'threshold', status: 'active', every: '1m', thresholds: [threshold] }
const checkBody = { name: 'c', ...checkFields, query, statusMessageTemplate: 'm' }
const check = resource('checks', {
  create: { ...checkBody, name: 'new' },
  put: checkBody,
  patch: { name: 'c' },
})

const http = { type: 'http', url: 'http://127.0.0.1:9', method: 'POST', authMethod: 'none' }
const endpointBody = { name: 'e', ...http, status: 'active' }
const notificationEndpoint = resource('notificationEndpoints', {
  create: { ...endpointBody, name: 'new' },
  put: endpointBody,
  patch: { name: 'e' },
})

const ruleFields = { type: 'http', status: 'active', every: '1m', tagRules: [] }
const ruleBody = {
  name: 'r',
  ...ruleFields,
  statusRules: [{ currentLevel: 'CRIT' }],
  endpointID: '{notificationEndpoints}',
}
const rule = resource('notificationRules', {
  create: { ...ruleBody, name: 'new' },
  put: ruleBody,
  patch: { name: 'r' },
})

const silenceBody = {
  matchers: [{ name: 'host', value: 'a' }],
  endsAt: '2100-01-01T00:00:00Z',
}
const silence = resource('silences', { create: silenceBody, put: silenceBody }, 'notificationRules')

const telegrafBody = { name: 't', config: '[[inputs.cpu]]' }
const telegraf = resource('telegrafs', { create: telegrafBody, put: telegrafBody })

const source = resource('sources', {
  create: { name: 'new', url: 'http://127.0.0.1:9' },
  patch: {},
})
const self = { ...ofOrg, id: '0000000000000001' }

const scraper = resource('scrapers', { create: {}, patch: { name: 'x' } })
const scraped = { orgID: '{org}', bucketID: '{bucket}', name: 'new', url: 'http://127.0.0.1:9' }

const scrapers: Row[] = [
  scraper.before[0],
  row('POST /api/v2/scrapers', 'write-scrapers write-buckets', 201, { body: scraped }),
  ...scraper.before.slice(2),
  ...labels('scrapers'),
  ...members('scrapers'),
  scraper.remove,
]

const remote = resource('remotes', {
  create: { name: 'new', remoteURL: 'http://127.0.0.1:9' },
  patch: { description: 'x' },
})
const replicated = 'read-remotes read-buckets'
const replicationBody = { name: 'new', remoteID: '{remotes}', remoteBucketName: 'x' }

const replications: Row[] = [
  row('GET /api/v2/replications', 'read-replications', 200, { ...ofOrg, lacking: 'sees nothing' }),
  row('POST /api/v2/replications', `write-replications ${replicated}`, 201, {
    body: { orgID: '{org}', localBucketID: '{bucket}', ...replicationBody },
  }),
  row('GET /api/v2/replications/{id}', 'read-replications', 200),
  row('PATCH /api/v2/replications/{id}', `write-replications ${replicated}`, 200, {
    body: { description: 'x' },
  }),
  // Nobody listens there.
  row('POST /api/v2/replications/{id}/validate', 'read-replications', 400),
  row('DELETE /api/v2/replications/{id}', 'write-replications', 204),
]

const stack = resource('stacks', { create: { name: 'new' }, patch: { name: 'x' } }, 'orgs')

const template = [
  {
    apiVersion: 'influxdata.com/v2alpha1',
    kind: 'Bucket',
    metadata: { name: 'from-template' },
    spec: { name: 'from-template' },
  },
]
const exported = { resources: [{ kind: 'Bucket', id: '{buckets}' }] }

const imports: Row[] = [
  row('GET /api/v2/imports', 'write-buckets', 200, {
    stranger: 'sees nothing',
    lacking: 'sees nothing',
  }),
  row('POST /api/v2/imports', 'write-buckets', 201, {
    body: { orgID: '{org}', bucketID: '{bucket}', format: 'csv' },
  }),
  row('GET /api/v2/imports/{id}', 'write-buckets', 200),
  row('POST /api/v2/imports/{id}/data', 'write-buckets', 200, { body: 'f\n1\n' }),
  row('DELETE /api/v2/imports/{id}', 'write-buckets', 204),
]

export const areas: Readonly<Record<string, readonly Row[]>> = {
  system,
  signing,
  points,
  users,
  orgs,
  authorizations: [
    ...authorizations('/api/v2/authorizations'),
    row('DELETE /api/v2/authorizations/{id}', 'write-authorizations write-users-{me}', 204),
  ],
  legacy: legacyAuthorizations('/legacy/authorizations'),
  private: legacyAuthorizations('/private/legacy/authorizations'),
  buckets,
  databases,
  v3Tokens,
  dbrps,
  imports,
  labels: [...label.before, label.remove],
  variables: [...variable.before, ...labels('variables'), variable.remove],
  dashboards,
  tasks,
  scripts,
  checks: [
    ...check.before,
    row('GET /api/v2/checks/{id}/query', 'read-checks', 200),
    row('POST /api/v2/checks/{id}/test', 'write-checks', 200, {
      body: { start: '2020-01-01T00:00:00Z', stop: '2020-01-01T00:00:30Z' },
    }),
    ...labels('checks'),
    ...members('checks'),
    check.remove,
  ],
  notificationEndpoints: [
    ...notificationEndpoint.before,
    row('POST /api/v2/notificationEndpoints/{id}/test', 'write-notificationEndpoints', 200, {
      body: {},
    }),
    ...labels('notificationEndpoints'),
    ...members('notificationEndpoints'),
    notificationEndpoint.remove,
  ],
  notificationRules: [
    ...rule.before,
    row('GET /api/v2/notificationRules/{id}/query', 'read-notificationRules', 200),
    ...labels('notificationRules'),
    ...members('notificationRules'),
    rule.remove,
  ],
  silences: [...silence.before, ...labels('silences', 'notificationRules'), silence.remove],
  telegrafs: [...telegraf.before, ...labels('telegrafs'), ...members('telegrafs'), telegraf.remove],
  sources: [
    ...source.before,
    row('GET /api/v2/sources/{id}/health', 'read-sources', 200, self),
    row('GET /api/v2/sources/{id}/buckets', 'read-sources', 200, self),
    source.remove,
  ],
  replications,
  scrapers,
  remotes: [...remote.before, remote.remove],
  stacks: [
    ...stack.before,
    row('POST /api/v2/stacks/{id}/uninstall', 'write-orgs', 200),
    stack.remove,
  ],
  templates: [
    row('POST /api/v2/templates/export', 'read-buckets', 200, { body: exported }),
    row('POST /api/v2/templates/apply', 'write-orgs write-buckets', 201, {
      body: { orgID: '{org}', template: { contents: template } },
    }),
  ],
}
