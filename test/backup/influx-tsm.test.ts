// A shard as InfluxDB itself backs it up, TSM files in a tar archive, sent to the restore interface: every point is
// there afterwards, of every type. Skipped with a word where InfluxDB of Debian is not installed.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { install, send, temporaryFolder } from '../api/harness.js'
import { hasInfluxd, startInfluxd } from '../influxd.js'

test.skipIf(!hasInfluxd)(
  "InfluxDB's own shards are restored",
  async () => {
    const influxd = await startInfluxd()
    await influxd.query('CREATE DATABASE d')
    const lines = Array.from({ length: 500 }, (_, i) => {
      return `m,t=a\\ ${i % 7} b=${i % 2 === 0},f=${i}.5,i=${i}i,s="x ${i}" ${1_700_000_000 + i}000000000`
    })
    await influxd.write('d', lines.join('\n'))
    const folder = temporaryFolder()
    const args = ['backup', '-portable', '-database', 'd', '-host', influxd.backupHost, folder]
    execFileSync('influxd', args, { stdio: 'ignore' })
    const archives = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'))
    expect(archives.length).toBeGreaterThan(0)

    const one = await install()
    const restore = `${one.url}/api/v2/restore`
    const { token } = one
    const body = JSON.stringify({
      organizationID: one.orgId,
      bucketName: 'restored',
      retentionPolicies: [{ duration: 0, shardGroups: [{ shards: [{ id: 1 }] }] }],
    })
    const made = await send(`${restore}/bucketMetadata`, { method: 'POST', token, body })
    const path = `${restore}/shards/${made.json.shardMappings[0].newId}`
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/octet-stream' }
    for (const name of archives) {
      const bytes = readFileSync(`${folder}/${name}`)
      expect((await send(path, { method: 'POST', token, headers, body: bytes })).status).toBe(204)
    }
    expect(await one.lines('restored')).toEqual(lines.sort())
  },
  60_000,
)
