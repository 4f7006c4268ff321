// Brings back what was acknowledged and not flushed: reads the logs in their order into memtables, and tells what is
// missing. Logs form a chain (see wal/format.ts): each names the one before it and where that ended, a log that was
// followed by another names that one, and the manifest names the newest. So one that was removed, emptied or cut off
// is found out, except for the last frames of the very newest.

import { CorruptionError } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import type { StoreLog } from '../../store-log.js'
import type { Bucket, Shard } from '../bucket/bucket.js'
import type { Generation } from '../bucket/generation.js'
import { damageOf } from '../files/damage.js'
import { walFolder, walNumber, walPath } from '../files/filenames.js'
import type { Manifest } from '../files/manifest.js'
import { readWal, type WalContents } from '../wal/reader.js'
import type { WalRecord } from '../wal/record.js'
import type { Damages } from './damages.js'
import type { Structure } from './structure.js'
import { olderManifest } from './sweep.js'

export interface ReplayParts {
  readonly disk: Disk
  readonly root: string
  readonly manifest: Manifest
  readonly damages: Damages
  readonly log: StoreLog
}

export interface Replayed {
  /** The log files that are there, in order. */
  readonly numbers: readonly number[]
  /** Where each of them ends, by number; what lies behind is an unfinished write. */
  readonly ends: ReadonlyMap<number, number>
  /** Those with damage: set aside instead of removed. */
  readonly damaged: Set<number>
  /** The newest that has a beginning, and where it ends; 0: there is none. */
  readonly last: { readonly number: number; readonly end: number }
}

const nothing: WalContents = {
  records: [],
  steps: [],
  damage: [],
  tornAt: undefined,
  start: undefined,
  hasStart: false,
  next: undefined,
  end: 0,
}

export async function replayLogs(
  parts: ReplayParts,
  structure: Structure,
  generation: Generation,
): Promise<Replayed> {
  const { disk, root, manifest } = parts
  const numbers = (await disk.list(walFolder(root)))
    .map(walNumber)
    .filter((number) => number !== undefined && number >= manifest.walFloor)
    .sort((a, b) => a! - b!) as number[]
  const chain = new LogChain(parts, numbers)
  const damaged = new Set<number>()
  let last = { number: 0, end: 0 }
  for (const number of numbers) {
    structure.noteNumber(number)
    const before = parts.damages.count
    const contents = await readLog(parts, number)
    if (contents.start !== undefined && contents.start.manifest > manifest.number) {
      throw olderManifest(root, manifest, walPath(root, number), contents.start.manifest)
    }
    chain.check(number, contents)
    replayFile(parts, number, contents, structure, generation)
    if (parts.damages.count > before) damaged.add(number)
    // One without a beginning, as a crash may have left it, holds nothing: the chain passes it by.
    if (contents.end > 0) last = { number, end: contents.end }
  }
  chain.checkNewest()
  return { numbers, ends: chain.ends, damaged, last }
}

/** One that the disk does not give is damaged as a whole. */
async function readLog({ disk, root, damages }: ReplayParts, number: number): Promise<WalContents> {
  const path = walPath(root, number)
  try {
    return await readWal(disk, path)
  } catch (error) {
    damages.note(damageOf(error, path))
    return nothing
  }
}

class LogChain {
  readonly #parts: ReplayParts
  readonly #numbers: ReadonlySet<number>
  readonly #missing = new Set<number>()
  readonly #named = new Set<number>()
  readonly ends = new Map<number, number>()

  constructor(parts: ReplayParts, numbers: readonly number[]) {
    this.#parts = parts
    this.#numbers = new Set(numbers)
  }

  check(number: number, { start, hasStart, next, end }: WalContents): void {
    const { manifest } = this.#parts
    if (start !== undefined && start.before >= manifest.walFloor && start.before > 0) {
      this.#mustExist(start.before)
      const found = this.ends.get(start.before)
      if (found !== undefined && found < start.beforeEnd) {
        this.#tell(start.before, found, `the log is cut off: it ended at ${start.beforeEnd}`)
      }
    }
    // What is named was begun with that frame: a manifest or the log before knows it only then. Of older ones the log
    // that follows tells.
    const isNamed = number === manifest.newestWal || this.#named.has(number)
    if (isNamed && hasStart && start === undefined) {
      this.#tell(number, 0, 'the log has lost its beginning')
    }
    if (next !== undefined) {
      this.#named.add(next)
      this.#mustExist(next)
    }
    this.ends.set(number, end)
  }

  checkNewest(): void {
    const { newestWal, walFloor } = this.#parts.manifest
    if (newestWal > 0 && newestWal >= walFloor) this.#mustExist(newestWal)
  }

  #mustExist(number: number): void {
    if (this.#numbers.has(number) || this.#missing.has(number)) return
    this.#missing.add(number)
    this.#tell(number, 0, 'the log is missing: points that were acknowledged are lost with it')
  }

  #tell(number: number, offset: number, reason: string): void {
    const { root, damages } = this.#parts
    damages.note(new CorruptionError(walPath(root, number), offset, reason))
  }
}

function replayFile(
  { root, damages, log }: ReplayParts,
  number: number,
  { records, damage, tornAt }: WalContents,
  structure: Structure,
  generation: Generation,
): void {
  const path = walPath(root, number)
  for (const error of damage) damages.note(error)
  if (tornAt !== undefined) {
    const message = 'an unfinished write at the end of the log was cut off'
    log('warn', message, { file: path, offset: tornAt })
  }
  for (const [position, record] of records.entries()) {
    const needs = (what: string) =>
      damages.note(new CorruptionError(path, position, `a record needs ${what}`), {
        bucket: record.bucket,
      })
    if (structure.damagedBuckets.has(record.bucket)) {
      needs('an index that is damaged')
      continue
    }
    const bucket = structure.buckets.get(record.bucket) ?? structure.makeBucket(record.bucket)
    if (!replay(record, bucket, generation)) needs('another one that is damaged')
  }
}

function replay(record: WalRecord, bucket: Bucket, generation: Generation): boolean {
  const { index } = bucket
  if (record.firstSeries > index.next || record.firstField > index.fieldCount) return false
  // The first of them may be in the index log already.
  for (const key of record.seriesKeys.slice(index.next - record.firstSeries)) {
    index.add(index.next, key)
  }
  for (const field of record.fields.slice(index.fieldCount - record.firstField)) {
    index.addField(field)
  }
  for (const { shard, table } of record.tables) {
    generation.append(bucket, replayedShard(bucket, shard.start, shard.stop), table)
  }
  return true
}

/**
 * Shards never overlap. One of the log that meets another span therefore took the place of a shard
 * that had expired and was dropped: rows of that one are in the log before, and are dropped again.
 */
function replayedShard(bucket: Bucket, start: bigint, stop: bigint): Shard {
  const same = bucket.shards.find((shard) => shard.start === start && shard.stop === stop)
  if (same !== undefined) return same
  const meets = (shard: Shard) => shard.start < stop && start < shard.stop
  bucket.shards = bucket.shards.filter((shard) => shard.slots.length > 0 || !meets(shard))
  return bucket.findShard(start) ?? bucket.addShard(start, stop)
}
