// Reads that several threads share, on real ones: the store contract, and what ends a scan. An
// abort, a reader that has enough, damage in a file and a store that closes must all stop the
// threads, come back as what they are, and leave files and memory free.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Batch } from '../../src/column/batch.js'
import { allTime } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import { NodeDisk } from '../../src/platform/node-disk.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import type { EngineLimits } from '../../src/store/embedded/options/limits.js'
import type { ReadRequest } from '../../src/store/store.js'
import { type BundledEngine, bundleEngine } from './bundled-engine.js'
import { runStoreContract } from './contract.js'
import { parsePredicate } from './predicate-text.js'
import { printRow, readRows } from './read-rows.js'

const shared = { scanThreadsMax: 2, scanValuesMin: 0 }
let bundled: BundledEngine

beforeAll(async () => {
  bundled = await bundleEngine()
})

afterAll(() => bundled.cleanUp())

function openIn(
  folder: string,
  limits: Partial<EngineLimits>,
  clock = new ManualClock(0n),
): Promise<Engine> {
  return bundled.openEngine({ disk: new NodeDisk(), folder, clock, jobs: 'workers', limits })
}

runStoreContract('embedded, on threads, every aggregate and search shared', async (clock) => {
  const folder = mkdtempSync(`${tmpdir()}/millrace-scan-`)
  const store = await openIn(folder, shared, clock)
  return {
    store,
    async reopen() {
      await store.close()
      return openIn(folder, shared, clock)
    },
    async cleanUp() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
})

const bucket = '00000000000000a1'
const request: ReadRequest = { bucket, measurement: 'm', range: allTime }
const sums: ReadRequest = {
  ...request,
  window: { everyNs: 100n, aggregates: [{ field: 'v', function: 'sum' }] },
}
const never = new AbortController().signal
let folder: string
let engine: Engine

async function write(lines: readonly string[]): Promise<void> {
  const parser = new LineProtocolParser()
  const { batch } = parser.parse(Buffer.from(lines.join('\n')), { precision: 'ns', now: 0n })
  await engine.write(bucket, batch)
}

async function metric(name: string): Promise<number> {
  return (await engine.metrics()).find((m) => m.name === name)!.value
}

async function lines(of: ReadRequest): Promise<string[]> {
  return (await readRows(engine, of)).map(printRow)
}

/** As tools of the system show them. */
function threadNames(): string[] {
  const tasks = '/proc/self/task'
  return readdirSync(tasks).flatMap((task) => {
    // One that ends meanwhile has none.
    const name = `${tasks}/${task}/comm`
    return existsSync(name) ? [readFileSync(name, 'utf8').trim()] : []
  })
}

function iterate(of: ReadRequest, signal = never): AsyncIterator<Batch> {
  return engine.read(of, signal)[Symbol.asyncIterator]()
}

describe('a scan', () => {
  /** Twenty series of 1200 rows in a segment, and some rows of each in the memtable that meet the last ones. */
  beforeEach(async () => {
    folder = mkdtempSync(`${tmpdir()}/millrace-scan-`)
    engine = await openIn(folder, shared)
    const rows = (from: number, count: number) =>
      Array.from({ length: count * 20 }, (_, i) => {
        const time = from + Math.floor(i / 20)
        return `m,h=${i % 20} v=${(i * 7) % 1000}i,s="t${i % 13}" ${time}`
      })
    await write(rows(0, 1200))
    await engine.flush()
    await write(rows(1190, 50))
  })

  afterEach(async () => {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('threads give the answers of one', async () => {
    const requests: ReadRequest[] = [
      sums,
      { ...sums, descending: true, limitPerSeries: 3 },
      { ...request, predicate: parsePredicate('$v > 990i') },
      { ...request, predicate: parsePredicate("$s = 't3' and $v < 100i"), descending: true },
      { ...sums, window: { aggregates: [{ field: 's', function: 'last' }], pointTimes: true } },
      { ...sums, predicate: parsePredicate("h = '3' or h = '17'") },
      { ...sums, predicate: parsePredicate("h = '3'"), window: { ...sums.window!, groupBy: [] } },
    ]
    const before = await metric('store_scans_total')
    const answers: string[][] = []
    for (const of of requests) answers.push(await lines(of))
    expect(await metric('store_scans_total')).toBe(before + requests.length)
    if (process.platform === 'linux') expect(threadNames()).toContain('scan')
    await engine.close()
    engine = await openIn(folder, { scanThreadsMax: 0 })
    for (const [i, of] of requests.entries()) expect(await lines(of)).toEqual(answers[i])
    expect(await metric('store_scans_total')).toBe(0)
    expect(answers.every((answer) => answer.length > 0)).toBe(true)
  })

  test('a small read stays where it was asked for', async () => {
    await engine.close()
    engine = await openIn(folder, { scanThreadsMax: 2, scanValuesMin: 10_000 })
    await lines({ ...sums, range: { start: 0n, stop: 50n } })
    await lines({ ...sums, predicate: parsePredicate("h = '3'") })
    expect(await metric('store_scans_total')).toBe(0)
    await lines(sums)
    expect(await metric('store_scans_total')).toBe(1)
  })

  test('what is shared and how much it reads is told beforehand', async () => {
    await engine.close()
    engine = await openIn(folder, { scanThreadsMax: 2, scanValuesMin: 10_000 })
    const { aggregates } = sums.window!
    const short = { ...sums, window: { everyNs: 10n, aggregates } }
    const all = await engine.estimate(short)
    expect(all).toMatchObject({ valueCount: 1250 * 20, isShared: true })
    const of = (more: Partial<ReadRequest>) => engine.estimate({ ...short, ...more })
    const ofOne = await of({ predicate: parsePredicate("h = '3'") })
    expect(ofOne).toMatchObject({ valueCount: 1250, isShared: false })
    // It shares its row groups with two others.
    expect(ofOne.storedBytes! * 20).toBeGreaterThan(all.storedBytes!)
    expect(ofOne.storedBytes! * 3).toBeLessThan(all.storedBytes!)
    const ofNothing = { valueCount: 0, storedBytes: 0, isShared: false }
    expect(await of({ range: { start: 3000n, stop: 4000n } })).toEqual(ofNothing)
    // Statistics answer what lies in one window.
    expect(await of({ window: { aggregates } })).toEqual(ofNothing)
    // Rows that are handed out are not shared; a second field is more blocks.
    const rows = await engine.estimate({ ...request, fields: ['v', 's'] })
    expect(rows).toMatchObject({ valueCount: 2 * 1250 * 20, isShared: false })
    expect(rows.storedBytes).toBeGreaterThan(all.storedBytes! * 1.2)
    const few = await engine.estimate({ ...request, fields: ['v'], limitPerSeries: 2 })
    expect(few.valueCount).toBe(2 * 20)
    expect(await metric('store_scans_total')).toBe(0)
  })

  test('of the last values only what lies at the end counts', async () => {
    await engine.close()
    engine = await openIn(folder, { scanThreadsMax: 2, scanValuesMin: 10_000 })
    const ends = (fn: 'first' | 'last'): ReadRequest => ({
      ...request,
      window: { aggregates: [{ field: 'v', function: fn }] },
    })
    expect(await lines(ends('last'))).toHaveLength(20)
    expect(await metric('store_scans_total')).toBe(0)
    expect(await lines(ends('first'))).toHaveLength(20)
    expect(await metric('store_scans_total')).toBe(1)
    // A series that is not met there is looked for further back.
    await write(['m,h=new v=1i 5000'])
    await engine.flush()
    expect(await lines({ ...ends('last'), range: { start: 0n, stop: 1190n } })).toHaveLength(20)
    expect(await metric('store_scans_total')).toBe(2)
  })

  test('a reader that has enough stops the threads, and files can go', async () => {
    for await (const batch of engine.read(sums, never)) {
      expect(batch.rowCount).toBeGreaterThan(0)
      break
    }
    // A dropped bucket waits for its readers: this would never end if one were left.
    await engine.dropBucket(bucket)
    expect(readdirSync(folder)).not.toContain(bucket)
  })

  test('rows come in memory that both threads see, and readers that stop early give it back', async () => {
    const search = { ...request, predicate: parsePredicate('$v >= 0i') }
    for (let i = 0; i < 20; i++) {
      const reading = iterate(search)
      const first: Batch = (await reading.next()).value
      expect(first.times.offsets.buffer).toBeInstanceOf(SharedArrayBuffer)
      await reading.return?.()
    }
  })

  test('files stay while a scan is under way, whatever happens to them', async () => {
    const expected = await lines(sums)
    const rows: number[] = []
    for await (const batch of engine.read(sums, never)) {
      if (rows.length === 0) {
        await engine.delete({ bucket, range: allTime })
        await engine.compact()
      }
      rows.push(batch.rowCount)
    }
    expect(rows.reduce((a, b) => a + b)).toBe(expected.length)
    expect(await lines(sums)).toEqual([])
  })

  test('a read whose batches are left lying holds up no other', async () => {
    await engine.close()
    // One thread, and more batches in a part (one for each of its five series) than may lie there.
    engine = await openIn(folder, { ...shared, scanThreadsMax: 1 })
    const slow = iterate({ ...request, predicate: parsePredicate('$v >= 0i') })
    const first = await slow.next()
    expect(first.done).toBe(false)
    expect((await lines(sums)).length).toBe(20 * 13)
    let rows = first.done === true ? 0 : first.value.rowCount
    for (let next = await slow.next(); next.done !== true; next = await slow.next()) {
      rows += next.value.rowCount
    }
    expect(rows).toBe(20 * 1240)
  })

  test('an abort ends the read with its reason', async () => {
    const controller = new AbortController()
    const reading = iterate(sums, controller.signal)
    const first = reading.next()
    controller.abort(new Error('the client has gone'))
    await expect(first).rejects.toThrow('the client has gone')
    await engine.dropBucket(bucket)
  })

  test('damage found on a thread is told with file and offset', async () => {
    await engine.close()
    const bucketFolder = `${folder}/${bucket}`
    const shard = readdirSync(bucketFolder).find((name) => name !== 'index.log')!
    const name = readdirSync(`${bucketFolder}/${shard}`)[0]
    const path = `${bucketFolder}/${shard}/${name}`
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1] ^= 0xff
    writeFileSync(path, bytes)
    engine = await openIn(folder, shared)
    const failure = await lines({
      ...request,
      predicate: parsePredicate("$v >= 0i and $s != 'x'"),
    }).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ name: 'CorruptionError', file: path })
    expect((failure as Error).message).toMatch(/^corrupt data in .* at offset \d+: wrong checksum$/)
  })

  test('many short series are shared as few long ones are', async () => {
    await engine.close()
    engine = await openIn(folder, { scanThreadsMax: 2, scanValuesMin: 50_000 })
    const series = Array.from({ length: 400 }, (_, i) => `short,h=${i} v=${i} 1`)
    await write(series)
    await engine.flush()
    const all: ReadRequest = { ...sums, measurement: 'short' }
    expect(await lines(all)).toHaveLength(400)
    expect(await metric('store_scans_total')).toBe(1)
    expect(await lines({ ...all, predicate: parsePredicate("h = '3'") })).toHaveLength(1)
    expect(await metric('store_scans_total')).toBe(1)
  })

  test('bad input is refused as such', async () => {
    const bad = { ...request, predicate: parsePredicate('$s =~ /(/') }
    await expect(lines(bad)).rejects.toMatchObject({ name: 'UserError', code: 'invalid' })
    const window = { aggregates: [{ field: 's', function: 'mean' as const }] }
    await expect(lines({ ...request, window })).rejects.toMatchObject({
      name: 'UserError',
      message: 'cannot compute mean of field "s": it is a string',
    })
  })

  test('closing the store ends the scans under way', async () => {
    const reading = iterate(sums)
    await reading.next()
    await engine.close()
    await expect(reading.next()).rejects.toThrow('the store is closed')
  })
})
