// `POST /api/v2/delete`: the range, the predicate language with every refusal, who may, and that
// exactly the selected points are gone.

import { expect, it } from 'vitest'
import { parseDeletePredicate } from '../../src/service/delete-predicate.js'
import { type Answer, install, send } from './harness.js'

async function setUp(options = {}) {
  const installed = await install(options)
  const { url } = installed
  const remove = (
    body: unknown,
    query = '?org=o&bucket=b',
    token = installed.token,
  ): Promise<Answer> =>
    send(`${url}/api/v2/delete${query}`, { method: 'POST', token, body: JSON.stringify(body) })
  const removed = async (predicate: string) => {
    const range = { start: '1970-01-01T00:00:00Z', stop: '1970-01-02T00:00:00Z' }
    const { status, text } = await remove({ ...range, predicate })
    expect([predicate, status, text]).toEqual([predicate, 204, ''])
  }
  return { ...installed, remove, removed }
}

const whole = { start: '1677-09-21T00:12:43.145224194Z', stop: '2262-04-11T23:47:16.854775806Z' }

it('deletes what the predicate selects', async () => {
  const { write, lines, removed } = await setUp()
  const all = [
    'cpu,host=a f=1 1',
    'cpu,host=b f=1 1',
    'cpu,host=b,rack=x\\ y f=1 1',
    'mem f=1 1',
    'mem,host=a f=1 1',
  ]
  const cases: [string, string[]][] = [
    ['', []],
    ['_measurement="cpu"', ['mem f=1 1', 'mem,host=a f=1 1']],
    ['_measurement=\'cpu\' AND host="a"', all.slice(1)],
    ['host=a', [all[1], all[2], all[3]]],
    ['host = a and _measurement = mem', [all[0], all[1], all[2], all[3]]],
    ['(_measurement=cpu AND (host=b)) AND rack="x y"', [all[0], all[1], all[3], all[4]]],
    ['_measurement=cpu and host != a', [all[0], all[3], all[4]]],
    ['_measurement=cpu AND _measurement=mem', all],
    ['host=none', all],
  ]
  for (const [predicate, left] of cases) {
    await write(all.join('\n'))
    await removed(predicate)
    expect([predicate, await lines()]).toEqual([predicate, [...left].sort()])
    await removed('')
  }
})

it('tells what it would take, and takes nothing', async () => {
  const { write, lines, remove } = await setUp()
  await write('cpu,host=a f=1 1\ncpu,host=a f=2 2\ncpu,host=b f=1 1\nmem f=1 1')
  const asked = { ...whole, predicate: '_measurement=cpu', dryRun: true }
  const { status, json } = await remove(asked)
  expect([status, json]).toEqual([200, { dryRun: true, seriesCount: 2, rowCountMax: 3 }])
  const nothing = await remove({ ...asked, predicate: '_measurement=a AND _measurement=b' })
  expect(nothing.json).toEqual({ dryRun: true, seriesCount: 0, rowCountMax: 0 })
  expect(await lines()).toHaveLength(4)
})

it('includes both ends of the range, to the nanosecond', async () => {
  const { write, lines, remove } = await setUp()
  const base = 1_700_000_000_000_000_000n
  const point = (offset: bigint) => `m f=1 ${base + offset}`
  await write([point(0n), point(1n), point(2n), point(3n)].join('\n'))
  const start = '2023-11-14T22:13:20.000000001Z'
  const stop = '2023-11-15T00:13:20.000000002+02:00'
  expect((await remove({ start, stop })).status).toBe(204)
  expect(await lines()).toEqual([point(0n), point(3n)])
  expect((await remove(whole)).status).toBe(204)
  expect(await lines()).toEqual([])
})

it('refuses bad times and buckets', async () => {
  const { remove, bucketId, orgId } = await setUp()
  const good = { start: '2009-01-02T23:00:00Z', stop: '2009-01-02T23:00:00Z' }
  const format = (field: string) =>
    `invalid RFC3339Nano for field ${field}, please format your time with RFC3339Nano format, ` +
    'example: 2009-01-02T23:00:00Z'
  const bad = [undefined, '', '0', '2009-01-02', '2009-02-30T00:00:00Z', '2009-01-02T24:00:00Z']
  for (const time of bad) {
    expect((await remove({ ...good, start: time })).json).toEqual({
      code: 'invalid',
      message: format('start'),
    })
    expect((await remove({ ...good, stop: time })).json.message).toBe(format('stop'))
  }
  const early = await remove({ ...good, start: '1677-09-21T00:12:43.145224193Z' })
  expect(early.json.message).toMatch(/^invalid start time, start time must not be before 1677-/)
  const late = await remove({ ...good, stop: '2262-04-11T23:47:16.854775807Z' })
  expect(late.json.message).toMatch(/^invalid stop time, stop time must not be after 2262-/)
  const turned = await remove({ ...good, start: '2009-01-02T23:00:01Z' })
  expect(turned.status).toBe(400)
  const targets: [string, number, string][] = [
    ['?org=o', 400, 'Please provide either bucketID or bucket'],
    ['?org=o&bucket=none', 404, 'bucket "none" not found'],
    ['?org=none&bucket=b', 404, 'organization name "none" not found'],
    ['?org=o&bucketID=1', 400, 'id must have a length of 16 bytes'],
  ]
  for (const [query, status, message] of targets) {
    const answer = await remove(good, query)
    expect([query, answer.status, answer.json.message]).toEqual([query, status, message])
  }
  for (const query of [`?orgID=${orgId}&bucketID=${bucketId}`, `?bucket=${bucketId}`]) {
    expect((await remove(good, query)).status).toBe(204)
  }
  expect((await remove(good, `?bucketID=${bucketId}&bucket=none`)).status).toBe(204)
})

it('asks for write permission, and for an organization that may delete', async () => {
  const { remove, addToken, bucketId, orgId, server } = await setUp()
  const token = (action: 'read' | 'write') =>
    addToken([{ action, resource: { type: 'buckets', id: bucketId } }])
  expect((await remove(whole, '?bucket=b', await token('write'))).status).toBe(204)
  const refused = await remove(whole, '?bucket=b', await token('read'))
  expect([refused.status, refused.json.message]).toEqual([
    401,
    `write:orgs/${orgId}/buckets/${bucketId} is unauthorized`,
  ])
  await server.catalog.limits.change(orgId, { features: { allowDelete: false } })
  const forbidden = await remove(whole)
  expect([forbidden.status, forbidden.json.code]).toEqual([403, 'forbidden'])
})

it('answers refusals of the predicate with their status', async () => {
  const { remove } = await setUp()
  const or = await remove({ ...whole, predicate: 'abc="opq" Or gender="male"' })
  expect([or.status, or.json]).toEqual([
    400,
    { code: 'invalid', message: 'the logical operator OR is not supported yet at position 10' },
  ])
  const byField = await remove({ ...whole, predicate: '_field=f' })
  expect([byField.status, byField.json]).toEqual([
    501,
    { code: 'not implemented', message: 'delete by field is not supported' },
  ])
})

const tag = (name: string, value: string, op: '=' | '!=' = '=') =>
  ({ kind: 'tag', tag: name, op, value }) as const

it.each([
  ['', undefined, undefined],
  ['  ', undefined, undefined],
  ['_measurement=m', 'm', undefined],
  ['"_measurement"="m m"', 'm m', undefined],
  ['a=b', undefined, tag('a', 'b')],
  ['a=-1.5', undefined, tag('a', '-1.5')],
  ['a=1h30m', undefined, tag('a', '1h30m')],
  ['a=true', undefined, tag('a', 'true')],
  ['größe=groß', undefined, tag('größe', 'groß')],
  ['"and"="or"', undefined, tag('and', 'or')],
  ['a="x\\"y\\\\z\\n"', undefined, tag('a', 'x"y\\z\n')],
  ["a='it\\'s'", undefined, tag('a', "it's")],
  ['a="C:\\dir"', undefined, tag('a', 'C:\\dir')],
  ['a=""', undefined, tag('a', '')],
  ['((a=b))', undefined, tag('a', 'b')],
  ['a!=b', undefined, tag('a', 'b', '!=')],
  [
    'a=b AND (c=d and _measurement=m)',
    'm',
    { kind: 'and', parts: [tag('a', 'b'), tag('c', 'd')] } as const,
  ],
])('reads %j', (text, measurement, predicate) => {
  expect(parseDeletePredicate(text)).toEqual({ kind: 'series', measurement, predicate })
})

it.each([
  ['a', 'bad logical expression, at position 1: expected an operator, found end'],
  ['a=', 'bad logical expression, at position 2: expected a tag value, found end'],
  ['=b', 'bad logical expression, at position 0: expected a tag key, found "="'],
  ['a=b c=d', 'bad logical expression, at position 4: expected AND or the end, found "c"'],
  ['a=b AND', 'bad logical expression, at position 7: expected a tag key, found end'],
  ['and=b', 'bad logical expression, at position 0: expected a tag key, found "and"'],
  ['(a=b', 'bad logical expression, at position 4: expected AND or ), found end'],
  ['a=b)', 'bad logical expression, at position 3: expected AND or the end, found ")"'],
  ['()', 'bad logical expression, at position 1: expected a tag key, found ")"'],
  ['1=b', 'bad logical expression, at position 0: expected a tag key, found "1"'],
  ['a="b', 'bad logical expression: quote is not closed at position 2'],
  ['a=b;', 'bad logical expression: unexpected character ";" at position 3'],
  ['a=~/b/', 'bad logical expression: unexpected character "/" at position 3'],
  ['a=~b', 'operator: "=~" at position: 1 is not supported yet'],
  ['a!~b', 'operator: "!~" at position: 1 is not supported yet'],
  ['a>b', 'operator: ">" at position: 1 is not supported yet'],
  ['a=b OR c=d', 'the logical operator OR is not supported yet at position 4'],
  ['_time=1', 'delete by _time is not supported, at position 0'],
  ['_measurement!=m', 'operator: "!=" at position: 0 is not supported for _measurement'],
  ['('.repeat(100_000), 'parentheses are nested deeper than 100'],
])('refuses %j', (text, message) => {
  expect(() => parseDeletePredicate(text)).toThrow(message)
})
