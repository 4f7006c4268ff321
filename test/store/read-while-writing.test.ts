// Reads that are under way while the engine goes on: writes, flushes, merges, deletes and drops
// that come between two batches of a read must not disturb it. What a read promises (order, no
// repeats) holds for rows that come meanwhile too.

import { expect, test } from 'vitest'
import type { Batch } from '../../src/column/batch.js'
import { allTime, timeAt } from '../../src/column/time.js'
import { EngineWorld } from './engine-states.js'
import { readRows } from './read-rows.js'

const bucket = '00000000000000b1'
const request = { bucket, measurement: 'm', range: allTime }

async function write(world: EngineWorld, lines: readonly string[]): Promise<void> {
  const { batch } = world
    .parser(bucket)
    .parse(Buffer.from(lines.join('\n')), { precision: 'ns', now: 0n })
  await world.engine.write(bucket, batch)
  world.parser(bucket).release(batch)
}

function rowsFrom(start: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `m v=${i}i ${start + i}`)
}

/** Times of a read of one series, with something done after its first batch. */
async function timesAround(world: EngineWorld, between: () => Promise<void>): Promise<bigint[]> {
  const times: bigint[] = []
  let batches = 0
  const add = (batch: Batch) => {
    for (let row = 0; row < batch.rowCount; row++) times.push(timeAt(batch.times, row))
  }
  for await (const batch of world.engine.read(request, new AbortController().signal)) {
    add(batch)
    if (++batches === 1) await between()
  }
  expect(batches).toBeGreaterThan(1)
  return times
}

function expectAscending(times: readonly bigint[]): void {
  for (let i = 1; i < times.length; i++) {
    if (times[i] <= times[i - 1]) expect.fail(`${times[i]} comes after ${times[i - 1]}`)
  }
}

/** 6000 rows in segments, 300 behind them in the memtable. */
async function prepared(): Promise<EngineWorld> {
  const world = await EngineWorld.open({ compactionSegments: 1000 })
  await write(world, rowsFrom(1000, 6000))
  await world.engine.flush()
  await write(world, rowsFrom(8000, 300))
  return world
}

test('a write before the place where the read stands', async () => {
  const world = await prepared()
  const times = await timesAround(world, () => write(world, ['m v=1i 5', 'm v=2i 1500']))
  expectAscending(times)
  expect(times.length).toBe(6300)
  expect(await readRows(world.engine, request)).toHaveLength(6301)
  await world.close()
})

test('a write behind the place where the read stands', async () => {
  const world = await prepared()
  const times = await timesAround(world, () => write(world, ['m v=1i 7500', 'm v=2i 9999']))
  expectAscending(times)
  expect(times.length).toBeGreaterThanOrEqual(6300)
  await world.close()
})

test.each<[string, (world: EngineWorld) => Promise<void>]>([
  ['a flush', (world) => world.engine.flush()],
  [
    'a merge',
    async (world) => {
      await world.engine.flush()
      await world.engine.compact()
    },
  ],
  ['a delete', (world) => world.engine.delete({ bucket, range: allTime })],
  ['a drop', (world) => world.engine.dropBucket(bucket)],
  [
    'memtables that take over the memory of flushed ones',
    async (world) => {
      for (let round = 0; round < 3; round++) {
        await world.engine.flush()
        await write(
          world,
          rowsFrom(20_000 + round, 300).map((line) => line.replace('m ', 'other ')),
        )
      }
    },
  ],
])('%s does not disturb a read', async (_, between) => {
  const world = await prepared()
  const times = await timesAround(world, () => between(world))
  const expected = [...rowsFrom(1000, 6000), ...rowsFrom(8000, 300)].map((line) =>
    BigInt(line.split(' ')[2]),
  )
  expect(times).toEqual(expected)
  await world.close()
})

test('a read that is given up lets go of what it held', async () => {
  const world = await prepared()
  for await (const batch of world.engine.read(request, new AbortController().signal)) {
    expect(batch.rowCount).toBeGreaterThan(0)
    break
  }
  await world.engine.dropBucket(bucket)
  expect(await world.disk.list(`data/${bucket}`)).toEqual([])
  await world.close()
})

test('an aborted read ends with the reason of the signal', async () => {
  const world = await prepared()
  const controller = new AbortController()
  controller.abort(new Error('the client went away'))
  const read = world.engine.read(request, controller.signal)[Symbol.asyncIterator]()
  await expect(read.next()).rejects.toThrow('the client went away')
  await world.close()
})
