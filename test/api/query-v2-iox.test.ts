// SQL, usage and limits from within a Flux script, over HTTP: what the token may not read it does not get that way.

import { expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { caller, install } from './harness.js'
import { askFlux, csv } from './query-v2-client.js'

const sql = (bucket: string, query: string) =>
  `import "experimental/iox"\niox.sql(bucket: "${bucket}", query: "${query}")`

const onOrganization = (id: string): Permission => ({
  action: 'read',
  resource: { type: 'orgs', id },
})

const onBucket = (id: string, orgID: string): Permission => ({
  action: 'read',
  resource: { type: 'buckets', id, orgID },
})

it('asks a bucket in SQL', async () => {
  const place = await install()
  await place.write('m,t=a f=1,n=2i 1\nm,t=b f=3 2')
  const { text } = await askFlux(place, sql('b', 'SELECT t, f, n FROM m ORDER BY time'))
  expect(text).toBe(csv(',result,table,t,f,n', ',_result,0,a,1,2', ',_result,0,b,3,', ''))
  const wide = `import "experimental/iox"
iox.from(bucket: "b", measurement: "m") |> range(start: 0, stop: 1970-01-01T00:00:00.000000002Z)
  |> keep(columns: ["_time", "t"])`
  const { text: rows } = await askFlux(place, wide)
  expect(rows).toContain('1970-01-01T00:00:00.000000001Z')
  expect(rows).not.toContain('1970-01-01T00:00:00.000000002Z')
  const missing = await askFlux(place, sql('b', 'SELECT * FROM nothing'))
  expect([missing.status, missing.json.code]).toEqual([404, 'not found'])
  const broken = await askFlux(place, sql('b', 'SELECT FROM WHERE'))
  expect([broken.status, broken.json.code]).toEqual([400, 'invalid'])
})

it('reads through SQL only what the token may read', async () => {
  const place = await install()
  await place.write('m f=1 1')
  const token = await place.addToken([onOrganization(place.orgId)])
  const refused = await askFlux({ ...place, token }, sql('b', 'SELECT * FROM m'))
  expect([refused.status, refused.json.code]).toEqual([401, 'unauthorized'])
  const from = 'import "experimental/iox"\niox.from(bucket: "b", measurement: "m")'
  expect((await askFlux({ ...place, token }, from)).status).toBe(401)
  expect((await askFlux({ ...place, token }, `${from} |> range(start: 0)`)).status).toBe(401)
  const unknown = await askFlux(place, sql('nowhere', 'SELECT 1'))
  expect(unknown.status).toBe(404)
  expect(unknown.json.message).toContain('could not find bucket "nowhere"')
})

const used = `import "experimental/usage"
usage.from(start: 0, stop: 2100-01-01T00:00:00Z) |> filter(fn: (r) => r._field == "write_requests")
  |> keep(columns: ["_value", "bucket_id", "org_id"])`

const limit = (args: string) => `import "experimental/usage"
import "array"
limits = usage.limits(${args})
array.from(rows: [{org: limits.orgID, max: int(v: limits.bucket.maxBuckets)}])`

it('tells what the organization used and may use', async () => {
  const place = await install()
  const { orgId, bucketId } = place
  await place.write('m f=1 1')
  await place.write('m f=2 2')
  const { text } = await askFlux(place, used)
  const [names, row] = text.split('\r\n').map((line) => line.split(','))
  expect(Object.fromEntries(names.map((name, i) => [name, row[i]]))).toMatchObject({
    _value: '2',
    bucket_id: bucketId,
    org_id: orgId,
  })
  const change = { bucket: { maxBuckets: 17 } }
  expect((await caller(place)('PUT', `/api/v2/orgs/${orgId}/limits`, change)).status).toBe(200)
  const told = csv(',result,table,org,max', `,_result,0,${orgId},17`, '')
  expect((await askFlux(place, limit(''))).text).toBe(told)
  expect((await askFlux(place, limit(`orgID: "${orgId}"`))).text).toBe(told)
})

it('tells it to whoever may read the organization', async () => {
  const place = await install()
  const { orgId } = place
  const token = await place.addToken([onBucket(place.bucketId, orgId)])
  const other = { ...place, token }
  for (const script of [used, limit(''), limit(`orgID: "${orgId}"`)]) {
    const refused = await askFlux(other, script)
    expect([refused.status, refused.json.code]).toEqual([401, 'unauthorized'])
  }
  const able = await place.addToken([onOrganization(orgId)])
  const told = await askFlux(other, limit(`token: "${able}"`))
  expect([told.status, told.text.includes(orgId)]).toEqual([200, true])
  expect((await askFlux(place, limit('token: "nobody"'))).status).toBe(401)
  expect((await askFlux(place, limit('orgID: "x"'))).status).toBe(400)
  expect((await askFlux(place, limit('orgID: "00000000000000ff"'))).status).toBe(404)
  // Who may read one organization does not learn which others there are.
  const reader = { ...place, token: able }
  expect((await askFlux(reader, limit('orgID: "00000000000000ff"'))).status).toBe(401)
})
