// A store frozen at any moment, copied elsewhere and opened is what was acknowledged at that moment: no write that was
// answered before is missing, none that began later is there, and none is there by half.

import { expect, test } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import type { Disk } from '../../src/platform/disk.js'
import { MemoryDisk } from '../../src/platform/memory-disk.js'
import { seededRandom } from '../../src/platform/random.js'
import { exportLines } from '../../src/service/export.js'
import { type Engine, openEngine } from '../../src/store/embedded/engine.js'
import type { FrozenStore } from '../../src/store/store.js'

const bucket = '0000000000000001'
const start = 1_700_000_000_000_000_000n
const rowsPerWrite = 20

function open(disk: Disk, clock: ManualClock): Promise<Engine> {
  const limits = { memtableBytesMax: 20_000 }
  return openEngine({ disk, folder: 'store', clock, jobs: 'inline', limits })
}

async function write(engine: Engine, number: number): Promise<void> {
  const lines = Array.from({ length: rowsPerWrite }, (_, row) => {
    const time = start + BigInt(number * rowsPerWrite + row) * 3_600_000_000_000n
    return `m,host=h${number % 17},write=${number} v=${number}i,s="text ${row}" ${time}`
  })
  const parsed = new LineProtocolParser().parse(Buffer.from(lines.join('\n')), {
    precision: 'ns',
    now: start,
  })
  await engine.write(bucket, parsed.batch)
}

async function copy(frozen: FrozenStore): Promise<Disk> {
  const disk = new MemoryDisk()
  for (const { name, byteLength, read } of frozen.files) {
    const path = `store/${name}`
    await disk.makeDir(path.slice(0, path.lastIndexOf('/')))
    const file = await disk.open(path, 'create')
    let at = 0
    for await (const piece of read()) {
      await file.write([piece], at)
      at += piece.length
    }
    expect(at).toBe(byteLength)
    await file.close()
  }
  return disk
}

async function writesIn(engine: Engine): Promise<Map<number, number>> {
  const rows = new Map<number, number>()
  const signal = new AbortController().signal
  for await (const text of exportLines(engine, { bucket, range: allTime }, signal)) {
    for (const [, write] of text.matchAll(/,write=(\d+) /g)) {
      rows.set(Number(write), (rows.get(Number(write)) ?? 0) + 1)
    }
  }
  return rows
}

test('a copy taken while points pour in is what was acknowledged, no more and no less', async () => {
  const random = seededRandom(20261116)
  const clock = new ManualClock(start)
  const engine = await open(new MemoryDisk(), clock)
  let begun = 0
  let isOver = false
  const acknowledged = new Set<number>()
  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const number = begun++
      await write(engine, number)
      acknowledged.add(number)
      // The disk in memory answers at once: nobody else would have a turn.
      await new Promise(setImmediate)
      if (random.float() < 0.02) await engine.flush()
      if (random.float() < 0.01) await engine.compact()
    }
  })
  const copies: { before: number[]; begunAt: number; disk: Disk }[] = []
  for (let i = 0; i < 12; i++) {
    const until = begun + 10 + Math.floor(random.float() * 40)
    while (begun < until) await new Promise(setImmediate)
    const before = [...acknowledged]
    const frozen = await engine.freeze?.()
    if (frozen === undefined) throw new Error('cannot be frozen')
    const begunAt = begun
    // What is held stays readable while flushes and merges replace it.
    await new Promise(setImmediate)
    copies.push({ before, begunAt, disk: await copy(frozen) })
    await frozen.release()
  }
  isOver = true
  await Promise.all(writers)
  await engine.close()
  for (const { before, begunAt, disk } of copies) {
    const copied = await open(disk, clock)
    const rows = await writesIn(copied)
    for (const number of before) expect(rows.get(number), `write ${number}`).toBe(rowsPerWrite)
    for (const [number, count] of rows) {
      expect(count).toBe(rowsPerWrite)
      expect(number).toBeLessThan(begunAt)
    }
    // The copy is a store like any other: it takes writes, and keeps them.
    await write(copied, 50_000)
    await copied.close()
    const again = await open(disk, clock)
    expect((await writesIn(again)).size).toBe(rows.size + 1)
    await again.close()
  }
}, 60_000)

test('a copy knows the deletes and the drops before it and none after it', async () => {
  const clock = new ManualClock(start)
  const engine = await open(new MemoryDisk(), clock)
  for (let number = 0; number < 30; number++) await write(engine, number)
  const predicate = { kind: 'tag', tag: 'write', op: '=', value: '3' } as const
  await engine.delete({ bucket, range: allTime, measurement: 'm', predicate })
  const frozen = await engine.freeze?.()
  if (frozen === undefined) throw new Error('cannot be frozen')
  await engine.dropBucket(bucket)
  const copied = await open(await copy(frozen), clock)
  await frozen.release()
  const rows = await writesIn(copied)
  expect(rows.has(3)).toBe(false)
  expect(rows.size).toBe(29)
  await copied.close()
  await engine.close()
})
