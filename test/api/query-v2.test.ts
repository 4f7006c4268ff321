// `POST /api/v2/query`: how a script and what comes with it are sent, how the answer is written, and
// what is refused with which words.

import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { type Installation, install } from './harness.js'
import { ask } from './query-v1-client.js'
import { askFlux, askJson, csv } from './query-v2-client.js'

const rows =
  'import "array"\narray.from(rows: [{_value: 1.5, host: "a"}, {_value: 2.0, host: "b"}])'

async function filled(): Promise<Installation> {
  const place = await install()
  await place.write('cpu,host=a usage=1.5 1000000000\ncpu,host=a usage=2.5 2000000000')
  await place.write('mem,host=b usage=3i 1000000000')
  return place
}

it('answers a bare script without annotations', async () => {
  const place = await install()
  const answer = await askFlux(place, rows)
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(answer.headers).toMatchObject({
    'x-influxdb-build': expect.any(String),
    'x-influxdb-version': expect.any(String),
    'trace-id': expect.any(String),
  })
  expect(answer.text).toBe(
    csv(',result,table,_value,host', ',_result,0,1.5,a', ',_result,0,2,b', ''),
  )
})

it('reads points, one table for each series', async () => {
  const place = await filled()
  const script = `from(bucket: "b") |> range(start: 0, stop: 10s)
    |> filter(fn: (r) => r._field == "usage" and r.host == "a")`
  const dialect = { annotations: ['datatype', 'group', 'default'] }
  const now = '1970-01-01T00:00:10Z'
  const stop = '1970-01-01T00:00:10Z'
  const { text } = await askJson(place, { query: script, dialect, now })
  const start = '1970-01-01T00:00:00Z'
  expect(text).toContain(',_result,,')
  const lines = text.split('\r\n')
  const names = lines[3].split(',')
  const cells = lines.slice(4, 6).map((line) => {
    const values = line.split(',')
    return Object.fromEntries(names.map((name, i) => [name, values[i]]))
  })
  const common = { _start: start, _measurement: 'cpu', _field: 'usage', host: 'a', table: '0' }
  expect(cells).toEqual([
    {
      ...common,
      '': '',
      result: '',
      _stop: cells[0]._stop,
      _time: '1970-01-01T00:00:01Z',
      _value: '1.5',
    },
    {
      ...common,
      '': '',
      result: '',
      _stop: cells[0]._stop,
      _time: '1970-01-01T00:00:02Z',
      _value: '2.5',
    },
  ])
  // A duration counts from now.
  expect(cells[0]._stop).toBe(stop.replace(':10Z', ':20Z'))
})

it('writes the answer as the dialect says', async () => {
  const place = await install()
  const script = 'import "array"\narray.from(rows: [{t: 2020-01-01T00:00:00.5Z, s: "a;b"}])'
  const dialect = {
    header: false,
    delimiter: ';',
    annotations: ['default', 'datatype'],
    commentPrefix: '%',
    dateTimeFormat: 'RFC3339Nano',
  }
  const { text } = await askJson(place, { query: script, type: 'flux', dialect })
  expect(text.split('\r\n').map((line) => line.split(';').slice(0, 3).join(';'))).toEqual([
    '%default;_result;',
    '%datatype;string;long',
    ';;0',
    '',
    '',
  ])
  expect(text).toContain('"a;b"')
  expect(text).toContain('dateTime:RFC3339Nano')
  expect(text).toContain('2020-01-01T00:00:00.5Z')
  const defaults = { header: null, delimiter: '', commentPrefix: '', dateTimeFormat: '' }
  const plain = await askJson(place, { query: script, dialect: { ...defaults, annotations: null } })
  expect(plain.text).toBe((await askFlux(place, script)).text)
})

it('gives several results, one after the other', async () => {
  const place = await install()
  const script = `import "array"
a = array.from(rows: [{v: 1}])
a |> yield(name: "first")
a |> map(fn: (r) => ({v: r.v + 1})) |> yield(name: "second")`
  const { text } = await askFlux(place, script)
  const first = csv(',result,table,v', ',first,0,1', '')
  expect(text).toBe(first + csv(',result,table,v', ',second,0,2', ''))
})

it('tells a result without tables by a blank line', async () => {
  const place = await install()
  const { status, text } = await askFlux(place, 'from(bucket: "b") |> range(start: -1h)')
  expect([status, text]).toEqual([200, '\r\n'])
})

it('takes the time, parameters and statements that come with the request', async () => {
  const place = await install()
  const shown = async (body: object) => {
    const { status, text } = await askJson(place, body)
    expect(status, text).toBe(200)
    return text.split('\r\n')[1].replace(',_result,0,', '')
  }
  const show = (value: string) => `import "array"\narray.from(rows: [{v: ${value}}])`
  const now = '2021-02-03T04:05:06.000000007Z'
  expect(await shown({ query: show('now()'), now })).toBe(now)
  const params = { s: 'x"y', i: 3, f: 2.5, b: true, nested: { deep: 'down' }, list: [7, 8] }
  const given = (name: string) => shown({ query: show(`params.${name}`), params })
  expect(await given('s')).toBe('"x""y"')
  expect(await given('i + 1')).toBe('4')
  expect(await given('f + 0.5')).toBe('3')
  expect(await given('b')).toBe('true')
  expect(await given('nested.deep')).toBe('down')
  expect(await given('list[1]')).toBe('8')
  // 3.0 is a float although JavaScript would not say so.
  const typed = `{"query": ${JSON.stringify(show('params.f + 0.5'))}, "params": {"f": 3.0}}`
  expect((await askJson(place, typed)).text).toContain(',_result,0,3.5\r\n')
  const file = {
    type: 'File',
    package: null,
    imports: null,
    body: [
      {
        type: 'OptionStatement',
        assignment: {
          type: 'VariableAssignment',
          id: { type: 'Identifier', name: 'v' },
          init: {
            type: 'ObjectExpression',
            properties: [
              {
                type: 'Property',
                key: { type: 'Identifier', name: 'windowPeriod' },
                value: { type: 'DurationLiteral', values: [{ magnitude: 90, unit: 'm' }] },
              },
            ],
          },
        },
      },
    ],
  }
  expect(await shown({ query: show('string(v: v.windowPeriod)'), extern: file })).toBe('1h30m')
})

it('is packed, whole and streamed, where the client takes it', async () => {
  const place = await filled()
  const headers = {
    authorization: `Token ${place.token}`,
    'content-type': 'application/vnd.flux',
    'accept-encoding': 'gzip',
  }
  const body = gzipSync(rows)
  const packed = await ask(`${place.url}/api/v2/query`, {
    method: 'POST',
    headers: { ...headers, 'content-encoding': 'gzip' },
    body,
  })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(packed.bytes).toString()).toBe((await askFlux(place, rows)).text)
})

it('names the type of the answer as it was asked for', async () => {
  const place = await install()
  const typeFor = async (accept: string) => {
    const answer = await askFlux(place, rows, { headers: { accept } })
    return [answer.status, answer.headers['content-type']]
  }
  const usual = [200, 'text/csv; charset=utf-8']
  expect(await typeFor('application/csv')).toEqual([200, 'application/csv; charset=utf-8'])
  expect(await typeFor('text/csv')).toEqual(usual)
  expect(await typeFor('*/*')).toEqual(usual)
  expect(await typeFor('application/json')).toEqual(usual)
})

it('finds the organization by name, by id, and by the token', async () => {
  const place = await filled()
  const script = 'from(bucket: "b") |> range(start: 0) |> count()'
  const plain = (await askFlux(place, script)).text
  for (const query of ['?org=o', `?org=${place.orgId}`, `?orgID=${place.orgId}`]) {
    const { status, text } = await askFlux(place, `option now = () => ${year}\n${script}`, {
      query,
    })
    expect(status, text).toBe(200)
    expect(text.split('\r\n')).toHaveLength(plain.split('\r\n').length)
  }
  // A name that nobody bears is passed over, an id is not.
  expect((await askFlux(place, script, { query: '?org=nobody' })).status).toBe(200)
  const missing = await askFlux(place, script, { query: '?orgID=0123456789abcdef' })
  expect([missing.status, missing.json.code]).toEqual([404, 'not found'])
  expect(missing.json.message).toContain('organization')
  const malformed = await askFlux(place, script, { query: '?orgID=short' })
  expect([malformed.status, malformed.json.code]).toEqual([400, 'invalid'])
  const { id } = await place.server.catalog.organizations.create({ name: 'other' })
  const foreign = await askFlux(place, script, { query: `?orgID=${id}` })
  expect([foreign.status, foreign.json.code]).toEqual([400, 'invalid'])
})

const year = '2020-01-01T00:00:00Z'

it('refuses bodies with the words of InfluxDB', async () => {
  const place = await install()
  const query = 'x'
  const refused: [unknown, string][] = [
    ['', 'failed parsing request body as JSON; if sending a raw Flux script, set '],
    ['nonsense', "set 'Content-Type: application/vnd.flux' in your request headers: invalid"],
    ['[]', 'json: cannot unmarshal array into Go value of type QueryRequest'],
    [{}, 'request body requires either query or AST'],
    [{ query: '' }, 'request body requires either query or AST'],
    [{ query: 5 }, 'json: cannot unmarshal number into Go struct field QueryRequest.query of type'],
    [{ ast: {} }, 'a query cannot be given as ast: send its text as query'],
    [{ query, type: 'sql' }, 'unknown query type: sql'],
    [{ query, type: 'influxql' }, 'bucket parameter is required for influxql queries'],
    [{ query, dialect: { commentPrefix: '##' } }, 'invalid dialect comment prefix: must be length'],
    [{ query, dialect: { delimiter: ',,' } }, 'invalid dialect delimeter: must be length 1'],
    [{ query, dialect: { delimiter: '€' } }, 'invalid dialect delimeter: must be length 1'],
    [{ query, dialect: { delimiter: '"' } }, 'invalid dialect delimeter character'],
    [{ query, dialect: { annotations: ['colour'] } }, 'unknown dialect annotation type: colour'],
    [{ query, dialect: { annotations: ['group', 'group'] } }, 'dialect annotation given twice'],
    [{ query, dialect: { annotations: 'group' } }, 'QueryRequest.dialect.annotations of type'],
    [{ query, dialect: { dateTimeFormat: 'RFC822' } }, 'unknown dialect date time format: RFC822'],
    [{ query, dialect: { header: 'yes' } }, 'QueryRequest.dialect.header of type bool'],
    [{ query, dialect: 'csv' }, 'QueryRequest.dialect of type object'],
    [{ query, now: 'yesterday' }, 'now "yesterday" is neither RFC3339 nor nanoseconds'],
    [{ query, now: '3000-01-01T00:00:00Z' }, 'now "3000-01-01T00:00:00Z" is beyond the years'],
    [{ query, params: [] }, 'invalid parameters provided'],
    [{ query, params: {}, extern: {} }, 'request body cannot have both params and extern'],
    [
      { query, extern: { type: 'Package' } },
      'extern json parse error: "Package" does not fit File',
    ],
  ]
  for (const [body, message] of refused) {
    const answer = await askJson(place, body)
    expect([answer.status, answer.json?.code], String(message)).toEqual([400, 'invalid'])
    expect(answer.json.message).toContain('failed to decode request body: ')
    expect(answer.json.message).toContain(message)
  }
  const empty = await askFlux(place, '')
  expect(empty.json.message).toContain('request body requires either query or AST')
  const huge = await askFlux(place, ' '.repeat(11 * 1024 * 1024))
  expect([huge.status, huge.json.code]).toEqual([413, 'request too large'])
})

it('refuses scripts with the place of what is wrong', async () => {
  const place = await install()
  const messageOf = async (script: string) => {
    const { status, json, headers } = await askFlux(place, script)
    expect([status, json.code], script).toEqual([400, 'invalid'])
    expect(headers['x-platform-error-code']).toBe('invalid')
    return json.message
  }
  expect(await messageOf('x = foo')).toBe(
    'compilation failed: error @1:5-1:8: undefined identifier foo',
  )
  expect(await messageOf('from(bucket: "b")')).toContain(
    "cannot submit unbounded read to \"b\"; try bounding 'from' with a call to 'range'",
  )
  expect(await messageOf('x = 1')).toContain('this Flux script returns no streaming data')
})

it('tells a missing bucket before anything is sent', async () => {
  const place = await install()
  const missing = async (from: string) => {
    const { status, json } = await askFlux(place, `from(${from}) |> range(start: -1h)`)
    return [status, json]
  }
  const message = (name: string) =>
    `failed to initialize execute state: could not find bucket "${name}"`
  expect(await missing('bucket: "none"')).toEqual([
    404,
    { code: 'not found', message: message('none') },
  ])
  const id = '0123456789abcdef'
  expect(await missing(`bucketID: "${id}"`)).toEqual([
    404,
    { code: 'not found', message: message(id) },
  ])
})

it('tells what fails later in a table of its own', async () => {
  const place = await filled()
  const script = `import "array"
array.from(rows: [{v: 1}]) |> yield(name: "good")
from(bucket: "b") |> range(start: 0) |> filter(fn: (r) => r._field == "usage")
  |> group() |> yield(name: "bad")`
  const { status, text } = await askFlux(place, script)
  expect(status).toBe(200)
  expect(text).toContain(',good,0,1\r\n')
  expect(text).toMatch(/\r\n\r\n,error,reference\r\n,".*schema collision.*",\r\n$/)
  const annotated = await askJson(place, { query: script, dialect: { annotations: ['datatype'] } })
  expect(annotated.text).toContain('\r\n\r\n#datatype,string,string\r\n,error,reference\r\n')
})

it('sends nothing to whoever prefers that', async () => {
  const place = await filled()
  const prefer = (value: string, script: string) =>
    askFlux(place, script, { headers: { prefer: value } })
  const none = await prefer('return-no-content', rows)
  expect([none.status, none.text]).toEqual([204, ''])
  const quiet = await prefer('return-no-content-with-error', rows)
  expect([quiet.status, quiet.text]).toEqual([200, ''])
  const failing = 'from(bucket: "b") |> range(start: 0) |> group()'
  expect((await prefer('return-no-content', failing)).status).toBe(400)
  const told = await prefer('return-no-content-with-error', failing)
  expect(told.text).toMatch(/^,error,reference\r\n,.*schema collision/)
})

it('runs InfluxQL of a bucket or a database', async () => {
  const place = await filled()
  const query = "select usage from cpu where host = 'a'"
  const rowsOf = (answer: { json: unknown }) => answer.json
  const byBucket = await askJson(place, { type: 'influxql', query, bucket: 'b' })
  expect(rowsOf(byBucket)).toEqual({
    results: [
      {
        statement_id: 0,
        series: [
          {
            name: 'cpu',
            columns: ['time', 'usage'],
            values: [
              ['1970-01-01T00:00:01Z', 1.5],
              ['1970-01-01T00:00:02Z', 2.5],
            ],
          },
        ],
      },
    ],
  })
  for (const target of [{ bucket: place.bucketId }, { db: 'b' }, { db: 'b', rp: 'autogen' }]) {
    const answer = await askJson(place, { type: 'influxql', query, ...target })
    expect(answer.json).toEqual(byBucket.json)
  }
  const asCsv = await askJson(
    place,
    { type: 'influxql', query, bucket: 'b' },
    { headers: { accept: 'text/csv' } },
  )
  expect(asCsv.headers['content-type']).toBe('text/csv')
  expect(asCsv.text).toBe('name,tags,time,usage\ncpu,,1000000000,1.5\ncpu,,2000000000,2.5\n')
  const inChunks = await fetch(`${place.url}/api/v2/query?chunked=true&chunk_size=1`, {
    method: 'POST',
    headers: { authorization: `Token ${place.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'influxql', query, bucket: 'b' }),
  })
  const chunks = (await inChunks.text()).trimEnd().split('\n')
  expect(chunks.map((chunk) => JSON.parse(chunk).results[0].series[0].values[0][1])).toEqual([
    1.5, 2.5,
  ])
  const bound = 'select usage from cpu where host = $host'
  const params = { host: 'a' }
  const withParams = await askJson(place, { type: 'influxql', query: bound, bucket: 'b', params })
  expect(withParams.json).toEqual(byBucket.json)
  const missing = await askJson(place, { type: 'influxql', query, bucket: 'none' })
  expect([missing.status, missing.json.code]).toEqual([404, 'not found'])
  const wrong = await askJson(place, { type: 'influxql', query: 'selec', bucket: 'b' })
  expect([wrong.status, wrong.json.code]).toEqual([400, 'invalid'])
})
