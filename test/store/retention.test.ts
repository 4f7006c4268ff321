// Expired shards go as a whole: their files, their rows, and what a restart would find of them.
// That they are hidden before is for the corpus to say.

import { afterEach, expect, test, vi } from 'vitest'
import { allTime, nsPerHour } from '../../src/column/time.js'
import { EngineWorld } from './engine-states.js'
import { readRows } from './read-rows.js'

const bucket = '00000000000000b1'
let world: EngineWorld

afterEach(() => world.close())

async function write(time: bigint): Promise<void> {
  const text = Buffer.from(`m v=1 ${time}`)
  const { batch } = world.parser(bucket).parse(text, { precision: 'ns', now: 0n })
  expect(await world.engine.write(bucket, batch)).toMatchObject({ rejectedCount: 0 })
}

async function metric(name: string): Promise<number | undefined> {
  return (await world.engine.metrics()).find((m) => m.name === name)?.value
}

async function shardFolders(): Promise<string[]> {
  return (await world.disk.list(`data/${bucket}`)).filter((name) => /^-?\d+$/.test(name))
}

test('an expired shard is dropped with its files, and does not come back', async () => {
  world = await EngineWorld.open({ retentionCheckMs: 1, flushAgeTicks: 1_000_000 })
  await world.setRetention(bucket, 24n * nsPerHour)
  world.clock.set(100n * nsPerHour)
  await write(90n * nsPerHour)
  await write(100n * nsPerHour)
  await world.engine.flush()
  expect(await shardFolders()).toHaveLength(2)
  world.clock.set(120n * nsPerHour)
  await vi.waitFor(async () => expect(await metric('store_expired_shards_total')).toBe(1))
  await vi.waitFor(async () => expect(await shardFolders()).toHaveLength(1))
  // Even where the retention is lifted: what was dropped is gone, what was not is still there.
  await world.setRetention(bucket, 0n)
  await world.crash()
  const rows = await readRows(world.engine, { bucket, measurement: 'm', range: allTime })
  expect(rows.map(({ time }) => time)).toEqual([100n * nsPerHour])
})

test('rows are flushed when they are old, however few they are', async () => {
  world = await EngineWorld.open({ retentionCheckMs: 1, flushAgeTicks: 1 })
  await write(5n)
  await vi.waitFor(async () => expect(await metric('store_memtable_bytes')).toBe(0))
  expect(await metric('store_segments')).toBe(1)
})

test('a shard that takes the place of a dropped one is replayed as what it is', async () => {
  world = await EngineWorld.open({ retentionCheckMs: 1, flushAgeTicks: 1_000_000 })
  await world.setRetention(bucket, nsPerHour)
  const monday = 4n * 24n * nsPerHour
  // One hour of a shard, in the log only; it expires and is dropped.
  await write(monday)
  world.clock.set(monday + 5n * nsPerHour)
  await vi.waitFor(async () => expect(await metric('store_expired_shards_total')).toBe(1))
  // A week's shard begins at the same moment.
  await world.setRetention(bucket, 0n)
  await write(monday + 2n * nsPerHour)
  await world.crash()
  const range = { start: monday + nsPerHour, stop: monday + 3n * nsPerHour }
  const rows = await readRows(world.engine, { bucket, measurement: 'm', range })
  expect(rows.map(({ time }) => time)).toEqual([monday + 2n * nsPerHour])
})

test('an extent is not whole while rows have expired that their shard still holds', async () => {
  world = await EngineWorld.open({ retentionCheckMs: 1_000_000, flushAgeTicks: 1_000_000 })
  await world.setRetention(bucket, 24n * nsPerHour)
  world.clock.set(100n * nsPerHour)
  await write(90n * nsPerHour)
  await write(99n * nsPerHour)
  const isWhole = async () => (await world.engine.extent({ bucket, measurement: 'm' })).isWhole
  for (const step of [() => undefined, () => world.engine.flush()]) {
    await step()
    world.clock.set(100n * nsPerHour)
    expect(await isWhole()).toBe(true)
    world.clock.set(114n * nsPerHour + nsPerHour / 2n)
    expect(await isWhole()).toBe(false)
    // Its shard has expired.
    world.clock.set(115n * nsPerHour)
    expect(await isWhole()).toBe(true)
  }
})
