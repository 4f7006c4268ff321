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
