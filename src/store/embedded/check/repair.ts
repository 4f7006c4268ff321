// Makes a damaged data folder one that opens and answers: what cannot be read leaves the manifest and is set aside, the
// newest manifest that can be read takes the place of one that cannot, and what that one does not name is set aside.
// Nothing is deleted. Which points are lost with it is what `inspect` told before.

import { CorruptionError } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import type { StoreLog } from '../../store-log.js'
import type { Bucket } from '../bucket/bucket.js'
import { bucketFolder, manifestName, walFolder, walNumber, walPath } from '../files/filenames.js'
import {
  type Manifest,
  manifestNumbers,
  manifestsKept,
  readManifest,
  storeManifest,
} from '../files/manifest.js'
import { BlockCache } from '../segment/block-cache.js'
import { readManifestNumber } from '../segment/reader.js'
import { verifySegment } from '../segment/verify.js'
import { SetAside } from '../structure/set-aside.js'
import { Structure } from '../structure/structure.js'
import { findStrays } from '../structure/sweep.js'
import { readWal } from '../wal/reader.js'

/** The folder must be locked, and damaged: where it is whole there is nothing to do here. */
export async function repairStore(disk: Disk, root: string, log: StoreLog): Promise<void> {
  const numbers = await manifestNumbers(disk, root)
  const manifest = await newestReadable(disk, root, numbers)
  const options = { shared: false, blocks: new BlockCache(0) }
  const structure = new Structure(disk, root, manifest, options)
  for (const entry of manifest.buckets) await structure.openBucket(entry)
  const bad = badSegments(structure)
  await structure.close()
  const aside = new SetAside(disk, root, structure, log)
  // A number that no file has reached: nothing can be older than the new manifest.
  const unlimited = { ...manifest, number: Number.MAX_SAFE_INTEGER }
  const strays = await findStrays(disk, root, unlimited)
  structure.noteNumber(strays.highestNumber)
  const made = await Promise.all(strays.unknown.map((name) => madeUnder(disk, `${root}/${name}`)))
  const logs = await Promise.all(
    (await disk.list(walFolder(root))).map((name) => begun(disk, root, name)),
  )
  const highest = Math.max(...numbers, ...made, ...logs, manifest.number)
  for (const name of strays.unknown) await aside.take(name, 'the manifest does not name it')
  for (const path of bad) await takeFile(disk, root, aside, path, 'the segment is damaged')
  for (const id of structure.damagedBuckets.keys()) {
    await takeFile(disk, root, aside, bucketFolder(root, id), 'the index of the bucket is damaged')
  }
  const repaired = without(manifest, structure, bad)
  for (const number of numbers) await aside.take(manifestName(number), 'replaced by a repair')
  for (let kept = manifestsKept - 1; kept >= 0; kept--) {
    const number = highest + manifestsKept - kept
    const nextNumber = structure.takeNumber()
    await storeManifest(disk, root, { ...repaired, number, nextNumber })
  }
}

async function newestReadable(
  disk: Disk,
  root: string,
  numbers: readonly number[],
): Promise<Manifest> {
  for (const number of numbers.toReversed()) {
    try {
      return await readManifest(disk, root, number)
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
    }
  }
  throw new CorruptionError(
    `${root}/${manifestName(1)}`,
    0,
    'no manifest can be read: only a backup brings the points back',
  )
}

/** Paths of segments that are missing, cannot be opened, or have a block that is not what was written. */
function badSegments(structure: Structure): Set<string> {
  const bad = new Set<string>()
  for (const bucket of structure.buckets.values()) {
    for (const shard of bucket.shards) {
      for (const { entry } of shard.lost)
        bad.add(structure.segmentPath(bucket, shard, entry.number))
      for (const { entry, reader } of shard.segments) {
        for (const { error } of verifySegment(reader)) {
          if (error) bad.add(structure.segmentPath(bucket, shard, entry.number))
        }
      }
    }
  }
  return bad
}

/** Whatever lies under the name of an unknown segment, or in the folder of an unknown bucket. */
async function madeUnder(disk: Disk, path: string): Promise<number> {
  if (path.endsWith('.seg')) return readManifestNumber(disk, path).catch(() => 0)
  const names = await disk.list(path).catch(() => [])
  const below = await Promise.all(names.map((name) => madeUnder(disk, `${path}/${name}`)))
  return Math.max(0, ...below)
}

async function begun(disk: Disk, root: string, name: string): Promise<number> {
  const number = walNumber(name)
  if (number === undefined) return 0
  const found = await readWal(disk, walPath(root, number)).catch(() => undefined)
  return found?.start?.manifest ?? 0
}

async function takeFile(
  disk: Disk,
  root: string,
  aside: SetAside,
  path: string,
  reason: string,
): Promise<void> {
  if (await disk.exists(path)) await aside.take(path.slice(root.length + 1), reason)
}

/** The manifest as it was found, without what is set aside; the logs are judged anew at the next start. */
function without(
  manifest: Manifest,
  structure: Structure,
  bad: ReadonlySet<string>,
): Omit<Manifest, 'number' | 'nextNumber'> {
  const isBad = (bucket: Bucket, start: bigint, number: number) => {
    const shard = bucket.shards.find((candidate) => candidate.start === start)
    return shard !== undefined && bad.has(structure.segmentPath(bucket, shard, number))
  }
  const buckets = manifest.buckets.flatMap((entry) => {
    const bucket = structure.buckets.get(entry.id)
    if (bucket === undefined) return []
    const shards = entry.shards.map((shard) => ({
      ...shard,
      segments: shard.segments.filter(({ number }) => !isBad(bucket, shard.start, number)),
    }))
    return [{ ...entry, shards: shards.filter(({ segments }) => segments.length > 0) }]
  })
  const { walFloor } = manifest
  return { walFloor, newestWal: 0, replaced: [], buckets }
}
