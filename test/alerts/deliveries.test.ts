// Every kind of endpoint against receivers on this machine: what arrives, what counts as taken, what is tried again,
// and that no secret is told to anybody else.

import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { deliveries } from '../../src/alerts/delivery/deliveries.js'
import { DeliveryFailure, Sender } from '../../src/alerts/delivery/target.js'
import { type AlertMessage, messageText, parseMessage } from '../../src/alerts/status/message.js'
import type { EndpointFields, EndpointType } from '../../src/catalog/monitoring/endpoint-kinds.js'
import { OutgoingAddresses } from '../../src/platform/outgoing-address.js'
import { OutgoingMails } from '../../src/platform/outgoing-mail.js'
import { outgoingRequests, RecordingServer } from '../flux/outgoing.js'

let server: RecordingServer

beforeAll(async () => {
  server = await RecordingServer.start()
})

afterEach(() => {
  server.requests.length = 0
  server.answer = (_, response) => response.end()
})

afterAll(() => server.stop())

const second = 1_000_000_000n
const time = 1_600_000_000n * second + 1n
const firing: AlertMessage = {
  rule: { id: 'r1', name: 'tell' },
  endpoint: { id: 'e1', name: 'there' },
  time: time + second,
  statuses: [
    {
      time,
      level: 'crit',
      tags: {
        _check_id: 'c1',
        _check_name: 'cpu high',
        _level: 'crit',
        _source_measurement: 'cpu',
        _type: 'threshold',
        'data-center': 'a b',
      },
      fields: { _message: 'too hot', _source_timestamp: time - second, usage: 98.5 },
    },
  ],
  level: 'crit',
  isResolved: false,
  key: 'key-of-it',
  texts: { text: 'cpu is too hot', channel: '#ops', runbookLink: 'https://run.example/book' },
}
const resolved: AlertMessage = {
  ...firing,
  level: 'ok',
  isResolved: true,
  statuses: [{ ...firing.statuses[0], level: 'ok', toldLevel: 'crit', time: time + 60n * second }],
  time: time + 61n * second,
}

interface Given {
  readonly fields?: EndpointFields
  readonly secrets?: Readonly<Record<string, string>>
  readonly message?: AlertMessage
  readonly arePrivateHostsAllowed?: boolean
}

async function deliver(type: EndpointType, given: Given = {}): Promise<void> {
  const { fields = { url: server.url }, secrets = {}, message = firing } = given
  const { arePrivateHostsAllowed = true } = given
  const addresses = new OutgoingAddresses({ arePrivateHostsAllowed })
  const parts = {
    outgoing: outgoingRequests({ arePrivateHostsAllowed }),
    mail: new OutgoingMails(addresses, 2),
    timeoutNs: 500_000_000n,
    nowMs: () => Date.parse('2026-01-01T00:00:00Z'),
  }
  const sender = new Sender(parts, secrets, new AbortController().signal)
  // As it comes back from the catalog.
  await deliveries[type](sender, { fields, secrets }, parseMessage(messageText(message)))
}

async function failureOf(work: Promise<void>): Promise<DeliveryFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(DeliveryFailure)
  return error as DeliveryFailure
}

it('posts a status as InfluxDB does, integers exact', async () => {
  await deliver('http')
  const [{ method, headers, body }] = server.requests
  expect([method, headers['content-type']]).toEqual(['POST', 'application/json'])
  expect(body).toContain(`"_source_timestamp":${time - second}`)
  expect(JSON.parse(body)).toMatchObject({
    _version: 1,
    _measurement: 'notifications',
    _check_name: 'cpu high',
    _level: 'crit',
    _message: 'too hot',
    _notification_rule_id: 'r1',
    _notification_rule_name: 'tell',
    _notification_endpoint_name: 'there',
    _time: '2020-09-13T12:26:41.000000001Z',
    usage: 98.5,
  })
})

it('honours method, headers, template and credentials of an http endpoint', async () => {
  const fields = {
    url: `${server.url}/hook?x=1`,
    method: 'PUT',
    headers: { 'X-Own': 'yes', 'content-type': 'text/plain' },
    authMethod: 'basic',
  }
  const message = { ...firing, texts: { ...firing.texts, content: 'cpu: too hot' } }
  await deliver('http', { fields, secrets: { username: 'me', password: 'pass' }, message })
  expect(server.requests[0]).toMatchObject({
    method: 'PUT',
    url: '/hook?x=1',
    body: 'cpu: too hot',
    headers: {
      'x-own': 'yes',
      'content-type': 'text/plain',
      authorization: `Basic ${Buffer.from('me:pass').toString('base64')}`,
    },
  })
  await deliver('http', {
    fields: { url: server.url, authMethod: 'bearer', method: 'GET' },
    secrets: { token: 't' },
  })
  expect(server.requests[1]).toMatchObject({ method: 'GET', body: '' })
  expect(server.requests[1].headers.authorization).toBe('Bearer t')
})

it('posts a group as one message', async () => {
  const group = { region: 'eu' }
  await deliver('http', {
    message: { ...firing, group, statuses: [...firing.statuses, ...resolved.statuses] },
  })
  const body = JSON.parse(server.requests[0].body)
  expect(body).toMatchObject({ _version: 1, group, level: 'crit', status: 'firing' })
  expect(body.alerts).toHaveLength(2)
})

it('writes to Slack, and hears when it did nothing', async () => {
  await deliver('slack', { secrets: { token: 'xoxb' } })
  const [{ headers, body }] = server.requests
  expect(headers.authorization).toBe('Bearer xoxb')
  expect(JSON.parse(body)).toEqual({
    channel: '#ops',
    attachments: [{ color: 'danger', text: 'cpu is too hot', mrkdwn_in: ['text'] }],
  })
  server.answer = (_, response) => response.end('{"ok":false,"error":"channel_not_found"}')
  const failure = await failureOf(deliver('slack'))
  expect([failure.message, failure.isFinal]).toEqual(['Slack answered: channel_not_found', true])
})

it('opens and resolves the same incident of PagerDuty', async () => {
  const secrets = { routingKey: 'rk' }
  await deliver('pagerduty', { secrets })
  await deliver('pagerduty', { secrets, message: resolved })
  const [opened, closed] = server.requests.map(({ body }) => JSON.parse(body))
  expect(opened).toMatchObject({
    routing_key: 'rk',
    event_action: 'trigger',
    dedup_key: 'key-of-it',
    payload: {
      summary: 'cpu is too hot',
      severity: 'critical',
      class: 'cpu high',
      group: 'cpu',
      source: 'tell',
      timestamp: '2020-09-13T12:26:39.000Z',
    },
    links: [{ href: 'https://run.example/book', text: 'Runbook' }],
  })
  expect(closed).toMatchObject({ event_action: 'resolve', dedup_key: opened.dedup_key })
})

it('rings on Telegram for what is bad, and only for that', async () => {
  const fields = { url: server.url, channel: '-100' }
  const secrets = { token: '12:ab' }
  await deliver('telegram', { fields, secrets })
  await deliver('telegram', { fields, secrets, message: resolved })
  expect(server.requests[0].url).toBe('/bot12:ab/sendMessage')
  const bodies = server.requests.map(({ body }) => JSON.parse(body))
  expect(bodies[0]).toMatchObject({ chat_id: '-100', text: 'cpu is too hot' })
  expect(bodies.map((body) => body.disable_notification)).toEqual([false, true])
})

it('shows cards in Teams and embeds in Discord', async () => {
  await deliver('teams')
  await deliver('discord', { message: resolved })
  const [teams, discord] = server.requests.map(({ body }) => JSON.parse(body))
  expect(teams.attachments[0].content.body.map((block: { text: string }) => block.text)).toEqual([
    '[CRIT] tell',
    'cpu is too hot',
  ])
  expect(discord.embeds[0]).toMatchObject({
    title: '[RESOLVED] tell',
    description: 'cpu is too hot',
  })
})

it('opens and closes an alert of Opsgenie', async () => {
  const secrets = { token: 'genie' }
  await deliver('opsgenie', { secrets })
  await deliver('opsgenie', { secrets, message: resolved })
  const [opened, closed] = server.requests
  expect([opened.url, opened.headers.authorization]).toEqual(['/v2/alerts', 'GenieKey genie'])
  expect(JSON.parse(opened.body)).toMatchObject({ alias: 'key-of-it', priority: 'P1' })
  expect(closed.url).toBe('/v2/alerts/key-of-it/close?identifierType=alias')
})

it('starts and ends an alert of Alertmanager under the same labels', async () => {
  await deliver('alertmanager')
  await deliver('alertmanager', { message: resolved })
  expect(server.requests[0].url).toBe('/api/v2/alerts')
  const [[started], [ended]] = server.requests.map(({ body }) => JSON.parse(body))
  expect(started.labels).toEqual({
    alertname: 'cpu high',
    check_id: 'c1',
    measurement: 'cpu',
    severity: 'critical',
    data_center: 'a b',
  })
  expect(started.annotations).toMatchObject({ summary: 'too hot', rule: 'tell' })
  expect(Date.parse(started.endsAt)).toBeGreaterThan(Date.parse(started.startsAt))
  expect(ended.labels).toEqual(started.labels)
  expect(ended.endsAt).toBe('2020-09-13T12:27:41.000Z')
})

interface Received {
  readonly to: string[]
  readonly user: string | undefined
  readonly text: string
}

async function mailServer(options: { refuses?: string; hangs?: boolean } = {}) {
  const mails: Received[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (password === 'right') callback(null, { user: username })
      else callback(new Error('no such user'))
    },
    onRcptTo(_address, _session, callback) {
      if (options.hangs) return
      if (options.refuses === undefined) return callback()
      callback(Object.assign(new Error(options.refuses), { responseCode: 550 }))
    },
    async onData(stream, session, callback) {
      const parts: Buffer[] = []
      for await (const part of stream) parts.push(part)
      const to = session.envelope.rcptTo.map(({ address }) => address)
      mails.push({
        to,
        user: session.user as string | undefined,
        text: Buffer.concat(parts).toString(),
      })
      callback()
    },
  })
  smtp.on('error', () => undefined)
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  const { port } = smtp.server.address() as { port: number }
  const fields = { host: '127.0.0.1', port, security: 'none', from: 'millrace@example.com' }
  return { mails, fields }
}

it('sends mails', async () => {
  const { mails, fields } = await mailServer()
  const texts = {
    ...firing.texts,
    to: 'a@example.com, b@example.com',
    subject: 'cpu\r\nBcc: x@y',
    body: 'it burns',
  }
  const secrets = { username: 'me', password: 'right' }
  await deliver('smtp', { fields, secrets, message: { ...firing, texts } })
  expect(mails).toHaveLength(1)
  expect([mails[0].to, mails[0].user]).toEqual([['a@example.com', 'b@example.com'], 'me'])
  expect(mails[0].text).toContain('Subject: cpu Bcc: x@y')
  expect(mails[0].text).toMatch(/\r\n\r\nit burns/)
  await deliver('smtp', { fields: { ...fields, to: 'c@example.com' } })
  expect(mails[1].text).toContain('Subject: [CRIT] tell')
})

it('tells mails that are refused from those that may be taken later', async () => {
  const refusing = await mailServer({ refuses: 'no such mailbox' })
  const to = 'a@example.com'
  const refused = await failureOf(deliver('smtp', { fields: { ...refusing.fields, to } }))
  expect([refused.isFinal, refused.message]).toEqual([
    true,
    expect.stringContaining('no such mailbox'),
  ])
  const { fields } = await mailServer()
  const secrets = { username: 'me', password: 'wrong-password' }
  const unknown = await failureOf(deliver('smtp', { fields: { ...fields, to }, secrets }))
  expect(unknown.isFinal).toBe(true)
  expect(unknown.message).not.toContain('wrong-password')
  const hanging = await mailServer({ hangs: true })
  const late = await failureOf(deliver('smtp', { fields: { ...hanging.fields, to } }))
  expect(late.isFinal).toBe(false)
  const inside = { fields: { ...fields, to }, arePrivateHostsAllowed: false }
  expect((await failureOf(deliver('smtp', inside))).message).toContain('no such host')
  const encrypted = { fields: { ...fields, to, security: 'starttls' } }
  expect((await failureOf(deliver('smtp', encrypted))).message).toContain('mail server')
})

it.each([
  [500, false],
  [503, false],
  [429, false],
  [408, false],
  [400, true],
  [401, true],
  [404, true],
])('%i is no success', async (status, isFinal) => {
  server.answer = (_, response) => response.writeHead(status).end('why not')
  const failure = await failureOf(deliver('http'))
  expect([failure.isFinal, failure.message]).toEqual([
    isFinal,
    `the receiver answered ${status}: why not`,
  ])
})

it.each([
  ['7', 7000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['soon', undefined],
])('hears how long to wait: %s', async (text, waitMs) => {
  server.answer = (_, response) => response.writeHead(429, { 'Retry-After': text }).end()
  expect((await failureOf(deliver('http'))).retryAfterMs).toBe(waitMs)
})

it('gives up on a receiver that hangs, hides or breaks off', async () => {
  server.answer = () => undefined
  expect((await failureOf(deliver('http'))).message).toBe('context deadline exceeded')
  server.answer = (_, response) => response.destroy()
  expect((await failureOf(deliver('http'))).isFinal).toBe(false)
  const inside = { arePrivateHostsAllowed: false }
  expect((await failureOf(deliver('http', inside))).message).toBe('no such host')
})

it('follows redirects that keep the message, and takes no GET for a delivery', async () => {
  server.answer = ({ url }, response) => {
    if (url === '/') response.writeHead(307, { Location: '/there' })
    response.end()
  }
  await deliver('http')
  expect(server.requests.map(({ method, url }) => [method, url])).toEqual([
    ['POST', '/'],
    ['POST', '/there'],
  ])
  server.requests.length = 0
  server.answer = ({ url }, response) => {
    if (url === '/') response.writeHead(302, { Location: '/login' })
    response.end()
  }
  const failure = await failureOf(deliver('http'))
  expect([failure.isFinal, failure.message]).toEqual([true, 'the receiver answered 302:'])
  expect(server.requests).toHaveLength(1)
})

it('keeps secrets out of failures', async () => {
  server.answer = ({ headers }, response) =>
    response.writeHead(400).end(`you sent ${headers.authorization}`)
  const fields = { url: server.url, authMethod: 'bearer' }
  const failure = await failureOf(deliver('http', { fields, secrets: { token: 'top-secret' } }))
  expect(failure.message).toBe('the receiver answered 400: you sent Bearer ***')
})
