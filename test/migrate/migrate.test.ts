// `millrace migrate` as a user calls it, from a real InfluxDB 1.x: its folder while it runs, its portable backup, its
// HTTP, and from there on to another Millrace. Every point is compared with what was written.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { adminToken, start, temporaryFolder } from '../api/harness.js'
import { finish, run } from '../api/program.js'
import { hasInfluxd, type Influxd, startInfluxd } from '../influxd.js'
import { lineValues } from './line-values.js'
import { migrate } from './migrate-command.js'
import { RandomPoints } from './random-points.js'

const startNs = 1_600_000_000n * 1_000_000_000n

async function exported(dataDir: string, bucket: string): Promise<Map<string, string>> {
  const { code, output, errors } = await finish(
    run(['export', '--data-dir', dataDir, '--bucket', bucket]),
  )
  expect([code, errors]).toEqual([0, ''])
  return lineValues(output)
}

async function filled(influx: Influxd, points: RandomPoints, seed: number): Promise<void> {
  const random = seededRandom(seed)
  for (let round = 0; round < 16; round++) {
    await influx.write('d', points.lines(random.below(300) + 1))
    if (round % 8 === 7) await influx.query(points.deletion(), 'd')
  }
}

/** Writes on, a small request after the other, until it is told to stop: whatever comes later has to carry it all. */
function writing(influx: Influxd, points: RandomPoints): () => Promise<number> {
  let isOver = false
  let requests = 0
  const written = (async () => {
    for (; !isOver; requests++) {
      await influx.write('d', points.lines(5))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return async () => {
    isOver = true
    await written
    return requests
  }
}

it.skipIf(!hasInfluxd)(
  'moves an InfluxDB 1.x while it runs, from every side',
  { timeout: 300_000 },
  async () => {
    const influx = await startInfluxd('cache-snapshot-write-cold-duration = "1s"')
    const query =
      'CREATE CONTINUOUS QUERY c ON d BEGIN SELECT mean(f) INTO m FROM cpu GROUP BY time(1h) END'
    await influx.query('CREATE DATABASE d')
    await influx.query('CREATE RETENTION POLICY "other" ON d DURATION INF REPLICATION 1')
    await influx.query(query)
    await influx.query(`CREATE USER r WITH PASSWORD 'p'; GRANT READ ON d TO r`)
    await influx.write('d', 'm,t=a f=1 1000', 'other')
    const points = new RandomPoints(seededRandom(11), startNs, 20)
    await filled(influx, points, 11)

    const plan = await migrate(['--from', influx.folder, '--dry-run'])
    expect(plan.events[0]).toMatchObject({
      type: 'plan',
      databases: [
        {
          name: 'd',
          policies: [
            { name: 'autogen', isDefault: true },
            { name: 'other', values: 1 },
          ],
        },
      ],
      users: [{ name: 'r', isAdmin: false }],
      obstacles: [],
    })
    // An estimate: what was overwritten or deleted may be counted too, and what InfluxDB moves from its log to its
    // files at that moment may be missed.
    const { values } = plan.events[0].databases[0].policies[0]
    expect(values).toBeGreaterThan(points.values.size / 2)
    expect(values).toBeLessThan(points.values.size * 2)

    const folder = `${temporaryFolder()}/data`
    const first = await migrate(['--from', influx.folder, '--to', folder])
    expect([first.code, first.errors]).toEqual([0, ''])
    expect(
      first.outcome.verdicts.map((one: { differences: unknown[] }) => one.differences),
    ).toEqual([[], []])
    expect(await exported(folder, 'd/autogen')).toEqual(points.values)
    expect(await exported(folder, 'd/other')).toEqual(new Map([['["m,t=a","f","1000"]', '1']]))

    // While it is written to, every pass takes what has come since; started again, what came after the last.
    const stopWriting = writing(influx, points)
    const during = await migrate(['--from', influx.folder, '--to', folder, '--no-verify'])
    expect([during.code, during.errors]).toEqual([0, ''])
    expect(await stopWriting()).toBeGreaterThan(5)
    // It says so after a second pass at the earliest.
    const notes = during.events.filter(({ type }) => type === 'note').map(({ text }) => text)
    expect(notes.join()).toContain('the source is still written to')
    await influx.query(points.deletion(), 'd')
    const second = await migrate(['--from', influx.folder, '--to', folder])
    const missing = second.outcome.verdicts[0].differences
    const wasDeleted = missing.every(
      (one: { source: string; target: string }) => Number(one.source) < Number(one.target),
    )
    expect(second.code === 0 || wasDeleted, JSON.stringify(missing)).toBe(true)
    const after = await exported(folder, 'd/autogen')
    for (const [key, value] of points.values) expect(after.get(key)).toBe(value)

    const backup = temporaryFolder()
    const made = spawnSync('influxd', ['backup', '-portable', '-host', influx.backupHost, backup])
    expect(made.status).toBe(0)
    const fromBackup = `${temporaryFolder()}/data`
    const third = await migrate(['--from', backup, '--to', fromBackup])
    expect([third.code, third.errors]).toEqual([0, ''])
    expect(await exported(fromBackup, 'd/autogen')).toEqual(points.values)

    const asked = await migrate(['--from', influx.url, '--dry-run'])
    expect(asked.events[0].databases[0].policies[0].bytes).toBeGreaterThan(0)
    const fromServer = `${temporaryFolder()}/data`
    const fourth = await migrate(['--from', influx.url, '--to', fromServer])
    expect([fourth.code, fourth.errors]).toEqual([0, ''])
    expect(await exported(fromServer, 'd/autogen')).toEqual(points.values)

    // And on, from one Millrace to another that runs.
    const server = await start({ adminToken, variant: 'cluster' })
    const target = ['--to', server.url, '--to-token', adminToken, '--rename', 'd=e']
    const journal = `${temporaryFolder()}/journal`
    const fifth = await migrate(['--from', fromServer, ...target, '--journal', journal])
    expect([fifth.code, fifth.errors]).toEqual([0, ''])
    const answer = await fetch(`${server.url}/debug/export?bucket=e`, {
      headers: { authorization: `Token ${adminToken}` },
    })
    expect(lineValues(await answer.text())).toEqual(points.values)
    const refused = await migrate(['--from', fromServer, ...target, '--journal', `${journal}2`])
    expect([refused.code, refused.errors]).toEqual([
      1,
      'millrace: the target has a database "e" already: rename it, or write into it\n',
    ])
  },
)

it.skipIf(!hasInfluxd)('goes on after it was killed', { timeout: 240_000 }, async () => {
  const influx = await startInfluxd()
  await influx.query('CREATE DATABASE d')
  const points = new RandomPoints(seededRandom(5), startNs, 100)
  for (let round = 0; round < 30; round++) await influx.write('d', points.lines(300))
  await influx.stop()
  const folder = `${temporaryFolder()}/data`
  const journal = `${temporaryFolder()}/journal`
  const unitsDone: number[] = []
  for (let kill = 0; kill < 3; kill++) {
    const place = ['--to', folder, '--journal', journal]
    const child = run(['migrate', '--json', '--from', influx.folder, ...place])
    const ended = finish(child)
    // In the middle: some units are done, others are not.
    const before = unitsIn(journal)
    const watch = setInterval(() => {
      if (unitsIn(journal) > before) child.kill('SIGKILL')
    }, 2)
    expect((await ended).code).toBe(null)
    clearInterval(watch)
    unitsDone.push(unitsIn(journal))
  }
  const place = ['--to', folder, '--journal', journal]
  const last = await migrate(['--from', influx.folder, ...place])
  expect([last.code, last.errors]).toEqual([0, ''])
  expect(unitsIn(journal)).toBeGreaterThan(unitsDone[2])
  expect(await exported(folder, 'd/autogen')).toEqual(points.values)
})

/** How many units a journal calls done. */
function unitsIn(journal: string): number {
  if (!existsSync(journal)) return 0
  return readFileSync(journal, 'utf8').split('"unit":').length - 1
}

it.skipIf(!hasInfluxd)(
  'keeps fields of several types apart, and tells what is missing',
  { timeout: 120_000 },
  async () => {
    const influx = await startInfluxd('cache-snapshot-write-cold-duration = "1s"')
    await influx.query('CREATE DATABASE d')
    const week = 7n * 86_400_000_000_000n
    await influx.write('d', `m f=1i,g="x" ${startNs}\nm f=2i ${startNs + 1n}`)
    await influx.write('d', `m f=1.5,g=7 ${startNs + week}`)
    await influx.write('d', `m g=8 ${startNs + 2n * week}`)
    const expected = new Map([
      [JSON.stringify(['m', 'f', `${startNs}`]), '1'],
      [JSON.stringify(['m', 'g_string', `${startNs}`]), '"x"'],
      [JSON.stringify(['m', 'f', `${startNs + 1n}`]), '2'],
      [JSON.stringify(['m', 'f', `${startNs + week}`]), '1.5'],
      [JSON.stringify(['m', 'g', `${startNs + week}`]), '7'],
      [JSON.stringify(['m', 'g', `${startNs + 2n * week}`]), '8'],
    ])
    const folders: string[] = []
    for (const from of [influx.folder, influx.url]) {
      const folder = `${temporaryFolder()}/data`
      folders.push(folder)
      const { code, errors, events } = await migrate(['--from', from, '--to', folder])
      expect([code, errors]).toEqual([0, ''])
      const notes = events.filter(({ type }) => type === 'note').map(({ text }) => text)
      // InfluxDB moves its logs into files whenever it is time: that looks like writes, and is told or not.
      expect(notes.filter((text) => !text.startsWith('the source is still written to'))).toEqual([
        'd: integer values of "f" in "m" become floats',
        'd: string values of "g" in "m" are kept as "g_string"',
      ])
      expect(await exported(folder, 'd/autogen')).toEqual(expected)
    }

    // What is deleted at the source stays in the target, and both sides differ then.
    await influx.query(`DELETE FROM m WHERE time = ${startNs + 1n}`, 'd')
    const differing = await migrate(['--from', influx.folder, '--to', folders[0]])
    expect([differing.code, differing.errors]).toEqual([3, ''])
    expect(differing.outcome.verdicts[0].differences.length).toBeGreaterThan(0)

    // Files end up in TSM when nobody writes for a second.
    const shards = () => readdirSync(`${influx.folder}/data/d/autogen`)
    const tsm = () =>
      shards().flatMap((shard) =>
        readdirSync(`${influx.folder}/data/d/autogen/${shard}`)
          .filter((name) => name.endsWith('.tsm'))
          .map((name) => `${influx.folder}/data/d/autogen/${shard}/${name}`),
      )
    while (tsm().length < 3) await new Promise((resolve) => setTimeout(resolve, 300))
    await influx.stop()
    const path = tsm()[0]
    const bytes = readFileSync(path)
    bytes[12] ^= 1
    writeFileSync(path, bytes)
    const damaged = `${temporaryFolder()}/data`
    const failed = await migrate(['--from', influx.folder, '--to', damaged])
    expect([failed.code, failed.errors]).toEqual([
      1,
      `millrace: corrupt data in ${path} at offset 5: the checksum is wrong\n`,
    ])
    const skipped = await migrate(['--from', influx.folder, '--to', damaged, '--skip-damaged'])
    expect([skipped.code, skipped.outcome.damagedCount]).toEqual([0, 1])
  },
)
