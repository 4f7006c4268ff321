// The npm package `influx`, unmodified, against a running server: what its users do with a database of
// InfluxDB 1.x, from its making to its end.

import { FieldType, InfluxDB, toNanoDate } from 'influx'
import { describe, expect, it } from 'vitest'
import { startV1, type V1Server, variants } from './clients-v1.js'

const start = '1700000000000000000'

function connect(server: V1Server, database = 'metrics') {
  const { port, username, password } = server
  const schema = [
    {
      measurement: 'cpu',
      tags: ['host', 'region'],
      fields: {
        usage: FieldType.FLOAT,
        count: FieldType.INTEGER,
        note: FieldType.STRING,
        up: FieldType.BOOLEAN,
      },
    },
  ]
  return new InfluxDB({ host: '127.0.0.1', port, username, password, database, schema })
}

async function filled(server: V1Server): Promise<InfluxDB> {
  const influx = connect(server)
  await influx.createDatabase('metrics')
  await influx.writePoints(
    [
      {
        measurement: 'cpu',
        tags: { host: 'a b', region: 'x,y=z' },
        fields: { usage: 1.5, count: 7, note: 'say "hi" \\ there', up: true },
        timestamp: toNanoDate(`${start.slice(0, -1)}1`),
      },
      {
        measurement: 'cpu',
        tags: { host: 'c', region: 'north' },
        fields: { usage: 2.5 },
        timestamp: toNanoDate(`${start.slice(0, -1)}2`),
      },
    ],
    { precision: 'n' },
  )
  return influx
}

describe.each(variants)('%s', (variant) => {
  it('pings', async () => {
    const [host] = await connect(await startV1(variant)).ping(30_000)
    expect(host.online).toBe(true)
    expect(host.version).toMatch(/^\d+\.\d+/)
  })

  it('writes and reads to the nanosecond, with names that need escaping', async () => {
    const influx = await filled(await startV1(variant))
    const rows = await influx.query<Record<string, unknown>>('select * from cpu', {
      precision: 'n',
    })
    expect(rows).toHaveLength(2)
    const [first, second] = rows
    expect(first).toMatchObject({ host: 'a b', region: 'x,y=z', usage: 1.5, count: 7, up: true })
    expect(first.note).toBe('say "hi" \\ there')
    expect((first.time as { getNanoTime(): string }).getNanoTime()).toBe('1700000000000000001')
    expect((second.time as { getNanoTime(): string }).getNanoTime()).toBe('1700000000000000002')
    expect(second.count).toBe(null)
    const dated = await influx.query<{ time: Date }>('select usage from cpu')
    expect(dated[0].time.toISOString()).toBe('2023-11-14T22:13:20.000Z')
  })

  it('reads groups', async () => {
    const influx = await filled(await startV1(variant))
    const results = await influx.query<{ mean: number }>(
      'select mean(usage) from cpu group by host, region',
    )
    expect(results.groups().map(({ name, tags }) => ({ name, tags }))).toEqual([
      { name: 'cpu', tags: { host: 'a b', region: 'x,y=z' } },
      { name: 'cpu', tags: { host: 'c', region: 'north' } },
    ])
    expect(results.group({ host: 'c', region: 'north' })[0].mean).toBe(2.5)
    expect(results.group({ host: 'nobody' })).toEqual([])
  })

  it('sends placeholders, several statements and raw queries', async () => {
    const influx = await filled(await startV1(variant))
    const placeholders = { host: 'c' }
    const found = await influx.query<{ usage: number }>(
      'select usage from cpu where host = $host',
      { placeholders },
    )
    expect(found.map(({ usage }) => usage)).toEqual([2.5])
    const both = await influx.query<Record<string, number>>([
      'select usage from cpu limit 1',
      'select count(usage) from cpu',
    ])
    expect(both.map((rows) => rows.length)).toEqual([1, 1])
    const raw = await influx.queryRaw('select usage from cpu', { precision: 'ms' })
    expect(raw.results[0].series[0]).toEqual({
      name: 'cpu',
      columns: ['time', 'usage'],
      values: [
        [1700000000000, 1.5],
        [1700000000000, 2.5],
      ],
    })
  })

  it('lists and drops what there is', async () => {
    const influx = await filled(await startV1(variant))
    expect(await influx.getDatabaseNames()).toContain('metrics')
    expect(await influx.getMeasurements()).toEqual(['cpu'])
    const keys = ['cpu,host=a\\ b,region=x\\,y\\=z', 'cpu,host=c,region=north']
    expect(await influx.getSeries()).toEqual(keys)
    expect(await influx.getSeries({ measurement: 'cpu' })).toEqual(keys)
    await influx.dropSeries({
      measurement: (m) => m.name('cpu'),
      where: (e) => e.tag('host').equals.value('c'),
    })
    expect(await influx.getSeries()).toEqual(keys.slice(0, 1))
    await influx.dropMeasurement('cpu')
    expect(await influx.getMeasurements()).toEqual([])
    await influx.dropDatabase('metrics')
    expect(await influx.getDatabaseNames()).not.toContain('metrics')
    await expect(influx.query('select usage from cpu')).rejects.toThrow(/database not found/)
  })

  it('makes, changes and drops retention policies', async () => {
    const influx = await filled(await startV1(variant))
    await influx.createRetentionPolicy('week', { duration: '7d', replication: 1 })
    await influx.alterRetentionPolicy('week', { duration: '14d', replication: 1, isDefault: false })
    const policies = await influx.showRetentionPolicies()
    expect(policies.map(({ name, duration }) => [name, duration])).toEqual([
      ['autogen', '0s'],
      ['week', '336h0m0s'],
    ])
    const point = { measurement: 'mem', fields: { free: 1 } }
    await influx.writePoints([point], { retentionPolicy: 'week' })
    expect(await influx.query('select free from mem', { retentionPolicy: 'week' })).toHaveLength(1)
    expect(await influx.query('select free from mem')).toHaveLength(0)
    await influx.dropRetentionPolicy('week')
    expect(await influx.showRetentionPolicies()).toHaveLength(1)
  })

  it('tells of what it is refused', async () => {
    const server = await startV1(variant)
    const influx = await filled(server)
    await expect(influx.query('select * frm cpu')).rejects.toThrow(/error parsing query/)
    await expect(influx.query('select sum(note) from cpu')).rejects.toThrow(/sum/)
    const stranger = connect({ ...server, password: 'wrong' })
    await expect(stranger.query('select * from cpu')).rejects.toThrow(
      /authorization failed|unauthorized/,
    )
    const typed = (value: string | number) => ({ measurement: 'disk', fields: { value } })
    await influx.writePoints([typed(1)])
    await expect(influx.writePoints([typed('text')])).rejects.toThrow(/field type conflict/)
  })
})

it('manages users and their privileges', async () => {
  const server = await startV1('managed')
  const influx = await filled(server)
  await influx.createUser('reader', 'a long password')
  await influx.grantPrivilege('reader', 'READ')
  expect(await influx.getUsers()).toContainEqual(expect.objectContaining({ user: 'reader' }))
  const reader = connect({ ...server, username: 'reader', password: 'a long password' })
  expect(await reader.query('select usage from cpu')).toHaveLength(2)
  const point = { measurement: 'cpu', tags: {}, fields: { usage: 1 } }
  await expect(reader.writePoints([point])).rejects.toThrow()
  await influx.setPassword('reader', 'another password')
  await expect(reader.query('select usage from cpu')).rejects.toThrow(/authorization failed/)
  const again = connect({ ...server, username: 'reader', password: 'another password' })
  expect(await again.query('select usage from cpu')).toHaveLength(2)
  await influx.revokePrivilege('reader', 'READ')
  await expect(again.query('select usage from cpu')).rejects.toThrow()
  await influx.dropUser('reader')
  await expect(again.query('select usage from cpu')).rejects.toThrow(/authorization failed/)
})

it('manages continuous queries', async () => {
  const influx = await filled(await startV1('managed'))
  const text = 'SELECT mean(usage) AS usage INTO hourly FROM cpu GROUP BY time(1h), *'
  await influx.createContinuousQuery('hourly', text)
  const queries = await influx.showContinousQueries()
  expect(queries).toHaveLength(1)
  expect(queries[0]).toMatchObject({ name: 'hourly' })
  await influx.dropContinuousQuery('hourly')
  expect(await influx.showContinousQueries()).toHaveLength(0)
})
