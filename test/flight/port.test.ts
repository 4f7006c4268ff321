// One port for HTTP and gRPC: with and without TLS, whatever the first bytes look like, until the server
// stops.

import { readFileSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/index.js'
import { adminToken, send, start } from '../api/harness.js'
import { FlightClient, jsonTicket, rowsOf } from './flight-client.js'
import { placeOf } from './places.js'

const tlsCert = new URL('./tls/localhost-cert.pem', import.meta.url).pathname
const tlsKey = new URL('./tls/localhost-key.pem', import.meta.url).pathname
const certificate = readFileSync(tlsCert)
const ticket = jsonTicket({ database: 'b', sql_query: 'SHOW DATABASES', query_type: 'influxql' })

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

async function textFrom(socket: Socket, pieces: readonly string[]): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const ended = closed(socket)
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  await ended
  return Buffer.concat(chunks).toString()
}

const ping = 'GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

test('requests in small pieces, with methods that begin as HTTP/2 does', async () => {
  const { host } = await placeOf('cluster')
  const { port } = new URL(host)
  const ask = (pieces: readonly string[]) => textFrom(connect(Number(port), '127.0.0.1'), pieces)
  expect(await ask([ping])).toMatch(/^HTTP\/1\.1 204/)
  expect(await ask(['G', 'ET', ping.slice(3)])).toMatch(/^HTTP\/1\.1 204/)
  const post = `POST /write?db=b HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${adminToken}\r\nConnection: close\r\n`
  const body = `${post}Content-Length: 5\r\n\r\nm f=1`
  expect(await ask(['P', body.slice(1)])).toMatch(/^HTTP\/1\.1 204/)
  expect(await ask(['PR', 'OPFIND / HTTP/1.1\r\n\r\n'])).toMatch(/^HTTP\/1\.1 4/)
  expect(await ask(['PRI * HTTP/1.1\r\n\r\n'])).toBe('')
  expect(await ask(['PRI * HTTP/2.0\r\n', '\r\nno preface'])).toBe('')
})

test('kept connections answer many requests beside Flight', async () => {
  const { host, token } = await placeOf('managed')
  const client = new FlightClient(host, { authorization: `Bearer ${token}` })
  for (let i = 0; i < 3; i++) {
    expect((await send(`${host}/ping`)).status).toBe(204)
    expect(rowsOf(await client.doGet(ticket)).map((row) => row['iox::database'])).toContain('b')
  }
})

test('a connection that says nothing is closed after a while, and when the server stops', async () => {
  const server = await startServer({ jobs: 'inline', requestTimeoutSeconds: 1 })
  const silent = connect(server.port, '127.0.0.1')
  await closed(silent)
  const another = connect(server.port, '127.0.0.1')
  await new Promise((resolve) => another.once('connect', resolve))
  const gone = closed(another)
  const grpc = new FlightClient(server.url, {})
  await grpc.refusal('DoGet', ticket)
  await server.close()
  await gone
  await expect(send(`${server.url}/ping`)).rejects.toThrow()
})

test('a connection of HTTP/2 that says nothing further does not keep the server from stopping', async () => {
  const server = await startServer({ jobs: 'inline', shutdownGraceSeconds: 0 })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  const gone = closed(socket)
  await server.close()
  await gone
})

function httpsStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { ca: certificate }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
    request.end()
  })
}

test('TLS: the handshake says what is spoken', async () => {
  const server = await start({ variant: 'cluster', adminToken, tlsCert, tlsKey })
  expect(server.url).toMatch(/^https:/)
  expect(await httpsStatus(`${server.url}/ping`)).toBe(204)
  const url = server.url.replace('127.0.0.1', 'localhost')
  const client = new FlightClient(url, { authorization: `Bearer ${adminToken}` }, { certificate })
  const info = await client.refusal('DoGet', ticket)
  expect(info.details).toBe("Database 'b' not found")
  const negotiated = async (ALPNProtocols: string[] | undefined) => {
    const socket = connectTls({
      port: server.port,
      host: '127.0.0.1',
      ca: certificate,
      ...(ALPNProtocols === undefined ? {} : { ALPNProtocols }),
    })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    const { alpnProtocol } = socket
    const text = alpnProtocol === 'h2' ? '' : await textFrom(socket, [ping])
    socket.destroy()
    return [alpnProtocol, text.slice(0, 12)]
  }
  // Whoever takes both is a client of HTTP.
  expect(await negotiated(['h2', 'http/1.1'])).toEqual(['http/1.1', 'HTTP/1.1 204'])
  expect(await negotiated(['h2'])).toEqual(['h2', ''])
  expect(await negotiated(undefined)).toEqual([false, 'HTTP/1.1 204'])
  await closed(connect(server.port, '127.0.0.1').end('GET /ping HTTP/1.1\r\n\r\n'))
})

test('TLS: one connection is asked again and again', async () => {
  const server = await start({ variant: 'cluster', adminToken, tlsCert, tlsKey })
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: certificate })
  onTestFinished(() => agent.destroy())
  const headers = { authorization: `Token ${adminToken}` }
  const status = (path: string) =>
    new Promise((resolve, reject) => {
      const request = httpsRequest(server.url + path, { agent, headers }, (response) => {
        response.resume().once('end', () => resolve([response.statusCode, request.reusedSocket]))
      })
      request.once('error', reject).end()
    })
  const query = '/query?q=show+databases'
  expect(await status(query)).toEqual([200, false])
  for (const path of [query, query, '/ping', query, '/query?q=selec', query]) {
    const expected = path === query ? 200 : path === '/ping' ? 204 : 400
    expect(await status(path), path).toEqual([expected, true])
  }
})

test('TLS: files that are missing or do not belong together', async () => {
  const starting = (options: object) => startServer({ jobs: 'inline', ...options })
  await expect(starting({ tlsCert })).rejects.toThrow('flag --tls-key is missing')
  await expect(starting({ tlsCert, tlsKey: '/no/such/file' })).rejects.toThrow('/no/such/file')
  await expect(starting({ tlsCert, tlsKey: tlsCert })).rejects.toThrow('--tls-key')
})
