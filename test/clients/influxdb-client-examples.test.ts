// What the examples of the official JavaScript client show and no other test here does, with the unmodified packages:
// a bucket made again, user and password of v1 as a token, invokable scripts, many points in pieces.

import { flux, fluxDuration, InfluxDB, Point, setLogger } from '@influxdata/influxdb-client'
import {
  BucketsAPI,
  FluxScriptInvocationAPI,
  OrgsAPI,
  ScriptsAPI,
} from '@influxdata/influxdb-client-apis'
import { expect, it } from 'vitest'
import { install, send } from '../api/harness.js'

setLogger({ error: () => undefined, warn: () => undefined })

async function connect() {
  const place = await install()
  return { place, client: new InfluxDB({ url: place.url, token: place.token }) }
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
  const client = new InfluxDB({ url: place.url, token: 'username:password' })
  const write = client.getWriteApi('', 'telegraf/autogen')
  write.writePoint(new Point('mem').tag('host', 'host1').floatField('used_percent', 23.4))
  await write.close()
  const query = 'from(bucket: "telegraf/autogen") |> range(start: -1h)'
  const rows = await client.getQueryApi('').collectRows(query)
  expect(rows).toMatchObject([{ _measurement: 'mem', host: 'host1', _value: 23.4 }])
  const wrong = new InfluxDB({ url: place.url, token: 'username:wrong' }).getQueryApi('')
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
