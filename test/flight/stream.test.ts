// Answers over Flight while they are on their way: a client that reads slowly holds the query up instead of
// filling the server's memory, one that goes ends it, and a server that stops does not wait for ever.

import { expect, test } from 'vitest'
import { adminToken, send } from '../api/client.js'
import { FlightClient, jsonTicket } from './flight-client.js'
import { type Place, placeOf, startNs, writeLines } from './places.js'

const rowCount = 300_000
const query = 'SELECT a, b FROM many'
/** Some 60 messages of a megabyte: a client of gRPC takes 16 before it tells the server to wait. */
const wide = `SELECT ${Array.from({ length: 24 }, (_, i) => `a AS a${i}`).join(', ')} FROM many`

async function placeWithMany(): Promise<Place> {
  const place = await placeOf('cluster')
  for (let from = 0; from < rowCount; from += 100_000) {
    const lines = Array.from({ length: 100_000 }, (_, i) => {
      return `many a=${from + i},b=${i}i ${startNs + BigInt(from + i)}`
    })
    await writeLines(place, lines)
  }
  return place
}

async function runningQueries({ host }: Place): Promise<string[]> {
  const answer = await send(`${host}/query?q=SHOW+QUERIES`, { token: adminToken })
  const [{ series }] = answer.json.results
  return series[0].values.map((row: unknown[]) => row[1])
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await pause(20)
}

const ticketFor = (text: string) => {
  return jsonTicket({ database: 'b', sql_query: text, query_type: 'influxql' })
}

test('a slow reader holds the query up, and its going ends it', async () => {
  const place = await placeWithMany()
  const client = new FlightClient(place.host, { authorization: `Bearer ${place.token}` })
  const call = client.stream('DoGet', ticketFor(wide))
  const failed = new Promise((resolve) => call.once('error', resolve))
  await new Promise((resolve) => call.once('data', resolve))
  call.pause()
  // Long enough for the whole answer to be made if nobody waited for the reader.
  for (let i = 0; i < 20; i++) {
    await pause(50)
    expect(await runningQueries(place)).toContain(wide)
  }
  call.cancel()
  await failed
  await until(async () => !(await runningQueries(place)).includes(wide))
})

test('an answer of many batches', async () => {
  const place = await placeWithMany()
  const client = new FlightClient(place.host, { authorization: `Bearer ${place.token}` })
  const table = await client.doGet(ticketFor(query))
  expect(table.numRows).toBe(rowCount)
  expect(table.batches.length).toBeGreaterThan(5)
  const a = table.getChild('a')?.toArray() as Float64Array
  expect(a.every((value, i) => value === i)).toBe(true)
  const time = table.getChild('time')
  expect(time?.data[0].values[5]).toBe(startNs + 5n)
})
