// The doors of a running service: bytes on its port that are almost HTTP or almost HTTP/2, bodies that are almost
// packed, statements in SQL, messages of Flight. An answer may refuse; it may not be a fault, and the service goes on.

import { createConnection } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Client, credentials, status as grpcStatus, Metadata } from '@grpc/grpc-js'
import type { Fuzzer } from './fuzz-parsers.js'
import { type Ask, ask, Gone } from './service-process.js'

export interface Door {
  readonly url: string
  readonly token: string
}

const answerMsMax = 30_000

/** A fault of the service's own is 500; 503 is a service that has enough, 501 what it has not. */
function requireNoFault(status: number, text: string): void {
  if (status >= 500 && status !== 501 && status !== 503) throw new Error(`${status} ${text}`)
  if (/internal error/.test(text)) throw new Error(text)
}

async function request(door: Door, path: string, options: Ask): Promise<void> {
  try {
    const answer = await ask(`${door.url}${path}`, { token: door.token, ...options })
    requireNoFault(answer.status, answer.text)
  } catch (error) {
    // It may hang up on what it will not read.
    if (!(error instanceof Gone)) throw error
  }
}

/** Sends bytes as they are, and reads until the other end closes or says nothing more. */
function raw({ url }: Door, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = createConnection(Number(port), hostname)
    const quiet = () => setTimeout(() => socket.destroy(), 30)
    let timer: NodeJS.Timeout | undefined
    const limit = setTimeout(() => reject(new Error(`no end after ${answerMsMax} ms`)), answerMsMax)
    socket.on('connect', () => socket.end(bytes))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      clearTimeout(timer)
      timer = quiet()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      clearTimeout(limit)
      resolve(text)
    })
  })
}

function heads(door: Door): Fuzzer {
  const authorization = `Authorization: Token ${door.token}\r\n`
  return {
    examples: [
      `GET /query?db=b&q=select%20f%20from%20m HTTP/1.1\r\nHost: ` +
        `x\r\n${authorization}Accept: application/x-msgpack\r\n\r\n`,
      `POST /api/v2/write?org=o&bucket=b HTTP/1.1\r\nHost: ` +
        `x\r\n${authorization}Content-Length: 7\r\n\r\nm f=1 1`,
      `POST /write?db=b&precision=ms HTTP/1.1\r\nHost: ` +
        `x\r\n${authorization}Transfer-Encoding: chunked\r\n\r\n7\r\nm f=1 1\r\n0\r\n\r\n`,
      `POST /api/v2/query?org=o HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: ` +
        `application/json\r\nContent-Length: 14\r\n\r\n{"query":"1h"}`,
    ],
    words: [
      '\r\n',
      ': ',
      'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Expect: 100-continue\r\n',
      'Content-Encoding: gzip\r\n',
      'HTTP/1.0',
      '%00',
      '%zz',
      '?',
      '&',
      'Upgrade: h2c\r\n',
      '..//',
      ';',
      'Connection: close\r\n',
    ],
    async run(input) {
      const text = await raw(door, input)
      for (const match of text.matchAll(/^HTTP\/1\.1 (\d+)/gm))
        requireNoFault(Number(match[1]), text)
    },
  }
}

function http2(door: Door): Fuzzer {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const headers = Buffer.from([0, 0, 4, 1, 4, 0, 0, 0, 1, 0x82, 0x84, 0x86, 0x41])
  const data = Buffer.from([0, 0, 5, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0])
  return {
    examples: [Buffer.concat([settings, headers, data]), Buffer.concat([settings, settings])],
    words: [
      '\u0000\u0000\u0008\u0006\u0000',
      '\u0000\u0000\u0004\u0003\u0000',
      '\u00ff\u00ff\u00ff',
      '\u0009',
    ],
    run: (input) => raw(door, Buffer.concat([preface, input])),
  }
}

const jsonTargets = [
  '/api/v2/query?org=o',
  '/api/v2/dashboards',
  '/api/v2/tasks',
  '/api/v3/query_sql',
  '/api/v2/templates/apply',
  '/api/v3/configure/table',
  '/api/v2/checks',
]

function bodies(door: Door): Fuzzer {
  let turn = 0
  return {
    examples: [
      '{"query":"from(bucket: \\"b\\") |> range(start: ' +
        '0)","type":"flux","dialect":{"header":true,"annotations":["group"]},"params":{"a":1}}',
      '{"orgID":"0123456789abcdef","name":"d","flux":"option task = {name: \\"t\\", every: ' +
        '1h}","status":"active"}',
      '{"db":"b","q":"SELECT * FROM m","format":"jsonl","params":{"x":[1,null,"y"]}}',
    ],
    words: [
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      'null',
      '1e999',
      '-0',
      '"__proto__":',
      '\\u0000',
      'true',
    ],
    run: (input) =>
      request(door, jsonTargets[turn++ % jsonTargets.length], { method: 'POST', body: input }),
  }
}

function packed(door: Door): Fuzzer {
  return {
    examples: [
      gzipSync('m f=1 1\n'),
      gzipSync('m f=1 1\n'.repeat(50_000)),
      gzipSync(Buffer.alloc(3_000_000)),
    ],
    words: ['\u001f\u008b\u0008', '\u00ff\u00ff', '\u0000\u0000'],
    run: (input) =>
      request(door, '/api/v2/write?org=o&bucket=b', {
        method: 'POST',
        body: input,
        headers: { 'content-encoding': 'gzip' },
      }),
  }
}

function sql(door: Door): Fuzzer {
  return {
    examples: [
      "SELECT date_bin(INTERVAL '5 minutes', time) AS t, avg(f), selector_last(f, " +
        "time)['value'] FROM m WHERE t = 'a' AND time >= '2020-01-01T00:00:00Z' GROUP BY 1 " +
        'ORDER BY 1 DESC LIMIT 10',
      'WITH x AS (SELECT *, row_number() OVER (PARTITION BY t ORDER BY time) AS n FROM m) ' +
        'SELECT a.f + b.f, CASE WHEN a.n > 1 THEN NULL ELSE a.t END FROM x a JOIN x b USING ' +
        '(n) WHERE EXISTS (SELECT 1)',
      "SELECT table_name FROM information_schema.tables WHERE table_name LIKE '%m' UNION ALL SELECT 'x'",
    ],
    words: [
      'SELECT',
      '(',
      ')',
      ',',
      "'",
      '"',
      '--',
      '/*',
      'FROM',
      'JOIN',
      '::',
      'NULL',
      'OVER (',
      '$a',
      ';',
      '*',
      'CAST(',
      'INTERVAL',
    ],
    run: (input) =>
      request(door, '/api/v3/query_sql', {
        method: 'POST',
        body: JSON.stringify({ db: 'b', q: input.toString() }),
      }),
  }
}

const same = (bytes: Buffer) => bytes
const methods = [
  'DoGet',
  'GetFlightInfo',
  'GetSchema',
  'DoAction',
  'ListActions',
  'ListFlights',
  'DoPut',
  'Handshake',
]
const faults = new Set(['INTERNAL', 'UNKNOWN', 'DATA_LOSS'])

function flight(door: Door): Fuzzer {
  const client = new Client(new URL(door.url).host, credentials.createInsecure())
  let turn = 0
  return {
    examples: [
      Buffer.from('\n\u001a{"database":"b","sql_query"', 'latin1'),
      Buffer.from(
        '\u0008\u0002\u0012L\nAtype.googleapis.com/arrow.flight.protocol.sql.CommandStatem' +
          'entQuery\u0012\u000b\n\tSELECT 1',
        'latin1',
      ),
    ],
    words: [
      '\n',
      '\u0012',
      'CommandGetTables',
      'CreatePreparedStatement',
      '\u0080\u0001',
      '{',
      '"',
    ],
    run(input) {
      const metadata = new Metadata()
      metadata.add('authorization', `Bearer ${door.token}`)
      metadata.add('database', 'b')
      const method = methods[turn++ % methods.length]
      const path = `/arrow.flight.protocol.FlightService/${method}`
      const options = { deadline: Date.now() + answerMsMax }
      const call = client.makeBidiStreamRequest(path, same, same, metadata, options)
      call.on('error', () => undefined)
      call.on('data', () => undefined)
      call.write(input)
      call.end()
      return new Promise<void>((resolve, reject) => {
        call.on('status', ({ code, details }) => {
          if (faults.has(grpcStatus[code]))
            reject(new Error(`${method}: ${grpcStatus[code]} ${details}`))
          else resolve()
        })
      })
    },
  }
}

export function doors(door: Door): Readonly<Record<string, Fuzzer>> {
  return {
    heads: heads(door),
    http2: http2(door),
    bodies: bodies(door),
    gzip: packed(door),
    sql: sql(door),
    flight: flight(door),
  }
}
