// `/query` in the managed variant: where parameters may stand, the formats of answers, headers,
// credentials, and what is told by status and what within a result. Texts are those of InfluxDB 1.6.7.

import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { type RunningServer, startServer } from '../../src/index.js'
import { adminToken, install, send } from './harness.js'
import { type Asking, ask, queryUrl, type RawAnswer } from './query-v1-client.js'

const points = `m,t=a f=1.5,i=9223372036854775807i,s="x<y" 1
m,t=b f=-2 1500000000
m,t=b f=3 1500000001500000000`

/** One server for all tests that change nothing. */
let shared: { server: RunningServer; url: string; token: string }

beforeAll(async () => {
  const server = await startServer({ jobs: 'inline', adminToken })
  const setup = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
  const { url } = server
  const answer = await send(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(setup) })
  const { token } = answer.json.auth
  await send(`${url}/write?db=b`, { method: 'POST', token, body: points })
  shared = { server, url, token }
  return () => server.close()
})

type Texts = Readonly<Record<string, string>>

function get(parameters: Texts, headers: Texts = {}): Promise<RawAnswer> {
  const authorization = `Token ${shared.token}`
  const target = queryUrl(shared.url, { db: 'b', ...parameters })
  return ask(target, { headers: { authorization, ...headers } })
}

function post(parameters: Texts, type: string, body: string | Uint8Array): Promise<RawAnswer> {
  const headers = { authorization: `Token ${shared.token}`, 'content-type': type }
  return ask(queryUrl(shared.url, parameters), { method: 'POST', headers, body })
}

const fOfM = 'select f from m'
const valuesOf = (answer: RawAnswer) => JSON.parse(answer.text).results[0].series[0].values
const firstRow =
  '{"results":[{"statement_id":0,"series":[{"name":"m","columns":["time","f"],"values":'

describe('where parameters stand', () => {
  test('in the URL', async () => {
    const answer = await get({ q: `${fOfM} limit 1` })
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(`${firstRow}[["1970-01-01T00:00:00.000000001Z",1.5]]}]}]}\n`)
  })

  const expected = `${firstRow}[[1,1.5]]}]}]}\n`
  const form = new URLSearchParams({ db: 'b', epoch: 'ns', q: `${fOfM} limit 1;` }).toString()

  test('in a form', async () => {
    const type = 'application/x-www-form-urlencoded; charset=utf-8'
    expect((await post({}, type, form)).text).toBe(expected)
    const win = await post({ q: 'show databases', db: 'other', epoch: 's' }, type, form)
    expect(win.text).toBe(expected)
    expect((await post({ db: 'b', q: `${fOfM} limit 1` }, type, 'epoch=ns&q=')).text).toBe(expected)
  })

  test('in multipart, fields and files', async () => {
    const body = [
      '--xyz',
      'Content-Disposition: form-data; name="epoch"',
      '',
      'ns',
      '--xyz',
      'Content-Disposition: form-data; name="q"; filename="q.txt"',
      'Content-Type: text/plain',
      '',
      `${fOfM}\r\nlimit 1\r\n`,
      '--xyz--',
      '',
    ].join('\r\n')
    const type = 'multipart/form-data; boundary=xyz'
    expect((await post({ db: 'b' }, type, body)).text).toBe(expected)
    const without = await post({ db: 'b' }, 'multipart/form-data', body)
    expect(without.status).toBe(400)
  })

  test('as nothing but the query', async () => {
    const answer = await post(
      { db: 'b', epoch: 'ns' },
      'application/vnd.influxql',
      `${fOfM} limit 1`,
    )
    expect(answer.text).toBe(expected)
  })

  test('another body is not looked at', async () => {
    const answer = await post(
      { db: 'b', epoch: 'ns', q: `${fOfM} limit 1` },
      'application/json',
      '{}',
    )
    expect(answer.text).toBe(expected)
    const none = await post({ db: 'b' }, 'application/json', `{"q":"${fOfM}"}`)
    expect(JSON.parse(none.text).error).toBe('missing required parameter "q"')
  })

  test('a body over the limit', async () => {
    const type = 'application/x-www-form-urlencoded'
    const answer = await post({ db: 'b' }, type, `q=${'x'.repeat(11 * 1024 * 1024)}`)
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.text).error).toMatch(/maximum is 10485760 bytes/)
  })

  test('a database may be written with its policy', async () => {
    expect((await get({ db: 'b.autogen', epoch: 'ns', q: `${fOfM} limit 1` })).text).toBe(expected)
    expect((await get({ rp: 'autogen', epoch: 'ns', q: `${fOfM} limit 1` })).text).toBe(expected)
    const missing = await get({ rp: 'none', q: fOfM })
    expect(missing.text).toBe(
      '{"results":[{"statement_id":0,"error":"retention policy not found: none"}]}\n',
    )
  })
})

describe('moments', () => {
  test.each([
    ['ns', [1, 1500000000, '1500000001500000000']],
    ['n', [1, 1500000000, '1500000001500000000']],
    ['u', [0, 1500000, 1500000001500000]],
    ['µ', [0, 1500000, 1500000001500000]],
    ['ms', [0, 1500, 1500000001500]],
    ['s', [0, 1, 1500000001]],
    ['m', [0, 0, 25000000]],
    ['h', [0, 0, 416666]],
    ['unknown', [1, 1500000000, '1500000001500000000']],
  ])('epoch=%s', async (epoch, [a, b, c]) => {
    const { text } = await get({ q: fOfM, epoch })
    expect(text).toBe(`${firstRow}[[${a},1.5],[${b},-2],[${c},3]]}]}]}\n`)
  })

  test('RFC3339 by default, when epoch is empty, and when asked for', async () => {
    const texts = [
      '1970-01-01T00:00:00.000000001Z',
      '1970-01-01T00:00:01.5Z',
      '2017-07-14T02:40:01.5Z',
    ]
    const ways: Texts[] = [{}, { epoch: '' }, { epoch: 's', time_format: 'rfc3339' }]
    for (const parameters of ways) {
      const values = valuesOf(await get({ q: fOfM, ...parameters }))
      expect(values.map((row: unknown[]) => row[0])).toEqual(texts)
    }
  })
})

describe('formats', () => {
  test('indented', async () => {
    const { text } = await get({ q: `${fOfM} limit 1`, pretty: 'true', epoch: 'ns' })
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 4)}\n`)
    expect(valuesOf(await get({ q: fOfM, pretty: 'true' }))).toHaveLength(3)
  })

  test('integers are exact', async () => {
    const { text } = await get({ q: 'select i, s from m' })
    expect(text).toContain('["1970-01-01T00:00:00.000000001Z",9223372036854775807,"x\\u003cy"]')
  })

  test.each([
    ['application/csv', 'text/csv'],
    ['text/csv', 'text/csv'],
    ['text/csv; charset=utf-8, application/json;q=0.5', 'text/csv'],
    ['application/json;q=0.1, application/x-msgpack', 'application/x-msgpack'],
    ['application/x-msgpack', 'application/x-msgpack'],
    ['application/json', 'application/json'],
    ['text/html, */*', 'application/json'],
    ['image/png', 'application/json'],
  ])('%s', async (accept, type) => {
    const answer = await get({ q: fOfM }, { accept })
    expect(answer.headers['content-type']).toBe(type)
    if (type === 'text/csv') {
      expect(answer.text).toBe(
        'name,tags,time,f\nm,,1,1.5\nm,,1500000000,-2\nm,,1500000001500000000,3\n',
      )
    } else if (type !== 'application/json') expect(answer.bytes[0]).toBe(0x81)
  })

  test('chunks are documents of so many rows, and are streamed', async () => {
    const answer = await get({
      q: `${fOfM};select f from none`,
      chunked: 'true',
      chunk_size: '2',
      epoch: 'ns',
    })
    expect(answer.headers['transfer-encoding']).toBe('chunked')
    expect(answer.headers['content-length']).toBeUndefined()
    expect(answer.text.split('\n')).toEqual([
      `${firstRow}[[1,1.5],[1500000000,-2]],"partial":true}],"partial":true}]}`,
      `${firstRow}[[1500000001500000000,3]]}]}]}`,
      '{"results":[{"statement_id":1}]}',
      '',
    ])
    for (const chunk_size of ['0', 'x', '-1', '']) {
      const { text } = await get({ q: fOfM, chunked: 'true', chunk_size })
      expect(text.split('\n')).toHaveLength(2)
    }
  })

  test('gzip where it is taken', async () => {
    const plain = await get({ q: fOfM })
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const chunked of ['false', 'true']) {
      const packed = await get({ q: fOfM, chunked }, { 'accept-encoding': 'deflate, gzip' })
      expect(packed.headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(packed.bytes).toString()).toBe(plain.text)
    }
    const refused = await get({ q: fOfM }, { 'accept-encoding': 'gzip;q=0, identity' })
    expect(refused.headers['content-encoding']).toBeUndefined()
  })

  test('headers', async () => {
    const answer = await get({ q: fOfM }, { 'x-request-id': 'mine', origin: 'http://there' })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(answer.bytes.length),
      'x-influxdb-version': expect.any(String),
      'x-influxdb-build': 'OSS',
      'x-request-id': 'mine',
      'request-id': 'mine',
      'trace-id': 'mine',
      'access-control-allow-origin': 'http://there',
    })
  })
})

test('answers of every kind are counted like other requests', async () => {
  const count = async () => {
    const { text } = await send(`${shared.url}/metrics`, { token: shared.token })
    return Number(
      /http_requests_total\{method="GET",route="\/query",status="200"\} (\d+)/.exec(text)?.[1],
    )
  }
  await get({ q: fOfM })
  const before = await count()
  await get({ q: fOfM })
  await get({ q: fOfM, chunked: 'true' })
  await get({ q: fOfM }, { 'accept-encoding': 'gzip' })
  expect(await count()).toBe(before + 3)
})

describe('what is wrong', () => {
  test.each<[Texts, string]>([
    [{}, 'missing required parameter "q"'],
    [{ q: ' ' }, 'missing required parameter "q"'],
    [{ q: 'select f frm m' }, 'error parsing query: found frm, expected FROM at line 1, char 10'],
    [{ q: fOfM, params: '{' }, 'error parsing query parameters: unexpected EOF'],
    [
      { q: fOfM, params: '[1]' },
      'error parsing query parameters: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      { q: fOfM, params: '{"a":9223372036854775808}' },
      'error parsing json value: strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    [{ q: `${fOfM} where t = $x` }, 'error parsing query: missing parameter: x'],
    [{ q: fOfM, time_format: 'x' }, 'Time format must be one of the following: rfc3339,epoch'],
  ])('in the request: %j', async (parameters, error) => {
    const answer = await get(parameters)
    expect(answer.status).toBe(400)
    const whole = { error, code: 'invalid', message: error }
    expect(answer.text).toBe(`${JSON.stringify(whole)}\n`)
    expect(answer.headers['x-influxdb-error']).toBe(error)
  })

  test('in the form that was asked for', async () => {
    const text = 'found frm, expected FROM at line 1, char 10'
    const wrong = { q: 'select f frm m' }
    const csv = await get(wrong, { accept: 'text/csv' })
    expect([csv.status, csv.headers['content-type']]).toEqual([400, 'text/csv'])
    expect(csv.text).toBe(`error\n"error parsing query: ${text}"\n`)
    const packed = await get(wrong, { accept: 'application/x-msgpack' })
    expect(packed.bytes.subarray(0, 7).toString('latin1')).toBe('\x83\xa5error')
    expect(packed.text.endsWith(text)).toBe(true)
    const pretty = await get({ ...wrong, pretty: 'true' })
    const message = `error parsing query: ${text}`
    const whole = { error: message, code: 'invalid', message }
    expect(pretty.text).toBe(`${JSON.stringify(whole, null, 4)}\n`)
    const escaped = await get({ q: '<' })
    expect(escaped.text).toContain('found \\u003c, expected')
    expect(escaped.headers['content-type']).toBe('application/json')
  })

  test('in a statement stands in its result, and ends the others', async () => {
    const answer = await get({ q: `${fOfM} limit 1; select f from other..m; ${fOfM}`, epoch: 'ns' })
    expect(answer.status).toBe(200)
    const { results } = JSON.parse(answer.text)
    expect(results[0].series[0].values).toEqual([[1, 1.5]])
    expect(results[1].error).toBe('database not found: other')
    expect(results[2].error).toBe('not executed')
    const missing = await get({ db: 'none', q: fOfM })
    expect(missing.status).toBe(200)
    expect(missing.text).toBe(
      '{"results":[{"statement_id":0,"error":"database not found: none"}]}\n',
    )
  })

  test('parameters are bound', async () => {
    const q = `${fOfM} where t = $tag and f < $most`
    const params = JSON.stringify({ tag: 'b', most: 0 })
    expect(valuesOf(await get({ q, params, epoch: 'ns' }))).toEqual([[1500000000, -2]])
  })

  test('another method', async () => {
    const { url, token } = shared
    const answer = await send(`${url}/query?q=x`, { method: 'PUT', token })
    expect(answer.status).toBe(405)
  })
})

describe('who asks', () => {
  const q = `${fOfM} limit 1`
  const asBasic = (pair: string) => ({
    authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
  })
  const plain = (headers: Texts, parameters: Texts = {}): Promise<RawAnswer> =>
    ask(queryUrl(shared.url, { db: 'b', q, ...parameters }), { headers })

  test('by every scheme', async () => {
    const { token } = shared
    const ways: [Texts, Texts?][] = [
      [{ authorization: `Token ${token}` }],
      [{ authorization: `Token anybody:${token}` }],
      [asBasic(`anybody:${token}`)],
      [{}, { u: 'anybody', p: token }],
      [{ authorization: `Token ${adminToken}` }],
      [{ authorization: 'Token wrong' }, { u: 'x', p: token }],
    ]
    for (const [headers, parameters] of ways) {
      expect((await plain(headers, parameters)).status).toBe(200)
    }
  })

  test('nobody that is known', async () => {
    const none = await plain({})
    expect(none.status).toBe(401)
    expect(none.headers['www-authenticate']).toBe('Basic realm="InfluxDB"')
    const refused = (message: string) => ({ error: message, code: 'unauthorized', message })
    const nothing = refused('unable to parse authentication credentials')
    expect(JSON.parse(none.text)).toEqual(nothing)
    const wrong = await plain({ authorization: 'Token wrong' })
    expect(wrong.status).toBe(401)
    expect(JSON.parse(wrong.text)).toEqual(refused('authorization failed'))
  })

  test('who may not read it', async () => {
    const installed = await install()
    const { url, orgId, bucketId } = installed
    await installed.writeV1('m f=1 1')
    const writer = await installed.addToken([
      { action: 'write', resource: { type: 'buckets', id: bucketId, orgID: orgId } },
    ])
    const refused = await ask(queryUrl(url, { db: 'b', q: 'select f from m' }), {
      headers: { authorization: `Token ${writer}` },
    })
    expect(refused.status).toBe(401)
    expect(JSON.parse(refused.text).error).toMatch(/permission/)
  })
})

describe('statements that change something', () => {
  it('carry a warning in GET and none in POST', async () => {
    const { url, token } = await install()
    const headers = { authorization: `Token ${token}` }
    const asking: Asking = { headers }
    const made = JSON.parse((await ask(queryUrl(url, { q: 'create database d' }), asking)).text)
    expect(made.results[0].messages[0]).toEqual({
      level: 'warning',
      text: "deprecated use of 'CREATE DATABASE d' in a read only context, please use a POST request instead",
    })
    const posted = await ask(queryUrl(url, { q: 'create database e' }), {
      ...asking,
      method: 'POST',
    })
    expect(posted.text).toBe('{"results":[{"statement_id":0}]}\n')
    const { text } = await ask(queryUrl(url, { q: 'show databases' }), asking)
    expect(JSON.parse(text).results[0].series[0].values).toEqual(
      expect.arrayContaining([['d'], ['e']]),
    )
  })

  it('run on when nobody waits', async () => {
    const { url, token } = await install()
    const headers = { authorization: `Token ${token}` }
    const target = queryUrl(url, { q: 'create database later', async: 'true' })
    const answer = await ask(target, { method: 'POST', headers })
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    await expect
      .poll(async () => (await ask(queryUrl(url, { q: 'show databases' }), { headers })).text)
      .toContain('"later"')
  })
})
