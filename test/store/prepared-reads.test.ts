// What is prepared or cached for reads that are asked again: how a request is carried out, and decoded
// blocks. Each test asks the same request until both are in use, changes something, and asks again:
// the answer must be that of a request that nothing was kept for.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { allTime, nsPerDay, nsPerHour } from '../../src/column/time.js'
import type { EngineLimits } from '../../src/store/embedded/options/limits.js'
import type { PreparedRead, ReadRequest } from '../../src/store/store.js'
import { EngineWorld } from './engine-states.js'
import { printRow, readRows } from './read-rows.js'

const bucket = '00000000000000c1'
let world: EngineWorld

async function open(limits: Partial<EngineLimits> = {}): Promise<void> {
  world = await EngineWorld.open({ compactionSegments: 1000, ...limits })
  prepared = new Map()
}

beforeEach(() => open())
afterEach(() => world.close())

async function write(...lines: string[]): Promise<void> {
  const text = Buffer.from(lines.join('\n'))
  const { batch, errors } = world.parser(bucket).parse(text, { precision: 'ns', now: 0n })
  expect(errors).toEqual([])
  expect(await world.engine.write(bucket, batch)).toMatchObject({ rejectedCount: 0 })
}

async function metric(name: string): Promise<number> {
  return (await world.engine.metrics()).find((m) => m.name === name)!.value
}

const sums: ReadRequest = {
  bucket,
  measurement: 'm',
  range: { start: 0n, stop: 1000n },
  predicate: { kind: 'tag', tag: 'host', op: '=', value: 'a' },
  window: {
    everyNs: 100n,
    aggregates: [
      { field: 'v', function: 'sum' },
      { field: 'v', function: 'last' },
    ],
  },
}

/** Prepared once, as a language does for a query that is asked again. */
let prepared = new Map<ReadRequest, PreparedRead>()

async function ask(request: ReadRequest): Promise<string[]> {
  let kept = prepared.get(request)
  if (kept === undefined) {
    kept = world.engine.prepare(request)
    prepared.set(request, kept)
  }
  const { range } = request
  const read = (_: ReadRequest, signal: AbortSignal) => kept.read(range, signal)
  return (await readRows({ read }, request)).map(printRow)
}

/** The answer, asked so often that everything is kept that may be. */
async function askAgain(request: ReadRequest): Promise<string[]> {
  await ask(request)
  await ask(request)
  const before = await metric('store_prepared_reads_total')
  const rows = await ask(request)
  expect(await metric('store_prepared_reads_total')).toBe(before + 1)
  return rows
}

/** The answer after a change, which must be a fresh one's; `isPrepared`: whether what was kept may still be used. */
async function askChanged(request: ReadRequest, isPrepared: boolean): Promise<string[]> {
  const before = await metric('store_prepared_reads_total')
  const rows = await ask(request)
  expect(await metric('store_prepared_reads_total')).toBe(before + (isPrepared ? 1 : 0))
  expect(rows).toEqual(await ask({ ...request }))
  return rows
}

async function writeSeries(): Promise<void> {
  await write('m,host=a v=1 10', 'm,host=a v=2 20', 'm,host=a v=4 110', 'm,host=b v=8 10')
}

const before = ['m,host=a 0 sum(v)=3,last(v)=2', 'm,host=a 100 sum(v)=4,last(v)=4']

test('nothing changes: both are used', async () => {
  await writeSeries()
  await world.engine.flush()
  expect(await metric('store_kept_block_bytes')).toBe(0)
  expect(await askAgain(sums)).toEqual(before)
  expect(await metric('store_kept_block_bytes')).toBeGreaterThan(0)
  expect(await askChanged(sums, true)).toEqual(before)
})

test('several series among long ones, each in row groups of its own', async () => {
  const hosts = ['a', 'b', 'c', 'd']
  const rowCount = 600
  for (const [h, host] of hosts.entries()) {
    await write(...Array.from({ length: rowCount }, (_, i) => `m,host=${host} v=${h + 1} ${i}`))
  }
  await world.engine.flush()
  const some: ReadRequest = {
    ...sums,
    predicate: { kind: 'tag-regex', tag: 'host', pattern: '^[acd]$', negated: false },
    window: { aggregates: [{ field: 'v', function: 'sum' }] },
  }
  const rows = [1, 3, 4].map((v) => `m,host=${hosts[v - 1]} 0 sum(v)=${v * rowCount}`)
  expect(await askAgain(some)).toEqual(rows)
  expect(await askChanged(some, true)).toEqual(rows)
})

test('points in a memtable, of the same series, are seen', async () => {
  await writeSeries()
  await world.engine.flush()
  expect(await askAgain(sums)).toEqual(before)
  await write('m,host=a v=16 120', 'm,host=a v=32 20')
  const after = ['m,host=a 0 sum(v)=33,last(v)=32', 'm,host=a 100 sum(v)=20,last(v)=16']
  expect(await askChanged(sums, true)).toEqual(after)
  await world.engine.flush()
  expect(await askChanged(sums, false)).toEqual(after)
})

test('a new series that matches', async () => {
  await writeSeries()
  await world.engine.flush()
  expect(await askAgain(sums)).toEqual(before)
  await write('m,host=a,rack=1 v=5 10')
  const after = [...before, 'm,host=a,rack=1 0 sum(v)=5,last(v)=5']
  expect(await askChanged(sums, false)).toEqual(after)
  await world.engine.flush()
  expect(await askChanged(sums, false)).toEqual(after)
})

test('a new field, where all are asked for, and one that comes into being', async () => {
  await writeSeries()
  await world.engine.flush()
  const all: ReadRequest = { bucket, measurement: 'm', range: allTime }
  const missing: ReadRequest = { ...all, fields: ['v', 'w'] }
  expect(await askAgain(all)).toEqual(await askAgain(missing))
  await write('m,host=b w=3i 10')
  const row = 'm,host=b 10 v=8,w=3i'
  expect(await askChanged(all, false)).toContain(row)
  expect(await askChanged(missing, false)).toContain(row)
})

test('a new measurement, and what did not exist when it was asked for first', async () => {
  const early = { ...sums }
  expect(await ask(early)).toEqual([])
  await write('other v=1 10')
  expect(await ask(early)).toEqual([])
  await writeSeries()
  expect(await ask(early)).toEqual(before)
})

test('a field that comes back with another type', async () => {
  await writeSeries()
  expect(await askAgain(sums)).toEqual(before)
  await world.engine.delete({ bucket, range: allTime, measurement: 'm' })
  expect(await ask(sums)).toEqual([])
  await write('m,host=a v=7i 10')
  expect(await askChanged(sums, false)).toEqual(['m,host=a 0 sum(v)=7i,last(v)=7i'])
})

test('deletes, of a span and of a series', async () => {
  await writeSeries()
  await world.engine.flush()
  const every: ReadRequest = { ...sums, predicate: undefined }
  expect(await askAgain(sums)).toEqual(before)
  expect(await askAgain(every)).toEqual([...before, 'm,host=b 0 sum(v)=8,last(v)=8'])
  await world.engine.delete({ bucket, range: { start: 20n, stop: 21n } })
  const cut = ['m,host=a 0 sum(v)=1,last(v)=1', 'm,host=a 100 sum(v)=4,last(v)=4']
  expect(await askChanged(sums, false)).toEqual(cut)
  await world.engine.delete({
    bucket,
    range: allTime,
    predicate: { kind: 'tag', tag: 'host', op: '=', value: 'b' },
  })
  expect(await askChanged(every, false)).toEqual(cut)
})

test('segments that are merged, with what was deleted from them', async () => {
  await writeSeries()
  await world.engine.flush()
  await write('m,host=a v=64 30')
  await world.engine.flush()
  expect(await askAgain(sums)).toHaveLength(2)
  await world.engine.delete({ bucket, range: { start: 20n, stop: 21n } })
  await askAgain(sums)
  expect(await metric('store_kept_block_bytes')).toBeGreaterThan(0)
  await world.reopen()
  prepared = new Map()
  await askAgain(sums)
  await world.engine.compact()
  // The files are gone, and what was kept of them.
  expect(await metric('store_segments')).toBe(1)
  expect(await metric('store_kept_block_bytes')).toBe(0)
  const merged = ['m,host=a 0 sum(v)=65,last(v)=64', 'm,host=a 100 sum(v)=4,last(v)=4']
  expect(await askChanged(sums, false)).toEqual(merged)
})

test('points that expire, and a retention that is changed', async () => {
  await world.setRetention(bucket, nsPerHour)
  const minute = nsPerHour / 60n
  await write(`m,host=a v=1 ${minute}`, `m,host=a v=2 ${2n * minute}`)
  await world.engine.flush()
  const whole: ReadRequest = {
    ...sums,
    range: { start: 0n, stop: nsPerDay },
    window: { aggregates: [{ field: 'v', function: 'sum' }] },
  }
  world.clock.set(nsPerHour)
  expect(await askAgain(whole)).toEqual(['m,host=a 0 sum(v)=3'])
  world.clock.set(nsPerHour + minute + 1n)
  expect(await askChanged(whole, false)).toEqual(['m,host=a 0 sum(v)=2'])
  // What was cut by the clock is not kept: the next cut is another.
  expect(await askChanged(whole, false)).toEqual(['m,host=a 0 sum(v)=2'])
  await world.setRetention(bucket, 2n * nsPerHour)
  // What was kept before the cut holds again.
  expect(await askChanged(whole, true)).toEqual(['m,host=a 0 sum(v)=3'])
  expect(await askAgain(whole)).toEqual(['m,host=a 0 sum(v)=3'])
  await world.setRetention(bucket, minute)
  expect(await askChanged(whole, false)).toEqual([])
})

test('a shard that is dropped, and one that comes before', async () => {
  await world.close()
  await open({ retentionCheckMs: 1, flushAgeTicks: 1_000_000 })
  const wide: ReadRequest = { ...sums, range: { start: nsPerDay, stop: 40n * nsPerDay } }
  await write(`m,host=a v=1 ${20n * nsPerDay}`)
  await world.engine.flush()
  expect(await askAgain(wide)).toHaveLength(1)
  await write(`m,host=a v=2 ${2n * nsPerDay}`)
  expect(await askChanged(wide, false)).toHaveLength(2)
  await world.engine.flush()
  expect(await askAgain(wide)).toHaveLength(2)
  world.clock.set(20n * nsPerDay)
  await world.setRetention(bucket, 9n * nsPerDay)
  await vi.waitFor(async () => expect(await metric('store_expired_shards_total')).toBe(1))
  // All that was deleted is gone for good.
  await world.setRetention(bucket, 0n)
  expect(await askChanged(wide, false)).toHaveLength(1)
})

test('a bucket that is dropped and made again', async () => {
  await writeSeries()
  await world.engine.flush()
  expect(await askAgain(sums)).toEqual(before)
  await world.engine.dropBucket(bucket)
  expect(await metric('store_kept_block_bytes')).toBe(0)
  expect(await ask(sums)).toEqual([])
  await write('m,host=b v=1i 10', 'm,host=a v=3i 10')
  await world.engine.flush()
  expect(await askChanged(sums, false)).toEqual(['m,host=a 0 sum(v)=3i,last(v)=3i'])
})

test('a read that is under way sees what it began with', async () => {
  const lines = Array.from({ length: 6000 }, (_, i) => `m,host=a v=${i} ${i}`)
  await write(...lines)
  await world.engine.flush()
  const rows: ReadRequest = {
    ...sums,
    range: { start: 0n, stop: 10_000n },
    window: { everyNs: 1n, aggregates: [{ field: 'v', function: 'sum' }] },
  }
  await askAgain(rows)
  const reading = world.engine.read(rows, new AbortController().signal)
  let count = (await reading.take())!.rowCount
  await world.engine.delete({ bucket, range: allTime })
  await world.engine.compact()
  for await (const { rowCount } of reading) count += rowCount
  expect(count).toBe(6000)
  expect(await askChanged(rows, false)).toEqual([])
  expect(await metric('store_kept_block_bytes')).toBe(0)
})

test('many chosen series are not listed for longer than a read takes', async () => {
  await write(...Array.from({ length: 1800 }, (_, i) => `m,host=h${i},rack=${i % 3} v=${i} 10`))
  await world.engine.flush()
  const most: ReadRequest = {
    ...sums,
    predicate: { kind: 'tag', tag: 'rack', op: '!=', value: '0' },
  }
  const some: ReadRequest = {
    ...sums,
    predicate: { kind: 'tag', tag: 'rack', op: '=', value: '0' },
  }
  await ask(most)
  expect(await askChanged(most, false)).toHaveLength(1200)
  await write('m,host=other,rack=1 v=1 10')
  await ask(most)
  expect(await askChanged(most, false)).toHaveLength(1201)
  expect(await askAgain(some)).toHaveLength(600)
})

test('rows that are handed out are the reader’s own', async () => {
  await writeSeries()
  await world.engine.flush()
  expect(await askAgain(sums)).toEqual(before)
  const raw: ReadRequest = { bucket, measurement: 'm', range: allTime }
  for (let i = 0; i < 3; i++) {
    for await (const batch of world.engine.read(raw, new AbortController().signal)) {
      batch.times.offsets.fill(0)
      for (const { values } of batch.columns) (values as Float64Array).fill(-1)
    }
  }
  expect(await askChanged(sums, true)).toEqual(before)
})

test('a few rows out of a group of many series are copied, many are read anew', async () => {
  const rowsOf = (host: number) => (host === 100 ? 300 : 10)
  for (let host = 0; host < 200; host++) {
    const lines = Array.from({ length: rowsOf(host) }, (_, i) => {
      return `m,host=h${host} v=${host + i},s="text ${i % 3}" ${i}`
    })
    await write(...lines)
  }
  await world.engine.flush()
  const of = (pattern: string): ReadRequest => ({
    bucket,
    measurement: 'm',
    range: { start: 2n, stop: 290n },
    predicate: { kind: 'tag-regex', tag: 'host', pattern, negated: false },
  })
  const requests = ['^h7$', '^h100$', '^h(99|100|101)$', '^h(100|7)$'].map(of)
  const expected = [8, 288, 304, 296]
  const first = await Promise.all(requests.map(ask))
  expect(first.map((rows) => rows.length)).toEqual(expected)
  for (let i = 0; i < 4; i++) {
    for (const [r, request] of requests.entries()) {
      expect(await ask(request)).toEqual(first[r])
      // Whoever reads may do with its arrays as it likes.
      for await (const batch of world.engine.read(request, new AbortController().signal)) {
        batch.times.offsets.fill(0)
        for (const { values } of batch.columns) values.fill(0 as never)
      }
    }
  }
  expect(await metric('store_kept_block_bytes')).toBeGreaterThan(0)
})
