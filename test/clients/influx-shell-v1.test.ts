// Debian's `influxdb-client`, the shell `influx` of InfluxDB 1.6, unmodified, against a running server.
// Where it is not installed (`apt-get install influxdb-client`) these tests are skipped.

import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../api/client.js'
import { runProgram, runs, startV1, type V1Server, variants } from './clients-v1.js'

const isInstalled = runs('influx', '-version')
if (!isInstalled)
  console.warn('skipped: the program influx (apt package influxdb-client) is missing')

function shell(server: V1Server, ...args: string[]) {
  const { port, username, password } = server
  const target = ['-host', '127.0.0.1', '-port', String(port)]
  return runProgram('influx', [...target, '-username', username, '-password', password, ...args])
}

/** What a command prints, which must succeed. */
async function execute(server: V1Server, command: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await shell(server, ...args, '-execute', command)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

const onDatabase = ['-database', 'metrics']

async function filled(server: V1Server): Promise<V1Server> {
  await execute(server, 'CREATE DATABASE metrics')
  await execute(
    server,
    'INSERT cpu,host=a usage=1.5,note="x, y" 1700000000000000001',
    ...onDatabase,
  )
  await execute(server, 'INSERT cpu,host=b usage=2.5 1700000001000000000', ...onDatabase)
  return server
}

describe.skipIf(!isInstalled).each(variants)('%s', (variant) => {
  it('prints columns, CSV and JSON', async () => {
    const server = await filled(await startV1(variant))
    const query = 'select host, usage, note from cpu'
    expect(await execute(server, query, ...onDatabase)).toBe(
      [
        'name: cpu',
        'time                host usage note',
        '----                ---- ----- ----',
        '1700000000000000001 a    1.5   x, y',
        '1700000001000000000 b    2.5   ',
        '',
      ].join('\n'),
    )
    const csv = ['-format', 'csv', '-precision', 'rfc3339']
    expect(await execute(server, query, ...onDatabase, ...csv)).toBe(
      [
        'name,time,host,usage,note',
        'cpu,2023-11-14T22:13:20.000000001Z,a,1.5,"x, y"',
        'cpu,2023-11-14T22:13:21Z,b,2.5,',
        '',
      ].join('\n'),
    )
    const json = await execute(server, query, ...onDatabase, '-format', 'json', '-precision', 's')
    expect(JSON.parse(json)).toEqual({
      results: [
        {
          series: [
            {
              name: 'cpu',
              columns: ['time', 'host', 'usage', 'note'],
              values: [
                [1700000000, 'a', 1.5, 'x, y'],
                [1700000001, 'b', 2.5, null],
              ],
            },
          ],
        },
      ],
    })
  })

  it('prints groups and schemas', async () => {
    const server = await filled(await startV1(variant))
    const groups = 'select mean(usage) from cpu group by host'
    expect(await execute(server, groups, ...onDatabase)).toBe(
      [
        'name: cpu',
        'tags: host=a',
        'time mean',
        '---- ----',
        '0    1.5',
        '',
        'name: cpu',
        'tags: host=b',
        'time mean',
        '---- ----',
        '0    2.5',
        '',
      ].join('\n'),
    )
    const csv = (command: string) => execute(server, command, ...onDatabase, '-format', 'csv')
    expect(await csv('show databases')).toMatch(/^databases,metrics$/m)
    expect(await csv('show measurements')).toBe('name,name\nmeasurements,cpu\n')
    expect(await csv('show field keys')).toBe(
      'name,fieldKey,fieldType\ncpu,note,string\ncpu,usage,float\n',
    )
    expect(await csv('show tag values with key = host')).toBe(
      'name,key,value\ncpu,host,a\ncpu,host,b\n',
    )
    expect(await csv('show retention policies')).toContain('autogen,0s,168h0m0s,1,0s,0s,true')
  })

  it('imports a file of statements and points', async () => {
    const server = await startV1(variant)
    const path = `${temporaryFolder()}/import.txt`
    const points = Array.from(
      { length: 6000 },
      (_, i) => `disk,path=/ used=${i}i ${1700000000 + i}`,
    )
    const lines = [
      '# DDL',
      'CREATE DATABASE imported',
      '# DML',
      '# CONTEXT-DATABASE: imported',
      '# CONTEXT-RETENTION-POLICY: autogen',
      ...points,
    ]
    writeFileSync(path, `${lines.join('\n')}\n`)
    const { code, stderr, stdout } = await shell(
      server,
      '-import',
      '-path',
      path,
      '-precision',
      's',
    )
    expect(code).toBe(0)
    expect(`${stdout}${stderr}`).toMatch(
      /Processed 1 commands[\s\S]*Processed 6000 inserts[\s\S]*Failed 0 inserts/,
    )
    const count = await execute(
      server,
      'select count(used), last(used) from disk',
      '-database',
      'imported',
      '-format',
      'csv',
    )
    expect(count).toBe('name,time,count,last\ndisk,0,6000,5999\n')
  })

  it('reads an answer of many chunks', async () => {
    const server = await startV1(variant)
    const path = `${temporaryFolder()}/import.txt`
    const points = Array.from({ length: 25_000 }, (_, i) => `m f=${i} ${1700000000 + i}`)
    writeFileSync(
      path,
      `# DDL\nCREATE DATABASE d\n# DML\n# CONTEXT-DATABASE: d\n${points.join('\n')}\n`,
    )
    await shell(server, '-import', '-path', path, '-precision', 's')
    const csv = await execute(server, 'select f from m', '-database', 'd', '-format', 'csv')
    const lines = csv
      .trimEnd()
      .split('\n')
      .filter((line) => line.startsWith('m,'))
    expect(lines).toHaveLength(25_000)
    expect(lines[24_999]).toBe('m,1700024999000000000,24999')
  })

  it('tells of what it is refused', async () => {
    const server = await filled(await startV1(variant))
    const bad = await shell(server, ...onDatabase, '-execute', 'select usage frm cpu')
    expect(bad.code).toBe(1)
    expect(bad.stderr).toContain('error parsing query: found frm, expected FROM at line 1, char 14')
    const insert = await shell(server, ...onDatabase, '-execute', 'INSERT cpu usage="text"')
    // It ends well all the same.
    expect(insert.stdout).toMatch(/^ERR:.*field type conflict/)
    const stranger = { ...server, password: 'wrong' }
    const refused = await shell(stranger, ...onDatabase, '-execute', 'show measurements')
    expect(refused.code).toBe(1)
    expect(`${refused.stdout}${refused.stderr}`).toMatch(/authorization failed|unauthorized/)
  })
})
