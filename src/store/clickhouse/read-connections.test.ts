// Connections of reads, against a simple server of this file: what is sent, what a failure tells, and that a request
// which is broken off ends.

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { codeOf, isUnreachable } from './failures.js'
import { ReadConnections } from './read-connections.js'

const never = new AbortController().signal
const address = { endpoints: [], user: 'u', password: 'pä:ss', database: 'd', cluster: undefined }
const statement = { query: 'SELECT 1', settings: { max_threads: 1 }, id: 'q1', signal: never }

let server: Server | undefined
let connections: ReadConnections | undefined

afterEach(() => {
  connections?.close()
  server?.closeAllConnections()
  server?.close()
})

async function serve(answer: RequestListener): Promise<ReadConnections> {
  server = createServer(answer)
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  connections = new ReadConnections(address, `http://127.0.0.1:${port}`, 2)
  return connections
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )
}

it('sends statement, settings and id, the password in a header, over one connection', async () => {
  const seen: unknown[] = []
  const ports = new Set<number | undefined>()
  const reads = await serve(async (request, response) => {
    ports.add(request.socket.remotePort)
    const { authorization = '' } = request.headers
    const secret = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
    seen.push([request.url, secret, await text(request)])
    response.end('answered')
  })
  for (let i = 0; i < 3; i++) expect(await text(await reads.send(statement))).toBe('answered')
  const url = '/?database=d&max_threads=1&query_id=q1'
  expect(seen).toEqual(Array(3).fill([url, 'u:pä:ss', 'SELECT 1']))
  expect(ports.size).toBe(1)
})

it.each([
  ['Code: 241. DB::Exception: Memory limit', 241, 'DB::Exception: Memory limit'],
  ['Code: 60, e.displayText() = DB::Exception: no table', 60, 'Code: 60, e.displayText()'],
  ['Bad gateway', undefined, 'Bad gateway'],
  ['', undefined, 'status 500'],
])('tells what the server says of a failure: %s', async (body, code, message) => {
  const reads = await serve((_, response) => response.writeHead(500).end(body))
  const error = await failure(reads.send(statement))
  expect(codeOf(error)).toBe(code)
  expect((error as Error).message).toContain(message)
})

it('a request that is broken off ends as one whose server is gone', async () => {
  const controller = new AbortController()
  const reads = await serve(() => controller.abort())
  const error = await failure(reads.send({ ...statement, signal: controller.signal }))
  expect(isUnreachable(error)).toBe(true)
})

it('an answer that is broken off fails whoever reads it', async () => {
  const reads = await serve((request, response) => {
    response.write('half')
    request.socket.destroySoon()
  })
  const answer = await reads.send(statement)
  expect(isUnreachable(await failure(text(answer)))).toBe(true)
})

it('a server that is not there is unreachable', async () => {
  const reads = await serve(() => undefined)
  await new Promise((resolve) => server!.close(resolve))
  expect(isUnreachable(await failure(reads.send(statement)))).toBe(true)
})
