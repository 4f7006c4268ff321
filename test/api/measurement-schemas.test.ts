// Explicit buckets over HTTP: their measurement schemas, and that writes keep to them. Points that a
// schema does not permit are refused with a reason, whichever write endpoint they came by; good
// points of the same batch are kept.

import { expect, it } from 'vitest'
import { type Answer, install, send } from './harness.js'

async function setUp(options = {}) {
  const installed = await install(options)
  const { url, orgId, token } = installed
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(`${url}/api/v2/${path}`, {
      method,
      token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const bucket = { orgID: orgId, name: 'e', schemaType: 'explicit' }
  const made = await call('POST', 'buckets', {
    ...bucket,
    retentionRules: [{ everySeconds: 0 }],
  })
  const path = `buckets/${made.json.id}/schema/measurements`
  const write = (lines: string) =>
    send(`${url}/api/v2/write?org=o&bucket=e`, { method: 'POST', token, body: lines })
  return { ...installed, call, path, explicitId: made.json.id as string, write }
}

const time = { name: 'time', type: 'timestamp' }
const host = { name: 'host', type: 'tag' }
const field = (name: string, dataType: string) => ({ name, type: 'field', dataType })
const columns = [time, host, field('f', 'float')]

it('makes, lists, shows and extends schemas', async () => {
  const { call, path, orgId, explicitId } = await setUp()
  const empty = await call('GET', path)
  expect([empty.status, empty.json, empty.headers.etag]).toEqual([
    200,
    { measurementSchemas: [], links: { self: `/api/v2/${path}` } },
    '"0"',
  ])
  const made = await call('POST', path, { name: 'cpu', columns })
  expect([made.status, made.headers.etag]).toEqual([201, '"1"'])
  expect(made.json).toEqual({
    id: made.json.id,
    orgID: orgId,
    bucketID: explicitId,
    name: 'cpu',
    columns,
    createdAt: made.json.createdAt,
    updatedAt: made.json.createdAt,
  })
  await call('POST', path, { name: 'mem', columns })
  const listed = await call('GET', `${path}?org=o`)
  const names = listed.json.measurementSchemas.map((m: { name: string }) => m.name)
  expect([names, listed.headers.etag]).toEqual([['cpu', 'mem'], '"2"'])
  const one = await call('GET', `${path}?name=cpu`)
  expect(one.json.measurementSchemas).toEqual([made.json])
  expect((await call('GET', `${path}?name=none`)).json.measurementSchemas).toEqual([])

  const self = `${path}/${made.json.id}`
  expect((await call('GET', self)).json).toEqual(made.json)
  const more = [...columns, field('g', 'integer')]
  const changed = await call('PATCH', self, { columns: more })
  expect([changed.status, changed.json.columns, changed.headers.etag]).toEqual([200, more, '"2"'])
  expect((await call('GET', path)).headers.etag).toBe('"3"')

  const fewer = await call('PATCH', self, { columns })
  expect([fewer.status, fewer.json.message]).toEqual([400, 'Unable to delete columns from schema'])
  const other = await call('PATCH', self, { columns: [time, host, field('f', 'string'), more[3]] })
  expect([other.status, other.json.message]).toEqual([
    400,
    'Unable to change column "f" of the schema',
  ])
  expect((await call('PATCH', self, {})).json.message).toBe('columns is required')
  expect((await call('PATCH', `${path}/0123456789abcdef`, { columns })).status).toBe(404)
  expect((await call('GET', `${path}/1`)).status).toBe(400)
  const twice = await Promise.all([
    call('POST', path, { name: 'twice', columns }),
    call('POST', path, { name: 'twice', columns }),
  ])
  expect(twice.map(({ status }) => status).sort()).toEqual([201, 422])
})

it('refuses schemas that are none', async () => {
  const { call, path, bucketId } = await setUp()
  const refused: [object, string][] = [
    [{ columns }, 'name is required'],
    [{ name: 'm' }, 'columns is required'],
    [{ name: 'm', columns: [] }, 'columns is required'],
    [{ name: '', columns }, 'name is invalid: too short'],
    [{ name: 'x'.repeat(129), columns }, 'name is invalid: too long'],
    [{ name: 'é'.repeat(65), columns }, 'name is invalid: too long'],
    [{ name: '_m', columns }, 'name is invalid: must not begin with _'],
    [{ name: '1m', columns }, 'name is invalid: must not begin with a digit'],
    [{ name: 'a"b', columns }, 'name is invalid: must not contain single or double quotes'],
    [{ name: 'a\u0007b', columns }, 'name is invalid: must be printable UTF-8'],
    [{ name: 'a\ud800b', columns }, 'name is invalid: must be printable UTF-8'],
    [{ name: 'a\ufffdb', columns }, 'name is invalid: must be printable UTF-8'],
    [{ name: 'm', columns: [...columns, host] }, 'Duplicate column names: "host"'],
    [
      { name: 'm', columns: [...columns, { name: 'HOST', type: 'tag' }] },
      'Duplicate column names: "HOST"',
    ],
    [{ name: 'm', columns: [time, host] }, 'At least one field column is required'],
    [{ name: 'm', columns: [host, field('f', 'float')] }, 'Timestamp column is required'],
    [
      { name: 'm', columns: [...columns, { name: 'g', type: 'field' }] },
      'column "g" is invalid: a field column needs a dataType',
    ],
    [
      { name: 'm', columns: [...columns, { ...host, name: 't', dataType: 'string' }] },
      'column "t" is invalid: a tag column has no dataType',
    ],
    [
      { name: 'm', columns: [...columns, { name: 'ts', type: 'timestamp' }] },
      'column "ts" is invalid: the timestamp column, and no other, is named "time"',
    ],
  ]
  for (const [body, message] of refused) {
    const { status, json } = await call('POST', path, body)
    expect([status, json]).toEqual([400, { code: 'invalid', message }])
  }
  expect((await call('POST', path, { name: 'm', columns: [{ type: 'x' }] })).status).toBe(400)
  for (const method of ['GET', 'POST']) {
    const body = method === 'GET' ? undefined : { name: 'm', columns }
    const implicit = await call(method, `buckets/${bucketId}/schema/measurements`, body)
    expect([implicit.status, implicit.json]).toEqual([
      400,
      { code: 'invalid', message: 'bucket schemaType must be explicit' },
    ])
  }
})

it('lets only permitted points in, and tells why the others stay out', async () => {
  const { call, path, write, lines } = await setUp()
  const unknown = await write('cpu,host=a f=1 1')
  expect([unknown.status, unknown.json.line]).toEqual([400, 1])
  expect(unknown.json.message).toBe(
    'partial write: schema: measurement "cpu" not permitted by schema dropped=1',
  )
  await call('POST', path, { name: 'cpu', columns: [...columns, field('s', 'string')] })
  expect((await write('cpu,host=a f=1,s="x" 1\ncpu f=2 2')).status).toBe(204)
  const refusals: [string, string][] = [
    [
      'cpu,host=a f=1i 3',
      'field type for field "f" not permitted by schema; got Integer but expected Float',
    ],
    [
      'cpu,host=a f=1u 3',
      'field type for field "f" not permitted by schema; got UnsignedInteger but expected Float',
    ],
    [
      'cpu,host=a s=t 3',
      'field type for field "s" not permitted by schema; got Boolean but expected String',
    ],
    ['cpu,host=a g=1 3', 'field "g" not permitted by schema'],
    ['cpu,host=a f=1,g=1 3', 'field "g" not permitted by schema'],
    ['cpu,rack=a f=1 3', 'tag "rack" not permitted by schema'],
    [
      'cpu,host=a,f=b s="x" 3',
      'column type for "f" not permitted by schema; got tag but expected field',
    ],
    [
      'cpu host="a" 3',
      'column type for "host" not permitted by schema; got field but expected tag',
    ],
    ['mem f=1 3', 'measurement "mem" not permitted by schema'],
  ]
  for (const [line, reason] of refusals) {
    const { status, json } = await write(line)
    const message = `partial write: schema: ${reason} dropped=1`
    expect([line, status, json]).toEqual([line, 400, { code: 'invalid', message, line: 1 }])
  }
  expect(await lines('e')).toEqual(['cpu f=2 2', 'cpu,host=a f=1,s="x" 1'])
})

it('keeps the good points of a batch, whole and in place', async () => {
  const { call, path, write, lines, url, token } = await setUp()
  const fields = ['float', 'integer', 'unsigned', 'boolean', 'string'].map((type) =>
    field(type, type),
  )
  await call('POST', path, { name: 'm', columns: [time, host, ...fields] })
  const good = [
    'm,host=a boolean=true,float=1.5,integer=1i,string="x",unsigned=2u 1',
    'm,host=b integer=9223372036854775807i,unsigned=18446744073709551615u 3',
    'm float=2 5',
  ]
  const bad = ['m,rack=a float=1 2', 'm,host=a float="x" 4', 'other float=1 6']
  const mixed = [good[0], bad[0], good[1], bad[1], good[2], bad[2]].join('\n')
  for (const path of ['/api/v2/write?org=o&bucket=e', '/write?db=e']) {
    const { status, text } = await send(url + path, { method: 'POST', token, body: mixed })
    expect(status).toBe(400)
    expect(text).toContain('dropped=3')
    for (const reason of ['tag \\"rack\\"', 'got String but expected Float', '\\"other\\"']) {
      expect(text).toContain(reason)
    }
    expect(await lines('e')).toEqual([...good].sort())
  }
  const malformed = await write(`${good[0]}\nnonsense\n${bad[0]}`)
  expect([malformed.status, malformed.json.line]).toEqual([400, 2])
  const many = Array.from({ length: 300 }, (_, i) => `m,t${i}=x float=1 ${i}`).join('\n')
  const told = await write(many)
  expect(told.json.message.split('\n')).toHaveLength(100)
  expect(told.json.message).toMatch(/dropped=300$/)
  expect(await lines('e')).toEqual([...good].sort())
})

it('follows schemas as they grow, and writes nothing of a bad batch where asked to', async () => {
  const { call, path, write, lines } = await setUp({ writeAtomic: true })
  const { json } = await call('POST', path, { name: 'm', columns })
  expect((await write('m,host=a f=1 1\nm,host=a,rack=b f=1 2')).status).toBe(400)
  expect(await lines('e')).toEqual([])
  await call('PATCH', `${path}/${json.id}`, {
    columns: [...columns, { name: 'rack', type: 'tag' }],
  })
  expect((await write('m,host=a f=1 1\nm,host=a,rack=b f=1 2')).status).toBe(204)
  expect(await lines('e')).toHaveLength(2)
})
