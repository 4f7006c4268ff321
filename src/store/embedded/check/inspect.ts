// Looks at a data folder that nobody has open, as opening it would, and further: every block of every segment is read
// and compared with its checksum. Nothing is changed.

import { CorruptionError } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import { ReadOnlyDisk } from '../../../platform/read-only-disk.js'
import type { DamagedPlace } from '../../store.js'
import { Generation } from '../bucket/generation.js'
import { setAsideFolder } from '../files/filenames.js'
import { loadManifest, type Manifest } from '../files/manifest.js'
import { defaultEngineLimits } from '../options/limits.js'
import { BufferPool } from '../rows/buffer-pool.js'
import { BlockCache } from '../segment/block-cache.js'
import { verifySegment } from '../segment/verify.js'
import { Damages } from '../structure/damages.js'
import { replayLogs } from '../structure/log-replay.js'
import { noteLost } from '../structure/recovery.js'
import { Structure } from '../structure/structure.js'
import { findStrays } from '../structure/sweep.js'

export interface StoreReport {
  /** Why the folder would not be opened; then nothing else was looked at. */
  readonly refusal: string | undefined
  readonly manifest: number
  readonly bucketIds: readonly string[]
  readonly segmentCount: number
  readonly byteLength: number
  readonly rowCount: number
  readonly logCount: number
  readonly places: readonly DamagedPlace[]
  /** Files that no manifest names: the next start sets them aside. */
  readonly unknown: readonly string[]
  /** What was set aside before. */
  readonly aside: readonly string[]
}

const nothing: StoreReport = {
  refusal: undefined,
  manifest: 0,
  bucketIds: [],
  segmentCount: 0,
  byteLength: 0,
  rowCount: 0,
  logCount: 0,
  places: [],
  unknown: [],
  aside: [],
}

/** Told how many more bytes of segments were looked at. */
type OnBytes = (count: number) => void

export async function inspectStore(
  realDisk: Disk,
  root: string,
  onBytes: OnBytes = () => undefined,
): Promise<StoreReport> {
  const disk = new ReadOnlyDisk(realDisk)
  const aside = await disk.list(setAsideFolder(root))
  try {
    const manifest = await loadManifest(disk, root)
    if (manifest === undefined) {
      const isEmpty = (await disk.list(root)).length === 0
      return { ...nothing, aside, refusal: isEmpty ? undefined : 'the manifest is missing' }
    }
    return { ...(await inspect(disk, root, manifest, onBytes)), aside }
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    return { ...nothing, aside, refusal: error.message }
  }
}

async function inspect(
  disk: Disk,
  root: string,
  manifest: Manifest,
  onBytes: OnBytes,
): Promise<StoreReport> {
  const { unknown } = await findStrays(disk, root, manifest)
  const damages = new Damages(() => undefined)
  const structure = new Structure(disk, root, manifest, {
    shared: false,
    blocks: new BlockCache(0),
  })
  try {
    for (const entry of manifest.buckets) await structure.openBucket(entry)
    noteLost(structure, damages)
    const buffers = new BufferPool({ shared: false, spareBytesMax: 0 })
    const generation = new Generation(buffers, defaultEngineLimits)
    const parts = { disk, root, manifest, damages, log: () => undefined }
    const { numbers } = await replayLogs(parts, structure, generation)
    verifyBlocks(structure, damages, onBytes)
    const entries = manifest.buckets.flatMap((b) => b.shards.flatMap(({ segments }) => segments))
    return {
      ...nothing,
      manifest: manifest.number,
      bucketIds: [...structure.buckets.keys(), ...structure.damagedBuckets.keys()],
      segmentCount: entries.length,
      byteLength: entries.reduce((sum, entry) => sum + entry.byteLength, 0),
      rowCount: entries.reduce((sum, entry) => sum + entry.rowCount, 0),
      logCount: numbers.length,
      places: damages.places,
      unknown,
    }
  } finally {
    await structure.close()
  }
}

function verifyBlocks(structure: Structure, damages: Damages, onBytes: OnBytes): void {
  for (const { id: bucket, shards } of structure.buckets.values()) {
    for (const { entry, reader } of shards.flatMap(({ segments }) => segments)) {
      const range = { start: entry.minTime, stop: entry.maxTime + 1n }
      for (const { measurement, error } of verifySegment(reader)) {
        if (error !== undefined) damages.note(error, { bucket, measurement, range })
      }
      onBytes(entry.byteLength)
    }
  }
}
