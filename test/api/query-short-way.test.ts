// The short way of queries answers as the framework does: the same requests to two servers, one of which has
// no short way because it logs every request. What is compared is all that a client sees.

import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/index.js'

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

type Ask = (path: string, headers?: Record<string, string>, method?: string) => Promise<Answer>

async function open(logLevel: 'info' | 'debug') {
  const server = await startServer({ logLevel })
  onTestFinished(() => server.close())
  const setup = {
    username: 'u',
    password: 'password',
    org: 'o',
    bucket: 'd',
    retentionPeriodSeconds: 0,
  }
  const made = await fetch(`${server.url}/api/v2/setup`, {
    method: 'POST',
    body: JSON.stringify(setup),
  })
  const { auth } = (await made.json()) as { auth: { token: string; id: string } }
  const token = { authorization: `Token ${auth.token}` }
  const lines = Array.from({ length: 3000 }, (_, i) => `m,t=a${i % 3} v=${i},s="x" ${i}`).join('\n')
  const url = `${server.url}/api/v2/write?org=o&bucket=d&precision=s`
  const written = await fetch(url, { method: 'POST', headers: token, body: lines })
  expect(written.status).toBe(204)
  // All on one connection, which remembers who asked on it.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const ask: Ask = (path, headers = token, method = 'GET') =>
    new Promise((resolve, reject) => {
      const asked = request(server.url + path, { method, headers, agent }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => {
          const body = Buffer.concat(parts).toString('latin1')
          resolve({ status: answer.statusCode, headers: comparable(answer.headers), body })
        })
      })
      asked.once('error', reject)
      asked.end()
    })
  return { server, ask, token: auth.token, tokenId: auth.id }
}

/** Without what is different in every answer. */
function comparable(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const ids = new Set(['date', 'request-id', 'x-request-id', 'trace-id'])
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, ids.has(name) ? typeof value : value]),
  )
}

const q = (text: string, more = '') => `/query?db=d&q=${encodeURIComponent(text)}${more}`

test('answers, refusals and errors are the same on both ways', async () => {
  const short = await open('info')
  const long = await open('debug')
  const requests: readonly (readonly [path: string, method?: string])[] = [
    [q('select mean(v) from m where time >= 0 and time < 3000s group by time(600s), t')],
    [q('select v from m limit 3', '&epoch=s')],
    [q('select v from m', '&chunked=true&chunk_size=1000')],
    [q('select * from m', '&epoch=ms&pretty=true')],
    [q('select v from m limit 1; select nothing from nowhere; show measurements')],
    [q('selec v from m')],
    [q('select v from m where')],
    [q('select v from m; drop measurement')],
    ['/query?db=missing&q=select+v+from+m'],
    ['/query?q=select+v+from+m'],
    ['/query?db=d'],
    ['/query?db=d&q='],
    ['/query?db=d&q=select+v+from+m+limit+1&q=show+databases'],
    ['/query?db=d&q=select+v+from+m+limit+%31+%zz'],
    ['/query/?db=d&q=select+v+from+m+limit+1'],
    ['/query'],
    [q('select v from m limit 1', '&time_format=other')],
    [q('select v from m limit 1', '&params=notjson')],
    [q('select v from m limit 1', '&async=true')],
    [q('select v from m limit 1'), 'HEAD'],
    [q('select v from m limit 1'), 'POST'],
    [q('select v from m limit 1'), 'PUT'],
  ]
  for (const [path, method] of requests) {
    const answer = await short.ask(path, undefined, method)
    expect(answer, path).toEqual(await long.ask(path, undefined, method))
  }
})

test('what the headers ask for is the same on both ways', async () => {
  const short = await open('info')
  const long = await open('debug')
  const path = q('select v from m limit 3')
  const more: Record<string, string>[] = [
    { accept: 'application/csv' },
    { accept: 'application/x-msgpack' },
    { 'accept-encoding': 'gzip' },
    { origin: 'http://elsewhere' },
    { connection: 'close' },
    { 'content-length': '0' },
  ]
  for (const headers of more) {
    const [a, b] = await Promise.all(
      [short, long].map(({ ask, token }) =>
        ask(path, { authorization: `Token ${token}`, ...headers }),
      ),
    )
    expect(a, JSON.stringify(headers)).toEqual(b)
  }
  const own = await short.ask(path, {
    'x-request-id': 'mine',
    authorization: `Token ${short.token}`,
  })
  expect(own.status).toBe(200)
  for (const bad of ['Token wrong', 'Basic !', 'Nonsense']) {
    expect(await short.ask(path, { authorization: bad }), bad).toEqual(
      await long.ask(path, { authorization: bad }),
    )
  }
  expect(await short.ask(path, {})).toEqual(await long.ask(path, {}))
})

test('queries are counted once, and failures with their status', async () => {
  const { server, ask, token } = await open('info')
  await ask(q('select v from m limit 1'))
  await ask(q('select v from m limit 1'))
  await ask(q('selec'))
  const headers = { authorization: `Token ${token}` }
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text()
  const count = (status: number) =>
    metrics.match(
      new RegExp(`http_requests_total\\{method="GET",route="/query",status="${status}"\\} (\\d+)`),
    )?.[1]
  expect([count(200), count(400)]).toEqual(['2', '1'])
})

test('a token that was taken away is refused at once', async () => {
  const { server, ask, token, tokenId } = await open('info')
  const headers = { authorization: `Token ${token}` }
  const made = await fetch(`${server.url}/api/v2/authorizations/${tokenId}`, { headers })
  expect(made.status).toBe(200)
  expect((await ask(q('select v from m limit 1'))).status).toBe(200)
  await fetch(`${server.url}/api/v2/authorizations/${tokenId}`, { method: 'DELETE', headers })
  expect((await ask(q('select v from m limit 1'))).status).toBe(401)
})

test('whoever comes next on a connection is asked who it is', async () => {
  const { ask, token } = await open('info')
  const path = q('select v from m limit 1')
  const known = { authorization: `Token ${token}` }
  const statusOf = async (headers: Record<string, string>, more = '') =>
    (await ask(path + more, headers)).status
  for (let i = 0; i < 3; i++) expect(await statusOf(known)).toBe(200)
  expect(await statusOf({ authorization: `Token ${token.slice(0, -1)}x` })).toBe(401)
  expect(await statusOf({})).toBe(401)
  expect(await statusOf({ authorization: `Bearer ${token}` })).toBe(200)
  expect(await statusOf(known)).toBe(200)
  // What the URL says of the asker wins.
  expect(await statusOf(known, '&u=u&p=wrong')).toBe(401)
  expect(await statusOf(known, `&u=any&p=${encodeURIComponent(token)}`)).toBe(200)
  expect(await statusOf({}, '&u=&p=')).toBe(401)
  expect(await statusOf(known, '&u=&p=')).toBe(200)
})

test('a URL that was read before is read for the headers that come with it', async () => {
  const { ask, token } = await open('info')
  const authorization = `Token ${token}`
  const path = q('select v from m limit 1')
  const typeFor = async (accept: string) =>
    (await ask(path, { authorization, accept })).headers['content-type']
  for (let i = 0; i < 2; i++) {
    expect(await typeFor('application/json')).toBe('application/json')
    expect(await typeFor('text/csv')).toBe('text/csv')
    expect(await typeFor('application/x-msgpack')).toBe('application/x-msgpack')
  }
})

test('a connection stays open, and says so only where that is not understood by itself', async () => {
  const { server, token } = await open('info')
  const said = async (version: string, more = '') => {
    const socket = connect(server.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const head = `Host: x\r\nAuthorization: Token ${token}\r\n${more}`
    socket.write(`GET ${q('select v from m limit 1')} HTTP/${version}\r\n${head}\r\n`)
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    return /^(?:connection|keep-alive): .*$/gim.exec(bytes.toString('latin1'))?.[0]
  }
  for (let i = 0; i < 2; i++) {
    expect(await said('1.1')).toBeUndefined()
    expect(await said('1.1', 'Connection: keep-alive\r\n')).toBeUndefined()
    expect(await said('1.1', 'Connection: close\r\n')).toBe('Connection: close')
    expect(await said('1.0', 'Connection: keep-alive\r\n')).toBe('Connection: keep-alive')
    expect(await said('1.0')).toBe('Connection: close')
  }
})
