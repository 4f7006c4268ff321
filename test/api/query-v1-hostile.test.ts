// `/query` with anything in any of its parameters, headers and bodies: an answer always comes, and it
// is never the server's fault.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { install } from './harness.js'
import { ask, queryUrl } from './query-v1-client.js'

const statement = fc.constantFrom(
  'select * from m',
  "select mean(f) from m group by time(1h), * fill(linear) tz('Asia/Kolkata')",
  'show tag values with key = t where t =~ /a/',
  'explain analyze select f from m',
  'select f from (select f from m) where f > $x',
)
const words =
  'select from where group by time ( ) * , ; \' " / =~ 1s -1 9e9 $x :: m f t into show'.split(' ')
const query = fc.oneof(
  fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((list) => list.join(' ')),
  fc.string({ maxLength: 60, unit: 'binary' }),
  statement,
  // A statement cut off somewhere, or with a character too many.
  fc
    .tuple(statement, fc.nat(60), fc.string({ maxLength: 2 }))
    .map(([text, at, more]) => text.slice(0, at) + more),
)
const value = fc.oneof(
  fc.constantFrom('', 'true', '0', '-1', '1e9', '{}', '{"x":1}', '[', 'ns'),
  fc.string(),
)
const parameters = fc.record(
  {
    db: fc.constantFrom('b', 'none', '\u0000', 'b.autogen'),
    q: query,
    epoch: value,
    chunked: value,
    chunk_size: value,
    params: value,
    pretty: value,
    rp: value,
    time_format: value,
    async: fc.constant('no'),
  },
  { requiredKeys: ['q'] },
)
const contentType = fc.constantFrom(
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/vnd.influxql',
  'application/json',
  '/;;=',
)
const accept = fc.constantFrom('*/*', 'text/csv', 'application/x-msgpack', ';q=,', 'text/csv;q=x')

test('never fails', async () => {
  const { url, token, writeV1 } = await install()
  await writeV1('m,t=a f=1.5,s="x" 1\nm,t=b f=2 2')
  const authorization = `Token ${token}`
  await fc.assert(
    fc.asyncProperty(parameters, accept, async (given, type) => {
      const headers = { authorization, accept: type }
      const { status } = await ask(queryUrl(url, given as Record<string, string>), { headers })
      expect([200, 400, 401, 404]).toContain(status)
    }),
    { numRuns: 150 },
  )
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    parameters.map((given) =>
      Buffer.from(new URLSearchParams(given as Record<string, string>).toString()),
    ),
    query.map((q) =>
      Buffer.from(`--x\r\nContent-Disposition: form-data; name="q"\r\n\r\n${q}\r\n--x--`),
    ),
  )
  await fc.assert(
    fc.asyncProperty(body, contentType, async (bytes, type) => {
      const headers = { authorization, 'content-type': type }
      const { status } = await ask(queryUrl(url, { db: 'b' }), {
        method: 'POST',
        headers,
        body: bytes,
      })
      expect([200, 400, 401, 404]).toContain(status)
    }),
    { numRuns: 150 },
  )
  expect(
    (await ask(queryUrl(url, { q: 'show databases' }), { headers: { authorization } })).status,
  ).toBe(200)
}, 120_000)
