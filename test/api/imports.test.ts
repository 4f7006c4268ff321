// `/api/v2/imports`: files of every format into a bucket over HTTP, in pieces, with what was refused and how far it is.

import { request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { lineValues } from '../migrate/line-values.js'
import { type Installation, install, send, temporaryFolder } from './harness.js'

async function importing({ url, token, orgId }: Installation, description: object) {
  const body = JSON.stringify({ orgID: orgId, bucket: 'b', ...description })
  const created = await send(`${url}/api/v2/imports`, { method: 'POST', token, body })
  const path = `${url}/api/v2/imports/${created.json.id}`
  return {
    created,
    path,
    data: (bytes: string | Uint8Array, query = '?last=true') =>
      send(`${path}/data${query}`, { method: 'POST', token, body: bytes }),
    state: async () => (await send(path, { token })).json,
  }
}

const csv = `time,host,load,count
2020-01-01T00:00:00Z,a,1.5,1
2020-01-01T00:00:01Z,a,2,2
2020-01-01T00:00:02Z,b,x,3
2020-01-01T00:00:03Z,b,4,4
`

it('takes a file in pieces, and shows first what would become of it', async () => {
  const installed = await install()
  const columns = { load: 'double' }
  const trial = await importing(installed, {
    format: 'csv',
    measurement: 'm',
    columns,
    dryRun: true,
  })
  expect(trial.created.status).toBe(201)
  expect(trial.created.json).toMatchObject({ status: 'waiting', dryRun: true, receivedBytes: 0 })
  const tried = await trial.data(csv)
  expect(tried.json).toMatchObject({
    status: 'done',
    points: 3,
    refused: 1,
    errors: [{ row: 4, message: 'column "load": "x" is no number' }],
    columns: [
      { name: 'time', type: 'time' },
      { name: 'host', type: 'tag' },
      { name: 'load', type: 'double' },
      { name: 'count', type: 'long' },
    ],
  })
  expect(tried.json.sample[0]).toBe('m,host=a load=1.5,count=1i 1577836800000000000')
  expect(await installed.lines()).toEqual([])

  const real = await importing(installed, { format: 'csv', measurement: 'm', columns })
  const headless = await importing(installed, {
    format: 'csv',
    measurement: 'm',
    columns,
    header: ['time,host,load,count'],
    skipHeader: 1,
    dryRun: true,
  })
  const { points, errors, sample, columns: found } = tried.json
  const again = await headless.data(csv)
  expect(again.json).toMatchObject({ points, errors, sample, columns: found })
  const packed = gzipSync(csv)
  expect((await real.data(packed.subarray(0, 20), '?offset=0')).json).toMatchObject({
    status: 'running',
    receivedBytes: 20,
  })
  const wrong = await real.data(packed.subarray(30), '?offset=30')
  expect([wrong.status, wrong.json.message]).toEqual([
    422,
    'the import has 20 bytes of the file: go on there',
  ])
  const done = await real.data(packed.subarray(20), '?offset=20&last=true')
  expect([done.status, done.json.status, done.json.points]).toEqual([200, 'done', 3])
  expect(lineValues((await installed.lines()).join('\n'))).toEqual(
    lineValues(tried.json.sample.join('\n')),
  )
  expect((await real.data('', '')).json.message).toContain('the import is done')
})

it('goes on where a sender broke off', async () => {
  const installed = await install()
  const { path, data, state } = await importing(installed, { format: 'lp' })
  const lines = Array.from({ length: 200_000 }, (_, i) => `m f=${i}i ${i}\n`).join('')
  await new Promise<void>((resolve) => {
    const sent = httpRequest(`${path}/data`, {
      method: 'POST',
      headers: { authorization: `Token ${installed.token}`, 'content-length': lines.length },
    })
    sent.on('error', () => resolve())
    sent.write(lines.slice(0, 1_000_000), () => sent.destroy())
  })
  let received = -1
  await expect
    .poll(async () => {
      const before = received
      received = (await state()).receivedBytes
      return received > 0 && received === before
    })
    .toBe(true)
  const done = await data(lines.slice(received), `?offset=${received}&last=true`)
  expect([done.status, done.json.points]).toEqual([200, 200_000])
  expect(await installed.lines()).toHaveLength(200_000)
})

it('counts what the bucket refuses, and ends where it is too much', async () => {
  const installed = await install()
  await installed.write('m f="text" 1')
  const { data, state } = await importing(installed, { format: 'jsonl', measurement: 'm' })
  const rows = '{"time":"2020-01-01T00:00:00Z","f":1.5}\n{"time":"2020-01-01T00:00:01Z","g":1.5}\n'
  const done = await data(rows)
  expect(done.json).toMatchObject({ status: 'done', points: 1, refused: 1, errors: [{ row: 1 }] })
  expect(done.json.errors[0].message).toContain('field type conflict')

  const strict = await importing(installed, { format: 'jsonl', measurement: 'm', refusedMax: 0 })
  const failed = await strict.data(rows)
  expect([failed.status, failed.json.message]).toEqual([400, 'more than 0 rows were refused'])
  expect(await strict.state()).toMatchObject({ status: 'failed', error: failed.json.message })
  expect(await state()).toMatchObject({ status: 'done' })
})

it('reads Parquet, as our own answers are', async () => {
  const installed = await install({ dataDir: temporaryFolder() })
  const { url, token } = installed
  const lines = `m,host=a f=1.5,i=9007199254740993i,u=18446744073709551615u,b=true,s="x" 1700000000000000001
m,host=b f=-0.1,s="" 1700000000000000002
m,host=a i=-1i 1700000000000000003`
  await installed.write(lines)
  const body = JSON.stringify({ db: 'b', q: 'SELECT * FROM m', format: 'parquet' })
  const response = await fetch(`${url}/api/v3/query_sql`, {
    method: 'POST',
    headers: { authorization: `Token ${token}` },
    body,
  })
  const file = Buffer.from(await response.arrayBuffer())
  const columns = { host: 'tag', s: 'string' }
  const { data } = await importing(installed, { format: 'parquet', measurement: 'copy', columns })
  const done = await data(file)
  expect(done.json).toMatchObject({ status: 'done', points: 3, refused: 0 })
  const copied = (await installed.lines()).filter((line) => line.startsWith('copy'))
  expect(lineValues(copied.join('\n').replaceAll('copy,', 'm,'))).toEqual(lineValues(lines))

  const broken = await importing(installed, { format: 'parquet', measurement: 'copy' })
  const refused = await broken.data(file.subarray(0, file.length - 10))
  expect(refused.status).toBe(400)
  expect(refused.json.message).toContain('the Parquet file cannot be read')
})

it('can be called off, and is refused where it makes no sense', async () => {
  const installed = await install()
  const { url, token } = installed
  const { path, data, state } = await importing(installed, { format: 'csv', measurement: 'm' })
  await data('f,time\n1,1\n', '')
  expect(await state()).toMatchObject({ status: 'running' })
  expect((await send(path, { method: 'DELETE', token })).status).toBe(204)
  expect((await send(path, { token })).status).toBe(404)
  expect((await send(`${url}/api/v2/imports`, { token })).json.imports).toEqual([])

  const refusals: [object, number, string][] = [
    [{ format: 'xml' }, 400, 'format'],
    [{ format: 'csv', bucket: 'none' }, 404, 'bucket "none" not found'],
    [{ format: 'csv', columns: { a: 'nonsense' } }, 400, '"nonsense" is no type of a column'],
    [{ format: 'jsonl', skipHeader: 1 }, 400, 'only CSV has a header, and the format is jsonl'],
  ]
  for (const [description, status, message] of refusals) {
    const { created } = await importing(installed, description)
    expect([created.status, created.json.message]).toEqual([
      status,
      expect.stringContaining(message),
    ])
  }
  const nameless = await importing(installed, { format: 'csv' })
  const failed = await nameless.data('f\n1\n')
  expect([failed.status, failed.json.message]).toEqual([
    400,
    'no column names the measurement: say which it is',
  ])
})

it('has so many at once for each organization: one that is full holds up no other', async () => {
  const installed = await install()
  const { server, url, token } = installed
  const description = { format: 'csv', measurement: 'm' }
  const first = await importing(installed, description)
  for (let i = 1; i < 8; i++) {
    expect((await importing(installed, description)).created.status).toBe(201)
  }
  const refused = (await importing(installed, description)).created
  expect(refused.status).toBe(503)
  expect(refused.json.message).toBe('more than 8 imports of the organization under way')

  const { id: orgID } = await server.catalog.organizations.create({ name: 'other' })
  const bucket = JSON.stringify({ orgID, name: 'b', retentionRules: [] })
  await send(`${url}/api/v2/buckets`, { method: 'POST', token, body: bucket })
  expect((await importing({ ...installed, orgId: orgID }, description)).created.status).toBe(201)
  await send(first.path, { method: 'DELETE', token })
  expect((await importing(installed, description)).created.status).toBe(201)
})
