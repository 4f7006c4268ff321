// `POST /api/v2/write`: what is accepted, where it goes, and how each failure is told.

import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { operatorPermissions } from '../../src/access/permissions.js'
import { hashToken } from '../../src/access/tokens.js'
import { ManualClock } from '../../src/platform/clock.js'
import { install, send } from './harness.js'

it('writes and answers 204 without a body', async () => {
  const { write, lines } = await install()
  const answer = await write('m,t=a f=1,g="x" 1\nm,t=b h=2i 2')
  expect(answer.status).toBe(204)
  expect(answer.text).toBe('')
  expect(await lines()).toEqual(['m,t=a f=1,g="x" 1', 'm,t=b h=2i 2'])
})

it('takes bucket and organization by name and by id', async () => {
  const { url, token, orgId, bucketId, lines } = await install()
  const queries = [
    'org=o&bucket=b',
    `org=${orgId}&bucket=${bucketId}`,
    `orgID=${orgId}&bucketID=${bucketId}`,
    'bucket=b',
    'org=&orgID=&bucket=b&precision=',
    'org=o&org=other&bucket=b',
  ]
  for (const [i, query] of queries.entries()) {
    const body = `m f=1 ${i}`
    const answer = await send(`${url}/api/v2/write?${query}`, { method: 'POST', token, body })
    expect([query, answer.status]).toEqual([query, 204])
  }
  expect(await lines()).toHaveLength(queries.length)
})

it.each([
  ['ns', '1500000000000000000'],
  ['us', '1500000000000000'],
  ['ms', '1500000000000'],
  ['s', '1500000000'],
])('reads times in %s', async (precision, time) => {
  const { write, lines } = await install()
  expect((await write(`m f=1 ${time}`, { query: `&precision=${precision}` })).status).toBe(204)
  expect(await lines()).toEqual(['m f=1 1500000000000000000'])
})

it('gives lines without a time the moment of their arrival', async () => {
  const { write, lines } = await install({ clock: new ManualClock(1_600_000_000_123_456_789n) })
  await write('m f=1')
  expect(await lines()).toEqual(['m f=1 1600000000123456789'])
})

it('unpacks gzip and ignores the content type', async () => {
  const { write, lines } = await install()
  const gzip = { 'content-encoding': 'gzip' }
  expect((await write(gzipSync('m f=1 1'), { headers: gzip })).status).toBe(204)
  expect((await write(gzipSync('m f=1 2'), { headers: gzip, chunked: true })).status).toBe(204)
  const members = Buffer.concat([gzipSync('m f=1 3\n'), gzipSync('m f=1 4\n')])
  expect((await write(members, { headers: gzip })).status).toBe(204)
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'nonsense', '']) {
    const answer = await write('m f=1 5', { headers: { 'content-type': type } })
    expect([type, answer.status]).toEqual([type, 204])
  }
  expect((await write('m f=1 6', { headers: { 'content-encoding': 'identity' } })).status).toBe(204)
  expect(await lines()).toHaveLength(6)
})

it('takes bodies without a length', async () => {
  const { write, lines } = await install()
  const body = Array.from({ length: 5000 }, (_, i) => `m,t=a f=${i} ${i}`).join('\n')
  expect((await write(body, { chunked: true })).status).toBe(204)
  expect(await lines()).toHaveLength(5000)
})

it.each(['', '\n', '  \n# a comment\n\n'])('takes the empty body %j', async (body) => {
  const { write } = await install()
  expect((await write(body)).status).toBe(204)
})

it.each([
  ['&precision=h', 400, 'invalid precision; valid precision units are ns, us, ms, and s'],
  ['&orgID=xyz', 400, 'id must have a length of 16 bytes'],
  ['&orgID=000000000000000g', 400, 'invalid ID'],
  ['&bucketID=0123', 400, 'id must have a length of 16 bytes'],
  ['&bucketID=0123456789abcdef', 404, 'bucket "0123456789abcdef" not found'],
  ['&orgID=0123456789abcdef', 404, 'organization not found'],
])('refuses %s', async (query, status, message) => {
  const { write } = await install()
  const answer = await write('m f=1', { query })
  expect(answer.status).toBe(status)
  expect(answer.json).toEqual({ code: status === 404 ? 'not found' : 'invalid', message })
  expect(answer.headers['x-influxdb-error']).toBe(message)
})

it('tells unknown buckets and organizations', async () => {
  const { url, token, server } = await install()
  const write = (query: string) =>
    send(`${url}/api/v2/write?${query}`, { method: 'POST', token, body: 'm f=1' })
  expect((await write('org=o&bucket=x')).json.message).toBe('bucket "x" not found')
  expect((await write('org=o')).json).toEqual({ code: 'not found', message: 'bucket not found' })
  // A name that nobody bears is passed over where the token says which organization is meant.
  expect((await write('org=x&bucket=b')).status).toBe(204)
  const unbound = { tokenHash: hashToken('unbound'), orgId: undefined, userId: undefined }
  const permissions = operatorPermissions()
  await server.catalog.tokens.create({ ...unbound, description: '', permissions })
  const missing = await send(`${url}/api/v2/write?org=x&bucket=b`, {
    method: 'POST',
    token: 'unbound',
    body: 'm f=1',
  })
  expect(missing.status).toBe(404)
  expect(missing.json.message).toBe('organization name "x" not found')
  await server.catalog.organizations.create({ name: 'other' })
  const foreign = await write('org=other&bucket=b')
  expect(foreign.status).toBe(400)
  expect(foreign.json).toEqual({
    code: 'invalid',
    message: 'organization "other" does not own the token',
  })
})

it('keeps good lines and names the bad ones', async () => {
  const { write, lines } = await install()
  const answer = await write('m f=1 1\nbad\nm f=2 2\nm f= 3')
  expect(answer.status).toBe(400)
  expect(answer.json).toEqual({
    code: 'invalid',
    message:
      "partial write error (2 written): unable to parse 'bad': missing fields\n" +
      "unable to parse 'm f= 3': missing field value",
    line: 2,
  })
  expect(answer.headers['x-influxdb-error']).not.toContain('\n')
  expect(await lines()).toHaveLength(2)
})

it('tells when every line is bad', async () => {
  const { write } = await install()
  const answer = await write('bad')
  expect(answer.status).toBe(400)
  expect(answer.json).toEqual({
    code: 'invalid',
    message: "unable to parse 'bad': missing fields",
    line: 1,
  })
})

it('writes nothing of a body with a bad line when writes are atomic', async () => {
  const { write, writeV1, lines } = await install({ writeAtomic: true })
  const answer = await write('m f=1 1\nbad')
  expect(answer.json.message).toBe("unable to parse 'bad': missing fields")
  expect(answer.json.line).toBe(2)
  const v1 = await writeV1('m f=1 1\nbad')
  expect(v1.json).toMatchObject({ error: "unable to parse 'bad': missing fields", line: 2 })
  expect(await lines()).toEqual([])
  expect((await write('m f=1 1')).status).toBe(204)
  const conflict = await write('m f=2 2\nm f="x" 3\nm f=3 4')
  expect([conflict.status, conflict.json.line]).toEqual([400, 2])
  expect(conflict.json.message).toMatch(/field type conflict/)
  expect((await writeV1('m f=2 2\nm f="x" 3')).status).toBe(400)
  expect(await lines()).toEqual(['m f=1 1'])
})

it('tells points that the store refuses', async () => {
  const { write, lines } = await install()
  await write('m f=1 1')
  const answer = await write('m f=2 2\nm f="x" 3\nm f=true 4')
  expect(answer.status).toBe(400)
  expect(answer.json.code).toBe('invalid')
  expect(answer.json.line).toBe(2)
  expect(answer.json.message).toMatch(/^partial write: field type conflict: input field "f" on /)
  expect(answer.json.message).toMatch(/ dropped=2$/)
  expect(await lines()).toEqual(['m f=1 1', 'm f=2 2'])
})

it('reports at most 100 bad lines', async () => {
  const { write } = await install()
  const answer = await write('bad\n'.repeat(250))
  expect(answer.json.message.split('\n')).toHaveLength(100)
  expect(answer.json.line).toBe(1)
})

it('refuses points beyond the retention', async () => {
  const clock = new ManualClock(1_600_000_000_000_000_000n)
  const { url, token, orgId, server } = await install({ clock })
  await server.catalog.buckets.create({ orgId, name: 'short', retentionSeconds: 3600 })
  const target = `${url}/api/v2/write?bucket=short&precision=s`
  const body = 'm f=1 1599990000\nm f=2 1599999000'
  const answer = await send(target, { method: 'POST', token, body })
  expect(answer.status).toBe(400)
  expect(answer.json.line).toBe(1)
  expect(answer.json.message).toMatch(/^partial write: .*retention policy.* dropped=1$/)
})

it('lists the lines that it refused, for who asks', async () => {
  const { write, lines } = await install()
  await write('m f=1 1')
  const { status, json } = await write('m f="text" 2\nm f=2 3\nbroken', { query: '&refused=list' })
  expect(status).toBe(400)
  expect(json.refused).toMatchObject([{ line: 1 }, { line: 3 }])
  expect(json.refused[1].message).toMatch(/missing/)
  expect(await lines()).toEqual(['m f=1 1', 'm f=2 3'])
  expect((await write('broken')).json).not.toHaveProperty('refused')
})
