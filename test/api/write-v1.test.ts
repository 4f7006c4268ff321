// `POST /write` in the managed variant: databases and policies, v1 precisions, v1 error texts.

import { expect, it } from 'vitest'
import { install, send } from './harness.js'

it('finds a bucket by its name', async () => {
  const { server, orgId, writeV1, lines } = await install()
  await server.catalog.buckets.create({ orgId, name: 'tele/graf', retentionSeconds: 0 })
  const targets = [
    '?db=b',
    '?db=b&rp=autogen',
    '?db=b.autogen',
    '?db=b&rp=&precision=&consistency=one',
    '?db=tele&rp=graf',
    '?db=tele.graf',
  ]
  for (const [i, query] of targets.entries()) {
    expect([query, (await writeV1(`m f=1 ${i}`, { query })).status]).toEqual([query, 204])
  }
  expect(await lines()).toHaveLength(4)
  expect(await lines('tele/graf')).toHaveLength(2)
})

it('follows DBRP mappings', async () => {
  const { url, token, server, orgId, bucketId, writeV1, lines } = await install()
  const other = await server.catalog.buckets.create({ orgId, name: 'x', retentionSeconds: 0 })
  const map = (bucketID: string, retention_policy: string, isDefault: boolean) =>
    send(`${url}/api/v2/dbrps`, {
      method: 'POST',
      token,
      body: JSON.stringify({
        orgID: orgId,
        bucketID,
        database: 'db',
        retention_policy,
        default: isDefault,
      }),
    })
  const first = await map(bucketId, 'one', false)
  expect(first.status).toBe(201)
  expect(first.json).toMatchObject({ database: 'db', retention_policy: 'one', default: true })
  expect((await map(other.id, 'two', false)).json.default).toBe(false)
  expect((await map(other.id, 'two', false)).json).toMatchObject({ code: 'conflict' })
  const listed = await send(`${url}/api/v2/dbrps?orgID=${orgId}&db=db`, { token })
  expect(listed.json.content).toHaveLength(2)

  expect((await writeV1('m f=1 1', { query: '?db=db' })).status).toBe(204)
  expect((await writeV1('m f=1 2', { query: '?db=db&rp=two' })).status).toBe(204)
  expect((await writeV1('m f=1 3', { query: '?db=db.two' })).status).toBe(204)
  expect(await lines()).toEqual(['m f=1 1'])
  expect(await lines('x')).toEqual(['m f=1 2', 'm f=1 3'])
  const missing = await writeV1('m f=1', { query: '?db=db&rp=three' })
  expect(missing.status).toBe(404)
  expect(missing.json.error).toBe('retention policy not found: three')
  // The default moves, and what was remembered of the old one is forgotten.
  expect((await map(other.id, 'four', true)).json.default).toBe(true)
  expect((await writeV1('m f=1 4', { query: '?db=db' })).status).toBe(204)
  expect(await lines('x')).toHaveLength(3)
})

it.each([
  ['n', '7200000000000'],
  ['ns', '7200000000000'],
  ['u', '7200000000'],
  ['us', '7200000000'],
  ['%C2%B5', '7200000000'],
  ['ms', '7200000'],
  ['s', '7200'],
  ['m', '120'],
  ['h', '2'],
])('reads times in %s', async (precision, time) => {
  const { writeV1, lines } = await install()
  const answer = await writeV1(`m f=1 ${time}`, { query: `?db=b&precision=${precision}` })
  expect(answer.status).toBe(204)
  expect(await lines()).toEqual(['m f=1 7200000000000'])
})

it.each([
  ['', 400, 'database is required'],
  ['?db=', 400, 'database is required'],
  ['?db=none', 404, 'database not found: "none"'],
  ['?db=none&rp=x', 404, 'database not found: "none"'],
  ['?db=b&precision=w', 400, 'invalid precision "w" (use n, u, ms, s, m or h)'],
])('refuses %s', async (query, status, error) => {
  const { writeV1 } = await install()
  const answer = await writeV1('m f=1', { query })
  expect(answer.status).toBe(status)
  const code = status === 404 ? 'not found' : 'invalid'
  expect(answer.json).toEqual({ error, code, message: error })
})

it('takes the test write of a single line feed', async () => {
  const { writeV1 } = await install()
  expect((await writeV1('\n')).status).toBe(204)
})

it('keeps good lines and tells the rest as v1 does', async () => {
  const { writeV1, lines } = await install()
  const partial = await writeV1('m f=1 1\nbad\nm f=2 2')
  expect(partial.status).toBe(400)
  const each = "error parsing line 2 (1-based): unable to parse 'bad': missing fields"
  expect(partial.json).toEqual({
    error: "partial write: unable to parse 'bad': missing fields dropped=0",
    code: 'invalid',
    message: `partial write has occurred, errors encountered on line(s):\n${each}`,
    line: 2,
  })
  expect(await lines()).toHaveLength(2)
  const whole = await writeV1('bad')
  expect(whole.status).toBe(400)
  expect(whole.json).toMatchObject({
    error: "unable to parse 'bad': missing fields",
    message: expect.stringMatching(/^no data written, .*\n.* line 1 \(1-based\): unable to parse/),
    line: 1,
  })
  const conflict = await writeV1('m f="x" 3\nm f=3 3')
  expect(conflict.status).toBe(400)
  expect(conflict.json.error).toMatch(/^partial write: field type conflict: .* dropped=1$/)
  const many = await writeV1(Array.from({ length: 150 }, (_, i) => `m f="x" ${i}`).join('\n'))
  expect(many.json.error).toMatch(/^partial write: field type conflict: [^\n]* dropped=150$/)
  expect(many.json.message.match(/^error writing line/gm)).toHaveLength(100)
})

it('a write of more measurements than may be is told which, and by which flag', async () => {
  const { write, lines } = await install({ writeMeasurementsMax: 2 })
  const answer = await write('a f=1 1\nb f=1 1\nc f=1 1\na f=2 2')
  expect(answer.status).toBe(400)
  expect(answer.json.line).toBe(3)
  expect(answer.json.message).toContain('at most 2 measurements (--write-measurements-max)')
  expect(await lines()).toEqual(['a f=1 1', 'a f=2 2', 'b f=1 1'])
  expect((await write('c f=1 1')).status).toBe(204)
})
