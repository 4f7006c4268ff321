// Reads while points pour in, memtables are flushed and segments merged under them: a read sees
// everything that was acknowledged before it began, nothing twice, and nothing that was never
// written, whatever moves underneath.

import { expect, test } from 'vitest'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import { seededRandom } from '../../src/platform/random.js'
import { type Engine, openEngine } from '../../src/store/embedded/engine.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'

const bucket = '00000000000000aa'
const seriesCount = 7
const writesPerSeries = 60
const rowsPerWrite = 40

async function openSmall(): Promise<Engine> {
  const disk = new SimulatedDisk()
  await disk.makeDir('data')
  const limits = { memtableBytesMax: 6000, compactionSegments: 3, quietMs: 1 }
  return openEngine({ disk, folder: 'data', clock: new ManualClock(0n), jobs: 'inline', limits })
}

/** Point i of a series has time i and value i: a gap or a wrong value shows. */
async function writeSeries(engine: Engine, series: number, acknowledged: number[]): Promise<void> {
  const parser = new LineProtocolParser()
  for (let write = 0; write < writesPerSeries; write++) {
    let text = ''
    for (let i = 0; i < rowsPerWrite; i++) {
      const point = acknowledged[series] + i
      text += `m,s=${series} v=${point}i,w=${point / 2} ${point}\n`
    }
    const { batch } = parser.parse(Buffer.from(text), { precision: 'ns', now: 0n })
    await engine.write(bucket, batch)
    parser.release(batch)
    acknowledged[series] += rowsPerWrite
  }
}

async function countRows(engine: Engine): Promise<number[]> {
  const counts = new Array<number>(seriesCount).fill(0)
  const range = { start: 0n, stop: 1_000_000n }
  const request = { bucket, measurement: 'm', range, fields: ['v'] }
  for await (const batch of engine.read(request, new AbortController().signal)) {
    for (const { key, start, stop } of batch.runs) {
      const s = Number(key.tags[0].value)
      for (let row = start; row < stop; row++) {
        expect(Number(batch.columns[0].values[row])).toBe(counts[s])
        expect(Number(batch.times.base) + batch.times.offsets[row]).toBe(counts[s])
        counts[s]++
      }
    }
    // Others may write, flush and merge between two batches.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return counts
}

async function readUntil(engine: Engine, acknowledged: number[], done: () => boolean) {
  let reads = 0
  while (!done()) {
    const before = [...acknowledged]
    const seen = await countRows(engine)
    for (let s = 0; s < seriesCount; s++) {
      if (seen[s] < before[s])
        expect.fail(`series ${s}: ${seen[s]} rows, ${before[s]} acknowledged`)
    }
    reads++
  }
  return reads
}

test('reads beside writers, flushes and merges', async () => {
  const engine = await openSmall()
  const acknowledged = new Array<number>(seriesCount).fill(0)
  let finished = false
  const writers = Promise.all(
    acknowledged.map((_, series) => writeSeries(engine, series, acknowledged)),
  ).finally(() => {
    finished = true
  })
  const readers = [1, 2, 3].map(() => readUntil(engine, acknowledged, () => finished))
  await writers
  const reads = await Promise.all(readers)
  expect(reads.every((count) => count > 0)).toBe(true)
  expect(await countRows(engine)).toEqual(
    new Array(seriesCount).fill(writesPerSeries * rowsPerWrite),
  )
  const metric = async (wanted: string) =>
    (await engine.metrics()).find(({ name }) => name === wanted)!.value
  expect(await metric('store_flushes_total')).toBeGreaterThan(10)
  expect(await metric('store_compactions_total')).toBeGreaterThan(1)
  await engine.close()
})

test('a read that is given up, or aborted, lets go of what it held', async () => {
  const engine = await openSmall()
  const random = seededRandom(7)
  const acknowledged = new Array<number>(seriesCount).fill(0)
  await Promise.all(acknowledged.map((_, series) => writeSeries(engine, series, acknowledged)))
  const range = { start: 0n, stop: 1_000_000n }
  for (let round = 0; round < 20; round++) {
    const controller = new AbortController()
    let left = random.below(4)
    try {
      const request = { bucket, measurement: 'm', range }
      for await (const _ of engine.read(request, controller.signal)) {
        if (left-- === 0) {
          if (round % 2 === 0) break
          controller.abort()
        }
      }
    } catch (error) {
      expect((error as Error).name).toBe('AbortError')
    }
  }
  // Segments that were merged away and are still in use would keep their files.
  await engine.flush()
  await engine.compact()
  await engine.delete({ bucket, range })
  await engine.compact()
  const metrics = await engine.metrics()
  expect(metrics.find(({ name }) => name === 'store_segments')!.value).toBe(0)
  await engine.close()
})
