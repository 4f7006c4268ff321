// Opens engines for the reliability tests and reads back everything that is in them. What an engine
// logs is kept, so that a test can ask what was reported.

import { allTime } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import type { Disk } from '../../src/platform/disk.js'
import { exportLines } from '../../src/service/export.js'
import { type Engine, openEngine } from '../../src/store/embedded/engine.js'
import { indexName, manifestName } from '../../src/store/embedded/files/filenames.js'
import { loadManifest } from '../../src/store/embedded/files/manifest.js'
import type { EngineLimits } from '../../src/store/embedded/options/limits.js'
import type { BucketId, Store, WriteResult } from '../../src/store/store.js'
import type { SimulatedDisk } from '../platform/simulated-disk.js'
import { type Cells, cellsOf } from './workload.js'

export const folder = 'data'

export interface LogEntry {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface OpenedEngine {
  readonly engine: Engine
  readonly log: readonly LogEntry[]
  errors(): readonly LogEntry[]
}

/** So small that everything happens often: flushes after some writes, merges after two flushes. */
export const tinyLimits: Partial<EngineLimits> = {
  memtableBytesMax: 3000,
  compactionSegments: 2,
  flushRetryMs: 1,
}

export async function open(
  disk: Disk,
  limits: Partial<EngineLimits> = tinyLimits,
): Promise<OpenedEngine> {
  await disk.makeDir(folder)
  await disk.syncDir('')
  const log: LogEntry[] = []
  const engine = await openEngine({
    disk,
    folder,
    clock: new ManualClock(0n),
    jobs: 'inline',
    limits,
    log: (level, message, fields = {}) => log.push({ level, message, fields }),
  })
  return { engine, log, errors: () => log.filter(({ level }) => level === 'error') }
}

/** Lets go of an engine as a crash does: nothing more reaches the disk, which is of no use afterwards. */
export async function abandon({ engine }: OpenedEngine, disk: SimulatedDisk): Promise<void> {
  disk.onOperation = undefined
  for (const operation of ['open', 'write', 'sync', 'rename', 'remove', 'truncate'] as const) {
    disk.inject({ operation, error: 'EIO' })
  }
  await engine.close()
}

/** Writes line protocol to a store, as a server does: one parser per bucket, arrays used again. */
export class LineWriter {
  readonly #parsers = new Map<BucketId, LineProtocolParser>()

  async write(store: Store, bucket: BucketId, lines: string): Promise<WriteResult> {
    let parser = this.#parsers.get(bucket)
    if (parser === undefined) {
      parser = new LineProtocolParser()
      this.#parsers.set(bucket, parser)
    }
    const { batch, errors } = parser.parse(Buffer.from(lines), { precision: 'ns', now: 0n })
    if (errors.length > 0) throw new Error(`bad line: ${errors[0].message}`)
    try {
      return await store.write(bucket, batch)
    } finally {
      parser.release(batch)
    }
  }
}

export async function linesOf(
  store: Store,
  bucket: BucketId,
  options: { measurement?: string; start?: bigint; stop?: bigint } = {},
): Promise<string[]> {
  const { measurement, start = allTime.start, stop = allTime.stop } = options
  const request = { bucket, range: { start, stop }, measurement }
  let text = ''
  for await (const part of exportLines(store, request, new AbortController().signal)) text += part
  return text.split('\n').filter((line) => line !== '')
}

export async function contentsOf(store: Store, bucket: BucketId): Promise<Cells> {
  return cellsOf(await linesOf(store, bucket))
}

/** Files that the manifest does not name and that a start should have swept away. */
export async function strayFiles(disk: Disk, root = folder): Promise<string[]> {
  const manifest = await loadManifest(disk, root)
  if (manifest === undefined) return [`${root}/MANIFEST is missing`]
  const known = new Set(['wal', 'reserved'])
  for (let back = 0; back < 4; back++) {
    const name = manifestName(Math.max(1, manifest.number + 1 - back))
    known.add(name).add(`${name}.tmp`)
  }
  for (const bucket of manifest.buckets) {
    known.add(bucket.id).add(`${bucket.id}/${indexName(bucket.indexFile)}`)
    for (const { start, segments } of bucket.shards) {
      known.add(`${bucket.id}/${start}`)
      for (const { number } of segments) known.add(`${bucket.id}/${start}/${fileName(number)}.seg`)
    }
  }
  const found = await everyName(disk, root)
  return found.filter((name) => {
    const wal = /^wal\/(\d+)\.wal$/.exec(name)
    return wal === null ? !known.has(name) : Number(wal[1]) < manifest.walFloor
  })
}

function fileName(number: number): string {
  return String(number).padStart(10, '0')
}

/** Names of all files and folders below, relative to the folder. */
export async function everyName(disk: Disk, root: string, below = ''): Promise<string[]> {
  const names: string[] = []
  for (const name of await disk.list(`${root}/${below}`)) {
    const path = below === '' ? name : `${below}/${name}`
    names.push(path)
    const isFile = /\.(wal|seg|log|tmp|reason)$|MANIFEST|^reserved$/.test(name)
    if (!isFile) names.push(...(await everyName(disk, root, path)))
  }
  return names
}

export async function metric(store: Store, name: string): Promise<number> {
  const found = (await store.metrics()).find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`no metric ${name}`)
  return found.value
}
