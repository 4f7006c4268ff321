// Opening a data folder: the manifest says what is valid, everything else is swept away, and the
// WAL brings back what was acknowledged and not flushed. What is damaged is reported with file and
// offset and kept; the rest is opened.

import { CorruptionError } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import type { StoreLog } from '../../store-log.js'
import type { Bucket, Shard } from '../bucket/bucket.js'
import { Generation, type GenerationLimits } from '../bucket/generation.js'
import {
  bucketFolder,
  manifestName,
  segmentName,
  segmentNumber,
  shardFolder,
  walFolder,
  walNumber,
  walPath,
} from '../files/filenames.js'
import { emptyManifest, loadManifest, type Manifest, storeManifest } from '../files/manifest.js'
import type { BufferSource } from '../rows/buffer-pool.js'
import type { BlockCache } from '../segment/block-cache.js'
import { readWal } from '../wal/reader.js'
import type { WalRecord } from '../wal/record.js'
import { Structure } from './structure.js'

export interface Recovered {
  readonly structure: Structure
  /** Rows of the WAL. */
  readonly generation: Generation
  /** WAL files that hold these rows. */
  readonly walNumbers: readonly number[]
  /** Those with damage: set aside instead of removed. */
  readonly damagedWals: ReadonlySet<number>
  readonly damageCount: number
}

export interface RecoveryOptions {
  readonly shared: boolean
  readonly blocks: BlockCache
  readonly buffers: BufferSource
  readonly limits: GenerationLimits
  readonly log: StoreLog
}

export async function recover(
  disk: Disk,
  root: string,
  options: RecoveryOptions,
): Promise<Recovered> {
  await disk.makeDir(walFolder(root))
  const manifest = await openManifest(disk, root)
  const structure = new Structure(disk, root, manifest, options)
  for (const entry of manifest.buckets) await structure.openBucket(entry)
  let damageCount = 0
  for (const { error } of [
    ...structure.damagedBuckets.values(),
    ...[...structure.damaged.values()].flat(),
  ]) {
    options.log('error', error.message, { file: error.file, offset: error.offset })
    damageCount++
  }
  await sweep(disk, root, manifest, structure)
  const generation = new Generation(options.buffers, options.limits)
  const walNumbers = (await disk.list(walFolder(root)))
    .map(walNumber)
    .filter((number) => number !== undefined)
    .sort((a, b) => a - b)
  const damagedWals = new Set<number>()
  for (const number of walNumbers) {
    structure.noteNumber(number)
    const damage = await replayFile(disk, walPath(root, number), structure, generation, options.log)
    if (damage > 0) damagedWals.add(number)
    damageCount += damage
  }
  for (const bucket of structure.buckets.values()) bucket.markLogged()
  return { structure, generation, walNumbers, damagedWals, damageCount }
}

/** A folder without a manifest is new, or has lost it: the first manifest is written before anything else. */
async function openManifest(disk: Disk, root: string): Promise<Manifest> {
  const manifest = await loadManifest(disk, root)
  if (manifest !== undefined) return manifest
  if ((await disk.list(walFolder(root))).length > 0) {
    throw new CorruptionError(`${root}/${manifestName}`, 0, 'the manifest is missing')
  }
  await storeManifest(disk, root, emptyManifest)
  return emptyManifest
}

/** Removes what a crash left behind: files that no manifest names. */
async function sweep(
  disk: Disk,
  root: string,
  manifest: Manifest,
  structure: Structure,
): Promise<void> {
  for (const name of await disk.list(walFolder(root))) {
    const number = walNumber(name)
    if (number === undefined || number >= manifest.walFloor) continue
    const path = walPath(root, number)
    // A crash may have come before a damaged one was set aside.
    if ((await readWal(disk, path)).damage.length > 0) await disk.rename(path, `${path}.damaged`)
    else await disk.remove(path)
  }
  for (const name of await disk.list(root)) {
    if (!/^[0-9a-f]{16}$/.test(name)) continue
    const entry = manifest.buckets.find(({ id }) => id === name)
    if (entry === undefined) await disk.removeDir(bucketFolder(root, name))
    else await sweepBucket(disk, root, entry, structure)
  }
}

async function sweepBucket(
  disk: Disk,
  root: string,
  entry: Manifest['buckets'][number],
  structure: Structure,
): Promise<void> {
  for (const name of await disk.list(bucketFolder(root, entry.id))) {
    if (!/^-?\d+$/.test(name)) continue
    const shard = entry.shards.find(({ start }) => String(start) === name)
    const folder = shardFolder(root, entry.id, BigInt(name))
    if (shard === undefined) {
      await disk.removeDir(folder)
      continue
    }
    const valid = new Set(shard.segments.map(({ number }) => segmentName(number)))
    for (const file of await disk.list(folder)) {
      structure.noteNumber(segmentNumber(file) ?? 0)
      if (!valid.has(file)) await disk.remove(`${folder}/${file}`)
    }
  }
}

/** Returns how many damaged places there were. */
async function replayFile(
  disk: Disk,
  path: string,
  structure: Structure,
  generation: Generation,
  log: StoreLog,
): Promise<number> {
  const { records, damage, tornAt } = await readWal(disk, path)
  for (const error of damage) log('error', error.message, { file: path, offset: error.offset })
  if (tornAt !== undefined) {
    log('warn', 'an unfinished write at the end of the log was cut off', {
      file: path,
      offset: tornAt,
    })
  }
  let count = damage.length
  for (const record of records) {
    if (structure.damagedBuckets.has(record.bucket)) {
      count++
      log('error', 'a record of the log needs an index that is damaged', { file: path })
      continue
    }
    const bucket = structure.buckets.get(record.bucket) ?? structure.makeBucket(record.bucket)
    if (replay(record, bucket, generation)) continue
    count++
    log('error', 'a record of the log needs another one that is damaged', { file: path })
  }
  return count
}

function replay(record: WalRecord, bucket: Bucket, generation: Generation): boolean {
  const { index } = bucket
  if (record.firstSeries > index.count || record.firstField > index.fieldLog.length) return false
  for (const key of record.seriesKeys) index.intern(key)
  for (const field of record.fields.slice(index.fieldLog.length - record.firstField)) {
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
  bucket.shards = bucket.shards.filter((shard) => shard.segments.length > 0 || !meets(shard))
  return bucket.findShard(start) ?? bucket.addShard(start, stop)
}
