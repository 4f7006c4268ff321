// Opening a data folder: the manifest says what is valid, the rest is cleared or set aside, and the
// logs bring back what was acknowledged and not flushed. What is damaged is reported with file and
// offset and kept; the rest is opened.

import { CorruptionError } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import type { StoreLog } from '../../store-log.js'
import type { LogArchive } from '../archive/log-archive.js'
import { Generation, type GenerationLimits } from '../bucket/generation.js'
import { isBucketName, manifestName, setAsideFolder, walFolder } from '../files/filenames.js'
import { emptyManifest, loadManifest, type Manifest, storeManifest } from '../files/manifest.js'
import type { BufferSource } from '../rows/buffer-pool.js'
import type { BlockCache } from '../segment/block-cache.js'
import { Damages } from './damages.js'
import { type Replayed, replayLogs } from './log-replay.js'
import { SetAside } from './set-aside.js'
import { Structure } from './structure.js'
import { findStrays, sweep, sweepWals } from './sweep.js'

export interface Recovered {
  readonly structure: Structure
  /** Rows of the WAL. */
  readonly generation: Generation
  /** WAL files that hold these rows. */
  readonly walNumbers: readonly number[]
  readonly walEnds: ReadonlyMap<number, number>
  /** The newest that has a beginning, and where it ends: what the next one follows. */
  readonly lastWal: Replayed['last']
  /** Those with damage: set aside instead of removed. */
  readonly damagedWals: Set<number>
  readonly damages: Damages
  readonly aside: SetAside
}

export interface RecoveryOptions {
  readonly shared: boolean
  readonly blocks: BlockCache
  readonly buffers: BufferSource
  readonly limits: GenerationLimits
  readonly log: StoreLog
  readonly archive?: LogArchive | undefined
}

export async function recover(
  disk: Disk,
  root: string,
  options: RecoveryOptions,
): Promise<Recovered> {
  const { log } = options
  await disk.makeDir(walFolder(root))
  const manifest = await openManifest(disk, root)
  const strays = await findStrays(disk, root, manifest)
  const damages = new Damages(log)
  const structure = new Structure(disk, root, manifest, options)
  for (const entry of manifest.buckets) await structure.openBucket(entry)
  noteLost(structure, damages)
  const generation = new Generation(options.buffers, options.limits)
  // Before anything is cleared away: a log may show that the manifest is not the newest.
  const parts = { disk, root, manifest, damages, log }
  const replayed = await replayLogs(parts, structure, generation)
  const aside = new SetAside(disk, root, structure, log)
  await sweep(disk, root, structure, strays, aside, log)
  await sweepWals(disk, root, manifest, aside, log, options.archive)
  for (const bucket of structure.buckets.values()) bucket.markLogged()
  const { numbers: walNumbers, ends: walEnds, last: lastWal, damaged: damagedWals } = replayed
  return { structure, generation, walNumbers, walEnds, lastWal, damagedWals, damages, aside }
}

/** What the manifest names and cannot be read. */
export function noteLost(structure: Structure, damages: Damages): void {
  for (const [bucket, { error }] of structure.damagedBuckets) damages.note(error, { bucket })
  for (const { id: bucket, shards } of structure.buckets.values()) {
    for (const { entry, error } of shards.flatMap(({ lost }) => lost)) {
      damages.note(error, { bucket, range: { start: entry.minTime, stop: entry.maxTime + 1n } })
    }
  }
}

/** A folder without a manifest is new, or has lost it: the first manifest is written before anything else. */
async function openManifest(disk: Disk, root: string): Promise<Manifest> {
  const manifest = await loadManifest(disk, root)
  if (manifest !== undefined) return manifest
  const names = await disk.list(root)
  const isUsed =
    (await disk.list(walFolder(root))).length > 0 ||
    names.some((name) => isBucketName(name) || `${root}/${name}` === setAsideFolder(root))
  if (isUsed) {
    throw new CorruptionError(`${root}/${manifestName(1)}`, 0, 'the manifest is missing')
  }
  await storeManifest(disk, root, emptyManifest)
  return emptyManifest
}
