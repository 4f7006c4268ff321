// Requests to one server of the store: what was lost on its way is broken off, and what takes long is not. The server
// is a simple one of this file.

import { Readable } from 'node:stream'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect, it } from 'vitest'
import { Requests, SilenceError } from './requests.js'
import { Server } from './server.js'

interface Asked {
  readonly query: string
  readonly query_id?: string
  readonly abort_signal: AbortSignal
}

/** Answers looks at once, and everything else when it is told to. */
class FakeClient {
  readonly running = new Set<string>()
  readonly asked: Asked[] = []
  readonly answers: ((text: string) => void)[] = []

  exec(asked: Asked): Promise<{ stream: Readable }> {
    if (asked.query.startsWith('SELECT uptime()')) return answer('7')
    if (asked.query.includes('system.processes')) return answer([...this.running].join('\n'))
    this.asked.push(asked)
    return new Promise((resolve, reject) => {
      asked.abort_signal.addEventListener('abort', () => reject(new Error('aborted')))
      this.answers.push((text) => resolve({ stream: Readable.from([Buffer.from(text)]) }))
    })
  }
}

const answer = async (text: string) => ({ stream: Readable.from([Buffer.from(text)]) })

function newServer() {
  const client = new FakeClient()
  // Whoever waits is asked for at once.
  const server = new Server(client as unknown as ClickHouseClient, 'http://s', new Requests(-1))
  return { client, server }
}

it('breaks off a request that the server does not have, in the second look', async () => {
  const { client, server } = newServer()
  const lost = server.text('SELECT lost')
  const failed = expect(lost).rejects.toThrow(SilenceError)
  await server.look()
  expect(client.asked[0].abort_signal.aborted).toBe(false)
  await server.look()
  await failed
  expect(server.answers).toBe(true)
})

it('does not break off one that the server has, however long it takes', async () => {
  const { client, server } = newServer()
  const long = server.text('SELECT long')
  client.running.add(client.asked[0].query_id ?? '')
  for (let looks = 0; looks < 5; looks++) await server.look()
  // Missed once, and then there: it may begin anew.
  client.running.clear()
  await server.look()
  client.running.add(client.asked[0].query_id ?? '')
  await server.look()
  client.running.clear()
  await server.look()
  client.answers[0]('done')
  expect(await long).toBe('done')
})

it('does not break off what may wait for a connection, nor an answer that nobody takes', async () => {
  const { client, server } = newServer()
  const all = Array.from({ length: 40 }, (_, i) => server.text(`SELECT ${i}`).catch(() => 'lost'))
  await server.look()
  await server.look()
  for (const done of client.answers) done('done')
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
