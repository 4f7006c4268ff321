// Data folders of every format version ever released stay readable. A fixture is a whole small
// folder, written once by the engine of its time and never again; each file has `.bin` behind its
// name. The fixture of the current version is made by MILLRACE_REWRITE=1 where there is none yet.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import { type Disk, readFile } from '../../src/platform/disk.js'
import { seededRandom } from '../../src/platform/random.js'
import { type Engine, openEngine } from '../../src/store/embedded/engine.js'
import { collectPages } from '../../src/store/schema-pages.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { EngineWorld } from './engine-states.js'
import { printRow, readRows } from './read-rows.js'

const bucket = '00000000000000b1'
const fixtures = fileURLToPath(new URL('../corpus/format', import.meta.url))
const current = 'v4'

/** Every type, both kinds of series, two shards, gaps, wide integers, texts that deflate. */
function firstLines(): string[] {
  const lines = Array.from({ length: 600 }, (_, i) => {
    const text = i % 50 === 0 ? `,s="${'a long text that repeats '.repeat(8)}${i}"` : ''
    return `long,host=a f=${i / 8},i=${i}i,x=${1 / (i + 3)}${text} ${i * 1_000_000_000}`
  })
  for (let i = 0; i < 20; i++) {
    lines.push(`short,id=${i} b=${i % 2 === 0},u=${i}u,w=${2n ** 63n - BigInt(i)}i ${i}`)
  }
  lines.push('short,id=3 b=true 604800000000001', 'esc\\ aped,tag\\=key=välue s="x",f=-0 -5')
  return lines
}

const laterLines = ['long,host=a i=-1i 599000000000', 'short,id=new u=18446744073709551615u 7']

async function write(world: EngineWorld, lines: readonly string[]): Promise<void> {
  const text = Buffer.from(lines.join('\n'))
  const { batch } = new LineProtocolParser().parse(text, { precision: 'ns', now: 0n })
  expect(await world.engine.write(bucket, batch)).toMatchObject({ rejectedCount: 0 })
}

/** A series that is gone from the files, so that the index is written anew without it. */
async function forgetOne(world: EngineWorld): Promise<void> {
  await write(world, ['gone,id=0 f=1 1'])
  await world.engine.delete({ bucket, range: allTime, measurement: 'gone' })
  await world.engine.forgetSeries()
}

/** Segments with a delete on them, an index log that was written anew, and a log that was never flushed. */
async function makeFixture(): Promise<Map<string, Uint8Array>> {
  const world = await EngineWorld.open({ compactionSegments: 1000 })
  await write(world, firstLines())
  await world.engine.flush()
  await write(world, ['short,id=0 u=100u 0', 'later,k=v f=1 1'])
  await world.engine.delete({
    bucket,
    range: { start: 0n, stop: 10n },
    measurement: 'short',
    predicate: { kind: 'tag', tag: 'id', op: '=', value: '9' },
  })
  // Before the rows are gone for good: what is on the disk now is segments and a tombstone.
  await world.crash()
  await forgetOne(world)
  await write(world, laterLines)
  const files = new Map<string, Uint8Array>()
  await collect(world.disk, 'data', files)
  await world.close()
  return files
}

async function collect(disk: Disk, path: string, files: Map<string, Uint8Array>): Promise<void> {
  for (const name of await disk.list(path)) {
    const child = `${path}/${name}`
    const bytes = await readFile(disk, child).catch(() => undefined)
    if (bytes === undefined) await collect(disk, child, files)
    else files.set(child, bytes)
  }
}

function openOn(disk: Disk): Promise<Engine> {
  return openEngine({ disk, folder: 'data', clock: new ManualClock(0n), jobs: 'inline' })
}

async function openFixture(version: string): Promise<Engine> {
  return openOn(await fixtureDisk(version))
}

async function fixtureDisk(version: string): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const root = `${fixtures}/${version}`
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.bin') || !statSync(`${root}/${name}`).isFile()) continue
    const path = name.slice(0, -'.bin'.length)
    await disk.makeDir(dirname(path))
    const file = await disk.open(path, 'create')
    await file.write([readFileSync(`${root}/${name}`)], 0)
    await file.sync()
    await file.close()
    for (let at = dirname(path); at !== '.'; at = dirname(at)) await disk.syncDir(at)
  }
  await disk.syncDir('')
  return disk
}

async function contents(engine: Engine): Promise<string> {
  const measurements = await collectPages(engine.names({ bucket, kind: 'measurements' }))
  let text = ''
  for (const measurement of measurements) {
    const rows = await readRows(engine, { bucket, measurement, range: allTime })
    text += rows.map((row) => `${printRow(row)}\n`).join('')
  }
  return text
}

const keeps = ['random', 'synced', 'all'] as const

/** What crashes leave of the disk while the engine of today opens it and brings its files up to date. */
async function crashesOf(version: string, seed: number): Promise<Left[]> {
  const disk = await fixtureDisk(version)
  const random = seededRandom(seed)
  const left: Left[] = []
  disk.onOperation = (operation, path) => {
    if (/read|list|exists/.test(operation) || random.below(crashOdds) > 0) return
    const keep = random.pick(keeps)
    const where = `seed ${seed}, before ${operation} ${path}, ${keep}`
    left.push({ where, disk: disk.crashClone({ random, keep }) })
  }
  const engine = await openOn(disk)
  await engine.flush()
  await engine.compact()
  await engine.forgetSeries()
  await engine.close()
  return left
}

interface Left {
  readonly where: string
  readonly disk: SimulatedDisk
}

/** One in so many operations that change something. */
const crashOdds = 14

beforeAll(async () => {
  if (process.env.MILLRACE_REWRITE !== '1' || existsSync(`${fixtures}/${current}`)) return
  for (const [path, bytes] of await makeFixture()) {
    mkdirSync(dirname(`${fixtures}/${current}/${path}`), { recursive: true })
    writeFileSync(`${fixtures}/${current}/${path}.bin`, bytes)
  }
  const engine = await openFixture(current)
  writeFileSync(`${fixtures}/${current}/contents.txt`, await contents(engine))
  await engine.close()
})

const versions = readdirSync(fixtures).filter((name) => /^v\d+$/.test(name))

test('the current version has a fixture', () => {
  expect(existsSync(`${fixtures}/${current}/contents.txt`)).toBe(true)
})

test.each(versions)(
  'data of %s outlives a crash while it is brought up to date',
  async (version) => {
    const expected = readFileSync(`${fixtures}/${version}/contents.txt`, 'utf8')
    const left = [...(await crashesOf(version, 1)), ...(await crashesOf(version, 2))]
    expect(left.length).toBeGreaterThan(2)
    for (const { where, disk } of left) {
      const engine = await openOn(disk)
      expect(await contents(engine), where).toBe(expected)
      await engine.flush()
      await engine.compact()
      expect(await contents(engine), where).toBe(expected)
      await engine.close()
    }
  },
)

test.each(versions)('data of %s is read, merged and kept', async (version) => {
  const expected = readFileSync(`${fixtures}/${version}/contents.txt`, 'utf8')
  expect(expected.split('\n').length).toBeGreaterThan(600)
  const engine = await openFixture(version)
  expect(await contents(engine)).toBe(expected)
  expect(expected).toContain('short,id=8 8 ')
  expect(expected).not.toContain('short,id=9 9 ')
  await engine.flush()
  await engine.compact()
  expect(await contents(engine)).toBe(expected)
  const [first] = await readRows(engine, {
    bucket,
    measurement: 'long',
    range: { start: 0n, stop: 600_000_000_000n },
    window: { aggregates: [{ field: 'i', function: 'sum' }] },
  })
  // 0 + ... + 599, of which the last was overwritten by -1.
  expect(first.values).toEqual([{ name: 'sum(i)', type: 'integer', value: 179_100n }])
  await engine.close()
})
