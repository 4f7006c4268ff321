// Many deletes in a row: what waits to be carried out and the manifest stay small at every moment, the answers are
// those of the plain engine, and nothing of it is left when all is done. `npm run bench deletes` has the times.

import { afterEach, expect, test } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { ManualClock } from '../../src/platform/clock.js'
import { PlainStore } from '../../src/store/plain/plain-store.js'
import type { DeleteRequest } from '../../src/store/store.js'
import { EngineWorld } from './engine-states.js'
import { readRows } from './read-rows.js'

const bucket = '00000000000000b1'
const weekNs = 7n * 86_400n * 1_000_000_000n
const shards = 4
const hosts = 20
const rows = 12
let world: EngineWorld

afterEach(() => world.close())

async function metric(name: string): Promise<number> {
  return (await world.engine.metrics()).find((m) => m.name === name)!.value
}

async function manifestBytes(): Promise<number> {
  const names = (await world.disk.list('data')).filter((name) => name.startsWith('MANIFEST')).sort()
  const file = await world.disk.open(`data/${names.at(-1)}`, 'read')
  const bytes = file.size()
  await file.close()
  return bytes
}

function lines(): string {
  const found: string[] = []
  for (let shard = 0; shard < shards; shard++) {
    for (let host = 0; host < hosts; host++) {
      for (let row = 0; row < rows; row++) {
        found.push(`m,host=h${host} v=${row}i ${BigInt(shard) * weekNs + BigInt(row) * 1000n}`)
      }
    }
  }
  return found.join('\n')
}

/** By tag over all time, by time alone, by both, overlapping and not. */
function nthDelete(n: number): DeleteRequest {
  const value = `h${n % (hosts - 4)}`
  const predicate = { kind: 'tag', tag: 'host', op: '=', value } as const
  const base = BigInt(n % shards) * weekNs
  const start = base + BigInt(n % rows) * 1000n
  switch (n % 4) {
    case 0:
      return { bucket, range: allTime, measurement: 'm', predicate }
    case 1:
      return { bucket, range: { start, stop: start + 1n } }
    case 2:
      return { bucket, range: { start, stop: start + 2500n }, predicate }
    default:
      return { bucket, range: { start: start - 500n, stop: start + 500n }, measurement: 'none' }
  }
}

test('hundreds of deletes leave little behind, and take what they name', async () => {
  world = await EngineWorld.open({ compactionSegments: 1000, tombstonesMax: 16 })
  const plain = new PlainStore(new ManualClock(0n))
  const { batch } = world.parser(bucket).parse(Buffer.from(lines()), { precision: 'ns', now: 0n })
  await world.write(bucket, batch)
  await plain.write(bucket, batch)
  await world.engine.flush()
  const before = await manifestBytes()
  let [mostBytes, mostTombstones] = [0, 0]
  for (let n = 0; n < 300; n++) {
    await world.engine.delete(nthDelete(n))
    await plain.delete(nthDelete(n))
    mostBytes = Math.max(mostBytes, await manifestBytes())
    mostTombstones = Math.max(mostTombstones, await metric('store_tombstones'))
    if (n === 150) await world.crash()
  }
  // What is allowed and what one delete puts on each shard.
  expect(mostTombstones).toBeLessThanOrEqual(16 + shards)
  expect(mostBytes).toBeLessThan(before + (16 + shards) * 250)
  const request = { bucket, measurement: 'm', range: allTime }
  expect(await readRows(world.engine, request)).toEqual(await readRows(plain, request))
  await world.engine.compact()
  expect(await metric('store_tombstones')).toBe(0)
  await world.engine.delete({ bucket, range: allTime })
  expect(await metric('store_segments')).toBe(0)
  await plain.close()
})

test('deletes from many callers at once are carried out beside each other', async () => {
  world = await EngineWorld.open({ compactionSegments: 1000, tombstonesMax: 8 })
  const { batch } = world.parser(bucket).parse(Buffer.from(lines()), { precision: 'ns', now: 0n })
  await world.write(bucket, batch)
  const values = Array.from({ length: hosts - 1 }, (_, n) => `h${n + 1}`)
  await Promise.all(
    values.map((value) =>
      world.engine.delete({
        bucket,
        range: allTime,
        predicate: { kind: 'tag', tag: 'host', op: '=', value },
      }),
    ),
  )
  const left = await readRows(world.engine, { bucket, measurement: 'm', range: allTime })
  expect(left).toHaveLength(shards * rows)
  await world.engine.compact()
  expect(await metric('store_tombstones')).toBe(0)
})
