// What a real InfluxDB 1.x knows beside its points, from its `meta.db` and from the metadata of its portable backup.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readMetaFile, readPortableMeta } from '../../src/tsm/metadata/meta-file.js'
import { temporaryFolder } from '../api/client.js'
import { hasInfluxd, startInfluxd } from '../influxd.js'

it.skipIf(!hasInfluxd)('knows databases, policies, shards, queries and users', async () => {
  const influx = await startInfluxd()
  const query =
    'CREATE CONTINUOUS QUERY c ON d BEGIN SELECT mean(f) INTO x FROM m GROUP BY time(1m) END'
  await influx.query('CREATE DATABASE d WITH DURATION 52w NAME "year"')
  await influx.query(
    'CREATE RETENTION POLICY "ever" ON d DURATION INF REPLICATION 1 SHARD DURATION 1d',
  )
  await influx.query(query)
  await influx.query(`CREATE USER a WITH PASSWORD 'p' WITH ALL PRIVILEGES`)
  await influx.query(`CREATE USER r WITH PASSWORD 'p'`)
  await influx.query('GRANT READ ON d TO r')
  const hour = 3600n * 1_000_000_000n
  await influx.write('d', `m f=1 ${480_000n * hour}`, 'ever')

  const file = `${influx.folder}/meta/meta.db`
  const meta = readMetaFile(file, readFileSync(file))
  expect(meta.databases).toMatchObject([
    {
      name: 'd',
      defaultPolicy: 'year',
      policies: [
        { name: 'year', durationNs: 8736n * hour, shardDurationNs: 168n * hour, shards: [] },
        {
          name: 'ever',
          durationNs: 0n,
          shardDurationNs: 24n * hour,
          shards: [{ id: '1', start: 480_000n * hour, stop: 480_024n * hour }],
        },
      ],
      continuousQueries: [
        { name: 'c', text: expect.stringContaining('CREATE CONTINUOUS QUERY c') },
      ],
    },
  ])
  expect(meta.users).toMatchObject([
    { name: 'a', isAdmin: true, grants: [] },
    { name: 'r', isAdmin: false, grants: [{ database: 'd', privilege: 'READ' }] },
  ])

  const folder = temporaryFolder()
  const backup = spawnSync('influxd', ['backup', '-portable', '-host', influx.backupHost, folder])
  expect(backup.status).toBe(0)
  const name = readdirSync(folder).find((one) => one.endsWith('.meta')) ?? ''
  expect(readPortableMeta(name, readFileSync(`${folder}/${name}`))).toEqual(meta)
  expect(() => readMetaFile(name, Buffer.from([0xff, 1, 2]))).toThrow(`corrupt data in ${name}`)
})
