// Debian's `python3-influxdb`, unmodified, against a running server: a script does what Home Assistant,
// EMHASS and others do through it, and prints what it saw. Where the package is not installed
// (`apt-get install python3-influxdb`) these tests are skipped.

import { describe, expect, it } from 'vitest'
import { runProgram, runs, startV1, variants } from './clients-v1.js'

// The system's own interpreter has the packages of the system.
const python = '/usr/bin/python3'
const isInstalled = runs(python, '-c', 'import influxdb')
if (!isInstalled) console.warn('skipped: the apt package python3-influxdb is missing')

async function script(port: number, username: string, password: string, lines: string) {
  const head = `
import json, os, sys
from influxdb import InfluxDBClient
from influxdb.exceptions import InfluxDBClientError
def connect(password=os.environ['PASSWORD'], database='metrics', **more):
    port, username = int(os.environ['PORT']), os.environ['USERNAME']
    return InfluxDBClient('127.0.0.1', port, username, password, database, timeout=40, **more)
client = connect()
seen = {}
`
  const text = `${head}${lines}\nprint(json.dumps(seen))\n`
  const environment = { PORT: String(port), USERNAME: username, PASSWORD: password }
  const { code, stdout, stderr } = await runProgram(python, ['-c', text], environment)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const filling = `
client.create_database('metrics')
client.write_points([
    {'measurement': 'cpu', 'tags': {'host': 'a b', 'unit': '°C'}, 'time': 1700000000000000001,
     'fields': {'usage': 1.5, 'count': 9007199254740993, 'note': 'say "hi"', 'up': True}},
    {'measurement': 'cpu', 'tags': {'host': 'c'}, 'time': 1700000060000000000, 'fields': {'usage': 2.5}},
])
`

describe.skipIf(!isInstalled).each(variants)('%s', (variant) => {
  it('makes a database, writes and reads', async () => {
    const { port, username, password } = await startV1(variant)
    const seen = await script(
      port,
      username,
      password,
      `${filling}
seen['version'] = client.ping()
seen['databases'] = [each['name'] for each in client.get_list_database()]
rows = client.query('select * from cpu', epoch='ns')
# As texts: JSON.parse rounds integers beyond 2^53.
exact = lambda value: str(value) if type(value) is int else value
seen['rows'] = [{key: exact(value) for key, value in row.items()} for row in rows.get_points()]
seen['tagged'] = list(rows.get_points(tags={'host': 'c'}))
groups = client.query('select mean(usage) from cpu group by host')
seen['groups'] = [[name, tags, list(points)] for (name, tags), points in groups.items()]
within = 'where time >= 1700000000s and time < 1700000120s'
filled = client.query('select mean(usage) from cpu %s group by time(1m) fill(previous)' % within)
seen['mean'] = list(filled.get_points())
seen['bound'] = list(client.query('select usage from cpu where host = $host', bind_params={'host': 'c'}).get_points())
seen['measurements'] = client.get_list_measurements()
seen['series'] = client.get_list_series()
seen['tags'] = list(client.query('show tag values with key = host').get_points())
`,
    )
    expect(seen.version).toMatch(/^\d+\.\d+/)
    expect(seen.databases).toContain('metrics')
    expect(seen.rows).toEqual([
      {
        time: '1700000000000000001',
        count: '9007199254740993',
        host: 'a b',
        note: 'say "hi"',
        unit: '°C',
        up: true,
        usage: 1.5,
      },
      {
        time: '1700000060000000000',
        count: null,
        host: 'c',
        note: null,
        unit: null,
        up: null,
        usage: 2.5,
      },
    ])
    expect(seen.tagged).toHaveLength(1)
    expect(seen.groups).toEqual([
      ['cpu', { host: 'a b' }, [{ time: '1970-01-01T00:00:00Z', mean: 1.5 }]],
      ['cpu', { host: 'c' }, [{ time: '1970-01-01T00:00:00Z', mean: 2.5 }]],
    ])
    expect(seen.mean).toEqual([
      { time: '2023-11-14T22:13:00Z', mean: 1.5 },
      { time: '2023-11-14T22:14:00Z', mean: 2.5 },
      { time: '2023-11-14T22:15:00Z', mean: 2.5 },
    ])
    expect(seen.bound.map(({ usage }: { usage: number }) => usage)).toEqual([2.5])
    expect(seen.measurements).toEqual([{ name: 'cpu' }])
    expect(seen.series).toEqual(['cpu,host=a\\ b,unit=°C', 'cpu,host=c'])
    expect(seen.tags).toEqual([
      { key: 'host', value: 'a b' },
      { key: 'host', value: 'c' },
    ])
  })

  it('pages through chunks, manages policies and tells of errors', async () => {
    const { port, username, password } = await startV1(variant)
    const seen = await script(
      port,
      username,
      password,
      `${filling}
client.write_points(['m f=%d %d' % (i, 1700000000 + i) for i in range(3000)], time_precision='s', protocol='line')
# The client cannot read MessagePack in chunks, from InfluxDB neither.
pages = connect(headers={'Accept': 'application/json'}).query('select f from m', chunked=True, chunk_size=1000)
chunks = [point for page in pages for point in page.get_points()]
seen['chunked'] = [len(chunks), chunks[-1]]
seen['msgpack'] = list(client.query('select count(f) from m').get_points())
client.create_retention_policy('week', '7d', '1', database='metrics')
client.alter_retention_policy('week', database='metrics', duration='14d')
seen['policies'] = [[each['name'], each['duration']] for each in client.get_list_retention_policies('metrics')]
client.drop_retention_policy('week', 'metrics')
client.delete_series(measurement='cpu', tags={'host': 'c'})
seen['left'] = client.get_list_series(measurement='cpu')
client.drop_measurement('cpu')
seen['measurements'] = client.get_list_measurements()
def refusal(work):
    try:
        work()
    except InfluxDBClientError as error:
        return [error.code, str(error)]
seen['syntax'] = refusal(lambda: client.query('select f frm m'))
seen['stranger'] = refusal(lambda: connect(password='wrong').query('show databases'))
seen['conflict'] = refusal(lambda: client.write_points([{'measurement': 'm', 'fields': {'f': 'text'}}]))
client.drop_database('metrics')
seen['databases'] = [each['name'] for each in client.get_list_database()]
`,
    )
    const last = { time: '2023-11-14T23:03:19Z', f: 2999 }
    expect(seen.chunked).toEqual([3000, last])
    expect(seen.msgpack).toEqual([{ time: '1970-01-01T00:00:00Z', count: 3000 }])
    expect(seen.policies).toEqual([
      ['autogen', '0s'],
      ['week', '336h0m0s'],
    ])
    expect(seen.left).toEqual(['cpu,host=a\\ b,unit=°C'])
    expect(seen.measurements).toEqual([{ name: 'm' }])
    expect(seen.syntax[0]).toBe(400)
    expect(seen.syntax[1]).toContain('found frm, expected FROM at line 1, char 10')
    expect(seen.stranger[0]).toBe(401)
    expect(seen.conflict[0]).toBe(400)
    expect(seen.conflict[1]).toContain('field type conflict')
    expect(seen.databases).not.toContain('metrics')
  })
})

it.skipIf(!isInstalled)('manages users and continuous queries', async () => {
  const { port, username, password } = await startV1('managed')
  const seen = await script(
    port,
    username,
    password,
    `${filling}
client.create_user('reader', 'a long password')
client.grant_privilege('read', 'metrics', 'reader')
seen['grants'] = client.get_list_privileges('reader')
reader = InfluxDBClient('127.0.0.1', int(os.environ['PORT']), 'reader', 'a long password', 'metrics')
seen['read'] = len(list(reader.query('select usage from cpu').get_points()))
client.revoke_privilege('read', 'metrics', 'reader')
seen['revoked'] = client.get_list_privileges('reader')
client.drop_user('reader')
seen['users'] = [each['user'] for each in client.get_list_users()]
client.create_continuous_query('hourly', 'SELECT mean(usage) INTO hourly FROM cpu GROUP BY time(1h)', 'metrics')
seen['continuous'] = [names for names in client.get_list_continuous_queries() if names.get('metrics')]
client.drop_continuous_query('hourly', 'metrics')
`,
  )
  expect(seen.grants).toEqual([{ database: 'metrics', privilege: 'READ' }])
  expect(seen.read).toBe(2)
  expect(seen.revoked.map((grant: { privilege: string }) => grant.privilege)).not.toContain('READ')
  expect(seen.users).not.toContain('reader')
  expect(seen.continuous[0].metrics[0].name).toBe('hourly')
})
