// A disk that refuses: every kind of operation on every kind of file fails once, several times, or
// until further notice. Writes fail with clear errors, what was acknowledged stays, reads go on, and
// when the disk works again the engine does so too, by itself and after a crash.

import { describe, expect, it } from 'vitest'
import { BusyError, DiskError } from '../../src/errors.js'
import { seededRandom } from '../../src/platform/random.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import type { DiskOperation, FaultRule } from '../platform/fault-rules.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import type { Keep } from '../platform/simulated-file.js'
import { contentsOf, everyName, folder, LineWriter, metric, open, strayFiles } from './contents.js'
import { buckets, type Cells, cellsOf } from './workload.js'

const [bucket] = buckets
const roomy = { memtableBytesMax: 1 << 20, compactionSegments: 2, flushRetryMs: 1 }

/** Writes numbered points and remembers what was acknowledged and what was refused. */
class Writer {
  readonly acknowledged: Cells = new Map()
  /** An error leaves open whether the points are there after a crash; before one they are not. */
  readonly refused: Cells = new Map()
  readonly errors: unknown[] = []
  readonly #lines = new LineWriter()
  #number = 0

  async write(engine: Engine, points = 3): Promise<void> {
    const number = this.#number++
    const lines = Array.from({ length: points }, (_, i) => {
      return `m${i % 2},n=${number},s=${number % 5} f=${number}.5,g=${i}i ${number * 10 + i}`
    })
    try {
      await this.#lines.write(engine, bucket, lines.join('\n'))
      for (const [cell, value] of cellsOf(lines)) this.acknowledged.set(cell, value)
    } catch (error) {
      this.errors.push(error)
      for (const [cell, value] of cellsOf(lines)) this.refused.set(cell, value)
    }
  }

  async expectLive(engine: Engine): Promise<void> {
    expect(await contentsOf(engine, bucket)).toEqual(this.acknowledged)
  }

  /** Everything acknowledged, and of the rest only whole points that somebody did send. */
  expectAfterCrash(found: Cells): void {
    for (const [cell, value] of this.acknowledged) expect(found.get(cell)).toBe(value)
    for (const [cell, value] of found) {
      expect(this.acknowledged.get(cell) ?? this.refused.get(cell)).toBe(value)
    }
  }
}

async function expectSound(
  disk: SimulatedDisk,
  writer: Writer,
  seed: number,
  keeps: readonly Keep[] = ['synced', 'all', 'random'],
): Promise<void> {
  for (const keep of keeps) {
    const clone = disk.crashClone({ random: seededRandom(seed), keep })
    // A start needs room for a new log file.
    clone.capacityBytes = Infinity
    const { engine, errors } = await open(clone, roomy)
    expect(errors()).toEqual([])
    writer.expectAfterCrash(await contentsOf(engine, bucket))
    expect(await strayFiles(clone)).toEqual([])
    await engine.close()
  }
}

const files: Readonly<Record<string, RegExp>> = {
  log: /\.wal$/,
  'log folder': /\/wal$/,
  segment: /\.seg$/,
  'index log': /index\.log$/,
  manifest: /MANIFEST/,
  'data folder': /^data$/,
  'bucket folder': /^data\/0{14}aa$/,
  'shard folder': /^data\/0{14}aa\/-?\d+$/,
}

const operationsOf: Readonly<Record<string, readonly DiskOperation[]>> = {
  log: ['open', 'write', 'sync', 'truncate', 'close', 'remove'],
  'log folder': ['syncDir'],
  segment: ['open', 'write', 'sync', 'close', 'remove', 'read'],
  'index log': ['open', 'write', 'sync', 'truncate'],
  manifest: ['open', 'write', 'sync', 'rename', 'close'],
  'data folder': ['syncDir'],
  'bucket folder': ['makeDir', 'syncDir', 'removeDir'],
  'shard folder': ['makeDir', 'syncDir'],
}

const errorOf = (operation: DiskOperation): FaultRule['error'] =>
  operation === 'write' || operation === 'makeDir' ? 'ENOSPC' : 'EIO'

const cases = Object.entries(operationsOf).flatMap(([file, operations]) =>
  operations.flatMap((operation) => [0, 1, 2].map((after) => ({ file, operation, after }))),
)

describe.each(cases)('$operation of $file fails after $after', ({ file, operation, after }) => {
  it.each([1, 4])('%i times', async (times) => {
    const disk = new SimulatedDisk({ trackCrashes: true })
    const { engine } = await open(disk, roomy)
    const writer = new Writer()
    await writer.write(engine)
    const rule = { operation, path: files[file], after, times, error: errorOf(operation) }
    const repair = disk.inject({ ...rule, writtenBytes: 20 })
    for (let round = 0; round < 6; round++) {
      await Promise.all([writer.write(engine), writer.write(engine)])
      await engine.flush().catch((error) => expect(error).toBeInstanceOf(DiskError))
      if (round % 2 === 1) await engine.compact()
      await expectSound(disk, writer, round, ['random'])
      // A read that meets the fault itself may fail, and only with what it met.
      if (operation !== 'read') await writer.expectLive(engine)
    }
    for (const error of writer.errors) expect(error).toBeInstanceOf(DiskError)
    await expectSound(disk, writer, after)
    repair()
    // The fault has passed: everything works again without a restart.
    await writer.write(engine)
    await engine.flush()
    await writer.expectLive(engine)
    await engine.close()
    const again = await open(disk, roomy)
    expect(again.errors()).toEqual([])
    await writer.expectLive(again.engine)
    expect(await strayFiles(disk)).toEqual([])
    await again.engine.close()
  })
})

it('refuses all writers of a round whose sync fails, and none of their points is seen', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const { engine } = await open(disk, roomy)
  const writer = new Writer()
  await writer.write(engine)
  disk.failNext('sync', 'EIO', /\.wal$/)
  await Promise.all(Array.from({ length: 8 }, () => writer.write(engine)))
  // The first began a round of its own; those that queued behind it counted on its names.
  expect(writer.errors).toHaveLength(8)
  for (const error of writer.errors) expect(error).toBeInstanceOf(DiskError)
  await writer.expectLive(engine)
  await writer.write(engine)
  await writer.expectLive(engine)
  await expectSound(disk, writer, 1)
  await engine.close()
})

it('fills the disk, reads on, and writes again when there is room', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true, capacityBytes: 60_000 })
  const { engine } = await open(disk, { ...roomy, memtableBytesMax: 4000 })
  const writer = new Writer()
  while (writer.errors.length < 20) await writer.write(engine, 20)
  for (const error of writer.errors) expect(error).toBeInstanceOf(DiskError)
  expect(writer.acknowledged.size).toBeGreaterThan(100)
  await writer.expectLive(engine)
  await expectSound(disk, writer, 2)
  const names = await everyName(disk, folder)
  for (let i = 0; i < 50; i++) await writer.write(engine, 20)
  // What is tried again and again must not leave a file each time.
  expect((await everyName(disk, folder)).length).toBeLessThanOrEqual(names.length + 2)
  disk.capacityBytes = Infinity
  const refusals = writer.errors.length
  for (let i = 0; i < 5; i++) await writer.write(engine)
  expect(writer.errors).toHaveLength(refusals)
  await engine.flush()
  await writer.expectLive(engine)
  await expectSound(disk, writer, 3)
  await engine.close()
})

it('flushes by itself once the disk works again', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const { engine } = await open(disk, { ...roomy, memtableBytesMax: 2000 })
  const writer = new Writer()
  const repair = disk.inject({ operation: 'open', path: /\.seg$/, error: 'ENOSPC' })
  while ((await metric(engine, 'store_flush_failures_total')) < 3) {
    await writer.write(engine, 10)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await writer.expectLive(engine)
  repair()
  // Nobody calls flush or writes: the retry has to do it.
  while ((await metric(engine, 'store_flushes_total')) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await writer.expectLive(engine)
  await engine.close()
})

it('bounds its memory while flushes fail: every write is settled, none hangs', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const memtableBytesMax = 10_000
  const { engine } = await open(disk, { ...roomy, memtableBytesMax })
  const writer = new Writer()
  const repair = disk.inject({ operation: 'sync', path: /\.seg$/, error: 'EIO' })
  for (let round = 0; round < 40; round++) {
    await Promise.all(Array.from({ length: 10 }, () => writer.write(engine, 10)))
    expect(await metric(engine, 'store_memtable_bytes')).toBeLessThan(5 * memtableBytesMax)
  }
  expect(writer.errors.length).toBeGreaterThan(100)
  for (const error of writer.errors) {
    expect(error instanceof DiskError || error instanceof BusyError).toBe(true)
  }
  await writer.expectLive(engine)
  repair()
  await engine.flush()
  const refusals = writer.errors.length
  await writer.write(engine)
  expect(writer.errors).toHaveLength(refusals)
  await writer.expectLive(engine)
  await expectSound(disk, writer, 4)
  await engine.close()
})

it('leaves no file behind for each log that it could not begin', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const { engine } = await open(disk, { ...roomy, memtableBytesMax: 2000 })
  const writer = new Writer()
  const repair = disk.inject({ operation: 'syncDir', path: /\/wal$/, error: 'EIO' })
  while (writer.errors.length < 30) await writer.write(engine, 10)
  expect((await disk.list(`${folder}/wal`)).length).toBeLessThan(3)
  repair()
  await writer.write(engine)
  await writer.expectLive(engine)
  await expectSound(disk, writer, 6)
  await engine.close()
})

it('writes a generation once, however many wait for a flush that failed', async () => {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const { engine } = await open(disk, { ...roomy, flushRetryMs: 100_000 })
  const writer = new Writer()
  await writer.write(engine)
  // A flush tries twice before it gives up.
  disk.inject({ operation: 'write', path: /\.seg$/, error: 'EIO', times: 2 })
  await expect(engine.flush()).rejects.toBeInstanceOf(DiskError)
  await Promise.all([engine.flush(), engine.flush(), engine.flush()])
  expect(await metric(engine, 'store_flushes_total')).toBe(1)
  expect(await metric(engine, 'store_segments')).toBe(1)
  await writer.expectLive(engine)
  await engine.close()
})

it('keeps a failed delete or drop from touching anything that is acknowledged later', async () => {
  for (const path of [/^data$/, /MANIFEST/]) {
    const operation = path.source === '^data$' ? 'syncDir' : 'rename'
    for (const change of ['delete', 'dropBucket'] as const) {
      const disk = new SimulatedDisk({ trackCrashes: true })
      const { engine } = await open(disk, roomy)
      const before = new Writer()
      await before.write(engine)
      await engine.flush()
      const rule: FaultRule = { operation, path, error: 'EIO' }
      const repair = disk.inject(rule)
      const range = { start: 0n, stop: 5n }
      const done =
        change === 'delete' ? engine.delete({ bucket, range }) : engine.dropBucket(bucket)
      await expect(done).rejects.toBeInstanceOf(DiskError)
      repair()
      await new LineWriter().write(engine, bucket, 'later,s=1 f=1 1000')
      for (const keep of ['synced', 'all', 'random'] as const) {
        const clone = disk.crashClone({ random: seededRandom(5), keep })
        const { engine: recovered, errors } = await open(clone, roomy)
        expect(errors()).toEqual([])
        expect((await contentsOf(recovered, bucket)).get('later,s=1 f 1000')).toBe('1')
        await recovered.close()
      }
      await engine.close()
    }
  }
})
