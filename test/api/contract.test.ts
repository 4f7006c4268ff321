// Sentences of the specification that are about every endpoint of a kind, asked of each one that the
// access table knows: ids, labels, members, organizations, lists and headers.

import { gzipSync } from 'node:zlib'
import { expect, it, vi } from 'vitest'
import { hashToken } from '../../src/access/tokens.js'
import { sessionCookie } from '../../src/http/base/session-cookie.js'
import { type Ids, isV1, isV3, requestOf } from './access-requests.js'
import { areas, type Row } from './access-table.js'
import { makeEverything } from './everything.js'
import { type Answer, type Installation, install, type SendOptions, send } from './harness.js'

const timeout = 300_000
const absent = '0123456789abcdef'

interface Place extends Installation {
  readonly ids: Ids
}

/** Tasks and checks do not run by themselves, which would change what a later question is told. */
async function makePlace(): Promise<Place> {
  const place = await install({ noTasks: true })
  const made = await makeEverything(place)
  const me = (await place.server.catalog.users.findByName('u'))?.id ?? ''
  const own = { org: place.orgId, orgs: place.orgId, bucket: place.bucketId, me }
  return { ...place, ids: { ...made, ...own } }
}

const allRows: readonly (readonly [string, Row])[] = Object.entries(areas).flatMap(([area, rows]) =>
  rows.map((row) => [area, row] as const),
)

/** As the operator; `change` has the last word on the path and the query. */
async function call(
  { url, token, ids }: Place,
  area: string,
  row: Row,
  change: (target: string) => string = (target) => target,
  options: SendOptions = {},
): Promise<Answer> {
  const { method, target, body } = requestOf(area, row, { path: ids })
  const answer = await send(`${url}${change(target)}`, { method, token, ...body, ...options })
  const { headers } = answer
  expect(headers['request-id'], row.endpoint).toMatch(/^[0-9a-f]{16}$/)
  expect(headers['x-influxdb-version'], row.endpoint).toMatch(/^v?2\.\d+\.\d+$/)
  expect(headers['x-service-version'], row.endpoint).toMatch(/^2\.\d+\.\d+$/)
  if (answer.status >= 400 && isV3(row)) {
    expect(answer.json, row.endpoint).toEqual({ error: expect.any(String), data: null })
    expect(headers['x-platform-error-code'], row.endpoint).toMatch(/^[a-z ]+$/)
  } else if (answer.status >= 400) {
    expect(headers['x-platform-error-code'], row.endpoint).toBe(answer.json.code)
    expect(answer.json.message, row.endpoint).toEqual(expect.any(String))
    if (isV1(row)) expect(answer.json.error, row.endpoint).toBe(answer.json.message)
  }
  return answer
}

/** The ids of a path by where they stand, from the left. Queries and shards have numbers, which no catalog gives. */
function idCount(row: Row): number {
  return (row.endpoint.match(/\{(?!secretID|queryID|shardID|name)\w+\}/g) ?? []).length
}

function withId(index: number, id: string): (target: string) => string {
  let seen = 0
  return (target) =>
    target.replace(/(?<=\/)[0-9a-f]{16}(?=[/?]|$)/g, (found) => (seen++ === index ? id : found))
}

it('refuses ids of a wrong length with 400 (case 1)', { timeout }, async () => {
  const place = await makePlace()
  let asked = 0
  for (const [area, row] of allRows) {
    for (let index = 0; index < idCount(row); index++) {
      for (const id of ['abc', `${absent}0`]) {
        const { status, json } = await call(place, area, row, withId(index, id))
        const what = [row.endpoint, index, id]
        expect([...what, status, json?.code]).toEqual([...what, 400, 'invalid'])
        asked++
      }
    }
  }
  expect(asked).toBeGreaterThan(250)
})

/** What is not there may count as deleted. */
const isAsGoodAsDeleted = /^DELETE \/api\/v2\/(scripts|stacks|dbrps)\/\{id\}$/

it('does not find unknown ids (case 2)', { timeout }, async () => {
  const place = await makePlace()
  for (const [area, row] of allRows) {
    for (let index = 0; index < idCount(row); index++) {
      const { status, json } = await call(place, area, row, withId(index, absent))
      const what = [row.endpoint, index]
      const isGone = isAsGoodAsDeleted.test(row.endpoint)
      const expected = isGone ? [204, undefined] : [404, 'not found']
      expect([...what, status, json?.code]).toEqual([...what, ...expected])
    }
  }
})

it('knows labels that are attached, missing or unknown (cases 8 and 9)', async () => {
  const place = await makePlace()
  const rows = allRows.filter(([, { endpoint }]) => /^POST .*\/labels$/.test(endpoint))
  const attaching = rows.filter(([, { endpoint }]) => endpoint.includes('{id}'))
  expect(attaching.length).toBe(10)
  for (const [area, row] of attaching) {
    const attach = async (body: object) => {
      const { status, json } = await call(place, area, row, undefined, {
        body: JSON.stringify(body),
      })
      return [row.endpoint, status, json.code]
    }
    const { labels } = place.ids
    expect(await attach({ labelID: labels })).toEqual([row.endpoint, 201, undefined])
    expect(await attach({ labelID: labels })).toEqual([row.endpoint, 422, 'conflict'])
    for (const body of [{}, { labelID: '' }, { labelID: 'abc' }, { labelID: 1 }]) {
      expect(await attach(body)).toEqual([row.endpoint, 400, 'invalid'])
    }
    expect(await attach({ labelID: absent })).toEqual([row.endpoint, 404, 'not found'])
  }
})

it('asks for the id of a member or owner (case 10)', async () => {
  const place = await makePlace()
  const rows = allRows.filter(([, { endpoint }]) => /^POST .*\/(members|owners)$/.test(endpoint))
  expect(rows.length).toBe(18)
  for (const [area, row] of rows) {
    for (const body of [{}, { id: '' }, { id: 'abc' }, { id: 'ghijklmnopqrstuv' }, { name: 'u' }]) {
      const options = { body: JSON.stringify(body) }
      const { status, json } = await call(place, area, row, undefined, options)
      expect([row.endpoint, body, status, json.code]).toEqual([row.endpoint, body, 400, 'invalid'])
    }
    const options = { body: JSON.stringify({ id: absent }) }
    expect((await call(place, area, row, undefined, options)).status).toBe(404)
  }
})

const isOfPoints = / \/(api\/v2\/(write|query)|debug\/export)$/

it('names what an unknown organization is (case 12)', async () => {
  const place = await makePlace()
  let asked = 0
  for (const [area, row] of allRows) {
    if (!row.query?.includes('orgID={org}')) continue
    const named = ['organization not found', 'organization name "none" not found']
    for (const [index, name] of [`orgID=${absent}`, 'org=none'].entries()) {
      const elsewhere = (target: string) => target.replace(/orgID=\w+/, name)
      const { status, json } = await call(place, area, row, elsewhere)
      asked++
      // Whoever writes or queries with the organization's token need not know its name; lists of buckets do not use it.
      const isPassedOver = index === 1 && isOfPoints.test(row.endpoint)
      if (isPassedOver || row.endpoint === 'GET /api/v2/buckets') {
        expect([row.endpoint, status]).toEqual([row.endpoint, row.status])
        continue
      }
      expect([row.endpoint, status, json]).toEqual([
        row.endpoint,
        404,
        { code: 'not found', message: named[index] },
      ])
    }
  }
  expect(asked).toBeGreaterThan(30)
})

it('links every list', async () => {
  const place = await makePlace()
  const rows = allRows.filter(([, { endpoint, id }]) => {
    const isList = /^GET \S+\/(\w+s|measurements)$/.test(endpoint) && !/\/\{id\}$/.test(endpoint)
    const others = /\/(metrics|docs|limits|logs|params|plugins|flags|resources|suggestions|vars)$/
    return isList && id === undefined && !others.test(endpoint)
  })
  expect(rows.length).toBeGreaterThan(40)
  for (const [area, row] of rows) {
    const { status, json } = await call(place, area, row)
    expect([row.endpoint, status]).toEqual([row.endpoint, 200])
    expect(Object.values(json).some(Array.isArray), row.endpoint).toBe(true)
    expect([row.endpoint, json.links?.self]).toEqual([
      row.endpoint,
      expect.stringMatching(/^\/\w+\//),
    ])
  }
})

it('takes the trace span that callers may send', { timeout }, async () => {
  const place = await makePlace()
  const headers = { 'service-trace-span': 'a:b:c', 'zap-trace-span': 'x' }
  for (const [area, row] of allRows) {
    const isAlike = row.needs !== 'open' && row.status === 200 && row.endpoint.startsWith('GET ')
    if (!isAlike || / \/debug\//.test(row.endpoint)) continue
    // What these tell moves on from one question to the next.
    const isCounting = /\/(usage|metrics|queries)$/.test(row.endpoint)
    // Asked again: the scraper may have written between the two.
    await vi.waitFor(async () => {
      const plain = await call(place, area, row)
      const traced = await call(place, area, row, undefined, { headers })
      expect([row.endpoint, traced.status]).toEqual([row.endpoint, plain.status])
      if (!isCounting) expect(traced.text, row.endpoint).toBe(plain.text)
    }, 5000)
  }
  const written = await place.write('m f=1 1', { headers })
  expect(written.status).toBe(204)
})

it('unpacks bodies of resources too', async () => {
  const { url, token, orgId } = await install()
  const post = (body: Uint8Array | string, encoding: string) =>
    send(`${url}/api/v2/labels`, {
      method: 'POST',
      token,
      body,
      headers: { 'content-encoding': encoding },
    })
  const label = (name: string) => JSON.stringify({ orgID: orgId, name })
  expect((await post(gzipSync(label('a')), 'gzip')).status).toBe(201)
  expect((await post(label('b'), 'identity')).status).toBe(201)
  const packed = gzipSync(label('c'))
  for (const body of [label('c'), packed.subarray(0, -9), '', Buffer.concat([packed, packed])]) {
    const { status, json } = await post(body, 'gzip')
    expect([status, json.code]).toEqual([400, 'invalid'])
  }
  const bomb = await post(gzipSync(Buffer.alloc(50_000_000, ' ')), 'gzip')
  expect([bomb.status, bomb.json.code]).toEqual([413, 'request too large'])
  const unknown = await post(label('c'), 'br')
  expect([unknown.status, unknown.json.code]).toEqual([415, 'unsupported media type'])
})

it('takes a bucket away from whom it takes a role', async () => {
  const { url, token, bucketId, server } = await install()
  const { catalog } = server
  const user = await catalog.users.create({ name: 'v', passwordHash: undefined })
  await catalog.sessions.create(hashToken('key'), user.id)
  const headers = { cookie: `${sessionCookie}=key` }
  const ask = async (method: string, body?: object) => {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    return (await send(`${url}${bucket}`, { method, headers, ...text })).status
  }
  const bucket = `/api/v2/buckets/${bucketId}`
  const read = () => ask('GET')
  const write = () => ask('PATCH', { retentionRules: [] })
  const role = (method: string, path: string, body?: object) =>
    send(`${url}${bucket}/${path}`, {
      method,
      token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  expect([await read(), await write()]).toEqual([401, 401])
  await role('POST', 'members', { id: user.id })
  expect([await read(), await write()]).toEqual([200, 401])
  expect((await role('DELETE', `members/${user.id}`)).status).toBe(204)
  expect([await read(), await write()]).toEqual([401, 401])
  await role('POST', 'owners', { id: user.id })
  expect([await read(), await write()]).toEqual([200, 200])
  expect((await role('DELETE', `owners/${user.id}`)).status).toBe(204)
  expect([await read(), await write()]).toEqual([401, 401])
})

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
}

/** A value with every member that its schema knows and that was not given as null, at every depth. */
function withNulls(schema: Schema, value: unknown): unknown {
  const { properties = {}, anyOf = [], items } = schema
  if (Array.isArray(value))
    return items === undefined ? value : value.map((item) => withNulls(items, item))
  if (typeof value !== 'object' || value === null) return value
  const all: Record<string, unknown> = Object.assign(
    {},
    ...anyOf.map((one) => withNulls(one, value)),
  )
  const given = value as Readonly<Record<string, unknown>>
  for (const [name, inner] of Object.entries(properties)) {
    all[name] = name in given ? withNulls(inner, given[name]) : null
  }
  return { ...given, ...all }
}

it('takes a member that is null for one that is absent', { timeout }, async () => {
  const plain = await makePlace()
  const document = (await send(`${plain.url}/api/v2/swagger.json`)).json
  const nulls = await makePlace()
  let asked = 0
  for (const [area, row] of allRows) {
    const [method, path] = row.endpoint.split(' ')
    const content = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content
    const schema: Schema | undefined = content?.['application/json'].schema
    if (schema === undefined || row.body === undefined) continue
    const filled = { ...row, body: withNulls(schema, row.body) }
    if (JSON.stringify(filled.body) === JSON.stringify(row.body)) continue
    const [as, expected] = [await call(nulls, area, filled), await call(plain, area, row)]
    expect([row.endpoint, as.status, as.text]).toEqual([row.endpoint, expected.status, as.text])
    asked++
  }
  expect(asked).toBeGreaterThan(30)
})

it('reads booleans of the query string as Go does', async () => {
  const place = await install()
  const { url, token } = place
  await place.write('m f=1 1')
  const values = {
    true: ['1', 't', 'T', 'true', 'TRUE', 'True'],
    false: ['0', 'f', 'F', 'false', 'FALSE', 'False'],
  }
  const ask = async (path: string) => send(`${url}${path}`, { token })
  for (const [meaning, spellings] of Object.entries(values)) {
    for (const spelling of spellings) {
      const list = await ask(`/api/v2/buckets?descending=${spelling}`)
      expect([spelling, list.json.links?.self]).toEqual([
        spelling,
        `/api/v2/buckets?descending=${meaning}&limit=20&offset=0`,
      ])
      const mappings = await ask(`/api/v2/dbrps?orgID=${place.orgId}&default=${spelling}`)
      expect([spelling, mappings.status]).toEqual([spelling, 200])
      const pretty = await ask(`/query?db=b&q=select%20f%20from%20m&pretty=${spelling}`)
      expect([spelling, pretty.text.includes('\n    ')]).toEqual([spelling, meaning === 'true'])
      const chunked = await ask(`/query?db=b&q=select%20f%20from%20m&chunked=${spelling}`)
      const isChunked = chunked.headers['transfer-encoding'] === 'chunked'
      expect([spelling, isChunked]).toEqual([spelling, meaning === 'true'])
      const v3 = await send(`${url}/api/v3/write_lp?db=b&accept_partial=${spelling}`, {
        token,
        method: 'POST',
        body: 'm f=2 2\nbad',
      })
      const word = meaning === 'true' ? 'partial write' : 'line protocol parsing error'
      expect([spelling, v3.json.error]).toEqual([spelling, expect.stringContaining(word)])
    }
  }
  for (const path of ['/api/v2/buckets?descending=yes', '/api/v2/dbrps?default=2']) {
    expect((await ask(path)).status, path).toBe(400)
  }
})
