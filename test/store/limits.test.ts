// The engine's limits on what a point may bring: each refuses the point with a message and leaves
// no trace of it.

import { afterEach, expect, test } from 'vitest'
import { allTime } from '../../src/column/time.js'
import type { EngineLimits } from '../../src/store/embedded/options/limits.js'
import type { WriteResult } from '../../src/store/store.js'
import { EngineWorld } from './engine-states.js'
import { printRow, readRows } from './read-rows.js'

const bucket = '00000000000000b1'
let world: EngineWorld

afterEach(() => world.close())

async function write(...lines: string[]): Promise<WriteResult> {
  const text = Buffer.from(lines.join('\n'))
  const { batch } = world.parser(bucket).parse(text, { precision: 'ns', now: 0n })
  return world.write(bucket, batch)
}

async function read(): Promise<string[]> {
  const rows = await readRows(world.engine, { bucket, measurement: 'm', range: allTime })
  return rows.map(printRow)
}

async function opened(limits: Partial<EngineLimits>): Promise<void> {
  world = await EngineWorld.open(limits)
}

test('series of a bucket', async () => {
  await opened({ seriesMax: 2 })
  const result = await write('m,h=a v=1 1', 'm,h=b v=1 1', 'm,h=c v=1 1', 'm,h=a v=2 2')
  const reason = 'max-series-per-database limit exceeded: (2)'
  expect(result).toEqual({ writtenCount: 3, rejectedCount: 1, rejected: [{ line: 3, reason }] })
  expect((await write('m,h=c v=1 1')).rejectedCount).toBe(1)
  expect(await read()).toEqual(['m,h=a 1 v=1', 'm,h=a 2 v=2', 'm,h=b 1 v=1'])
})

test('series that one write adds', async () => {
  await opened({ seriesPerWriteMax: 2 })
  const lines = ['m,h=a v=1 1', 'm,h=b v=1 1', 'm,h=c v=1 1', 'm,h=a v=2 2']
  const reason = 'a write may add at most 2 series (--write-series-max)'
  expect((await write(...lines)).rejected).toEqual([{ line: 3, reason }])
  // What is there does not count: the next write has room for others.
  expect((await write(...lines)).rejectedCount).toBe(0)
  expect(await read()).toHaveLength(4)
})

test('what one write adds with all its pieces, whatever others add between them', async () => {
  await opened({ seriesPerWriteMax: 2, tagsPerWriteMax: 10 })
  const piece = (one: object, ...lines: string[]) => {
    const text = Buffer.from(lines.join('\n'))
    const { batch } = world.parser(bucket).parse(text, { precision: 'ns', now: 0n })
    return world.write(bucket, { ...batch, write: one })
  }
  const [one, other] = [{}, {}]
  const reason = 'a write may add at most 2 series (--write-series-max)'
  expect((await piece(one, 'm,h=a v=1 1')).rejectedCount).toBe(0)
  expect((await piece(other, 'm,h=b v=1 1', 'm,h=c v=1 1')).rejectedCount).toBe(0)
  expect((await piece(one, 'm,h=d v=1 1', 'm,h=e v=1 1')).rejected).toEqual([{ line: 2, reason }])
  expect((await piece(other, 'm,h=a v=2 2', 'm,h=f v=1 1')).rejected).toEqual([{ line: 2, reason }])
  expect((await write('m,h=e v=1 1', 'm,h=f v=1 1')).rejectedCount).toBe(0)
})

const otherBucket = '00000000000000b2'

async function writeOther(...lines: string[]): Promise<WriteResult> {
  const text = Buffer.from(lines.join('\n'))
  const { batch } = world.parser(otherBucket).parse(text, { precision: 'ns', now: 0n })
  return world.write(otherBucket, batch)
}

test.each([
  ['series', ['m,h=a v=1 1', 'm,h=b v=1 1'], 'm,h=c v=1 1'],
  ['measurements', ['m v=1 1', 'n v=1 1'], 'o v=1 1'],
  ['fields', ['m v=1 1', 'm w=1 1'], 'm x=1 1'],
] as const)('%s of all buckets of an owner, and of all', async (what, two, third) => {
  const plenty = { series: 100, measurements: 100, fields: 100 }
  await opened({ ownerMax: { ...plenty, [what]: 3 }, allMax: { ...plenty, [what]: 4 } })
  await world.engine.setBucket(bucket, { retentionNs: 0n, owner: 'one' })
  await world.engine.setBucket(otherBucket, { retentionNs: 0n, owner: 'one' })
  expect((await write(...two)).rejectedCount).toBe(0)
  const beyond = await writeOther(two[0], third)
  const reason = `an organization may have at most 3 ${what} (--org-${what}-max)`
  expect(beyond).toEqual({ writtenCount: 1, rejectedCount: 1, rejected: [{ line: 2, reason }] })
  // What is there takes points, and nothing of what was refused is left.
  expect((await writeOther(two[0])).rejectedCount).toBe(0)
  expect((await writeOther(third)).rejected).toEqual([{ line: 1, reason }])
  await world.engine.setBucket(otherBucket, { retentionNs: 0n, owner: 'another' })
  expect((await writeOther(third)).rejectedCount).toBe(0)
  const all = `all buckets may have at most 4 ${what} (--${what}-max)`
  expect((await writeOther(two[1])).rejected).toEqual([{ line: 1, reason: all }])
})

test('keys of tags that one write adds', async () => {
  await opened({ tagsPerWriteMax: 2 })
  const reason = 'a write may add at most 2 keys of tags (--write-tags-max)'
  const result = await write('m,a=1 v=1 1', 'm,b=1 v=1 1', 'm,c=1 v=1 1', 'm,a=1 v=2 2')
  expect(result.rejected).toEqual([{ line: 3, reason }])
  expect((await write('m,c=1 v=1 1')).rejectedCount).toBe(0)
})

const weekNs = 604_800_000_000_000n
const inWeek = (week: bigint, value: number) => `m v=${value} ${week * weekNs + 1n}`

test('shards that one write reaches into', async () => {
  await opened({ shardsPerWriteMax: 2 })
  const reason = 'a write may reach into at most 2 shards (--write-shards-max)'
  const lines = [inWeek(1n, 1), inWeek(5n, 2), inWeek(9n, 3), inWeek(1n, 4), inWeek(5n, 5)]
  expect((await write(...lines)).rejected).toEqual([{ line: 3, reason }])
  expect((await write(inWeek(9n, 3), inWeek(1n, 6))).rejectedCount).toBe(0)
  expect(await read()).toHaveLength(3)
})

test('shards of a bucket', async () => {
  await opened({ shardsMax: 2 })
  expect((await write(inWeek(1n, 1), inWeek(5n, 2))).rejectedCount).toBe(0)
  const reason = 'a bucket may have at most 2 shards'
  expect((await write(inWeek(9n, 3), inWeek(5n, 4))).rejected).toEqual([{ line: 1, reason }])
})

test('fields of a measurement', async () => {
  await opened({ fieldsPerMeasurementMax: 2 })
  const result = await write('m a=1 1', 'm b=1 2', 'm a=2,c=1 3', 'n c=1 1')
  const reason = 'max-fields-per-measurement limit exceeded: (2)'
  expect(result).toEqual({ writtenCount: 3, rejectedCount: 1, rejected: [{ line: 3, reason }] })
  expect((await write('m c=1 4')).rejectedCount).toBe(1)
  expect(await read()).toEqual(['m 1 a=1', 'm 2 b=1'])
})

test('bytes of a string', async () => {
  await opened({ stringBytesMax: 4 })
  const result = await write('m s="ééé" 1', 'm s="éé" 2', 'm s="1234",v=1 3', 'm s="12345",v=2 4')
  const tooLong = (length: number) =>
    `input field "s" on measurement "m" is too long, ${length} > 4`
  expect(result.rejected).toEqual([
    { line: 1, reason: tooLong(6) },
    { line: 4, reason: tooLong(5) },
  ])
  expect(await read()).toEqual(['m 2 s="éé"', 'm 3 s="1234",v=1'])
})

test('of many refused points the first hundred are reported, all are counted', async () => {
  await opened({})
  await write('m v=1 0')
  const lines = Array.from({ length: 250 }, (_, i) => `m v=${i}i ${i}`)
  const result = await write(...lines)
  expect(result.rejectedCount).toBe(250)
  expect(result.rejected.map(({ line }) => line)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1),
  )
})

test('a bucket id is sixteen hexadecimal digits', async () => {
  await opened({})
  const { batch } = world.parser(bucket).parse(Buffer.from('m v=1 1'), { precision: 'ns', now: 0n })
  for (const id of ['', '..', '00000000000000B1', '00000000000000b1/../x']) {
    await expect(world.engine.write(id, batch)).rejects.toMatchObject({ name: 'UserError' })
  }
})

test('bytes that are no UTF-8 are no series', async () => {
  await opened({})
  const text = Buffer.concat([Buffer.from('m,h='), Buffer.of(0xff), Buffer.from(' v=1 1')])
  const { batch } = world.parser(bucket).parse(text, { precision: 'ns', now: 0n })
  const result = await world.engine.write(bucket, batch)
  expect(result.rejected[0].reason).toContain('key contains invalid unicode')
  expect(await read()).toEqual([])
})

test('bytes of the groups of a read', async () => {
  await opened({})
  await write('m,h=a v=1 1', 'm,h=b v=1 1', 'm,h=b v=1 25', 'm,h=c v=1 1')
  const counts = (everyNs: bigint, memoryBytesMax: number) =>
    readRows(world.engine, {
      bucket,
      measurement: 'm',
      range: { start: 0n, stop: 1000n },
      memoryBytesMax,
      window: { everyNs, aggregates: [{ field: 'v', function: 'count' }], groupBy: ['h'] },
    })
  expect(await counts(10n, 2700)).toHaveLength(4)
  await expect(counts(10n, 2699)).rejects.toThrow('query memory limit exceeded: (2700/2699 bytes)')
  expect(await counts(10n, 0)).toHaveLength(4)
})
