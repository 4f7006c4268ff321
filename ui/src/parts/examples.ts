// Requests that make the first of each kind, for pages that have none yet: to be copied as a command, with the token
// standing for itself as `$TOKEN`. Pure; a test sends each of them to the service.

export interface Example {
  readonly method: 'POST' | 'PATCH'
  readonly path: string
  readonly body: object | string
}

const post = (path: string, body: object | string): Example => ({ method: 'POST', path, body })

export const examples = {
  task: (orgID: string) =>
    post('api/v2/tasks', {
      orgID,
      flux: 'option task = {name: "hourly", every: 1h}\nfrom(bucket: "sensors") |> range(start: -1h) |> mean()',
    }),
  dashboard: (orgID: string) => post('api/v2/dashboards', { orgID, name: 'House' }),
  check: (orgID: string) =>
    post('api/v2/checks', {
      orgID,
      ...{ name: 'warm', type: 'threshold', status: 'active', every: '1m' },
      query: {
        // A check is of one field.
        text: 'from(bucket: "sensors") |> range(start: -1m) |> filter(fn: (r) => r._field == "temperature") |> mean()',
      },
      thresholds: [{ type: 'greater', level: 'CRIT', value: 30 }],
    }),
  endpoint: (orgID: string) =>
    post('api/v2/notificationEndpoints', {
      orgID,
      ...{ name: 'hook', type: 'http', status: 'active', method: 'POST', authMethod: 'none' },
      url: 'https://example.com/hook',
    }),
  silence: (orgID: string, endsAt: string) =>
    post('api/v2/silences', { orgID, matchers: [{ name: 'room', value: 'attic' }], endsAt }),
  /** What a message says, all endpoints but those of HTTP must be told. */
  rule: (orgID: string, endpoint: { readonly id: string; readonly type: string }) =>
    post('api/v2/notificationRules', {
      orgID,
      ...{ name: 'tell us', type: endpoint.type, status: 'active', every: '1m' },
      endpointID: endpoint.id,
      statusRules: [{ currentLevel: 'CRIT' }],
      ...(endpoint.type === 'http' ? {} : { messageTemplate: '${ r._message }' }),
    }),
  mapping: (orgID: string, bucketID: string) =>
    post('api/v2/dbrps', {
      ...{ orgID, bucketID, database: 'telegraf', retention_policy: 'autogen', default: true },
    }),
  template: (orgID: string) =>
    post('api/v2/templates/apply', {
      orgID,
      template: {
        contents: [
          {
            ...{ apiVersion: 'influxdata.com/v2alpha1', kind: 'Label' },
            ...{ metadata: { name: 'house-label' }, spec: { name: 'from a template' } },
          },
        ],
      },
    }),
  token: (orgID: string) =>
    post('api/v2/authorizations', {
      orgID,
      description: 'reads',
      permissions: [{ action: 'read', resource: { type: 'buckets', orgID } }],
    }),
  secret: (orgID: string): Example => ({
    ...{ method: 'PATCH', path: `api/v2/orgs/${orgID}/secrets` },
    body: { KEY: 'value' },
  }),
  variables: (orgID: string) =>
    post('api/v2/variables', {
      orgID,
      name: 'room',
      arguments: { type: 'constant', values: ['kitchen', 'attic'] },
    }),
  labels: (orgID: string) =>
    post('api/v2/labels', { orgID, name: 'house', properties: { color: '#0b6e5f' } }),
  scripts: () =>
    post('api/v2/scripts', {
      ...{ name: 'last-hour', description: 'All of the last hour', language: 'flux' },
      script: 'from(bucket: params.bucket) |> range(start: -1h)',
    }),
  telegrafs: (orgID: string) =>
    post('api/v2/telegrafs', { orgID, name: 'machines', config: '[[inputs.cpu]]' }),
  write: (org: string, bucket: string) => {
    const place = `org=${encodeURIComponent(org)}&bucket=${encodeURIComponent(bucket)}`
    return post(`api/v2/write?${place}`, 'room,room=kitchen temperature=21.5')
  },
  /** Of the cluster variant. */
  database: () => post('api/v3/configure/database', { db: 'sensors' }),
  databaseToken: () =>
    post('api/v3/configure/token', {
      token_name: 'reads',
      permissions: [{ resource_type: 'db', resource_names: ['sensors'], actions: ['read'] }],
    }),
} as const

/** `base`: the service's own address. */
export function commandText({ method, path, body }: Example, base: string): string {
  const data = typeof body === 'string' ? body : JSON.stringify(body)
  return [
    `curl -X ${method} '${new URL(path, base).href}' \\`,
    '  -H "Authorization: Token $TOKEN" \\',
    `  --data-raw '${data.replaceAll("'", "'\\''")}'`,
  ].join('\n')
}
