// Requests to one server of the store: what was lost on its way is broken off, and what takes long is not. The server
// is a simple one of this file.

import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { Requests, SilenceError } from './requests.js'
import { Server, type ServerClients } from './server.js'

interface Asked {
  readonly query: string
  readonly query_id?: string
  readonly abort_signal: AbortSignal
}

/** Answers looks at once, and work when it is told to. */
class FakeServer {
  begun = 1000
  isSilent = false
  readonly running = new Set<string>()
  readonly asked: Asked[] = []
  readonly answers: (() => void)[] = []
  readonly clients = {
    work: {
      command: (asked: Asked): Promise<void> => {
        this.asked.push(asked)
        return new Promise((resolve, reject) => {
          asked.abort_signal.addEventListener('abort', () => reject(new Error('aborted')))
          this.answers.push(resolve)
        })
      },
    },
    words: {
      exec: async ({ query }: Asked) => {
        if (this.isSilent) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
        const isLook = query.includes('uptime()')
        const text = isLook ? `${this.begun}` : [...this.running].join('\n')
        return { stream: Readable.from([Buffer.from(text)]) }
      },
    },
  }
}

function newServer() {
  const client = new FakeServer()
  const clients = client.clients as unknown as ServerClients
  // Whoever waits is asked for at once.
  const server = new Server(clients, 'http://s', new Requests(-1))
  return { client, server }
}

it('breaks off a request that the server does not have, in the second look', async () => {
  const { client, server } = newServer()
  const lost = server.command('SELECT lost')
  const failed = expect(lost).rejects.toThrow(SilenceError)
  await server.look()
  expect(client.asked[0].abort_signal.aborted).toBe(false)
  await server.look()
  await failed
  expect(server.answers).toBe(true)
})

it('does not break off one that the server has, however long it takes', async () => {
  const { client, server } = newServer()
  const long = server.command('SELECT long')
  client.running.add(client.asked[0].query_id ?? '')
  for (let looks = 0; looks < 5; looks++) await server.look()
  // Missed once, and then there: it may begin anew.
  client.running.clear()
  await server.look()
  client.running.add(client.asked[0].query_id ?? '')
  await server.look()
  client.running.clear()
  await server.look()
  client.answers[0]()
  await long
})

it('does not break off what may wait for a connection, nor an answer that nobody takes', async () => {
  const { client, server } = newServer()
  const all = Array.from({ length: 40 }, (_, i) =>
    server.command(`SELECT ${i}`).then(
      () => 'done',
      () => 'lost',
    ),
  )
  await server.look()
  await server.look()
  for (const done of client.answers) done()
  const told = await Promise.all(all)
  expect(told.filter((one) => one === 'lost')).toHaveLength(32)
  expect(told.slice(32)).toEqual(Array(8).fill('done'))
  const request = new Requests(-1)
  const slow = request.begin()
  const pieces = slow.pieces([
    Buffer.from('a'),
    Buffer.from('b'),
  ] as unknown as AsyncIterable<unknown>)
  await pieces.next()
  for (let looks = 0; looks < 3; looks++) await request.breakOffLost(async () => new Set<string>())
  expect(slow.signal.aborted).toBe(false)
  await pieces.next()
})

it('finds a server there whose connections are all at work', async () => {
  const { client, server } = newServer()
  const all = Array.from({ length: 40 }, (_, i) => server.command(`SELECT ${i}`))
  for (const { query_id } of client.asked) client.running.add(query_id ?? '')
  for (let looks = 0; looks < 12; looks++) expect(await server.look()).toBe(true)
  for (const done of client.answers) done()
  await Promise.all(all)
})

it('is not read from where its process may be another one, until that is known', async () => {
  const { client, server } = newServer()
  await server.look()
  await server.makeWhole(async () => undefined)
  await server.mustBeWhole()
  // It did not answer, and is the same: a clock of whole seconds may differ by one.
  client.isSilent = true
  await server.look()
  await expect(server.mustBeWhole()).rejects.toThrow('reset')
  client.isSilent = false
  client.begun = 1001
  await server.mustBeWhole()
  // Meanwhile another process has begun, be it that the last one was young.
  client.isSilent = true
  await server.look()
  client.isSilent = false
  client.begun = 1004
  await expect(server.mustBeWhole()).rejects.toThrow(SilenceError)
  expect(server.isWhole).toBe(false)
})

it('may be another process after a request that was left without an answer', async () => {
  const { client, server } = newServer()
  await server.look()
  await server.makeWhole(async () => undefined)
  const sent = server.command('SELECT 1')
  server.breakOff()
  await expect(sent).rejects.toThrow(SilenceError)
  client.begun = 2000
  await expect(server.mustBeWhole()).rejects.toThrow(SilenceError)
})
