// What the packages for notifications send, byte by byte, to a server on this machine, and what they add to the rows.

import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { outgoingRequests, RecordingServer } from './outgoing.js'
import { runRows } from './run-flux.js'

let server: RecordingServer

beforeAll(async () => {
  server = await RecordingServer.start()
})

afterEach(() => {
  server.requests.length = 0
  server.answer = (_, response) => response.end()
})

afterAll(() => server.stop())

const scope = { outgoing: outgoingRequests({ arePrivateHostsAllowed: true }) }

/** The statement sends one message; HOOK stands for the server. */
async function sent(imports: string, statement: string) {
  const text = `import "array"
${imports}
status = ${statement.replaceAll('HOOK', `"${server.url}/hook"`)}
array.from(rows: [{status: status}])`
  expect(await runRows(text, { scope })).toEqual([{ status: 200n }])
  return server.only()
}

/** Rows that an endpoint made of one row, `{a: "x"}`. */
async function throughEndpoint(imports: string, endpoint: string) {
  const text = `import "array"
${imports}
array.from(rows: [{a: "x"}]) |> ${endpoint.replaceAll('HOOK', `"${server.url}/hook"`)}()`
  return runRows(text, { scope })
}

interface Case {
  readonly name: string
  readonly imports: string
  readonly call: string
  readonly url?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const json = 'application/json'
const jsonUtf8 = 'application/json; charset=utf-8'

const cases: readonly Case[] = [
  {
    name: 'slack.message',
    imports: 'import "slack"',
    call: 'slack.message(url: HOOK, token: "t", channel: "#c", text: "a <b>", color: "warning")',
    headers: { authorization: 'Bearer t', 'content-type': json },
    body: String.raw`{"attachments":[{"color":"warning","mrkdwn_in":["text"],"text":"a \u003cb\u003e"}],
      "channel":"#c"}`,
  },
  {
    name: 'pushbullet.pushNote',
    imports: 'import "pushbullet"',
    call: 'pushbullet.pushNote(url: HOOK, token: "t", title: "T", text: "x")',
    headers: { 'access-token': 't', 'content-type': json },
    body: '{"body":"x","title":"T","type":"note"}',
  },
  {
    name: 'pushbullet.pushData',
    imports: 'import "pushbullet"',
    call: 'pushbullet.pushData(url: HOOK, token: "t", data: {type: "link", url: "u"})',
    headers: { 'access-token': 't', 'content-type': json },
    body: '{"type":"link","url":"u"}',
  },
  {
    name: 'pagerduty.sendEvent',
    imports: 'import "pagerduty"',
    call: `pagerduty.sendEvent(pagerdutyURL: HOOK, routingKey: "k", client: "c", clientURL: "u", dedupKey: "d",
      class: "cl", group: "g", severity: "critical", eventAction: "trigger", source: "s", summary: "sum",
      timestamp: "2015-07-17T08:42:58.315+0000")`,
    headers: { accept: 'application/vnd.pagerduty+json;version=2', 'content-type': json },
    body: `{"client":"c","client_url":"u","dedup_key":"d","event_action":"trigger","payload":{"class":"cl",
      "component":"","group":"g","severity":"critical","source":"s","summary":"sum",
      "timestamp":"2015-07-17T08:42:58.315+0000"},"routing_key":"k"}`,
  },
  {
    name: 'pagerduty.sendEvent with details',
    imports: 'import "pagerduty"',
    call: `pagerduty.sendEvent(pagerdutyURL: HOOK, routingKey: "k", client: "c", clientURL: "u", dedupKey: "d",
      class: "cl", group: "g", severity: "info", eventAction: "resolve", source: "s", component: "mysql",
      summary: "sum", timestamp: 2015-07-17T08:42:58Z, customDetails: {"ping time": 150ms, load: 0.5})`,
    headers: { 'content-type': json },
    body: `{"client":"c","client_url":"u","dedup_key":"d","event_action":"resolve","payload":{"class":"cl",
      "component":"mysql","custom_details":{"load":0.5,"ping time":"150ms"},"group":"g","severity":"info",
      "source":"s","summary":"sum","timestamp":"2015-07-17T08:42:58Z"},"routing_key":"k"}`,
  },
  {
    name: 'alerta.alert',
    imports: 'import "contrib/bonitoo-io/alerta"',
    call: `alerta.alert(url: HOOK, apiKey: "k", resource: "CPU-1", event: "e", severity: "major", tags: ["dc1"],
      service: ["10.1.1.1"], attributes: {metric: "m"}, timestamp: 2021-04-01T01:02:03.456789000Z)`,
    headers: { authorization: 'Key k', 'content-type': json },
    body: `{"attributes":{"metric":"m"},"createTime":"2021-04-01T01:02:03.456Z","environment":"","event":"e",
      "group":"","origin":"InfluxDB","resource":"CPU-1","service":["10.1.1.1"],"severity":"major",
      "tags":["dc1"],"text":"","type":"","value":""}`,
  },
  {
    name: 'servicenow.event',
    imports: 'import "contrib/bonitoo-io/servicenow"',
    call: `servicenow.event(url: HOOK, username: "u", password: "p", node: "n", metricType: "CPU", resource: "r",
      metricName: "m", messageKey: "k", description: "d", severity: "major", additionalInfo: {"one": 1})`,
    headers: { authorization: 'Basic dTpw', 'content-type': json },
    body: String.raw`{"records":[{"additional_info":"{\"one\":1}","description":"d","message_key":"k",
      "metric_name":"m","node":"n","resource":"r","severity":"2","source":"Flux","type":"CPU"}]}`,
  },
  {
    name: 'servicenow.event without further facts',
    imports: 'import "contrib/bonitoo-io/servicenow"',
    call: 'servicenow.event(url: HOOK, username: "u", password: "p", description: "d", severity: "odd")',
    headers: { authorization: 'Basic dTpw' },
    body: `{"records":[{"additional_info":"","description":"d","message_key":"","metric_name":"","node":"",
      "resource":"","severity":"","source":"Flux","type":""}]}`,
  },
  {
    name: 'victorops.alert',
    imports: 'import "contrib/bonitoo-io/victorops"',
    call: `victorops.alert(url: HOOK, messageType: "CRITICAL", entityID: "e", entityDisplayName: "E",
      stateMessage: "m", timestamp: 2021-04-01T01:02:03.9Z)`,
    headers: { 'content-type': json },
    body: `{"entity_display_name":"E","entity_id":"e","message_type":"CRITICAL","monitoring_tool":"InfluxDB",
      "state_message":"m","state_start_time":1617238923}`,
  },
  {
    name: 'zenoss.event with a password',
    imports: 'import "contrib/bonitoo-io/zenoss"',
    call: 'zenoss.event(url: HOOK, username: "u", password: "p", severity: "Critical", summary: "s", tid: 7)',
    headers: { authorization: 'Basic dTpw', 'content-type': json },
    body: `{"action":"EventsRouter","data":[{"collector":"","component":"","device":"","evclass":"",
      "evclasskey":"","message":"","severity":"Critical","summary":"s"}],"method":"add_event","tid":7,
      "type":"rpc"}`,
  },
  {
    name: 'zenoss.event with a key',
    imports: 'import "contrib/bonitoo-io/zenoss"',
    call: 'zenoss.event(url: HOOK, apiKey: "k", severity: "Info", eventClass: "/c", eventClassKey: "ck")',
    headers: { 'z-api-key': 'k', 'content-type': json },
    body: `{"action":"EventsRouter","data":[{"collector":"","component":"","device":"","evclass":"/c",
      "evclasskey":"ck","message":"","severity":"Info","summary":""}],"method":"add_event","tid":1,
      "type":"rpc"}`,
  },
  {
    name: 'bigpanda.sendAlert',
    imports: 'import "contrib/rhajek/bigpanda"',
    call: `bigpanda.sendAlert(url: HOOK, token: "t", appKey: "k", status: bigpanda.statusFromLevel(level: "WARN"),
      rec: {host: "h", check: "c"})`,
    headers: { authorization: 'Bearer t', 'content-type': jsonUtf8 },
    body: '{"app_key":"k","check":"c","host":"h","status":"warning"}',
  },
  {
    name: 'sensu.event',
    imports: 'import "contrib/sranka/sensu"',
    call: 'sensu.event(url: HOOK, apiKey: "k", checkName: "a check", text: "t", status: 2, handlers: ["h"])',
    url: '/hook/api/core/v2/namespaces/default/events',
    headers: { authorization: 'Key k', 'content-type': jsonUtf8 },
    body: `{"check":{"handlers":["h"],"interval":60,"metadata":{"name":"a_check"},"output":"t",
      "state":"failing","status":2},"entity":{"entity_class":"proxy","metadata":{"name":"influxdb"}}}`,
  },
  {
    name: 'telegram.message',
    imports: 'import "contrib/sranka/telegram"',
    call: 'telegram.message(url: HOOK, token: "t", channel: "-12345", text: "x")',
    url: '/hookt/sendMessage',
    headers: { 'content-type': jsonUtf8 },
    body: `{"chat_id":"-12345","disable_notification":true,"disable_web_page_preview":false,
      "parse_mode":"MarkdownV2","text":"x"}`,
  },
  {
    name: 'webexteams.message',
    imports: 'import "contrib/sranka/webexteams"',
    call: 'webexteams.message(url: HOOK, token: "t", roomId: "r", text: "x", markdown: "*x*")',
    url: '/hook/v1/messages',
    headers: { authorization: 'Bearer t', 'content-type': jsonUtf8 },
    body: '{"markdown":"*x*","roomId":"r","text":"x"}',
  },
]

/** Line breaks of the table above are not part of a body. */
function unwrapped(body: string): string {
  return body.replace(/\n\s+/g, '')
}

describe('a message of', () => {
  it.each(cases)('$name', async ({ imports, call, url = '/hook', headers, body }) => {
    const request = await sent(imports, call)
    expect(request.method).toBe('POST')
    expect(request.url).toBe(url)
    expect(request.headers).toMatchObject(headers)
    expect(request.body).toBe(unwrapped(body))
  })
})

it('discord.send goes to the hook that its option names', async () => {
  const imports = `import "contrib/chobbs/discord"
option discord.discordURL = "${server.url}/hooks/"`
  const call = 'discord.send(webhookToken: "t", webhookID: "i", username: "u", content: "c")'
  const { url, body } = await sent(imports, call)
  expect(url).toBe('/hooks/i/t')
  expect(body).toBe('{"avatar_url":"","content":"c","username":"u"}')
})

it('opsgenie.sendAlert cuts its texts', async () => {
  const message = 'm'.repeat(140)
  const call = `opsgenie.sendAlert(url: HOOK, apiKey: "k", message: "${message}", details: "{\\"a\\":1}",
    responders: ["user:a@b", "team:t", "escalation:e", "schedule:s"], tags: ["x"], actions: ["y"])`
  const { headers, body } = await sent('import "contrib/sranka/opsgenie"', call)
  expect(headers.authorization).toBe('GenieKey k')
  expect(headers['content-type']).toBe(jsonUtf8)
  expect(body).toBe(
    [
      '{',
      `"message": "${'m'.repeat(130)}",`,
      `"alias": "${message}",`,
      '"description": "",',
      '"responders": [{"type":"user","username":"a@b"},{"type":"team","name":"t"},' +
        '{"type":"escalation","name":"e"},{"type":"schedule","name":"s"}],',
      '"visibleTo": [],',
      '"actions": ["y"],',
      '"tags": ["x"],',
      '"details": {"a":1},',
      '"entity": "",',
      '"priority": "P3"',
      '}',
    ].join('\n'),
  )
})

it('opsgenie refuses responders that it does not know', async () => {
  const text = `import "array"
import "contrib/sranka/opsgenie"
array.from(rows: [{v: opsgenie.respondersToJSON(v: ["test:y"])}])`
  await expect(runRows(text)).rejects.toThrow(
    `unsupported responder "test:y", it must start with one of ['user:','team:','escalation:','schedule:']`,
  )
})

it('teams.message cuts its summary', async () => {
  const text = 't'.repeat(80)
  const { headers, body } = await sent(
    'import "contrib/sranka/teams"',
    `teams.message(url: HOOK, title: "a \\"title\\"", text: "${text}")`,
  )
  expect(headers['content-type']).toBe(jsonUtf8)
  expect(body).toBe(`{
"@type": "MessageCard",
"@context": "http://schema.org/extensions",
"title": "a \\"title\\"",
"text": "${text}",
"summary": "${'t'.repeat(70)}..."
}`)
})

const endpoints: readonly (readonly [string, string, string])[] = [
  [
    'slack',
    'import "slack"',
    'slack.endpoint(url: HOOK)(mapFn: (r) => ({channel: r.a, text: r.a, color: "good"}))',
  ],
  [
    'pushbullet',
    'import "pushbullet"',
    'pushbullet.endpoint(url: HOOK)(mapFn: (r) => ({title: r.a, text: r.a}))',
  ],
  [
    'alerta',
    'import "contrib/bonitoo-io/alerta"',
    `alerta.endpoint(url: HOOK, apiKey: "k")(mapFn: (r) => ({resource: r.a, event: r.a, severity: r.a,
      service: [r.a], group: "", value: "", text: "", tags: [], attributes: {m: r.a}, type: "", timestamp: now()}))`,
  ],
  [
    'servicenow',
    'import "contrib/bonitoo-io/servicenow"',
    `servicenow.endpoint(url: HOOK, username: "u", password: "p")(mapFn: (r) => ({node: r.a, metricType: r.a,
      resource: r.a, metricName: r.a, messageKey: r.a, description: r.a, severity: "info"}))`,
  ],
  [
    'victorops',
    'import "contrib/bonitoo-io/victorops"',
    `victorops.endpoint(url: HOOK)(mapFn: (r) => ({messageType: r.a, entityID: r.a, entityDisplayName: r.a,
      stateMessage: r.a, timestamp: now()}))`,
  ],
  [
    'zenoss',
    'import "contrib/bonitoo-io/zenoss"',
    `zenoss.endpoint(url: HOOK, apiKey: "k")(mapFn: (r) => ({summary: r.a, device: r.a, component: r.a,
      severity: r.a, eventClass: r.a, eventClassKey: r.a, collector: r.a, message: r.a}))`,
  ],
  [
    'discord',
    'import "contrib/chobbs/discord"\noption discord.discordURL = HOOK',
    'discord.endpoint(webhookToken: "t", webhookID: "i", username: "u")(mapFn: (r) => ({content: r.a}))',
  ],
  [
    'bigpanda',
    'import "contrib/rhajek/bigpanda"',
    'bigpanda.endpoint(url: HOOK, token: "t", appKey: "k")(mapFn: (r) => ({r with status: "ok"}))',
  ],
  [
    'opsgenie',
    'import "contrib/sranka/opsgenie"',
    `opsgenie.endpoint(url: HOOK, apiKey: "k")(mapFn: (r) => ({message: r.a, alias: r.a, description: r.a,
      priority: "P1", responders: ["team:t"], tags: [r.a], actions: [r.a], visibleTo: [], details: "{}"}))`,
  ],
  [
    'teams',
    'import "contrib/sranka/teams"',
    'teams.endpoint(url: HOOK)(mapFn: (r) => ({title: r.a, text: r.a, summary: ""}))',
  ],
  [
    'telegram',
    'import "contrib/sranka/telegram"',
    'telegram.endpoint(url: HOOK, token: "t")(mapFn: (r) => ({channel: r.a, text: r.a, silent: true}))',
  ],
  [
    'webexteams',
    'import "contrib/sranka/webexteams"',
    'webexteams.endpoint(url: HOOK, token: "t")(mapFn: (r) => ({roomId: r.a, text: r.a, markdown: r.a}))',
  ],
]

describe('an endpoint of', () => {
  it.each(endpoints)('%s says what came of each row', async (_, imports, endpoint) => {
    const named = imports.replace('HOOK', `"${server.url}/hook"`)
    const sentRow = { a: 'x', _status: '200', _sent: 'true' }
    expect(await throughEndpoint(named, endpoint)).toEqual([sentRow])
    expect(server.only().method).toBe('POST')
    server.answer = (_request, response) => response.writeHead(503).end()
    const failedRow = { a: 'x', _status: '503', _sent: 'false' }
    expect(await throughEndpoint(named, endpoint)).toEqual([failedRow])
  })

  it('sensu says only whether it was sent', async () => {
    const endpoint =
      'sensu.endpoint(url: HOOK, apiKey: "k")(mapFn: (r) => ({checkName: r.a, text: r.a, status: 0}))'
    const rows = await throughEndpoint('import "contrib/sranka/sensu"', endpoint)
    expect(rows).toEqual([{ a: 'x', _sent: 'true' }])
    expect(server.only().body).toContain('"state":"passing"')
  })

  it('pagerduty tells incidents by the key of the table', async () => {
    server.answer = (_, response) => response.writeHead(202).end('{"status":"success"}')
    const text = `import "array"
import "pagerduty"
array.from(rows: [{name: "n", _level: "crit"}, {name: "n", _level: "ok"}])
  |> group(columns: ["name", "_level"])
  |> pagerduty.endpoint(url: "${server.url}")(mapFn: (r) => ({routingKey: "k", client: "c", clientURL: "u",
    class: "cl", group: "g", severity: pagerduty.severityFromLevel(level: r._level),
    eventAction: pagerduty.actionFromLevel(level: r._level), source: "s", summary: "s", timestamp: now()}))()`
    const rows = await runRows(text, { scope })
    const dedupKey = createHash('sha256').update('name\nn\n').digest('hex')
    const common = { name: 'n', _pagerdutyDedupKey: dedupKey, _sent: 'true', _status: '202' }
    const body = '{"status":"success"}'
    expect(rows).toEqual([
      { ...common, _level: 'crit', _body: body },
      { ...common, _level: 'ok', _body: body },
    ])
    const events = server.requests.map(({ body: event }) => JSON.parse(event))
    expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve'])
    expect(events.map(({ payload }) => payload.severity)).toEqual(['critical', 'info'])
    expect(events.map(({ dedup_key }) => dedup_key)).toEqual([dedupKey, dedupKey])
  })

  it('pagerduty cuts long summaries', async () => {
    const call = `pagerduty.sendEvent(pagerdutyURL: HOOK, routingKey: "", client: "", clientURL: "", dedupKey: "",
      class: "", group: "", severity: "", eventAction: "", source: "", summary: "${'l'.repeat(1048)}", timestamp: "")`
    const { body } = await sent('import "pagerduty"', call)
    expect(JSON.parse(body).payload.summary).toBe('l'.repeat(1023))
  })
})

it.each([
  ['#ff0000', undefined],
  ['danger', undefined],
  ['#1000000', 'could not parse color string'],
  ['#-1', 'could not parse color string'],
  ['red', 'could not parse color string'],
  ['#zz', 'strconv.ParseInt: parsing "zz": invalid syntax'],
  ['#ffffffffffffffffff', 'strconv.ParseInt: parsing "ffffffffffffffffff": value out of range'],
])('slack judges the colour %s', async (color, message) => {
  const text = `import "array"
import "slack"
array.from(rows: [{v: slack.validateColorString(color: "${color}")}])`
  if (message === undefined) expect(await runRows(text)).toEqual([{ v: color }])
  else await expect(runRows(text)).rejects.toThrow(message)
})

it('levels become words of each service', async () => {
  const text = `import "array"
import "pagerduty"
import "contrib/rhajek/bigpanda"
import "contrib/sranka/sensu"
array.from(rows: [{level: "WARN"}, {level: "crit"}, {level: "info"}, {level: "OK"}, {level: "?"}])
  |> map(fn: (r) => ({
    severity: pagerduty.severityFromLevel(level: r.level),
    action: pagerduty.actionFromLevel(level: r.level),
    status: bigpanda.statusFromLevel(level: r.level),
    name: sensu.toSensuName(v: r.level + " 1ä"),
  }))`
  const rows = await runRows(text)
  expect(rows.map(({ severity }) => severity)).toEqual([
    ...['warning', 'critical', 'info', 'info', 'error'],
  ])
  expect(rows.map(({ action }) => action)).toEqual([
    ...['trigger', 'trigger', 'trigger', 'resolve', 'trigger'],
  ])
  expect(rows.map(({ status }) => status)).toEqual([
    ...['warning', 'critical', 'ok', 'ok', 'critical'],
  ])
  expect(rows[0].name).toBe('WARN_1_')
})
