// What a Flux script may use: the buckets that its token may read and write, the organization's
// secrets and databases, other organizations only for those whose token reaches them.

import { expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { adminToken, caller, type Installation, install, send, start } from './harness.js'
import { askFlux, csv } from './query-v2-client.js'

const count = (bucket: string) =>
  `from(bucket: "${bucket}") |> range(start: 0, stop: 1m) |> count() |> keep(columns: ["_value"])`
const one = (column: string, value: string) =>
  csv(`,result,table,${column}`, `,_result,0,${value}`, '')

async function twoBuckets(): Promise<Installation & { otherId: string }> {
  const place = await install()
  const made = await caller(place)('POST', '/api/v2/buckets', {
    name: 'c',
    orgID: place.orgId,
    retentionRules: [{ everySeconds: 0 }],
  })
  await place.write('m f=1 1\nm f=2 2')
  return { ...place, otherId: made.json.id }
}

const onBucket = (action: 'read' | 'write', id: string, orgID: string): Permission => ({
  action,
  resource: { type: 'buckets', id, orgID },
})

it('reads what the token may read and nothing else', async () => {
  const place = await twoBuckets()
  const token = await place.addToken([onBucket('read', place.bucketId, place.orgId)])
  const reader = { ...place, token }
  expect((await askFlux(reader, count('b'))).text).toBe(one('_value', '2'))
  const refused = await askFlux(reader, count('c'))
  expect(refused.status).toBe(401)
  expect(refused.json.code).toBe('unauthorized')
  expect(refused.json.message).toContain(
    `read:orgs/${place.orgId}/buckets/${place.otherId} is unauthorized`,
  )
  // Nothing of the first is sent where the second is refused.
  const both = `${count('b')} |> yield(name: "b")\n${count('c')} |> yield(name: "c")`
  expect((await askFlux(reader, both)).status).toBe(401)
  const names = await askFlux(reader, 'buckets() |> keep(columns: ["name"])')
  expect(names.text).toBe(one('name', 'b'))
  const useless = { action: 'read', resource: { type: 'labels', orgID: place.orgId } } as const
  const nobody = { ...place, token: await place.addToken([useless]) }
  const none = await askFlux(nobody, 'buckets()')
  expect([none.status, none.json.code]).toEqual([404, 'not found'])
  expect(none.json.message).toContain(`no buckets found in organization ${place.orgId}`)
})

it('lists buckets with everything that is known of them', async () => {
  const place = await twoBuckets()
  const { text } = await askFlux(place, 'buckets() |> sort(columns: ["name"])')
  const lines = text.split('\r\n')
  const names = lines[0].split(',')
  const found = lines.slice(1, -2).map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(names.map((name, i) => [name, cells[i]]))
  })
  expect(found.map(({ name }) => name)).toEqual(['_monitoring', '_tasks', 'b', 'c'])
  expect(found[1]).toMatchObject({
    organizationID: place.orgId,
    retentionPolicy: '',
    retentionPeriod: String(3 * 86_400 * 1e9),
  })
  expect(found[2]).toMatchObject({ id: place.bucketId, retentionPeriod: '0' })
})

it('writes through the way of every write', async () => {
  const place = await twoBuckets()
  const copy = 'from(bucket: "b") |> range(start: 0, stop: 1m) |> to(bucket: "c")'
  const reader = await place.addToken([onBucket('read', place.bucketId, place.orgId)])
  const refused = await askFlux({ ...place, token: reader }, copy)
  expect([refused.status, refused.json?.code]).toEqual([401, 'unauthorized'])
  expect(await place.lines('c')).toEqual([])
  const writer = await place.addToken([
    onBucket('read', place.bucketId, place.orgId),
    onBucket('write', place.otherId, place.orgId),
  ])
  const copied = await askFlux({ ...place, token: writer }, copy)
  expect(copied.status, copied.text).toBe(200)
  expect(await place.lines('c')).toEqual(['m f=1 1', 'm f=2 2'])
  const usage = await send(`${place.url}/api/v2/orgs/${place.orgId}/usage?start=1`, place)
  expect(usage.text).toMatch(new RegExp(`,write_bytes,http_request,${place.otherId},`))
  // A value of another type is refused as the write endpoint refuses it.
  const text = `${copy.replace('|> to', '|> toString() |> to')}`
  const conflict = await askFlux(place, text)
  expect(conflict.text).toContain('field type conflict')
})

it('keeps measurement schemas', async () => {
  const place = await twoBuckets()
  const call = caller(place)
  const { json } = await call('POST', '/api/v2/buckets', {
    name: 'strict',
    orgID: place.orgId,
    schemaType: 'explicit',
    retentionRules: [{ everySeconds: 0 }],
  })
  const columns = [
    { name: 'time', type: 'timestamp' },
    { name: 'g', type: 'field', dataType: 'float' },
  ]
  await call('POST', `/api/v2/buckets/${json.id}/schema/measurements`, { name: 'm', columns })
  const script = 'from(bucket: "b") |> range(start: 0, stop: 1m) |> to(bucket: "strict")'
  const refused = await askFlux(place, script)
  expect(refused.text).toContain('not permitted by schema')
  expect(await place.lines('strict')).toEqual([])
  const renamed = script.replace('|> to', '|> set(key: "_field", value: "g") |> to')
  expect((await askFlux(place, renamed)).status).toBe(200)
  expect(await place.lines('strict')).toEqual(['m g=1 1', 'm g=2 2'])
})

it('gives secrets to whoever may read them', async () => {
  const place = await install()
  await caller(place)('PATCH', `/api/v2/orgs/${place.orgId}/secrets`, { KEY: 'hidden' })
  const script = (key: string) => `import "array"
import "influxdata/influxdb/secrets"
array.from(rows: [{v: secrets.get(key: "${key}")}])`
  expect((await askFlux(place, script('KEY'))).text).toBe(one('v', 'hidden'))
  const missing = await askFlux(place, script('NONE'))
  expect([missing.status, missing.json.code]).toEqual([404, 'not found'])
  expect(missing.json.message).toContain('secret key "NONE" not found')
  const token = await place.addToken([
    { action: 'read', resource: { type: 'buckets', orgID: place.orgId } },
  ])
  const refused = await askFlux({ ...place, token }, script('KEY'))
  expect([refused.status, refused.json.code]).toEqual([401, 'unauthorized'])
  expect(refused.text).not.toContain('hidden')
})

it('reaches other organizations only with a token that does', async () => {
  const place = await twoBuckets()
  const { catalog } = place.server
  const other = await catalog.organizations.create({ name: 'other' })
  const bucket = await catalog.buckets.create({ orgId: other.id, name: 'far', retentionSeconds: 0 })
  const write = await send(`${place.url}/api/v2/write?orgID=${other.id}&bucket=far`, {
    method: 'POST',
    token: await place.addToken([onBucket('write', bucket.id, other.id)], other.id),
    body: 'm f=1 1\nm f=2 2\nm f=3 3',
  })
  expect(write.status).toBe(204)
  const far = count('far').replace('"far"', `"far", orgID: "${other.id}"`)
  expect((await askFlux(place, far)).text).toBe(one('_value', '3'))
  const byName = far.replace(`orgID: "${other.id}"`, 'org: "other"')
  expect((await askFlux(place, byName)).text).toBe(one('_value', '3'))
  const own = { action: 'read', resource: { type: 'buckets', orgID: place.orgId } } as const
  const confined = { ...place, token: await place.addToken([own]) }
  for (const script of [far, byName, far.replace(other.id, '0123456789abcdef')]) {
    const refused = await askFlux(confined, script)
    expect([refused.status, refused.json?.code]).toEqual([404, 'not found'])
    expect(refused.json.message).toContain('could not find organization')
  }
})

it('lists databases', async () => {
  const place = await twoBuckets()
  const script = `import "influxdata/influxdb/v1"
v1.databases() |> filter(fn: (r) => r.databaseName == "b")`
  const { text } = await askFlux(place, script)
  expect(text).toContain(`,_result,0,${place.orgId},b,autogen,0,true,${place.bucketId}\r\n`)
})

it('is not there in the cluster variant', async () => {
  const { url } = await start({ variant: 'cluster', adminToken })
  for (const path of ['query', 'query/ast', 'query/analyze', 'scripts/x/invoke']) {
    const answer = await send(`${url}/api/v2/${path}`, { method: 'POST', token: adminToken })
    expect([path, answer.status]).toEqual([path, 404])
  }
})
