// Every status in the tables of the cluster variant's contract, each brought about by a request: ping,
// the two writes and the query, with the bodies that the contract gives them.

import { request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished, vi } from 'vitest'
import { BusyError } from '../../src/errors.js'
import type { ServerOptions } from '../../src/index.js'
import { streamOf } from '../../src/platform/pull-stream.js'
import { type Answer, adminToken, send } from './client.js'
import { type Cluster, cluster } from './cluster-client.js'

const line = { method: 'POST', token: adminToken, body: 'm f=1' } as const
const ask = (here: Cluster, path: string, options = {}) => send(`${here.url}${path}`, options)
const queryPath = '/query?db=d&q=select+f+from+m'

/** An upload that does not end keeps its place. */
async function occupy(here: Cluster): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-length': 100 }
  const sent = httpRequest(`${here.url}/write?db=d`, { method: 'POST', headers })
  sent.on('error', () => undefined)
  onTestFinished(() => void sent.destroy())
  await new Promise((resolve) => sent.write('m', resolve))
  const isIn = async () => {
    const { text } = await ask(here, '/metrics', { token: adminToken })
    return /^millrace_write_requests_in_flight 1$/m.test(text)
  }
  await vi.waitFor(async () => expect(await isIn()).toBe(true), 10_000)
}

interface Case {
  readonly endpoint: 'ping' | 'v2 write' | 'query' | 'v1 write'
  readonly status: number
  readonly when: string
  readonly options?: ServerOptions
  /** The code in the body; absent: there is none. */
  readonly code?: string
  request(here: Cluster): Promise<Answer>
}

const busy = (here: Cluster) =>
  vi.spyOn(here.server.store, 'write').mockRejectedValue(new BusyError('too many writes wait'))
const broken = (here: Cluster) =>
  vi.spyOn(here.server.store, 'write').mockRejectedValue(new Error('out of order'))

async function tokenForOther(here: Cluster): Promise<string> {
  await here.makeDatabase('other')
  return (await here.giveToken(['other'], ['read', 'write'])).token
}

const large = 'm f=1\n'.repeat(20)

const cases: readonly Case[] = [
  {
    endpoint: 'ping',
    status: 204,
    when: 'the querier is there',
    request: (here) => ask(here, '/ping'),
  },
  {
    endpoint: 'ping',
    status: 204,
    when: 'asked by HEAD',
    request: (here) => ask(here, '/ping', { method: 'HEAD' }),
  },
  {
    endpoint: 'ping',
    status: 204,
    when: 'the process is a querier alone',
    options: { role: 'query' },
    request: (here) => ask(here, '/ping'),
  },
  {
    endpoint: 'ping',
    status: 204,
    when: 'a token comes that is no good',
    request: (here) => ask(here, '/ping', { token: 'wrong' }),
  },
  {
    endpoint: 'ping',
    status: 503,
    code: 'unavailable',
    when: 'the process is no querier',
    options: { role: 'ingest' },
    request: (here) => ask(here, '/ping'),
  },
  {
    endpoint: 'v2 write',
    status: 204,
    when: 'all data is written',
    request: (here) => ask(here, '/api/v2/write?bucket=d&org=any&precision=s', line),
  },
  {
    endpoint: 'v2 write',
    status: 204,
    when: 'the body is packed',
    request: (here) =>
      ask(here, '/api/v2/write?bucket=d', {
        ...line,
        body: gzipSync('m f=1'),
        headers: { 'content-encoding': 'gzip', 'content-type': 'text/plain' },
      }),
  },
  {
    endpoint: 'v2 write',
    status: 204,
    when: 'the database is named by its id',
    request: async (here) => {
      const buckets = await here.server.catalog.buckets.all()
      const { id } = buckets.find(({ name }) => name === 'd') ?? { id: '' }
      return ask(here, `/api/v2/write?bucket=${id}&orgID=any`, line)
    },
  },
  {
    endpoint: 'v2 write',
    status: 400,
    code: 'invalid',
    when: 'bucket is missing',
    request: (here) => ask(here, '/api/v2/write', line),
  },
  {
    endpoint: 'v2 write',
    status: 400,
    code: 'invalid',
    when: 'the precision is unknown',
    request: (here) => ask(here, '/api/v2/write?bucket=d&precision=h', line),
  },
  {
    endpoint: 'v2 write',
    status: 400,
    code: 'invalid',
    when: 'the body says that it is packed, and is not',
    request: (here) =>
      ask(here, '/api/v2/write?bucket=d', { ...line, headers: { 'content-encoding': 'gzip' } }),
  },
  {
    endpoint: 'v2 write',
    status: 400,
    code: 'invalid',
    when: 'a line is malformed',
    request: (here) => ask(here, '/api/v2/write?bucket=d', { ...line, body: 'm f=1\nbad' }),
  },
  {
    endpoint: 'v2 write',
    status: 400,
    code: 'invalid',
    when: 'a type conflicts',
    request: async (here) => {
      await ask(here, '/api/v2/write?bucket=d', line)
      return ask(here, '/api/v2/write?bucket=d', { ...line, body: 'm f="text"' })
    },
  },
  {
    endpoint: 'v2 write',
    status: 401,
    code: 'unauthorized',
    when: 'there is no token',
    request: (here) => ask(here, '/api/v2/write?bucket=d', { method: 'POST', body: 'm f=1' }),
  },
  {
    endpoint: 'v2 write',
    status: 401,
    code: 'unauthorized',
    when: 'the header is malformed',
    request: (here) =>
      ask(here, '/api/v2/write?bucket=d', {
        method: 'POST',
        body: 'm f=1',
        headers: { authorization: `token ${adminToken}` },
      }),
  },
  {
    endpoint: 'v2 write',
    status: 401,
    code: 'unauthorized',
    when: 'the token is for another database',
    request: async (here) =>
      ask(here, '/api/v2/write?bucket=d', { ...line, token: await tokenForOther(here) }),
  },
  {
    endpoint: 'v2 write',
    status: 401,
    code: 'unauthorized',
    when: 'the token may only read',
    request: async (here) =>
      ask(here, '/api/v2/write?bucket=d', {
        ...line,
        token: (await here.giveToken(['d'], ['read'])).token,
      }),
  },
  {
    endpoint: 'v2 write',
    status: 404,
    code: 'not found',
    when: 'the database is missing',
    request: (here) => ask(here, '/api/v2/write?bucket=none', line),
  },
  {
    endpoint: 'v2 write',
    status: 413,
    code: 'invalid',
    when: 'the body is too large',
    options: { maxBodyBytes: 100 },
    request: (here) => ask(here, '/api/v2/write?bucket=d', { ...line, body: large }),
  },
  {
    endpoint: 'v2 write',
    status: 413,
    code: 'invalid',
    when: 'the body is too large once it is unpacked',
    options: { maxBodyBytes: 100 },
    request: (here) =>
      ask(here, '/api/v2/write?bucket=d', {
        ...line,
        body: gzipSync(large),
        headers: { 'content-encoding': 'gzip' },
      }),
  },
  {
    endpoint: 'v2 write',
    status: 405,
    code: 'method not allowed',
    when: 'the method is another',
    request: (here) => ask(here, '/api/v2/write?bucket=d', { token: adminToken }),
  },
  {
    endpoint: 'v2 write',
    status: 429,
    code: 'too many requests',
    when: 'ingesters are constrained',
    request: (here) => {
      busy(here)
      return ask(here, '/api/v2/write?bucket=d', line)
    },
  },
  {
    endpoint: 'v2 write',
    status: 500,
    code: 'internal error',
    when: 'something breaks',
    request: (here) => {
      broken(here)
      return ask(here, '/api/v2/write?bucket=d', line)
    },
  },
  {
    endpoint: 'v2 write',
    status: 503,
    code: 'unavailable',
    when: 'too many come at once',
    options: { writeRequestsMax: 1 },
    request: async (here) => {
      await occupy(here)
      return ask(here, '/api/v2/write?bucket=d', line)
    },
  },
  {
    endpoint: 'v2 write',
    status: 503,
    code: 'unavailable',
    when: 'the process is no ingester',
    options: { role: 'query' },
    request: (here) => ask(here, '/api/v2/write?bucket=d', line),
  },
  {
    endpoint: 'query',
    status: 200,
    when: 'the query runs',
    request: (here) => ask(here, queryPath, { token: adminToken }),
  },
  {
    endpoint: 'query',
    status: 200,
    when: 'it is posted as a form',
    request: (here) =>
      ask(here, '/query', {
        method: 'POST',
        token: adminToken,
        body: 'db=d&q=select+f+from+m',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
  },
  {
    endpoint: 'query',
    status: 400,
    code: 'invalid',
    when: 'the query cannot be read',
    request: (here) => ask(here, '/query?db=d&q=selec', { token: adminToken }),
  },
  {
    endpoint: 'query',
    status: 400,
    code: 'invalid',
    when: 'q is missing',
    request: (here) => ask(here, '/query?db=d', { token: adminToken }),
  },
  {
    endpoint: 'query',
    status: 400,
    code: 'invalid',
    when: 'db is missing',
    request: (here) => ask(here, '/query?q=select+f+from+m', { token: adminToken }),
  },
  {
    endpoint: 'query',
    status: 401,
    code: 'unauthorized',
    when: 'there is no token',
    request: (here) => ask(here, queryPath),
  },
  {
    endpoint: 'query',
    status: 401,
    code: 'unauthorized',
    when: 'the token is for another database',
    request: async (here) => ask(here, queryPath, { token: await tokenForOther(here) }),
  },
  {
    endpoint: 'query',
    status: 404,
    code: 'not found',
    when: 'the database is missing',
    request: (here) => ask(here, '/query?db=none&q=select+f+from+m', { token: adminToken }),
  },
  {
    endpoint: 'query',
    status: 429,
    code: 'too many requests',
    when: 'queriers are constrained',
    options: { queryConcurrentMax: 1 },
    request: async (here) => {
      await ask(here, '/write?db=d', line)
      const { promise, resolve } = deferred()
      const { read } = here.server.store
      vi.spyOn(here.server.store, 'read').mockImplementation((...args) => {
        const late = async function* () {
          await promise
          yield* read.apply(here.server.store, args)
        }
        return streamOf(late())
      })
      const first = ask(here, queryPath, { token: adminToken })
      await vi.waitFor(() => expect(here.server.store.read).toHaveBeenCalled(), 10_000)
      const second = await ask(here, queryPath, { token: adminToken })
      resolve()
      expect((await first).status).toBe(200)
      return second
    },
  },
  {
    endpoint: 'query',
    status: 503,
    code: 'unavailable',
    when: 'the process is no querier',
    options: { role: 'ingest' },
    request: (here) => ask(here, queryPath, { token: adminToken }),
  },
  {
    endpoint: 'v1 write',
    status: 204,
    when: 'it is accepted',
    request: (here) => ask(here, '/write?db=d&precision=ms', line),
  },
  {
    endpoint: 'v1 write',
    status: 204,
    when: 'the database is missing and may be made',
    request: (here) => ask(here, '/write?db=new', line),
  },
  {
    endpoint: 'v1 write',
    status: 204,
    when: 'the body is packed, and the token stands in the query string',
    request: (here) =>
      ask(here, `/write?db=d&u=any&p=${adminToken}`, {
        method: 'POST',
        body: gzipSync('m f=1'),
        headers: { 'content-encoding': 'gzip', 'content-type': 'text/plain' },
      }),
  },
  {
    endpoint: 'v1 write',
    status: 400,
    code: 'invalid',
    when: 'some points are good',
    request: (here) => ask(here, '/write?db=d', { ...line, body: 'm f=1\nbad' }),
  },
  {
    endpoint: 'v1 write',
    status: 400,
    code: 'invalid',
    when: 'no point is good',
    request: (here) => ask(here, '/write?db=d', { ...line, body: 'bad' }),
  },
  {
    endpoint: 'v1 write',
    status: 400,
    code: 'invalid',
    when: 'db is missing',
    request: (here) => ask(here, '/write', line),
  },
  {
    endpoint: 'v1 write',
    status: 401,
    code: 'unauthorized',
    when: 'the token is for another database',
    request: async (here) =>
      ask(here, '/write?db=d', { ...line, token: await tokenForOther(here) }),
  },
  {
    endpoint: 'v1 write',
    status: 401,
    code: 'unauthorized',
    when: 'the database is missing and may not be made',
    request: async (here) =>
      ask(here, '/write?db=new', { ...line, token: await tokenForOther(here) }),
  },
  {
    endpoint: 'v1 write',
    status: 401,
    code: 'unauthorized',
    when: 'the token is nobody’s',
    request: (here) => ask(here, '/write?db=d', { ...line, token: 'wrong' }),
  },
  {
    endpoint: 'v1 write',
    status: 403,
    code: 'forbidden',
    when: 'there is no token',
    request: (here) => ask(here, '/write?db=d', { method: 'POST', body: 'm f=1' }),
  },
  {
    endpoint: 'v1 write',
    status: 413,
    code: 'invalid',
    when: 'the body is too large',
    options: { maxBodyBytes: 100 },
    request: (here) => ask(here, '/write?db=d', { ...line, body: large }),
  },
  {
    endpoint: 'v1 write',
    status: 429,
    code: 'too many requests',
    when: 'ingesters are constrained',
    request: (here) => {
      busy(here)
      return ask(here, '/write?db=d', line)
    },
  },
  {
    endpoint: 'v1 write',
    status: 500,
    code: 'internal error',
    when: 'something breaks',
    request: (here) => {
      broken(here)
      return ask(here, '/write?db=d', line)
    },
  },
  {
    endpoint: 'v1 write',
    status: 503,
    code: 'unavailable',
    when: 'too many come at once',
    options: { writeRequestsMax: 1 },
    request: async (here) => {
      await occupy(here)
      return ask(here, '/write?db=d', line)
    },
  },
  {
    endpoint: 'v1 write',
    status: 503,
    code: 'unavailable',
    when: 'the process is no ingester',
    options: { role: 'query' },
    request: (here) => ask(here, '/write?db=d', line),
  },
]

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

it.each(cases)('$endpoint: $status when $when', async (wanted) => {
  const here = await cluster(wanted.options)
  await here.makeDatabase('d')
  const { status, json, headers } = await wanted.request(here)
  expect(status).toBe(wanted.status)
  expect(json?.code).toBe(wanted.code)
  expect(headers['x-service-build']).toBe('OSS')
  // Declared as a whole number; the text is in the other header.
  expect(headers['x-service-version']).toBe('3')
  expect(headers['x-influxdb-version']).toMatch(/^3\.\d+\.\d+$/)
  expect(headers['x-influxdb-build']).toBe('OSS')
  if (wanted.code === undefined) return
  expect(headers['content-type']).toMatch(/^application\/json/)
  expect(json.message).toMatch(/\S/)
  if (status === 429) expect(headers['retry-after']).toBe('1')
  // What the programs read that were made for InfluxDB 1.
  if (wanted.endpoint !== 'v2 write' && wanted.endpoint !== 'ping') {
    expect(json.error).toBe(json.message)
  }
})

it.each(['/write?db=d', '/api/v2/write?bucket=d'])(
  '%s tells lines and what is wrong',
  async (path) => {
    const here = await cluster()
    await here.makeDatabase('d')
    const good = 'm f=1 1700000000000000000'
    await ask(here, '/write?db=d', { ...line, body: good })
    const body = `${good}\nbad\n${good}\nm f="text" 1700000000000000000`
    const mixed = (await ask(here, path, { ...line, body })).json
    expect(mixed.line).toBe(2)
    const [first, ...errors] = mixed.message.split('\n')
    expect(first).toBe('partial write has occurred, errors encountered on line(s):')
    expect(errors).toHaveLength(2)
    expect(errors[0]).toBe("error parsing line 2 (1-based): unable to parse 'bad': missing fields")
    expect(errors[1]).toMatch(/^error writing line 4 \(1-based\): .*field type conflict: /)
    const none = (await ask(here, path, { ...line, body: '\nbad' })).json
    expect(none).toMatchObject({
      code: 'invalid',
      line: 2,
      message:
        'no data written, errors encountered on line(s):\n' +
        "error parsing line 2 (1-based): unable to parse 'bad': missing fields",
    })
  },
)

it.each(['bad', 'm f="text"'])('names the first hundred of those rejected: %s', async (bad) => {
  const here = await cluster()
  await here.makeDatabase('d')
  await ask(here, '/write?db=d', line)
  const body = `${bad}\n`.repeat(150)
  const { message } = (await ask(here, '/write?db=d', { ...line, body })).json
  const errors = message.split('\n').slice(1)
  expect(errors).toHaveLength(100)
  expect(errors[99]).toContain('line 100 (1-based): ')
})

it('writes nothing of a body that is too large, and names the largest', async () => {
  const here = await cluster({ maxBodyBytes: 100 })
  await here.makeDatabase('d')
  for (const path of ['/write?db=d', '/api/v2/write?bucket=d']) {
    const { json } = await ask(here, path, { ...line, body: large })
    expect(json).toMatchObject({ code: 'invalid', maxLength: 100 })
    expect(json.message).toContain('100 bytes')
  }
  const answer = await ask(here, queryPath, { token: adminToken })
  expect(answer.json).toEqual({ results: [{ statement_id: 0 }] })
})
