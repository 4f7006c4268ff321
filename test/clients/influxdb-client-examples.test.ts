// What the examples of the official JavaScript client show, with the unmodified packages, one by one where no other
// test here does it: createBucket, influxdb-1.8, invokableScripts, writeAdvanced, onboarding, tokens, httpErrorHandled,
// rxjs-query, follow-redirects. The rest (ping, write, query, queryWithParams, delete) is in `influxdb-client.test.ts`.

import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  flux,
  fluxDuration,
  HttpError,
  InfluxDB,
  Point,
  type Row,
  setLogger,
} from '@influxdata/influxdb-client'
import {
  AuthorizationsAPI,
  BucketsAPI,
  FluxScriptInvocationAPI,
  OrgsAPI,
  ScriptsAPI,
  SetupAPI,
  SigninAPI,
  SignoutAPI,
} from '@influxdata/influxdb-client-apis'
import { expect, it, onTestFinished } from 'vitest'
import { install, send, start } from '../api/harness.js'

setLogger({ error: () => undefined, warn: () => undefined })

async function connect() {
  const place = await install()
  return { place, client: new InfluxDB({ url: place.url, timeout: 60_000, token: place.token }) }
}

it('makes a bucket again under its name', async () => {
  const { client } = await connect()
  const { orgs = [] } = await new OrgsAPI(client).getOrgs({ org: 'o' })
  const buckets = new BucketsAPI(client)
  const body = { orgID: orgs[0].id ?? '', name: 'again', retentionRules: [] }
  const made = await buckets.postBuckets({ body })
  const write = client.getWriteApi('o', 'again')
  write.writePoint(new Point('m').floatField('f', 1))
  await write.close()
  const found = await buckets.getBuckets({ orgID: body.orgID, name: 'again' })
  expect(found.buckets?.map(({ id }) => id)).toEqual([made.id])
  await buckets.deleteBucketsID({ bucketID: made.id ?? '' })
  expect((await buckets.postBuckets({ body })).id).not.toBe(made.id)
  const query = 'from(bucket: "again") |> range(start: 0)'
  expect(await client.getQueryApi('o').collectRows(query)).toEqual([])
})

it('takes a user and a password of v1 for a token, a database and its policy for a bucket', async () => {
  const { place } = await connect()
  for (const q of [
    'CREATE DATABASE telegraf',
    `CREATE USER username WITH PASSWORD 'password'`,
    'GRANT ALL ON telegraf TO username',
  ]) {
    const statement = `${place.url}/query?q=${encodeURIComponent(q)}`
    const { json } = await send(statement, { method: 'POST', token: place.token })
    expect(json.results[0].error).toBeUndefined()
  }
  const client = new InfluxDB({ url: place.url, timeout: 60_000, token: 'username:password' })
  const write = client.getWriteApi('', 'telegraf/autogen')
  write.writePoint(new Point('mem').tag('host', 'host1').floatField('used_percent', 23.4))
  await write.close()
  const query = 'from(bucket: "telegraf/autogen") |> range(start: -1h)'
  const rows = await client.getQueryApi('').collectRows(query)
  expect(rows).toMatchObject([{ _measurement: 'mem', host: 'host1', _value: 23.4 }])
  const wrong = new InfluxDB({
    url: place.url,
    timeout: 60_000,
    token: 'username:wrong',
  }).getQueryApi('')
  await expect(wrong.collectRows(query)).rejects.toMatchObject({ statusCode: 401 })
})

it('invokes a script with its parameters', async () => {
  const { client } = await connect()
  const script = `import "generate"
    generate.from(count: int(v: params.count), fn: (n) => (n + 1) * (n + 2),
      start: 2021-01-01T00:00:00Z, stop: 2021-01-02T00:00:00Z)`
  const { id = '' } = await new ScriptsAPI(client).postScripts({
    body: { name: 'values', description: '', script, language: 'flux' },
  })
  // The answer has no annotations, as InfluxDB Cloud has it: the client takes every value for a text.
  const values: string[] = []
  const results = new FluxScriptInvocationAPI(client).invoke(id, { count: 4 })
  for await (const { values: cells, tableMeta } of results.iterateRows()) {
    values.push(tableMeta.get(cells, '_value'))
  }
  expect(values).toEqual(['2', '6', '12', '20'])
})

it('writes many points in pieces and counts them', async () => {
  const { client } = await connect()
  const flushed: number[] = []
  const write = client.getWriteApi('o', 'b', 'ns', {
    batchSize: 501,
    flushInterval: 0,
    writeSuccess: (lines) => flushed.push(lines.length),
  })
  const now = Date.now()
  for (let i = 0; i < 1500; i++) {
    write.writePoint(new Point('many').floatField('value', i).timestamp(String((now - i) * 1e6)))
    if ((i + 1) % 500 === 0) await write.flush()
  }
  await write.close()
  expect(flushed).toEqual([500, 500, 500])
  const start = fluxDuration('-5m')
  const query = flux`from(bucket: "b") |> range(start: ${start})
    |> filter(fn: (r) => r._measurement == ${'many'}) |> count(column: "_value")`
  expect(await client.getQueryApi('o').collectRows(query)).toMatchObject([{ _value: 1500 }])
})

it('is set up with a token of its own, once, and manages tokens with a session', async () => {
  const { url } = await start()
  const setup = new SetupAPI(new InfluxDB({ url, timeout: 60_000 }))
  expect((await setup.getSetup()).allowed).toBe(true)
  const login = { username: 'my-user', password: 'my-password' }
  await setup.postSetup({ body: { org: 'o', bucket: 'b', token: 'my-token', ...login } })
  expect((await setup.getSetup()).allowed).toBe(false)
  const ready = new InfluxDB({ url, timeout: 60_000, token: 'my-token' }).getQueryApi('o')
  expect(await ready.collectRows('buckets() |> filter(fn: (r) => r.name == "b")')).toHaveLength(1)

  const guest = new InfluxDB({ url, timeout: 60_000 })
  let cookie = ''
  const auth = { user: login.username, password: login.password }
  await new SigninAPI(guest).postSignin(
    { auth },
    {
      responseStarted: (headers) => {
        cookie = String(headers['set-cookie']).split(';')[0]
      },
    },
  )
  const session = { headers: { cookie } }
  const tokens = new AuthorizationsAPI(guest)
  const { orgs = [] } = await new OrgsAPI(guest).getOrgs({ org: 'o' }, session)
  const orgID = orgs[0].id ?? ''
  const permissions = (['read', 'write'] as const).map((action) => ({
    action,
    resource: { type: 'buckets' as const, orgID },
  }))
  const body = { orgID, description: 'example token', permissions }
  const made = await tokens.postAuthorizations({ body }, session)
  const listed = (await tokens.getAuthorizations({}, session)).authorizations ?? []
  expect(listed.map(({ description }) => description)).toContain('example token')
  const write = new InfluxDB({ url, timeout: 60_000, token: made.token ?? '' }).getWriteApi(
    'o',
    'b',
  )
  write.writePoint(new Point('m').floatField('f', 1))
  await write.close()
  await tokens.deleteAuthorizationsID({ authID: made.id ?? '' }, session)
  await new SignoutAPI(guest).postSignout(undefined, session)
  const refused = tokens.getAuthorizations({}, session)
  await expect(refused).rejects.toMatchObject({ statusCode: 401 })
})

it('tells with a refused line when, where and on what build it was', async () => {
  const { client } = await connect()
  const write = client.getWriteApi('o', 'b', 'ns', { maxRetries: 0 })
  write.writeRecord('asdf')
  const error = await write.close().catch((failure) => failure)
  expect(error).toBeInstanceOf(HttpError)
  expect(error).toMatchObject({ statusCode: 400, json: { code: 'invalid', line: 1 } })
  expect(Date.parse(error.headers.date)).not.toBeNaN()
  expect(error.headers['x-influxdb-build']).toMatch(/./)
  expect(error.canRetry()).toBe(false)
})

it('is read as an observable, rows and lines', async () => {
  const { client } = await connect()
  const query = 'import "array" array.from(rows: [{_value: 1}, {_value: 2}])'
  const api = client.getQueryApi('o')
  const values: number[] = []
  await new Promise<void>((resolve, reject) => {
    api.rows(query).subscribe({
      next: ({ values: cells, tableMeta }: Row) => values.push(tableMeta.get(cells, '_value')),
      error: reject,
      complete: resolve,
    })
  })
  expect(values).toEqual([1, 2])
  const lines: string[] = []
  await new Promise<void>((resolve, reject) => {
    api.lines(query).subscribe((line) => lines.push(line), reject, resolve)
  })
  expect(lines[0]).toBe('#datatype,string,long,long')
  // Annotations, names, two rows, and the empty line that ends a table.
  expect(lines).toHaveLength(7)
  expect(lines.at(-1)).toBe('')
})

it('is reached behind a redirect, with what the client is told to follow it with', async () => {
  const { place } = await connect()
  const seen: string[] = []
  const door = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.writeHead(307, { location: `${place.url}${request.url}` }).end()
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => door.close(() => resolve())))
  const { port } = door.address() as AddressInfo
  const options = { url: `http://127.0.0.1:${port}`, token: place.token }
  const straight = new InfluxDB(options).getQueryApi('o').collectRows('buckets()')
  await expect(straight).rejects.toMatchObject({ statusCode: 307 })
  const following = { http: { request: follow }, https }
  const client = new InfluxDB({ ...options, transportOptions: { 'follow-redirects': following } })
  const names = await client
    .getQueryApi('o')
    .collectRows('buckets()', (cells, tables) => tables.get(cells, 'name'))
  expect(names).toContain('b')
  expect(seen).toHaveLength(2)
})

/** As the package `follow-redirects` does it: the same request again, with its body, where it is sent to. */
function follow(options: http.RequestOptions, answered: (answer: http.IncomingMessage) => void) {
  const request = http.request(options, (answer) => {
    if (answer.statusCode !== 307) return answered(answer)
    answer.resume()
    const { hostname, port, pathname, search } = new URL(answer.headers.location ?? '')
    http.request({ ...options, hostname, port, path: pathname + search }, answered).end(body)
  })
  let body = ''
  const write = request.write.bind(request)
  request.write = ((piece: string) => {
    body += piece
    return write(piece)
  }) as typeof request.write
  return request
}
