// A disk that is full to the last byte: what was kept back lets points be deleted and what is left be merged, points
// are refused in one clear way meanwhile, and all of it ends by itself when there is room. Also after a crash.

import { expect, it, vi } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { DiskError } from '../../src/errors.js'
import { seededRandom } from '../../src/platform/random.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { contentsOf, folder, LineWriter, metric, open } from './contents.js'
import { buckets } from './workload.js'

const [bucket, other] = buckets
const reservedBytes = 64 << 10
const limits = { reservedBytes, reserveRetryMs: 1, flushRetryMs: 1, compactionSegments: 1000 }

function lines(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `m,s=${i % 7} f=${from + i}.5 ${from + i}`).join(
    '\n',
  )
}

/** A store with segments and points in memory on a disk without any room. */
async function filled(disk: SimulatedDisk) {
  const { engine } = await open(disk, limits)
  await vi.waitFor(async () =>
    expect(await metric(engine, 'store_reserved_bytes')).toBe(reservedBytes),
  )
  const writer = new LineWriter()
  await writer.write(engine, bucket, lines(0, 300))
  await writer.write(engine, other, lines(0, 300))
  await engine.flush()
  await writer.write(engine, bucket, lines(300, 50))
  disk.capacityBytes = disk.usedBytes
  return { engine, writer }
}

it('deletes, merges and drops on a full disk, and takes points again when there is room', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const { engine, writer } = await filled(disk)
  await expect(writer.write(engine, bucket, lines(900, 1))).rejects.toThrow(DiskError)
  await engine.delete({ bucket, range: { start: 100n, stop: allTime.stop } })
  expect((await contentsOf(engine, bucket)).size).toBe(100)
  await engine.compact()
  expect(await metric(engine, 'store_tombstones')).toBe(0)
  await engine.dropBucket(other)
  expect((await contentsOf(engine, other)).size).toBe(0)
  disk.capacityBytes = Infinity
  await vi.waitFor(() => writer.write(engine, bucket, lines(900, 1)))
  expect((await contentsOf(engine, bucket)).size).toBe(101)
  expect(await metric(engine, 'store_reserved_bytes')).toBe(reservedBytes)
  await engine.close()
})

it('does not give points what was kept for deletes', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const { engine, writer } = await filled(disk)
  await engine.delete({
    bucket,
    range: allTime,
    predicate: { kind: 'tag', tag: 's', op: '=', value: '1' },
  })
  expect(await metric(engine, 'store_reserved_bytes')).toBe(0)
  await expect(writer.write(engine, bucket, lines(900, 1))).rejects.toThrow(
    /no space left on device, what was kept back is in use/,
  )
  await engine.close()
})

it('opens, reads and deletes after a crash on a full disk', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const { engine } = await filled(disk)
  const clone = disk.crashClone({ random: seededRandom(1), keep: 'synced' })
  await engine.close()
  clone.capacityBytes = clone.usedBytes
  const { engine: again } = await open(clone, limits)
  // What the start cleared away is not to be had either.
  clone.capacityBytes = clone.usedBytes
  expect((await contentsOf(again, bucket)).size).toBe(350)
  const writer = new LineWriter()
  await expect(writer.write(again, bucket, lines(900, 1))).rejects.toThrow(DiskError)
  await vi.waitFor(async () =>
    expect(await metric(again, 'store_reserved_bytes')).toBe(reservedBytes),
  )
  await again.delete({ bucket, range: { start: 0n, stop: 50n } })
  expect((await contentsOf(again, bucket)).size).toBe(300)
  clone.capacityBytes = Infinity
  await vi.waitFor(() => writer.write(again, bucket, lines(900, 1)))
  await again.close()
  expect(await clone.exists(`${folder}/reserved`)).toBe(true)
})

it('keeps more room back when the disk fills, and has it again before points are taken', async () => {
  let free = 1 << 30
  const disk = Object.assign(new SimulatedDisk(), { freeBytes: async () => free })
  const { engine } = await open(disk, limits)
  const reserved = (bytes: number) =>
    vi.waitFor(async () => expect(await metric(engine, 'store_reserved_bytes')).toBe(bytes))
  const writer = new LineWriter()
  await writer.write(engine, bucket, lines(0, 300))
  await reserved(reservedBytes)
  free = 80 << 20
  await reserved(10 << 20)
  // Filled by somebody else, to the last byte.
  free = 0
  disk.capacityBytes = disk.usedBytes
  await engine.delete({ bucket, range: { start: 100n, stop: allTime.stop } })
  await reserved(0)
  // Less than was kept back is not room enough, and is left alone.
  free = 9 << 20
  disk.capacityBytes = disk.usedBytes + free
  await expect(writer.write(engine, bucket, lines(900, 1))).rejects.toThrow(/kept back is in use/)
  free = 11 << 20
  disk.capacityBytes = disk.usedBytes + free
  await vi.waitFor(() => writer.write(engine, bucket, lines(900, 1)))
  await reserved(10 << 20)
  free = 1 << 30
  disk.capacityBytes = Infinity
  await reserved(reservedBytes)
  await engine.close()
})

it('has room for what is in memory when another program takes all that was free at once', async () => {
  let free = 1 << 30
  const disk = Object.assign(new SimulatedDisk(), { freeBytes: async () => free })
  const memtableBytesMax = 1 << 20
  const { engine } = await open(disk, { ...limits, memtableBytesMax })
  const reserved = (bytes: number) =>
    vi.waitFor(async () => expect(await metric(engine, 'store_reserved_bytes')).toBe(bytes))
  await reserved(reservedBytes)
  const random = seededRandom(7)
  const points = Array.from({ length: 20_000 }, (_, i) => `m f=${random.float() * 1e9} ${i}`)
  await new LineWriter().write(engine, bucket, points.join('\n'))
  await reserved(2 * memtableBytesMax)
  free = 0
  disk.capacityBytes = disk.usedBytes
  await engine.delete({ bucket, range: { start: 100n, stop: allTime.stop } })
  expect((await contentsOf(engine, bucket)).size).toBe(100)
  free = 1 << 30
  disk.capacityBytes = Infinity
  // Nothing is left to flush: little is kept back again.
  await reserved(reservedBytes)
  await engine.close()
})
