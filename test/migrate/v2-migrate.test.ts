// `millrace migrate` from the files of InfluxDB 2.x: every point, and what people have made beside them, tokens that
// keep working among it. Started again, nothing is there twice.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CorruptionError } from '../../src/errors.js'
import { seededRandom } from '../../src/platform/random.js'
import { BoltFile } from '../../src/tsm/metadata/bolt-file.js'
import { readV2Metadata } from '../../src/tsm/metadata/v2-metadata.js'
import { install, send, start, temporaryFolder } from '../api/harness.js'
import { finish, run } from '../api/program.js'
import { hasInfluxd, startInfluxd } from '../influxd.js'
import { boltFile } from './bolt-builder.js'
import { lineValues } from './line-values.js'
import { migrate } from './migrate-command.js'
import { RandomPoints } from './random-points.js'
import {
  clearToken,
  hashedToken,
  longHashedToken,
  v2Backup,
  v2BackupServer,
  v2Folder,
} from './v2-folder.js'

const startNs = 1_600_000_000n * 1_000_000_000n

function bytesBelow(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.map((name) => statSync(`${folder}/${name}`, { throwIfNoEntry: false }))
  return files.reduce((sum, stats) => sum + (stats?.isFile() ? stats.size : 0), 0)
}

it('reads key-value files, and does no harm with damaged ones', () => {
  const entries = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`k${String(i).padStart(3, '0')}`, `v${i}`.repeat(i)]),
  )
  const whole = boltFile({ a: entries, b: entries, c: entries, long: { x: Buffer.alloc(9000, 7) } })
  const file = new BoltFile('f', whole)
  for (const bucket of ['a', 'b', 'c']) {
    const found = Array.from(file.bucket(bucket), ({ key, value }) => [String(key), String(value)])
    expect(Object.fromEntries(found)).toEqual(entries)
  }
  expect(file.get('long', 'x')).toEqual(Buffer.alloc(9000, 7))
  expect([...file.bucket('none')]).toEqual([])
  const random = seededRandom(5)
  for (let i = 0; i < 500; i++) {
    const damaged = Buffer.from(whole)
    for (let n = 0; n < 4; n++) damaged[random.below(damaged.length)] = random.below(256)
    try {
      const read = new BoltFile('f', damaged.subarray(0, random.below(damaged.length)))
      for (const bucket of ['a', 'b', 'c', 'long']) for (const _ of read.bucket(bucket));
    } catch (error) {
      expect(error).toBeInstanceOf(CorruptionError)
    }
  }
})

it.skipIf(!hasInfluxd)('moves the files of 2.x with everything', { timeout: 240_000 }, async () => {
  const influx = await startInfluxd('cache-snapshot-write-cold-duration = "1s"')
  await influx.query('CREATE DATABASE d')
  const points = new RandomPoints(seededRandom(21), startNs, 20)
  for (let round = 0; round < 10; round++) await influx.write('d', points.lines(300))
  // Until everything is in TSM files: a backup has no log.
  await expect.poll(() => bytesBelow(`${influx.folder}/wal/d`), { timeout: 60_000 }).toBe(0)
  await influx.stop()
  const old = temporaryFolder()
  v2Folder(influx.folder, old)
  const read = readV2Metadata('f', readFileSync(`${old}/influxd.bolt`))
  expect(read.buckets.map(({ name }) => name)).toEqual(['sensors', 'kept'])

  const folder = `${temporaryFolder()}/data`
  const first = await migrate(['--from', old, '--to', folder, '--org', 'new'])
  expect([first.code, first.errors]).toEqual([0, ''])
  expect(
    first.outcome.verdicts.flatMap((one: { differences: unknown[] }) => one.differences),
  ).toEqual([])
  const second = await migrate(['--from', old, '--to', folder, '--org', 'new'])
  expect([second.code, second.errors, second.outcome.points]).toEqual([0, '', 0])

  const server = await start({ dataDir: folder, noTasks: true })
  const ask = (path: string, token = hashedToken) => send(`${server.url}${path}`, { token })
  const lines = await ask('/debug/export?bucket=sensors', clearToken)
  expect(lineValues(lines.text)).toEqual(points.values)
  expect((await ask('/debug/export?bucket=kept', clearToken)).status).toBe(401)
  expect((await ask('/debug/export?bucket=sensors', longHashedToken)).status).toBe(200)
  expect((await ask('/debug/export?bucket=kept', longHashedToken)).status).toBe(401)
  const { buckets } = (await ask('/api/v2/buckets')).json
  const kept = buckets.find(({ name }: { name: string }) => name === 'kept')
  expect(kept.retentionRules).toMatchObject([{ everySeconds: 3_155_760_000 }])
  const { content } = (await ask(`/api/v2/dbrps?orgID=${kept.orgID}&db=v1db`)).json
  expect(content).toMatchObject([{ bucketID: kept.id, retention_policy: 'rp', default: true }])

  const { catalog } = server
  const names = async (list: Promise<readonly { readonly name: string }[]>) =>
    (await list).map(({ name }) => name).filter((name) => name !== 'admin')
  const where = { orgId: kept.orgID }
  expect(await names(catalog.variables.records.list(where))).toEqual(['v'])
  const [{ id: variable }] = await catalog.variables.records.list(where)
  const labelled = (await ask(`/api/v2/variables/${variable}/labels`, first.login.token)).json
  expect(labelled.labels).toMatchObject([{ name: 'l' }])
  expect(await names(catalog.checks.records.list(where))).toEqual(['c'])
  expect(await names(catalog.dashboards.records.list(where))).toEqual(['d'])
  expect(await names(catalog.tasks.list({ ...where, name: 't' }))).toEqual(['t'])
  expect(await catalog.users.findByName('somebody')).toBeDefined()
  // What is missing in the target is told, and has an exit code of its own.
  const sensors = buckets.find(({ name }: { name: string }) => name === 'sensors')
  await server.store.delete({ bucket: sensors.id, range: { start: startNs, stop: startNs * 2n } })
  await server.close()
  const differing = await migrate(['--from', old, '--to', folder, '--org', 'new'])
  expect([differing.code, differing.errors]).toEqual([3, ''])
  expect(differing.outcome.verdicts[0].differences.length).toBeGreaterThan(0)

  const backup = temporaryFolder()
  v2Backup(old, backup)
  // Into a server that runs: tokens are brought along by their hashes.
  const target = await install()
  const to = ['--to', target.url, '--to-token', target.token, '--journal', `${backup}/journal`]
  const third = await migrate(['--from', backup, ...to])
  expect([third.code, third.errors]).toEqual([0, ''])
  for (const token of [clearToken, longHashedToken]) {
    const brought = await send(`${target.url}/debug/export?bucket=sensors`, { token })
    expect(lineValues(brought.text)).toEqual(points.values)
    expect((await send(`${target.url}/debug/export?bucket=kept`, { token })).status).toBe(401)
  }
  const exported = async (dataDir: string) => {
    const { output } = await finish(run(['export', '--data-dir', dataDir, '--bucket', 'sensors']))
    return lineValues(output)
  }

  // The same from a server that gives backups, whose shards are fetched one by one.
  const asked: string[] = []
  const from = ['--from', await v2BackupServer(old, 'operator', asked), '--from-token', 'operator']
  const fromServer = `${temporaryFolder()}/data`
  const fourth = await migrate([...from, '--to', fromServer])
  expect([fourth.code, fourth.errors]).toEqual([0, ''])
  // Once for its fields and once for its points; the shard that has changed meanwhile as often again, and no other.
  const changed = asked.find((one) => one.startsWith('since'))?.split(' ')[1]
  const whole = (shard: string) => asked.filter((one) => one === `whole ${shard}`).length
  const shards = [...new Set(asked.map((one) => one.split(' ')[1]))]
  expect(shards.length).toBeGreaterThan(1)
  expect(shards.map(whole)).toEqual(shards.map((shard) => (shard === changed ? 4 : 2)))
  expect(await exported(fromServer)).toEqual(points.values)
})
