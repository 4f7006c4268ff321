// What goes over a connection beside messages: pings as clients send them, what stands behind an answer, and
// the texts of errors.

import { connect } from 'node:http2'
import { Client, credentials, Metadata, type StatusObject, status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { field, jsonTicket } from './flight-client.js'
import { type Place, placeOf } from './places.js'

const path = '/arrow.flight.protocol.FlightService/DoGet'
const same = (bytes: Buffer) => bytes

/** One that asks for signs of life as often as it can, also while it has nothing to ask. */
function impatientClient({ host }: Place): Client {
  const client = new Client(new URL(host).host, credentials.createInsecure(), {
    'grpc.keepalive_time_ms': 20,
    'grpc.keepalive_timeout_ms': 5000,
    'grpc.keepalive_permit_without_calls': 1,
  })
  onTestFinished(() => client.close())
  return client
}

/** How the call ends. */
function outcome(client: Client, { token }: Place, ticket: Buffer): Promise<StatusObject> {
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  return new Promise((resolve) => {
    const call = client.makeServerStreamRequest(path, same, same, ticket, metadata)
    call.on('data', () => undefined)
    call.on('error', () => undefined)
    call.on('status', resolve)
  })
}

const query = { database: 'b', sql_query: 'SELECT temp FROM home', query_type: 'influxql' }

test('pings are answered, however many', async () => {
  const place = await placeOf('cluster')
  const session = connect(place.host)
  onTestFinished(() => session.destroy())
  await new Promise((resolve) => session.once('connect', resolve))
  const ended: unknown[] = []
  session.on('goaway', (code) => ended.push(`goaway ${code}`))
  session.on('error', (error) => ended.push(error))
  session.on('close', () => ended.push('closed'))
  for (let i = 0; i < 200; i++) {
    const duration = await new Promise((resolve, reject) => {
      session.ping((error, ms) => (error === null ? resolve(ms) : reject(error)))
    })
    expect(duration).toBeGreaterThan(0)
  }
  expect(ended).toEqual([])
  const client = impatientClient(place)
  for (let i = 0; i < 3; i++) {
    expect((await outcome(client, place, jsonTicket(query))).code).toBe(status.OK)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})

test('where the time went stands behind the rows', async () => {
  const place = await placeOf('managed')
  const { code, metadata } = await outcome(impatientClient(place), place, jsonTicket(query))
  expect(code).toBe(status.OK)
  for (const name of ['queue', 'planning', 'execution']) {
    const [seconds] = metadata.get(`x-influxdata-${name}-duration-seconds`)
    expect(seconds).toMatch(/^\d+\.\d{9}$/)
  }
})

test('texts of errors arrive as they are, and not longer than proxies take', async () => {
  const place = await placeOf('cluster')
  const client = impatientClient(place)
  const refused = (database: string) => outcome(client, place, jsonTicket({ ...query, database }))
  const odd = 'ü % \n "€" 😀 %41'
  expect(await refused(odd)).toMatchObject({
    code: status.NOT_FOUND,
    details: `Database '${odd}' not found`,
  })
  expect((await refused('😀'.repeat(2000))).details).toHaveLength(2000)
  const nothing = await outcome(client, place, field(1, ''))
  expect(nothing.code).toBe(status.INVALID_ARGUMENT)
})
