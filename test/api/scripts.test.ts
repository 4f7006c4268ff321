// Invokable scripts over HTTP: every operation, the parameters that a script takes, and what invoking
// it gives.

import { expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { caller, install, send } from './harness.js'

const path = '/api/v2/scripts'
const absent = '0123456789abcdef'
const good = {
  name: 's',
  description: 'd',
  script: 'from(bucket: params.bucket) |> range(start: params["start"]) // params.no',
  language: 'flux',
}

it('creates, shows, lists, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const made = await call('POST', path, good)
  expect(made.status).toBe(201)
  expect(made.json).toMatchObject({ ...good, orgID: place.orgId })
  const self = `${path}/${made.json.id}`
  expect((await call('GET', self)).json).toEqual(made.json)
  expect((await call('PATCH', self)).json).toEqual(made.json)
  const changed = await call('PATCH', self, { description: 'e', name: 'ignored' })
  expect(changed.json).toMatchObject({ ...good, description: 'e' })
  expect((await call('GET', path)).json).toEqual({
    scripts: [changed.json],
    links: { self: path },
  })
  expect((await call('DELETE', self)).status).toBe(204)
  expect((await call('DELETE', self)).status).toBe(204)
  const gone = await call('GET', self)
  const message = `script "${made.json.id}" not found`
  expect([gone.status, gone.json]).toEqual([404, { code: 'not found', message }])
})

it('lists by name and in pages', async () => {
  const call = caller(await install())
  for (const name of ['a', 'b', 'c']) await call('POST', path, { ...good, name })
  const names = async (query: string) => {
    const { json } = await call('GET', `${path}?${query}`)
    return json.scripts.map((script: { name: string }) => script.name).join('')
  }
  expect(await names('name=b')).toBe('b')
  expect(await names('limit=2')).toBe('ab')
  expect(await names('limit=2&offset=2')).toBe('c')
  expect(await names('limit=0')).toBe('abc')
  expect((await call('GET', `${path}?limit=501`)).status).toBe(400)
})

it('keeps names unique and languages known', async () => {
  const call = caller(await install())
  await call('POST', path, good)
  const again = await call('POST', path, good)
  expect([again.status, again.json]).toEqual([
    422,
    { code: 'conflict', message: 'uniqueness violation' },
  ])
  expect((await call('POST', path, { ...good, name: 't', language: 'basic' })).status).toBe(400)
  expect((await call('POST', path, { ...good, name: '' })).status).toBe(400)
  expect((await call('POST', path, { name: 't' })).status).toBe(400)
})

it('tells its parameters', async () => {
  const call = caller(await install())
  const { id } = (await call('POST', path, good)).json
  const { json } = await call('GET', `${path}/${id}/params`)
  expect(json).toEqual({ params: { bucket: 'string', start: 'any' } })
  const typed = `import "date"
option task = {name: params.name, every: params.every}
f = (x) => x + params.f
data = from(bucket: "b") |> range(start: params.start) |> limit(n: params.n)
data |> filter(fn: (r) => r.t == params.t and params.b and r._value > f(x: 1.5)) |> map(fn: (r) => ({r with
    d: date.add(d: params.d, to: params.at), e: params.whole + uint(v: 1), any: string(v: params.any)}))`
  const made = await call('POST', path, { name: 'typed', script: typed, language: 'flux' })
  const { params } = (await call('GET', `${path}/${made.json.id}/params`)).json
  expect(params).toEqual({
    ...{ name: 'any', every: 'any', f: 'float', start: 'any', n: 'int', t: 'any', b: 'bool' },
    ...{ d: 'duration', at: 'any', whole: 'uint', any: 'any' },
  })
})

const rows = (value: string) => `import "array"\narray.from(rows: [{v: ${value}}])`

it('is invoked with parameters', async () => {
  const place = await install()
  const call = caller(place)
  const keep = async (script: string, language = 'flux') => {
    const name = `n${script.length}`
    const { json } = await call('POST', path, { ...good, name, script, language })
    return `${path}/${json.id}/invoke`
  }
  const plain = await call('POST', await keep(rows('5')))
  expect([plain.status, plain.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(plain.text).toBe(',result,table,v\r\n,_result,0,5\r\n\r\n')

  const sum = await keep(rows('params.a + params.b'))
  const { text } = await call('POST', sum, { params: { a: 1, b: 2, more: 'ignored' } })
  expect(text).toContain(',_result,0,3\r\n')
  const typed = await send(`${place.url}${sum}`, {
    method: 'POST',
    token: place.token,
    body: '{"params": {"a": 1.0, "b": 2.5}}',
  })
  expect(typed.text).toContain(',_result,0,3.5\r\n')
  const invalid = [400, { code: 'invalid', message: 'invalid parameters provided' }]
  for (const body of [{}, { params: { a: 1 } }, { params: [1] }, []]) {
    const refused = await call('POST', sum, body)
    expect([refused.status, refused.json]).toEqual(invalid)
  }
  const broken = await send(`${place.url}${sum}`, { ...place, method: 'POST', body: '{' })
  expect([broken.status, broken.json.code]).toEqual([400, 'invalid'])

  const missing = await call('POST', await keep('from(bucket: "x") |> range(start: -1h)'))
  const message = 'failed to initialize execute state: could not find bucket "x"'
  expect([missing.status, missing.json]).toEqual([404, { code: 'not found', message }])
  expect((await call('POST', `${path}/${absent}/invoke`, {})).status).toBe(404)
})

it('is invoked with the permissions of whoever invokes it', async () => {
  const place = await install()
  await place.write('m f=1 1')
  const script = 'from(bucket: "b") |> range(start: 0, stop: 1m) |> keep(columns: ["_value"])'
  const { id } = (await caller(place)('POST', path, { ...good, script })).json
  const functions = { action: 'read', resource: { type: 'functions', orgID: place.orgId } } as const
  const buckets = { action: 'read', resource: { type: 'buckets', orgID: place.orgId } } as const
  const invoke = async (...permissions: Permission[]) => {
    const token = await place.addToken(permissions)
    return send(`${place.url}${path}/${id}/invoke`, { method: 'POST', token })
  }
  expect((await invoke(functions, buckets)).text).toContain(',_result,0,1\r\n')
  for (const lacking of [functions, buckets]) {
    const refused = await invoke(lacking)
    expect([refused.status, refused.json.code]).toEqual([401, 'unauthorized'])
  }
})

it('is also invoked in InfluxQL, and not in SQL', async () => {
  const place = await install()
  await place.write('m,t=x f=1 1')
  const call = caller(place)
  const script = 'select f from b.autogen.m where t = $t'
  const made = await call('POST', path, { ...good, script, language: 'influxql' })
  const answer = await call('POST', `${path}/${made.json.id}/invoke`, { params: { t: 'x' } })
  expect(answer.json.results[0].series[0].values).toEqual([['1970-01-01T00:00:00.000000001Z', 1]])
  const sql = await call('POST', path, { ...good, name: 't', script: 'select 1', language: 'sql' })
  const refused = await call('POST', `${path}/${sql.json.id}/invoke`)
  expect([refused.status, refused.json.code]).toEqual([501, 'not implemented'])
})
