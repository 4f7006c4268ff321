// Series that have no points left leave the index, in memory and on the disk: after retention, after deletes, and
// while points are written and reads are under way. That nothing else changes is for the model and the simulation.

import { afterEach, expect, test, vi } from 'vitest'
import { allTime, nsPerHour } from '../../src/column/time.js'
import { readFile } from '../../src/platform/disk.js'
import { collectPages } from '../../src/store/schema-pages.js'
import { EngineWorld } from './engine-states.js'
import { printRow, readRows } from './read-rows.js'

const bucket = '00000000000000b1'
const nsPerDay = 24n * nsPerHour
let world: EngineWorld

afterEach(() => world.close())

async function write(lines: readonly string[]): Promise<void> {
  const parser = world.parser(bucket)
  const { batch } = parser.parse(Buffer.from(lines.join('\n')), { precision: 'ns', now: 0n })
  expect(await world.write(bucket, batch)).toMatchObject({ rejectedCount: 0 })
  parser.release(batch)
}

async function metric(name: string): Promise<number> {
  return (await world.engine.metrics()).find((m) => m.name === name)!.value
}

/** The one index file that there is. */
async function indexBytes(): Promise<Uint8Array> {
  const names = (await world.disk.list(`data/${bucket}`)).filter((name) => name.endsWith('.log'))
  expect(names).toHaveLength(1)
  return readFile(world.disk, `data/${bucket}/${names[0]}`)
}

async function rows(measurement: string): Promise<string[]> {
  return (await readRows(world.engine, { bucket, measurement, range: allTime })).map(printRow)
}

const daily = 120

function linesOf(day: number): string[] {
  const time = BigInt(day) * nsPerDay
  const lines = Array.from({ length: daily }, (_, i) => `m,pod=p${day}-${i} v=${i} ${time}`)
  for (let i = 0; i < 20; i++) lines.push(`host,name=h${i} v=${day} ${time}`)
  return lines
}

test('thirty days of new series end with the memory and the file of about a day', async () => {
  world = await EngineWorld.open({ retentionCheckMs: 1, flushAgeTicks: 1_000_000 })
  await world.setRetention(bucket, nsPerDay)
  let afterTwoDays = { memory: 0, file: 0 }
  for (let day = 0; day < 30; day++) {
    world.clock.set(BigInt(day) * nsPerDay)
    await write(linesOf(day))
    await world.engine.flush()
    // The day before yesterday's have expired.
    const expired = Math.max(0, day - 1)
    await vi.waitFor(async () => expect(await metric('store_expired_shards_total')).toBe(expired))
    await world.engine.forgetSeries()
    if (day === 2) {
      const file = (await indexBytes()).length
      afterTwoDays = { memory: await metric('store_index_bytes'), file }
    }
  }
  expect(await metric('store_series')).toBe(2 * daily + 20)
  expect(await metric('store_forgotten_series_total')).toBe(28 * daily)
  expect(await metric('store_index_bytes')).toBeLessThan(1.5 * afterTwoDays.memory)
  expect((await indexBytes()).length).toBeLessThan(1.2 * afterTwoDays.file)
  const text = Buffer.from(await indexBytes()).toString('latin1')
  expect([text.includes('p27-0'), text.includes('p28-0')]).toEqual([false, true])
  await world.crash()
  expect(await metric('store_series')).toBe(2 * daily + 20)
  const series = await collectPages(world.engine.series({ bucket, measurement: 'm' }))
  expect(series).toHaveLength(2 * daily)
  expect(await rows('host')).toHaveLength(40)
  // Numbers go on where they were.
  await write(['m,pod=p0-0 v=7 2505600000000000', 'm,pod=p29-0 v=8 2505600000000000'])
  expect((await rows('m')).filter((row) => row.includes('p0-0'))).toHaveLength(1)
})

test('it happens by itself, and with every series gone the measurement is', async () => {
  world = await EngineWorld.open({ retentionCheckMs: 1, flushAgeTicks: 1_000_000 })
  await write(['a,k=1 v=1 1', 'a,k=2 v=1 1', 'b v=1 1'])
  await world.engine.delete({ bucket, range: allTime, measurement: 'a' })
  await vi.waitFor(async () => expect(await metric('store_series')).toBe(1))
  expect(await collectPages(world.engine.names({ bucket, kind: 'measurements' }))).toEqual(['b'])
  expect((await world.engine.measurementSchema(bucket, 'a')).fields).toEqual([])
  await write(['a,k=2 v="text",w=2 2'])
  await world.crash()
  expect(await rows('a')).toEqual(['a,k=2 2 v="text",w=2'])
  expect(await rows('b')).toEqual(['b 1 v=1'])
})

test('a read that began before goes on with what it saw, and a prepared one finds what is there', async () => {
  world = await EngineWorld.open()
  const range = allTime
  const names = Array.from({ length: 50 }, (_, i) => String(i).padStart(2, '0'))
  // So many rows each that the read comes in a batch per series.
  const lines = names.flatMap((k) => Array.from({ length: 300 }, (_, t) => `m,k=${k} v=${t} ${t}`))
  await write(lines)
  await world.engine.flush()
  const prepared = world.engine.prepare({ bucket, measurement: 'm', fields: ['v'] })
  const { signal } = new AbortController()
  const ask = () =>
    readRows({ read: () => prepared.read(range, signal) }, { bucket, measurement: 'm', range })
  expect(await ask()).toHaveLength(50 * 300)
  const begun = world.engine.read({ bucket, measurement: 'm', range }, signal)
  const batches = begun[Symbol.asyncIterator]()
  const keys: string[] = []
  const next = async () => {
    const { value } = await batches.next()
    keys.push(...(value?.runs ?? []).map(({ key }) => key.tags[0].value))
    return value !== undefined
  }
  await next()
  expect(keys.length).toBeLessThan(50)
  await world.engine.delete({
    bucket,
    range,
    predicate: { kind: 'tag-regex', tag: 'k', pattern: '^[0-3]', negated: false },
  })
  await world.engine.compact()
  await world.engine.forgetSeries()
  expect(await metric('store_series')).toBe(10)
  await write(['m,k=00 v=100 2', 'm,k=new v=101 2'])
  while (await next());
  expect([...new Set(keys)]).toEqual(names)
  expect((await ask()).map(printRow)).toEqual(await rows('m'))
  expect(await ask()).toHaveLength(10 * 300 + 2)
})

test('what is written while the index is written anew is kept', async () => {
  world = await EngineWorld.open({ memtableBytesMax: 20_000, compactionSegments: 2 })
  for (let round = 0; round < 8; round++) {
    await write(Array.from({ length: 200 }, (_, i) => `m,k=${round}-${i} v=${i} ${round}`))
    const range = { start: BigInt(round), stop: BigInt(round + 1) }
    await world.engine.delete({ bucket, range, measurement: 'm' })
    const forgetting = world.engine.forgetSeries()
    const writes = [forgetting]
    for (let i = 0; i < 20; i++) {
      // Series that are about to leave, and new ones.
      writes.push(write([`m,k=${round}-${i} v=${i} 100`, `n${round},k=${i} w${round}=${i}i 100`]))
      await undefined
    }
    await Promise.all(writes)
  }
  const expected = (await rows('m')).length
  expect(expected).toBe(160)
  for (let round = 0; round < 8; round++) expect(await rows(`n${round}`)).toHaveLength(20)
  await world.crash()
  expect(await rows('m')).toHaveLength(expected)
  for (let round = 0; round < 8; round++) expect(await rows(`n${round}`)).toHaveLength(20)
  await world.engine.compact()
  await world.engine.forgetSeries()
  expect(await metric('store_series')).toBe(320)
})

test('a measurement that began anew is the same in an index that was written anew', async () => {
  world = await EngineWorld.open({ flushAgeTicks: 1_000_000 })
  await write(['m,h=a x=1,y="s" 1', 'm,h=b x=2 1', 'other,h=a x=1 1'])
  await world.engine.delete({ bucket, range: allTime, measurement: 'm' })
  await write(['m,h=a z=3i 1'])
  await world.engine.flush()
  await world.engine.compact()
  await world.engine.forgetSeries()
  expect(await metric('store_series')).toBe(2)
  const fields = async () =>
    (await world.engine.measurementSchema(bucket, 'm')).fields.map(({ name }) => name)
  expect(await fields()).toEqual(['z'])
  await write(['m,h=a x="now a text" 2'])
  await world.crash()
  expect(await fields()).toEqual(['x', 'z'])
  expect(await rows('m')).toEqual(['m,h=a 1 z=3i', 'm,h=a 2 x="now a text"'])
})
