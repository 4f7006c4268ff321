// "Send a test" over HTTP, for every kind of endpoint, against receivers on this machine: what arrives, that secrets
// come from where they are kept, that a failure is told and nothing of it remembered.

import { SMTPServer } from 'smtp-server'
import { expect, it, onTestFinished } from 'vitest'
import { deliveries } from '../../src/alerts/delivery/deliveries.js'
import { AlertPlace } from './alert-place.js'

async function open(): Promise<AlertPlace> {
  const place = await AlertPlace.open()
  onTestFinished(() => place.close())
  return place
}

interface Kind {
  readonly fields: object
  /** Path of the request, and what is in its body or headers. */
  readonly path: string
  readonly shown: string
  readonly answer?: string
}

const text = 'This is a test'

const kinds: Readonly<Record<string, (url: string) => Kind>> = {
  http: (url) => ({
    fields: { url: `${url}/hook`, method: 'PUT', authMethod: 'bearer', token: 'tok' },
    path: 'PUT /hook',
    shown: 'Bearer tok',
  }),
  slack: (url) => ({ fields: { url: `${url}/slack` }, path: 'POST /slack', shown: text }),
  pagerduty: (url) => ({
    fields: { clientURL: `${url}/pd`, url: `${url}/pd`, routingKey: 'rk' },
    path: 'POST /pd',
    shown: '"routing_key":"rk"',
  }),
  telegram: (url) => ({
    fields: { url, token: 'bot-token', channel: '-100' },
    path: 'POST /botbot-token/sendMessage',
    shown: '"chat_id":"-100"',
    answer: '{"ok":true}',
  }),
  teams: (url) => ({ fields: { url: `${url}/teams` }, path: 'POST /teams', shown: text }),
  discord: (url) => ({ fields: { url: `${url}/discord` }, path: 'POST /discord', shown: text }),
  opsgenie: (url) => ({
    fields: { url, token: 'genie' },
    path: 'POST /v2/alerts',
    shown: 'GenieKey genie',
  }),
  alertmanager: (url) => ({
    fields: { url, authMethod: 'none' },
    path: 'POST /api/v2/alerts',
    shown: text,
  }),
}

it('has a case for every kind but mail, which has its own', () => {
  expect([...Object.keys(kinds), 'smtp'].sort()).toEqual(Object.keys(deliveries).sort())
})

it.each(Object.keys(kinds))('sends a test to %s', async (type) => {
  const place = await open()
  const { receiver } = place
  const { fields, path, shown, answer = '' } = kinds[type](receiver.url)
  receiver.answer = (_, response) => response.end(answer)
  const id = await place.endpoint({
    name: type,
    type,
    url: undefined,
    method: undefined,
    authMethod: undefined,
    ...fields,
  })
  const sent = await place.call('POST', `/api/v2/notificationEndpoints/${id}/test`, {})
  expect([sent.status, sent.json]).toEqual([200, { sent: true }])
  expect(receiver.requests).toHaveLength(1)
  const [{ method, url, headers, body }] = receiver.requests
  expect(`${method} ${url.split('?')[0]}`).toBe(path)
  expect(JSON.stringify(headers) + body).toContain(shown)
  const own = await place.call('POST', `/api/v2/notificationEndpoints/${id}/test`, {
    message: 'mine',
  })
  expect(own.json).toEqual({ sent: true })
  expect(receiver.requests[1].body).toContain('mine')

  receiver.answer = (_, response) => {
    response.statusCode = 403
    response.end('not you')
  }
  const refused = await place.call('POST', `/api/v2/notificationEndpoints/${id}/test`, {})
  expect(refused.json).toMatchObject({ sent: false, error: expect.stringContaining('403') })
  expect(await place.place.lines('_monitoring')).toEqual([])
})

it('sends a test by mail', async () => {
  const place = await open()
  const mails: string[] = []
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (`${username} ${password}` === 'me right') callback(null, { user: username })
      else callback(new Error('no such user'))
    },
    async onData(stream, session, callback) {
      const parts: Buffer[] = []
      for await (const part of stream) parts.push(part)
      mails.push(
        `${session.envelope.rcptTo.map(({ address }) => address)}\n${Buffer.concat(parts)}`,
      )
      callback()
    },
  })
  smtp.on('error', () => undefined)
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  const { port } = smtp.server.address() as { port: number }
  const fields = {
    type: 'smtp',
    url: undefined,
    method: undefined,
    authMethod: undefined,
    host: '127.0.0.1',
    port,
    security: 'none',
    from: 'millrace@example.com',
    username: 'me',
  }
  const good = await place.endpoint({ ...fields, name: 'good', password: 'right' })
  const to = 'a@example.com'
  const sent = await place.call('POST', `/api/v2/notificationEndpoints/${good}/test`, { to })
  expect(sent.json).toEqual({ sent: true })
  expect(mails).toHaveLength(1)
  expect(mails[0]).toContain('a@example.com')
  expect(mails[0]).toContain(text)
  const bad = await place.endpoint({ ...fields, name: 'bad', password: 'wr0ng-secret' })
  const refused = await place.call('POST', `/api/v2/notificationEndpoints/${bad}/test`, { to })
  expect(refused.json.sent).toBe(false)
  expect(refused.text).not.toContain('wr0ng-secret')
})
