// Connections that are read before Node's server: what is taken from its bytes and what is not, in which order
// answers come, and how a connection ends. The server tells in its answers which way a request came.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { sharePort } from '../shared-port.js'
import { Lane } from './lane.js'
import type { SocketReply } from './socket-reply.js'

interface Options {
  readonly keepAliveTimeout?: number
  /** Answers what is taken from its bytes; by default at once. */
  readonly again?: (url: string, reply: SocketReply) => boolean
}

function whole(reply: SocketReply, text: string): boolean {
  reply.sendWhole([], Buffer.from(text))
  return true
}

async function listen({ again, keepAliveTimeout = 5000 }: Options = {}) {
  const answers = (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', socket } = request
    const lane = socket instanceof Lane ? socket : undefined
    const failure = lane?.takeFailure()
    if (failure === undefined && url.startsWith('/again')) {
      lane?.offer(again ?? ((next, reply) => whole(reply, `again ${next}`)))
    }
    response.end(`server ${url}${failure === undefined ? '' : ` ${failure.message}`}`)
  }
  const server = createServer({ keepAliveTimeout }, (request, response) => {
    // What there is of a body has come before the answer is given.
    request.resume().once('end', () => answers(request, response))
  })
  const port = sharePort(server, { tls: undefined, silenceMsMax: 5000, onHttp2: () => undefined })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    port.closeSilent()
    server.closeAllConnections()
    server.close()
  })
  return server
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

/** A client that sends bytes as it is told, and collects what it gets. */
class Client {
  readonly socket: Socket
  received = ''
  isEnded = false

  constructor(server: Server) {
    this.socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    this.socket.setNoDelay(true)
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1')
    })
    this.socket.on('close', () => {
      this.isEnded = true
    })
    this.socket.on('error', () => undefined)
    onTestFinished(() => void this.socket.destroy())
  }

  /** Written, and so long ago that the other side has read it as a piece of its own. */
  async send(text: string): Promise<void> {
    await new Promise((resolve) => this.socket.write(text, 'latin1', resolve))
    for (let i = 0; i < 20; i++) await turn()
  }

  /** The bodies of the next answers, which have a length each. */
  async bodies(count: number): Promise<string[]> {
    const bodies: string[] = []
    await expect.poll(() => bodies.push(...this.#complete()) && bodies.length).toBe(count)
    return bodies
  }

  #complete(): string[] {
    const bodies: string[] = []
    for (;;) {
      const headEnd = this.received.indexOf('\r\n\r\n') + 4
      const length = /content-length: (\d+)/i.exec(this.received.slice(0, headEnd))?.[1]
      const end = headEnd + Number(length)
      if (length === undefined || this.received.length < end) return bodies
      bodies.push(this.received.slice(headEnd, end))
      this.received = this.received.slice(end)
    }
  }

  async ask(text: string): Promise<string> {
    await this.send(text)
    const [body] = await this.bodies(1)
    return body
  }
}

test('a request like one before is taken from its bytes, others go to the server', async () => {
  const client = new Client(await listen())
  expect(await client.ask(get('/other'))).toBe('server /other')
  expect(await client.ask(get('/again?1'))).toBe('server /again?1')
  expect(await client.ask(get('/again?2'))).toBe('again /again?2')
  expect(await client.ask(get('/again?3', 'X-More: 1\r\n'))).toBe('server /again?3')
  expect(await client.ask(get('/again?4', 'X-More: 1\r\n'))).toBe('again /again?4')
  expect(await client.ask(get('/again?5', 'X-More: 2\r\n'))).toBe('server /again?5')
  const post = 'POST /again HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
  expect(await client.ask(post)).toBe('server /again')
  expect(await client.ask(get('/again?6', 'X-More: 2\r\n'))).toBe('again /again?6')
  expect(await client.ask(get('/other', 'X-More: 2\r\n'))).toBe('again /other')
})

test('what is refused before anything was sent is told by the server', async () => {
  const again = (url: string, reply: SocketReply) => {
    if (url === '/again?not') return false
    if (url !== '/again?later') return whole(reply, `again ${url}`)
    setImmediate(() => reply.refuse(new Error('because')))
    return true
  }
  const client = new Client(await listen({ again }))
  await client.ask(get('/again?1'))
  expect(await client.ask(get('/again?not'))).toBe('server /again?not')
  expect(await client.ask(get('/again?later'))).toBe('server /again?later because')
  expect(await client.ask(get('/again?1'))).toBe('again /again?1')
})

test('nothing in the body of a request is taken for a request', async () => {
  const client = new Client(await listen())
  await client.ask(get('/again'))
  const hidden = get('/again?hidden')
  const head = `POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 * hidden.length}\r\n\r\n`
  await client.send(head)
  await client.send(hidden)
  expect(await client.ask(hidden)).toBe('server /p')
  expect(await client.ask(get('/again?2'))).toBe('again /again?2')
  const size = hidden.length.toString(16)
  await client.send('POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  await client.send(`${size}\r\n`)
  await client.send(hidden)
  expect(await client.ask('\r\n0\r\n\r\n')).toBe('server /p')
  expect(client.received).toBe('')
  // Where the next one begins is the server's to know from here on.
  expect(await client.ask(get('/again?3'))).toBe('server /again?3')
  expect(await client.ask(get('/again?4'))).toBe('server /again?4')
})

test('nothing in the head of a request is taken for a request', async () => {
  const client = new Client(await listen())
  await client.ask(get('/again'))
  await client.send('GET /p HTTP/1.1\r\nX-Line: ')
  expect(await client.ask(get('/again?hidden'))).toBe('server /p')
  expect(await client.ask(get('/again?2'))).toBe('server /again?2')
  expect(client.received).toBe('')
})

test('a request behind another in one piece is not lost, and not taken early', async () => {
  const client = new Client(await listen())
  await client.ask(get('/again'))
  await client.send(get('/again?1') + get('/again?2') + get('/again?3').slice(0, 9))
  expect(await client.bodies(2)).toEqual(['server /again?1', 'server /again?2'])
  expect(await client.ask(get('/again?3').slice(9))).toBe('server /again?3')
  expect(client.received).toBe('')
})

test('lines that end otherwise than HTTP has them are left to the server', async () => {
  const client = new Client(await listen())
  await client.ask(get('/again'))
  const hidden = get('/again?hidden')
  await client.send(`POST /p HTTP/1.1\nHost: x\nContent-Length: ${hidden.length}\n\n\r\n\r\n`)
  await client.send(hidden)
  await expect.poll(() => client.isEnded || client.received !== '').toBe(true)
  expect(client.received).not.toContain('again /again?hidden')
})

test('answers come in the order of the requests, whoever gives them', async () => {
  const replies: SocketReply[] = []
  const again = (url: string, reply: SocketReply) => {
    if (url === '/other') return false
    return url === '/again?slow' ? replies.push(reply) > 0 : whole(reply, `server ${url}`)
  }
  const client = new Client(await listen({ again }))
  await client.ask(get('/again'))
  await client.send(get('/again?slow'))
  await client.send(get('/other'))
  await client.send(get('/again?next'))
  expect(replies.length).toBe(1)
  expect(client.received).toBe('')
  whole(replies[0], 'slow')
  expect(await client.bodies(3)).toEqual(['slow', 'server /other', 'server /again?next'])
})

test('a URL of more than one word is left to the server', async () => {
  const client = new Client(await listen())
  await client.ask(get('/again'))
  await client.send(`GET /again?a HTTP/1.1\r\nHost: y\r\n\r\n${get('/again?b')}`)
  expect(await client.bodies(2)).toEqual(['server /again?a', 'server /again?b'])
  const strange = new Client(await listen())
  await strange.ask(get('/again'))
  await strange.send(get('/again?\x01'))
  await expect.poll(() => strange.received).toMatch(/^HTTP\/1\.1 400 /)
})

test('a body of unknown length is sent in chunks, and broken off where it fails', async () => {
  const again = (url: string, reply: SocketReply) => {
    const body = reply.begin(['x-a', 'b'])
    body.write('first')
    body.write(Buffer.alloc(70_000, 'x'))
    if (url === '/again?fails') setImmediate(() => body.destroy())
    else body.end()
    return true
  }
  const client = new Client(await listen({ again }))
  await client.ask(get('/again'))
  await client.send(get('/again?whole'))
  const chunks = `\r\n\r\n5\r\nfirst\r\n11170\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`
  await expect.poll(() => client.received.endsWith(chunks)).toBe(true)
  const head = client.received.slice(0, -chunks.length)
  expect(head).toMatch(
    /^HTTP\/1\.1 200 OK\r\nx-a: b\r\ndate: .* GMT\r\ntransfer-encoding: chunked$/,
  )
  client.received = ''
  await client.send(get('/again?fails'))
  await expect.poll(() => client.isEnded).toBe(true)
  expect(client.received).toContain('first')
  expect(client.received).not.toMatch(/0\r\n\r\n$/)
})

test('whoever goes before the answer is there is told of', async () => {
  const gone: string[] = []
  const again = (url: string, reply: SocketReply) => {
    reply.onGone(() => gone.push(url))
    if (url === '/again?streams') reply.begin([]).write('x')
    return true
  }
  const server = await listen({ again })
  for (const [path, leave] of [
    ['/again?reset', (socket: Socket) => socket.resetAndDestroy()],
    ['/again?closed', (socket: Socket) => socket.destroy()],
    ['/again?half', (socket: Socket) => socket.end()],
    ['/again?streams', (socket: Socket) => socket.destroy()],
  ] as const) {
    const client = new Client(server)
    await client.ask(get('/again'))
    await client.send(get(path))
    leave(client.socket)
    await expect.poll(() => gone.at(-1)).toBe(path)
  }
  expect(gone.length).toBe(4)
})

test('a silent connection is closed, one that waits for its answer is not', async () => {
  const replies: SocketReply[] = []
  const again = (url: string, reply: SocketReply) =>
    url === '/again?slow' ? replies.push(reply) > 0 : whole(reply, url)
  const server = await listen({ again, keepAliveTimeout: 100 })
  const slow = new Client(server)
  const quick = new Client(server)
  for (const client of [slow, quick]) await client.ask(get('/again'))
  await quick.ask(get('/again?2'))
  await slow.send(get('/again?slow'))
  await expect.poll(() => quick.isEnded, { timeout: 10_000 }).toBe(true)
  expect(slow.isEnded).toBe(false)
  whole(replies[0], 'at last')
  expect(await slow.bodies(1)).toEqual(['at last'])
  await expect.poll(() => slow.isEnded, { timeout: 10_000 }).toBe(true)
})

test('a server that closes lets go of idle connections, and of others when they are answered', async () => {
  const replies: SocketReply[] = []
  const again = (_url: string, reply: SocketReply) => replies.push(reply) > 0
  const server = await listen({ again })
  const [idle, busy, failing] = [new Client(server), new Client(server), new Client(server)]
  for (const client of [idle, busy, failing]) await client.ask(get('/again'))
  await busy.send(get('/again?busy'))
  await failing.send(get('/again?failing'))
  const closed = once(server, 'close')
  server.close()
  await expect.poll(() => idle.isEnded).toBe(true)
  expect([busy.isEnded, failing.isEnded]).toEqual([false, false])
  whole(replies[0], 'the last')
  expect(await busy.bodies(1)).toEqual(['the last'])
  replies[1].refuse(new Error('too late'))
  await closed
  await expect.poll(() => busy.isEnded && failing.isEnded).toBe(true)
})

test('answers wait for a client that does not read them', async () => {
  let count = 0
  const again = (_url: string, reply: SocketReply) => {
    count++
    return whole(reply, 'x'.repeat(1 << 20))
  }
  const client = new Client(await listen({ again }))
  await client.ask(get('/again'))
  client.socket.pause()
  for (let i = 0; i < 100; i++) await client.send(get(`/again?${i}`))
  expect(count).toBeLessThan(50)
})
