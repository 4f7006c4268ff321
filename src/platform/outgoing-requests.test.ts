// Outgoing requests against real servers on this machine: what is sent, what comes back, what is refused, redirects,
// certificates, and limits of time and size.

import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { outgoingRequests, RecordingServer } from '../../test/flux/outgoing.js'
import type { OutgoingRequest } from './outgoing-http.js'

let server: RecordingServer

beforeAll(async () => {
  server = await RecordingServer.start()
})

afterEach(() => {
  server.requests.length = 0
  server.answer = (_, response) => response.end()
})

afterAll(() => server.stop())

const open = outgoingRequests({ arePrivateHostsAllowed: true })
const strict = outgoingRequests()

function request(url: string, given: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    method: 'GET',
    url,
    headers: [],
    body: new Uint8Array(0),
    timeoutNs: 0n,
    skipsVerification: false,
    signal: new AbortController().signal,
    ...given,
  }
}

it('sends method, path, headers and body, and gives the whole answer', async () => {
  server.answer = (_, response) => {
    response.setHeader('x-one', ['a', 'b'])
    response.setHeader('h1', 'välue')
    response.statusCode = 201
    response.end('made')
  }
  const headers = [['X-Given', 'ä'] as const]
  const body = Buffer.from('body')
  const url = `${server.url}/path/a?q=1#fragment`
  const answer = await open.fetch(request(url, { method: 'POST', headers, body }))
  expect(answer.statusCode).toBe(201)
  expect(Buffer.from(answer.body).toString()).toBe('made')
  expect(answer.headers.get('X-One')).toBe('b')
  expect(answer.headers.get('Content-Length')).toBe('4')
  expect([...answer.headers.keys()].sort()).toEqual(['Content-Length', 'Date', 'H1', 'X-One'])
  expect(answer.durationNs).toBeGreaterThan(0n)
  const { method, url: path, headers: seen, body: sent } = server.only()
  expect([method, path, sent]).toEqual(['POST', '/path/a?q=1', 'body'])
  expect(Buffer.from(seen['x-given'] as string, 'latin1').toString()).toBe('ä')
  expect(seen['content-length']).toBe('4')
  expect(seen['accept-encoding']).toBe('gzip')
  expect(seen.host).toBe(`127.0.0.1:${server.port}`)
  expect(seen['user-agent']).toBe('Millrace')
})

it('leaves the connection and the length to itself', async () => {
  const names = ['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Upgrade', 'Expect']
  const headers = names.map((name) => [name, 'chunked'] as const)
  await open.fetch(request(server.url, { method: 'POST', headers, body: Buffer.from('abc') }))
  const { headers: seen, body } = server.only()
  expect(body).toBe('abc')
  expect(seen['content-length']).toBe('3')
  expect(seen['transfer-encoding']).toBeUndefined()
  expect(seen.host).toBe(`127.0.0.1:${server.port}`)
  expect(seen.upgrade).toBeUndefined()
})

it.each([
  ['a b', 'x', 'net/http: invalid header field name "a b"'],
  ['', 'x', 'net/http: invalid header field name ""'],
  ['X-A', 'x\r\nX-B: y', 'net/http: invalid header field value for "X-A"'],
  ['X-A', 'x\0', 'net/http: invalid header field value for "X-A"'],
])('refuses the header %j: %j', async (name, value, message) => {
  const fetching = open.fetch(request(server.url, { headers: [[name, value]] }))
  await expect(fetching).rejects.toThrow(message)
  expect(server.requests).toEqual([])
})

it('takes a header called __proto__ for what it is', async () => {
  await open.fetch(request(server.url, { headers: [['__proto__', 'x']] }))
  expect(server.only().rawHeaders.slice(0, 2)).toEqual(['__proto__', 'x'])
})

it('sends the name and the password of the URL', async () => {
  await open.fetch(request(server.url.replace('//', '//me:p%40ss@')))
  const { authorization } = server.only().headers
  expect(authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
})

it('unpacks what it asked to be packed', async () => {
  server.answer = (_, response) => {
    response.setHeader('Content-Encoding', 'gzip')
    response.end(gzipSync('text'))
  }
  const answer = await open.fetch(request(server.url))
  expect(Buffer.from(answer.body).toString()).toBe('text')
  expect(answer.headers.has('Content-Encoding')).toBe(false)
  const asIs = await open.fetch(request(server.url, { headers: [['Accept-Encoding', 'gzip']] }))
  expect(asIs.headers.get('Content-Encoding')).toBe('gzip')
  expect(Buffer.from(asIs.body)).toEqual(gzipSync('text'))
})

it.each([
  ['ftp://example.com/', 'unsupported protocol scheme "ftp"'],
  ['file:///etc/passwd', 'unsupported protocol scheme "file"'],
  ['example.com', 'invalid URL'],
  ['http://', 'invalid URL'],
  ['http://[fe80::1%25eth0]/', 'invalid URL'],
])('does not fetch %s', async (url, message) => {
  await expect(open.fetch(request(url))).rejects.toThrow(message)
})

it.each(['CONNECT', 'TRACE', 'get', 'A B'])('does not know the method %s', async (method) => {
  await expect(open.fetch(request(server.url, { method }))).rejects.toThrow('invalid method')
})

it.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::]',
  '0.0.0.0',
  '0',
  'localhost',
  'LOCALHOST',
  '１２７.０.０.１',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '[fe80::1]',
  '[fc00::1]',
  '224.0.0.1',
])('refuses the host %s', async (host) => {
  const url = `http://${host}:${server.port}/`
  await expect(strict.fetch(request(url))).rejects.toThrow(/^no such host$/)
  expect(server.requests).toEqual([])
})

const mine = { address: '127.0.0.1', family: 4 } as const

it('refuses names that mean private machines, and goes where the name meant when it was judged', async () => {
  const hiding = outgoingRequests({ lookUp: async () => [mine] })
  const url = `http://hidden.example:${server.port}/`
  await expect(hiding.fetch(request(url))).rejects.toThrow(/^no such host$/)
  // Only the judgement's own answer is used: the name itself cannot be resolved at all.
  let asked = 0
  const lookUp = async () => {
    asked++
    return [mine]
  }
  const allowed = outgoingRequests({ arePrivateHostsAllowed: true, lookUp })
  await allowed.fetch(request(url))
  expect(asked).toBe(1)
  expect(server.only().headers.host).toBe(`hidden.example:${server.port}`)
})

/** Answers with a redirect while there are targets left. */
function redirectTo(statusCode: number, ...targets: string[]): void {
  server.answer = (_, response) => {
    const target = targets.shift()
    if (target !== undefined) {
      response.statusCode = statusCode
      response.setHeader('Location', target)
    }
    response.end()
  }
}

it.each([
  'http://127.0.0.1:1/',
  'http://[::1]/',
  'http://inner.example/',
  '//localhost/',
  'file:///etc/passwd',
])('judges a redirect to %s anew', async (target) => {
  const lookUp = async () => [{ address: '10.0.0.1', family: 4 } as const]
  const guard = outgoingRequests({ lookUp, trustedHosts: ['outer.example'] })
  redirectTo(302, target)
  const fetching = guard.fetch(request(`http://outer.example:${server.port}/`))
  await expect(fetching).rejects.toThrow(/^(no such host|unsupported protocol scheme "file")$/)
  expect(server.requests.length).toBe(1)
})

const hosts = outgoingRequests({ trustedHosts: ['a.example', 'sub.a.example', 'b.example'] })
const secret = ['Authorization', 'Bearer x'] as const

it.each([
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', 'body'],
  [308, 'POST', 'body'],
])('follows a %d', async (statusCode, method, body) => {
  redirectTo(statusCode, '/next?q=1')
  const headers = [secret, ['Content-Type', 'text/plain'] as const]
  const post = { method: 'POST', headers, body: Buffer.from('body') }
  const answer = await open.fetch(request(`${server.url}/first`, post))
  expect(answer.statusCode).toBe(200)
  const [, second] = server.requests
  expect([second.method, second.url, second.body]).toEqual([method, '/next?q=1', body])
  expect(second.headers.authorization).toBe('Bearer x')
  expect(second.headers['content-type']).toBe(body === '' ? undefined : 'text/plain')
})

it.each([
  ['b.example', undefined],
  ['sub.a.example', 'Bearer x'],
  ['a.example', 'Bearer x'],
])('redirected to %s, the credential is %s', async (host, seen) => {
  redirectTo(302, `http://${host}:${server.port}/`)
  await hosts.fetch(request(`http://a.example:${server.port}/`, { headers: [secret] }))
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer x', seen])
})

it('follows only so many, and none that leads nowhere', async () => {
  redirectTo(302, ...Array.from({ length: 50 }, (_, i) => `/${i}`))
  await expect(open.fetch(request(server.url))).rejects.toThrow('stopped after 10 redirects')
  expect(server.requests.length).toBe(11)
  server.answer = (_, response) => response.writeHead(302).end('here')
  expect((await open.fetch(request(server.url))).statusCode).toBe(302)
})

const small = outgoingRequests({
  arePrivateHostsAllowed: true,
  requestBytesMax: 100,
  responseBytesMax: 100,
})

it('limits the bytes of question and answer', async () => {
  const post = { method: 'POST', body: Buffer.alloc(101) }
  await expect(small.fetch(request(server.url, post))).rejects.toThrow('request body is too large')
  expect(server.requests).toEqual([])
  const tooLarge = 'http response body is too large, reduce the amount of data querying'
  const answers: Buffer[][] = [[Buffer.alloc(101)], [Buffer.alloc(60), Buffer.alloc(60)]]
  for (const parts of answers) {
    server.answer = (_, response) => {
      if (parts.length === 1) response.setHeader('Content-Length', parts[0].length)
      for (const part of parts) response.write(part)
      response.end()
    }
    await expect(small.fetch(request(server.url))).rejects.toThrow(tooLarge)
  }
  server.answer = (_, response) => {
    response.setHeader('Content-Encoding', 'gzip')
    response.end(gzipSync(Buffer.alloc(1_000_000)).subarray(0, 90))
  }
  await expect(small.fetch(request(server.url))).rejects.toThrow(tooLarge)
  server.answer = (_, response) => response.end(Buffer.alloc(100))
  expect((await small.fetch(request(server.url))).body.length).toBe(100)
})

it('says so where an answer ends too early or cannot be unpacked', async () => {
  server.answer = (_, response) => {
    response.setHeader('Content-Length', 50)
    response.write('abc')
    setImmediate(() => response.destroy())
  }
  await expect(open.fetch(request(server.url))).rejects.toThrow('EOF')
  server.answer = (_, response) => {
    response.setHeader('Content-Encoding', 'gzip')
    response.end('no gzip')
  }
  await expect(open.fetch(request(server.url))).rejects.toThrow('incorrect header check')
})

const never = new Promise<never>(() => {})

it('limits the time of resolving, of waiting and of receiving', async () => {
  const timeoutNs = 20_000_000n
  const late = 'context deadline exceeded'
  const stalled = outgoingRequests({ lookUp: () => never })
  await expect(stalled.fetch(request('http://a.example/', { timeoutNs }))).rejects.toThrow(late)
  // One of its own: who gave up waiting may still be coming in when the next test runs.
  const slow = await RecordingServer.start()
  slow.answer = () => undefined
  await expect(open.fetch(request(slow.url, { timeoutNs }))).rejects.toThrow(late)
  slow.answer = (_, response) => response.write('a part')
  await expect(open.fetch(request(slow.url, { timeoutNs }))).rejects.toThrow(late)
  const hasty = outgoingRequests({ arePrivateHostsAllowed: true, timeoutSecondsMax: 0.02 })
  await expect(hasty.fetch(request(slow.url))).rejects.toThrow(late)
  const asked = request(slow.url, { timeoutNs: 3_600_000_000_000n })
  await expect(hasty.fetch(asked)).rejects.toThrow(late)
  await slow.stop()
})

it('stops when it is told to, for the reason that it is told', async () => {
  const stop = new AbortController()
  server.answer = () => stop.abort(new Error('killed'))
  await expect(open.fetch(request(server.url, { signal: stop.signal }))).rejects.toThrow('killed')
  await expect(open.fetch(request(server.url, { signal: stop.signal }))).rejects.toThrow('killed')
  expect(server.requests.length).toBe(1)
})

it('says what it could not connect to', async () => {
  const gone = await RecordingServer.start()
  const { port, url } = gone
  await gone.stop()
  await expect(open.fetch(request(url))).rejects.toMatchObject({
    message: 'connect: connection refused',
    dialed: `127.0.0.1:${port}`,
  })
})

// For localhost and 127.0.0.1, signed by itself, from 2020 to 2120; nobody trusts it.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0vsQIJXtGciDLNV6
X0UvPLA8W+QJnSlxR+ZUlOAruLGhRANCAATOVRZ7td5+CCCOmCveSlyLDOnR/6H7
9Cp4mbfSxt7Wt0m3C26YPcqfdk+aJdrN0q7BxZooD4IXLXUkiAQbrUNx
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBVTCB/KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzlUWe7Xefgggjpgr
3kpciwzp0f+h+/QqeJm30sbe1rdJtwtumD3Kn3ZPmiXazdKuwcWaKA+CFy11JIgE
G61DcaM9MDswGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBRz
RL1Qstua3unzspbgEwijyAGYJTAKBggqhkjOPQQDAgNIADBFAiBkvB4vogGjFyME
wXc7mW9Htko1SJ/ygZh94pLZhSoWfwIhAMcc2qOd8Uu69P/+sPqrtOCUOxxl/BSu
oPMlfj8afSWr
-----END CERTIFICATE-----`

it('trusts certificates only where it should', async () => {
  const tls = createServer({ key, cert }, (_, response) => response.end('secret'))
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(tls.address() as AddressInfo).port}/`
  const unknown = 'x509: certificate signed by unknown authority'
  await expect(open.fetch(request(url))).rejects.toThrow(unknown)
  const answer = await open.fetch(request(url, { skipsVerification: true }))
  expect(Buffer.from(answer.body).toString()).toBe('secret')
  await expect(strict.fetch(request(url))).rejects.toThrow(/^no such host$/)
  tls.close()
})
