// The other side of the Flight benchmark, in a process of its own so that what it costs is not counted as the
// server's. Told by a message what to ask and how: `arrow` takes the messages of gRPC and lets Arrow's library read
// the columns, `rows` iterates over the rows of the unmodified v3 client. Tells how long it took and what came.

import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { InfluxDBClient } from '@influxdata/influxdb3-client'
import { RecordBatchReader } from 'apache-arrow'

process.on('message', async ({ url, token, text, how }) => {
  try {
    const ask = how === 'arrow' ? askColumns : askRows
    const startMs = performance.now()
    const came = await ask(url, token, text)
    process.send({ ...came, seconds: (performance.now() - startMs) / 1000 })
  } catch (error) {
    process.send({ error: error.message })
  }
})

const same = (bytes) => bytes
const path = '/arrow.flight.protocol.FlightService/DoGet'

async function askColumns(url, token, text) {
  const client = new Client(new URL(url).host, credentials.createInsecure())
  const ticket = { database: 'b', sql_query: text, query_type: 'influxql' }
  const bytes = Buffer.from(JSON.stringify(ticket))
  const request = Buffer.concat([Buffer.from([0x0a, bytes.length]), bytes])
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  const call = client.makeServerStreamRequest(path, same, same, request, metadata)
  let [rows, sum] = [0, 0]
  for await (const batch of await RecordBatchReader.from(frames(call))) {
    rows += batch.numRows
    for (const { values } of batch.getChild('count').data) {
      for (let i = 0; i < values.length; i++) sum += Number(values[i])
    }
  }
  client.close()
  return { rows, sum }
}

/** The messages as Arrow's streaming format has them: FlightData has its header in field 2, its body in field 1000. */
async function* frames(call) {
  for await (const message of call) {
    const parts = new Map()
    let at = 0
    const varint = () => {
      let value = 0
      for (let scale = 1; ; scale *= 128) {
        const byte = message[at++]
        value += (byte & 127) * scale
        if (byte < 128) return value
      }
    }
    while (at < message.length) {
      const field = Math.floor(varint() / 8)
      const length = varint()
      parts.set(field, message.subarray(at, at + length))
      at += length
    }
    const header = parts.get(2)
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32LE(0xffffffff, 0)
    prefix.writeUInt32LE(header.length, 4)
    yield prefix
    yield header
    if (parts.has(1000)) yield parts.get(1000)
  }
}

async function askRows(url, token, text) {
  const client = new InfluxDBClient({ host: url, token, database: 'b' })
  let [rows, sum] = [0, 0]
  for await (const row of client.query(text, 'b', { type: 'influxql' })) {
    rows++
    sum += row.count
  }
  await client.close()
  return { rows, sum }
}
