// The scripts of notification rules, for each kind of endpoint: what differs between them, and how
// tags, levels and times of the rule get into them.

import { expect, it } from 'vitest'
import type {
  EndpointBody,
  NotificationEndpoint,
} from '../../src/catalog/monitoring/notification-endpoints.js'
import type { RuleFields } from '../../src/catalog/monitoring/rule-fields.js'
import { ruleScript } from '../../src/catalog/monitoring/rule-script.js'
import { scriptTools } from '../../src/flux/tools/script-tools.js'

function script(
  type: string,
  fields: RuleFields,
  endpoint: Partial<EndpointBody> & Pick<EndpointBody, 'type'>,
): string {
  const shared = { description: '', status: 'active', fields: {}, secretKeys: {} } as const
  const record: NotificationEndpoint = {
    id: '00000000000000ee',
    orgId: '0000000000000001',
    parentId: '',
    ownerId: undefined,
    name: 'e',
    body: { ...shared, ...endpoint },
    createdAt: '',
    updatedAt: '',
  }
  const all = { every: '1h', statusRules: [{ currentLevel: 'CRIT' }], ...fields }
  return ruleScript(
    scriptTools,
    { id: '00000000000000aa', name: 'n', body: { type, fields: all } },
    record,
  )
}

const slack = (fields: RuleFields) => script('slack', fields, { type: 'slack' })

it.each([
  ['10s', '-20s', '10s'],
  ['500ms', '-1000ms', '500ms'],
  ['1m', '-2m', '1m'],
  ['1h30m', '-2h30m', '1h30m'],
  ['1mo', '-2mo', '1mo'],
])('looks back further than %s', (every, start, since) => {
  const text = slack({ every })
  expect(text).toContain(`monitor["from"](start: ${start})`)
  expect(text).toContain(`experimental["subDuration"](from: now(), d: ${since})`)
})

it('compares tags as the rule says', () => {
  const tagRules = [
    { key: 'a', value: 'v', operator: 'equal' },
    { key: 'b', value: 'v', operator: 'notequal' },
    { key: 'c', value: 'x/y\\/z', operator: 'equalregex' },
    { key: 'd "', value: '^v$', operator: 'notequalregex' },
  ]
  expect(slack({ tagRules })).toContain(
    'r["a"] == "v" and r["b"] != "v" and r["c"] =~ /x\\/y\\/z/ and r["d \\""] !~ /^v$/',
  )
})

it('brings the statuses of several rules together, each once', () => {
  const any = { currentLevel: 'ANY' }
  const change = { currentLevel: 'OK', previousLevel: 'ANY' }
  expect(slack({ statusRules: [any, change, any] })).toContain(`
any = statuses |> filter(fn: (r) => true)
any_to_ok = statuses |> monitor["stateChanges"](fromLevel: "any", toLevel: "ok")
all_statuses =
    union(tables: [any, any_to_ok])
        |> sort(columns: ["_time"])
        |> filter(fn: (r) => r["_time"] >= experimental["subDuration"](from: now(), d: 1h))
`)
})

it('speaks to slack with a token', () => {
  const secretKeys = { token: 'k-token' }
  expect(script('slack', { messageTemplate: 'm' }, { type: 'slack', secretKeys })).toContain(`
slack_secret = secrets["get"](key: "k-token")
slack_endpoint = slack["endpoint"](token: slack_secret)
`)
})

it('speaks to PagerDuty', () => {
  const fields = { clientURL: `https://example.com/\${r.host}` }
  const secretKeys = { routingKey: 'k' }
  const text = script('pagerduty', {}, { type: 'pagerduty', fields, secretKeys })
  expect(text).toContain('import "pagerduty"\nimport "influxdata/influxdb/secrets"\n')
  expect(text).toContain('pagerduty_secret = secrets["get"](key: "k")\n')
  expect(text).toContain(`                        clientURL: "https://example.com/\${r.host}",\n`)
  expect(text).toContain('eventAction: pagerduty["actionFromLevel"](level: r["_level"]),\n')
})

it('speaks to Telegram', () => {
  const rule = { messageTemplate: 'm', parseMode: 'HTML', disableWebPagePreview: true }
  const endpoint = { type: 'telegram', fields: { channel: '-1' }, secretKeys: { token: 'k' } }
  const text = script('telegram', rule, endpoint as { type: 'telegram' })
  expect(text).toContain('import "contrib/sranka/telegram"\n')
  expect(text).toContain(
    'telegram["endpoint"](token: telegram_secret, parseMode: "HTML", disableWebPagePreview: true)\n',
  )
  expect(text).toContain(
    '                        channel: "-1",\n                        text: "m",\n',
  )
})

it.each([
  ['none', 'headers = {"Content-Type": "application/json"}\n', false],
  [
    'bearer',
    '{"Content-Type": "application/json", "Authorization": "Bearer " + secrets["get"](key: "t")}\n',
    true,
  ],
  [
    'basic',
    `    "Authorization": http["basicAuth"](u: secrets["get"](key: "u"), p: secrets["get"](key: "p")),\n`,
    true,
  ],
])('speaks HTTP with authorization %s', (authMethod, headers, hasSecrets) => {
  const fields = { url: 'https://example.com', authMethod }
  const secretKeys = { token: 't', username: 'u', password: 'p' }
  const text = script('http', {}, { type: 'http', fields, secretKeys })
  expect(text).toContain(headers)
  expect(text.includes('import "influxdata/influxdb/secrets"')).toBe(hasSecrets)
  expect(text).toContain(`
            endpoint(
                mapFn: (r) => {
                    body = {r with _version: 1}

                    return {headers: headers, data: json["encode"](v: body)}
                },
            ),
`)
})
