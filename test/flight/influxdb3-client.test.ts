// The unmodified v3 client against both variants: what it writes it reads back, as rows and as points.

import { InfluxDBClient, type PointValues } from '@influxdata/influxdb3-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Place, placeOf } from './places.js'

function clientOf({ host, token }: Place): InfluxDBClient {
  const client = new InfluxDBClient({ host, token, database: 'b' })
  onTestFinished(() => client.close())
  return client
}

async function rowsOf(rows: AsyncIterable<Record<string, unknown>>) {
  const all: Record<string, unknown>[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** Measurement, tags and typed fields. */
async function pointsOf(points: AsyncIterable<PointValues>): Promise<string[]> {
  const all: string[] = []
  for await (const point of points) {
    const tags = point.getTagNames().map((name) => `${name}=${point.getTag(name)}`)
    const fields = point.getFieldNames().sort()
    const values = fields.map((name) => {
      return `${name}=${point.getField(name)}:${point.getFieldType(name)}`
    })
    all.push([point.getMeasurement(), ...tags, ...values, point.getTimestamp()].join(' '))
  }
  return all
}

const influxql = { type: 'influxql' } as const

test.each(['managed', 'cluster'] as const)('%s: InfluxQL', async (variant) => {
  const client = clientOf(await placeOf(variant))
  await client.write('written,by=client f=1 1700000000000000000')
  const written = await rowsOf(client.query('SELECT f FROM written', 'b', influxql))
  expect(written).toEqual([{ 'iox::measurement': 'written', time: 1700000000000, f: 1 }])
  const text = 'SELECT temp, co, ok, note FROM home GROUP BY room'
  expect(await pointsOf(client.queryPoints(text, 'b', influxql))).toMatchInlineSnapshot(`
    [
      "home room=Bath temp=19:float 1700000000000",
      "home room=Kitchen co=9:integer note=warm:string ok=true:boolean temp=21.5:float 1700000000000",
      "home room=Kitchen temp=22.5:float 1700000060000",
    ]
  `)
  const all = 'SELECT * FROM home ORDER BY time DESC LIMIT 1'
  expect(await pointsOf(client.queryPoints(all, 'b', influxql))).toMatchInlineSnapshot(`
    [
      "home room=Kitchen temp=22.5:float 1700000060000",
    ]
  `)
  const bound = 'SELECT temp FROM home WHERE room = $room AND temp > $least'
  const params = { room: 'Kitchen', least: 22 }
  const some = await rowsOf(client.query(bound, 'b', { ...influxql, params }))
  expect(some.map(({ temp }) => temp)).toEqual([22.5])
  expect(await rowsOf(client.query('SELECT temp FROM nothing', 'b', influxql))).toEqual([])
  const shown = await rowsOf(client.query('SHOW TAG VALUES WITH KEY = room', 'b', influxql))
  expect(shown).toEqual([
    { 'iox::measurement': 'home', key: 'room', value: 'Bath' },
    { 'iox::measurement': 'home', key: 'room', value: 'Kitchen' },
  ])
  const policies = await rowsOf(client.query('SHOW RETENTION POLICIES', 'b', influxql))
  expect(policies[0]).toMatchObject({ 'iox::measurement': 'retention_policies', name: 'autogen' })
})

test.each(['managed', 'cluster'] as const)('%s: SQL', async (variant) => {
  const client = clientOf(await placeOf(variant))
  const text = 'SELECT * FROM home ORDER BY time'
  expect(await pointsOf(client.queryPoints(text, 'b'))).toMatchInlineSnapshot(`
    [
      " room=Kitchen co=9:integer note=warm:string ok=true:boolean temp=21.5:float 1700000000000",
      " room=Bath temp=19:float 1700000000000",
      " room=Kitchen temp=22.5:float 1700000060000",
    ]
  `)
  const means = 'SELECT room, avg(temp) AS mean FROM home GROUP BY room ORDER BY room'
  expect(await rowsOf(client.query(means, 'b'))).toEqual([
    { room: 'Bath', mean: 19 },
    { room: 'Kitchen', mean: 22 },
  ])
  const bound = 'SELECT temp FROM home WHERE room = $room AND temp > $least'
  const params = { room: 'Kitchen', least: 22 }
  expect(await rowsOf(client.query(bound, 'b', { type: 'sql', params }))).toEqual([{ temp: 22.5 }])
  expect(await rowsOf(client.query("SELECT * FROM home WHERE room = 'x'", 'b'))).toEqual([])
  const missing = rowsOf(client.query('SELECT * FROM nowhere', 'b'))
  await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const elsewhere = rowsOf(client.query('SELECT 1', 'elsewhere'))
  await expect(elsewhere).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: "Database 'elsewhere' not found",
  })
})

test.each(['managed', 'cluster'] as const)('%s: writes to the v3 endpoint', async (variant) => {
  // The client also prints what it throws.
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => printed.mockRestore())
  const { host, token } = await placeOf(variant)
  const client = new InfluxDBClient({
    host,
    token,
    database: 'b',
    writeOptions: { noSync: true, gzipThreshold: 100 },
  })
  onTestFinished(() => client.close())
  expect(await client.getServerVersion()).toMatch(variant === 'cluster' ? /^3\./ : /^2\./)
  const fields = Array.from({ length: 50 }, (_, i) => `f${i}=${i}`).join(',')
  await client.write(`wide ${fields} 1700000000000000000`)
  const rows = await rowsOf(client.query('SELECT f0, f49 FROM wide', 'b'))
  expect(rows).toEqual([{ f0: 0, f49: 49 }])
  const mixed = 'wide f0=1 1700000001000000000\nbad\nwide f0="x" 1700000002000000000'
  const refused = await client.write(mixed).catch((error: Error) => error)
  expect(refused).toMatchObject({ statusCode: 400 })
  expect(refused?.message.split('\n\t')).toEqual([
    'partial write of line protocol occurred:',
    'line 2: missing fields (bad)',
    expect.stringMatching(/^line 3: field type conflict: .* \(wide f0="x" 1700000002000000000\)$/),
  ])
  expect(await rowsOf(client.query('SELECT count(f0) AS n FROM wide', 'b'))).toEqual([{ n: 2n }])
  const stranger = new InfluxDBClient({ host, token: 'wrong', database: 'b' })
  onTestFinished(() => stranger.close())
  await expect(stranger.write('m f=1')).rejects.toMatchObject({ statusCode: 401 })
  await expect(rowsOf(stranger.query('SELECT 1', 'b'))).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  })
})
