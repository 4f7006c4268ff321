// Files that a real InfluxDB 1.x has written: what is read from them is what was written, overwritten and deleted, from
// its log, from its TSM files with tombstones, and after it has merged them; and no damaged byte does harm.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseSeriesKey, seriesKey } from '../../src/column/series.js'
import { allTime } from '../../src/column/time.js'
import type { CorruptionError } from '../../src/errors.js'
import { printWriteBatch } from '../../src/line-protocol/printer.js'
import { throwDamage } from '../../src/migrate/sources/damage.js'
import { openShard } from '../../src/migrate/sources/shard-folder.js'
import { NodeDisk } from '../../src/platform/node-disk.js'
import { seededRandom } from '../../src/platform/random.js'
import type { DamageHandler } from '../../src/tsm/shard/field-stream.js'
import { readShard } from '../../src/tsm/shard/shard-reader.js'
import { temporaryFolder } from '../api/client.js'
import { hasInfluxd, type Influxd, startInfluxd } from '../influxd.js'
import { lineValues } from './line-values.js'
import { RandomPoints } from './random-points.js'

const start = 1_600_000_000n * 1_000_000_000n

async function shardLines(
  data: string,
  wal: string | undefined,
  onDamage: DamageHandler = throwDamage,
): Promise<string> {
  const shard = await openShard(new NodeDisk(), data, wal, onDamage)
  try {
    const request = {
      layers: shard.layers,
      range: allTime,
      seriesTarget: (key: Uint8Array) => ({ measurement: parseSeriesKey(key).measurement, key }),
      fieldTarget: (_: string, name: string, type: 'float') => ({ name, type }),
      onDamage,
    }
    return Array.from(readShard(request as never), printWriteBatch).join('')
  } finally {
    await shard.close()
  }
}

async function folderLines(folder: string): Promise<string> {
  let lines = ''
  for (const shard of readdirSync(`${folder}/data/d/autogen`)) {
    lines += await shardLines(
      `${folder}/data/d/autogen/${shard}`,
      `${folder}/wal/d/autogen/${shard}`,
    )
  }
  return lines
}

const quickCompaction = `
  cache-snapshot-memory-size = 20000
  cache-snapshot-write-cold-duration = "1s"
  compact-full-write-cold-duration = "2s"
  max-concurrent-compactions = 1`

it.skipIf(!hasInfluxd)(
  'reads what InfluxDB has written, in every state',
  { timeout: 240_000 },
  async () => {
    const seed = Number(process.env.SEED ?? 7)
    const random = seededRandom(seed)
    const points = new RandomPoints(random, start, 20)
    const influx = await startInfluxd(quickCompaction)
    await influx.query('CREATE DATABASE d')
    for (let round = 0; round < 60; round++) {
      await influx.write('d', points.lines(random.below(400) + 1))
      if (round % 10 === 9) await influx.query(points.deletion(), 'd')
      // The server runs: the log and new TSM files are read as they come.
      if (round % 15 === 14) await expectSame(influx, points, `seed ${seed}, round ${round}`)
    }
    // Everything is in TSM files, and some of them are merged.
    await merged(influx.folder)
    await expectSame(influx, points, `seed ${seed}, merged`)
    await influx.query(points.deletion(), 'd')
    const kept = await heldBy(influx)
    await influx.stop()
    expectValues(lineValues(await folderLines(influx.folder)), kept, points)
  },
)

/** Nothing is left in the log, and a file has been made from others; or ten seconds have passed. */
async function merged(folder: string): Promise<void> {
  const names = (kind: 'data' | 'wal') =>
    readdirSync(`${folder}/${kind}/d/autogen`).flatMap((shard) =>
      readdirSync(`${folder}/${kind}/d/autogen/${shard}`),
    )
  for (let i = 0; i < 50; i++) {
    const isWritten = !names('wal').some((name) => name.endsWith('.wal'))
    if (isWritten && names('data').some((name) => /-0*[2-9]\d*\.tsm$/.test(name))) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** What the server says that it holds: series, fields and times as `lineValues` has them. */
async function heldBy(influx: Influxd): Promise<Set<string>> {
  const held = new Set<string>()
  const [{ series = [] }] = await influx.query('SELECT * FROM /.*/ GROUP BY *', 'd', '')
  for (const { name = '', tags = {}, columns, values } of series) {
    const present = Object.entries(tags).filter(([, value]) => value !== '')
    const sorted = present.sort(([a], [b]) => (a < b ? -1 : 1))
    const named = sorted.map(([tag, value]) => ({ key: tag, value }))
    const key = seriesKey({ measurement: name, tags: named })
    for (const [time, ...fields] of values) {
      const ns = nanoseconds(String(time))
      fields.forEach((value, at) => {
        if (value !== null) held.add(JSON.stringify([key, columns[at + 1], ns]))
      })
    }
  }
  return held
}

/** `2020-09-13T12:26:40.5Z` → `1600000000500000000`. */
function nanoseconds(time: string): string {
  const [, whole, fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(time) ?? []
  return `${Date.parse(`${whole}Z`) / 1000}${fraction.padEnd(9, '0')}`
}

/**
 * A deletion that meets a snapshot of its cache may leave points behind in InfluxDB 1.6 itself: what it still holds is
 * what must be read, and of that every value that the model knows. It may also leave them in its files alone: of a
 * series that was deleted whole from a shard, so that the index of the shard has forgotten it, it tells nothing until
 * it starts again.
 */
function expectValues(read: Map<string, string>, held: Set<string>, points: RandomPoints): void {
  const known = new Set([...held, ...points.values.keys()].map(seriesInShard))
  const isForgotten = (key: string) => !known.has(seriesInShard(key))
  expect([...read.keys()].filter((key) => !held.has(key) && !isForgotten(key))).toEqual([])
  expect([...held].filter((key) => !read.has(key))).toEqual([])
  for (const [key, value] of points.values) expect(read.get(key), key).toBe(value)
}

const week = 7n * 86_400n * 1_000_000_000n
/** The first Monday after 1970 began: InfluxDB's shards of seven days begin on Mondays. */
const firstMonday = 4n * 86_400n * 1_000_000_000n

function seriesInShard(key: string): string {
  const [series, , time] = JSON.parse(key)
  return `${series} ${(BigInt(time) - firstMonday) / week}`
}

async function expectSame(influx: Influxd, points: RandomPoints, when: string): Promise<void> {
  const read = lineValues(await folderLines(influx.folder))
  const held = await heldBy(influx)
  const extra = [...held].filter((key) => !points.values.has(key)).length
  if (extra > 0) console.info(`${when}: the server holds ${extra} values that were deleted`)
  expectValues(read, held, points)
}

it.skipIf(!hasInfluxd)(
  'names damaged blocks, and skips them on demand',
  { timeout: 240_000 },
  async () => {
    const influx = await startInfluxd('cache-snapshot-write-cold-duration = "1s"')
    await influx.query('CREATE DATABASE d')
    const points = new RandomPoints(seededRandom(3), start, 1)
    for (let i = 0; i < 6; i++) await influx.write('d', points.lines(50))
    const [shard] = readdirSync(`${influx.folder}/data/d/autogen`)
    const data = `${influx.folder}/data/d/autogen/${shard}`
    const tsmName = () => readdirSync(data).find((name) => name.endsWith('.tsm'))
    const log = `${influx.folder}/wal/d/autogen/${shard}`
    await damageEach(
      temporaryFolder(),
      { folder: log, name: readdirSync(log)[0], every: 211 },
      points,
    )
    while (tsmName() === undefined) await new Promise((resolve) => setTimeout(resolve, 200))
    await influx.stop()
    await damageEach(temporaryFolder(), { folder: data, name: tsmName() ?? '', every: 97 }, points)
  },
)

/** What is left is right, and what is not left was told. */
async function damageEach(
  folder: string,
  file: { readonly folder: string; readonly name: string; readonly every: number },
  points: RandomPoints,
): Promise<void> {
  const isLog = file.name.endsWith('.wal')
  const bytes = readFileSync(`${file.folder}/${file.name}`)
  const indexStart = isLog ? bytes.length : Number(bytes.readBigUInt64BE(bytes.length - 8))
  const path = `${folder}/${file.name}`
  const empty = temporaryFolder()
  for (let at = 0; at < bytes.length; at += file.every) {
    const damaged = Buffer.from(bytes)
    damaged[at] ^= 0xff
    writeFileSync(path, damaged)
    const found: CorruptionError[] = []
    const note = (damage: CorruptionError) => void found.push(damage)
    const read = isLog ? shardLines(empty, folder, note) : shardLines(folder, undefined, note)
    const lines = await read
    expect(found.every((damage) => damage.file === path)).toBe(true)
    if (isLog || at >= indexStart) continue
    expect(found.length, `byte ${at}`).toBe(1)
    for (const [key, value] of lineValues(lines)) expect(points.values.get(key)).toBe(value)
    await expect(shardLines(folder, undefined)).rejects.toThrow(path)
  }
}
