// How fast rows leave over Flight: a moment, a tag and two fields, asked with InfluxQL and fetched by a client
// of gRPC in the same process, on the same thread; and how much of that is making Arrow of them. The check
// string counts rows and bytes.

import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { startServer } from '../src/index.js'
import { ManualClock } from '../src/platform/clock.js'
import { type Figures, startTime } from './cpu-data.js'

const adminToken = 'token-of-the-benchmark'
const linesPerWrite = 50_000

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const rowCount = size === 'small' ? 10_000 : 1_000_000
  const rounds = size === 'small' ? 1 : 5
  const clock = new ManualClock(startTime + 1_000_000_000_000n)
  const server = await startServer({ variant: 'cluster', adminToken, clock, jobs: 'inline' })
  const client = new Client(new URL(server.url).host, credentials.createInsecure())
  try {
    await load(server.url, rowCount)
    let seconds = Number.POSITIVE_INFINITY
    let bytes = 0
    for (let i = 0; i < rounds; i++) {
      const start = performance.now()
      bytes = await fetchAll(client)
      seconds = Math.min(seconds, (performance.now() - start) / 1000)
    }
    return {
      name: 'flight',
      figures: { rowsPerSecond: rowCount / seconds, megabytesPerSecond: bytes / seconds / 1e6 },
      check: `${rowCount} rows, ${Math.floor(bytes / rowCount)} bytes each`,
    }
  } finally {
    client.close()
    await server.close()
  }
}

async function load(url: string, rowCount: number): Promise<void> {
  for (let from = 0; from < rowCount; from += linesPerWrite) {
    const lines: string[] = []
    for (let row = from; row < Math.min(from + linesPerWrite, rowCount); row++) {
      const fields = `usage=${(row % 1000) / 10},count=${row}i`
      lines.push(`cpu,host=host-${row % 10} ${fields} ${startTime + BigInt(row) * 1000n}`)
    }
    const headers = { authorization: `Bearer ${adminToken}` }
    const body = lines.join('\n')
    const answer = await fetch(`${url}/write?db=b`, { method: 'POST', headers, body })
    if (answer.status !== 204) throw new Error(await answer.text())
  }
}

/** Reads the whole answer; returns its bytes. */
function fetchAll(client: Client): Promise<number> {
  const query = { sql_query: 'SELECT usage, count FROM cpu GROUP BY host', query_type: 'influxql' }
  const ticket = Buffer.from(JSON.stringify({ database: 'b', ...query }))
  const request = Buffer.concat([Buffer.from([0x0a, ticket.length]), ticket])
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${adminToken}`)
  const same = (bytes: Buffer) => bytes
  const path = '/arrow.flight.protocol.FlightService/DoGet'
  return new Promise((resolve, reject) => {
    const call = client.makeServerStreamRequest(path, same, same, request, metadata)
    let bytes = 0
    call.on('data', (message: Buffer) => {
      bytes += message.length
    })
    call.on('end', () => resolve(bytes))
    call.on('error', reject)
  })
}
