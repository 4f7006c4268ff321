// What editors ask about Flux: what is wrong with a script, its syntax tree, and which functions there
// are.

import { expect, it } from 'vitest'
import { caller, install, send } from './harness.js'

const path = '/api/v2/query'

it('finds what is wrong with a script', async () => {
  const call = caller(await install())
  const analyze = async (body: object) => (await call('POST', `${path}/analyze`, body)).json
  const good = 'from(bucket: "b") |> range(start: -1h)'
  expect(await analyze({ query: good })).toEqual({ errors: [] })
  expect(await analyze({ query: good, type: 'flux' })).toEqual({ errors: [] })
  const { errors } = await analyze({ query: 'x = 1\nfrom(bucket: ' })
  expect(errors.length).toBeGreaterThan(0)
  for (const error of errors) {
    expect(error).toEqual({
      line: expect.any(Number),
      column: expect.any(Number),
      character: expect.any(Number),
      message: expect.any(String),
    })
  }
  expect(errors[0].line).toBe(2)
  const wrong = await call('POST', `${path}/analyze`, { query: good, type: 'basic' })
  expect([wrong.status, wrong.json.code]).toEqual([400, 'invalid'])
  expect((await call('POST', `${path}/analyze`, {})).status).toBe(400)
})

it('finds what is wrong with InfluxQL', async () => {
  const call = caller(await install())
  const analyze = async (query: string) => {
    return (await call('POST', `${path}/analyze`, { query, type: 'influxql' })).json.errors
  }
  expect(await analyze('select f from m')).toEqual([])
  const [error, ...others] = await analyze('select f from')
  expect(others).toEqual([])
  expect(error).toMatchObject({ line: 1, character: 15 })
  expect(error.message).toMatch(/^found EOF, expected identifier/)
})

it('finds what is wrong with SQL, against the tables of a bucket', async () => {
  const place = await install()
  const call = caller(place)
  await place.write('m,host=a f=1 1')
  const analyze = (query: string, bucket?: string) =>
    call('POST', `${path}/analyze`, { query, type: 'sql', bucket })
  expect((await analyze('select f, host from m', 'b')).json).toEqual({ errors: [] })
  const [parsed] = (await analyze('select f\nfrom m wher f > 1', place.bucketId)).json.errors
  expect(parsed).toMatchObject({
    line: 2,
    message: expect.stringMatching(/^SQL error: ParserError/),
  })
  const [planned] = (await analyze('select nothing from m', 'b')).json.errors
  expect(planned).toMatchObject({
    line: 0,
    message: expect.stringMatching(/No field named nothing/),
  })
  expect((await analyze('select 1')).status).toBe(400)
  expect((await analyze('select 1', 'nowhere')).status).toBe(404)
})

it('shows the syntax tree', async () => {
  const call = caller(await install())
  const { status, json } = await call('POST', `${path}/ast`, { query: 'x = 1h + 2' })
  expect(status).toBe(200)
  expect(json.ast).toMatchObject({ type: 'Package', files: [{ type: 'File' }] })
  expect(json.ast.files[0].body).toMatchObject([
    {
      type: 'VariableAssignment',
      id: { type: 'Identifier', name: 'x' },
      init: {
        type: 'BinaryExpression',
        operator: '+',
        left: { type: 'DurationLiteral', values: [{ magnitude: 1, unit: 'h' }] },
        right: { type: 'IntegerLiteral', value: '2' },
      },
      location: { start: { line: 1, column: 1 }, end: { line: 1, column: 11 } },
    },
  ])
  const bad = await call('POST', `${path}/ast`, { query: 'x = {1' })
  expect([bad.status, bad.json.code]).toEqual([400, 'invalid'])
  expect(bad.json.message).toMatch(/^invalid AST: loc 1:\d+-1:\d+: /)
  expect((await call('POST', `${path}/ast`, { script: 'x' })).status).toBe(400)
})

it('suggests functions with their parameters', async () => {
  const place = await install()
  const get = async (name = '') =>
    (await send(`${place.url}${path}/suggestions${name}`, { token: place.token })).json
  const { funcs } = await get()
  const limit = funcs.find(({ name }: { name: string }) => name === 'limit')
  expect(limit.params).toMatchObject({ n: 'int', offset: 'int' })
  expect(await get('/limit')).toMatchObject({ name: 'limit', params: { n: 'int' } })
  expect(await get('/filter')).toMatchObject({ params: { fn: 'function', onEmpty: 'string' } })
  const missing = await send(`${place.url}${path}/suggestions/none`, { token: place.token })
  expect([missing.status, missing.json.code]).toEqual([404, 'not found'])
  const listed = (await send(`${place.url}/api/v2`, { token: place.token })).json
  expect(listed.query).toEqual({
    self: path,
    analyze: `${path}/analyze`,
    ast: `${path}/ast`,
    suggestions: `${path}/suggestions`,
  })
})
