// The files of the engine as they are at a moment, for copying them while writes go on: the manifest in effect, the
// segments that it names (held, as a read holds them), the part of each index log that it counts, and the logs with
// what is not in segments yet, up to where they are synced. Opened together they are the store of that moment: opening
// such a folder is the same as opening one after a crash.
//
// Of some buckets alone: the segments of the others are left out, and their names from the manifest. What the logs hold
// of all buckets stays, and so do the indexes that say what it means.
//
// Whoever calls holds the commit queue and the edits: nothing is half way into a log or a manifest. Files that change
// or go away afterwards are opened at once, and read through what was opened.

import type { Disk, DiskFile } from '../../../platform/disk.js'
import type { BucketId, FrozenFile, FrozenStore } from '../../store.js'
import type { Segment } from '../bucket/segment.js'
import { indexPath, manifestName, walFolder, walNumber, walPath } from '../files/filenames.js'
import { type Manifest, manifestsKept, printManifest } from '../files/manifest.js'
import { segmentFooterBytes } from '../segment/format.js'
import type { Structure } from './structure.js'

export interface FreezeRequest {
  readonly disk: Disk
  readonly root: string
  readonly at: bigint
  readonly manifest: Manifest
  readonly structure: Structure
  /** Whose segments are wanted; undefined: all. */
  readonly buckets: ReadonlySet<BucketId> | undefined
  /** The log that is written to, and how much of it is durable; undefined: none yet. */
  readonly wal: { readonly number: number; readonly byteLength: number } | undefined
}

/** A piece is read at once: from the page cache in 0.1 ms, from a disk in a few. */
const pieceBytes = 1 << 18

export async function freezeFiles(request: FreezeRequest): Promise<FrozenStore> {
  const { root, at, structure, buckets } = request
  const isWanted = (id: BucketId) => buckets?.has(id) ?? true
  const segments = heldSegments(structure, isWanted)
  const manifest = {
    ...request.manifest,
    buckets: request.manifest.buckets.map((one) =>
      isWanted(one.id) ? one : { ...one, shards: [] },
    ),
  }
  const opened: DiskFile[] = []
  const release = async () => {
    for (const file of opened) await file.close().catch(() => undefined)
    for (const { segment } of segments) await segment.release()
  }
  try {
    const logs = await openLogs(request, opened)
    const files = [...manifestFiles(manifest), ...logs]
    for (const { segment, path } of segments) files.push(segmentFile(segment, path, root))
    return { at, files, damage: damageOf(structure, isWanted), release: once(release) }
  } catch (error) {
    await release()
    throw error
  }
}

/** Where the one before the last is missing, the newest is taken for lost: the copy has as many as stay on a disk. */
function manifestFiles(manifest: Manifest): FrozenFile[] {
  const oldest = Math.max(1, manifest.number - manifestsKept + 1)
  const count = manifest.number - oldest + 1
  return Array.from({ length: count }, (_, i) => {
    const number = oldest + i
    return bytesFile(manifestName(number), printManifest({ ...manifest, number }))
  })
}

interface HeldSegment {
  readonly segment: Segment
  readonly path: string
}

function heldSegments(structure: Structure, isWanted: (id: BucketId) => boolean): HeldSegment[] {
  const held: HeldSegment[] = []
  for (const [id, bucket] of structure.buckets) {
    if (!isWanted(id)) continue
    for (const shard of bucket.shards) {
      for (const segment of shard.segments) {
        segment.acquire()
        held.push({ segment, path: structure.segmentPath(bucket, shard, segment.entry.number) })
      }
    }
  }
  return held
}

/** Index logs, as far as the manifest counts them, and the logs of writes that it has not in segments. */
async function openLogs(request: FreezeRequest, opened: DiskFile[]): Promise<FrozenFile[]> {
  const { disk, root, manifest, structure, wal } = request
  const files: FrozenFile[] = []
  const add = async (path: string, byteLength?: number, name = path) => {
    const file = await disk.open(path, 'read')
    opened.push(file)
    files.push(openedFile(name.slice(root.length + 1), file, byteLength ?? file.size()))
  }
  for (const { id, indexFile, indexBytes } of manifest.buckets) {
    const bucket = structure.buckets.get(id)
    if (indexBytes === 0 || bucket === undefined) continue
    await add(bucket.log.path, indexBytes, indexPath(root, id, indexFile))
  }
  for (const name of await disk.list(walFolder(root))) {
    const number = walNumber(name)
    if (number === undefined || number < manifest.walFloor) continue
    await add(walPath(root, number), number === wal?.number ? wal.byteLength : undefined)
  }
  return files
}

/**
 * The footer holds the checksum of the directory, which holds the checksums of all blocks, and the manifest's number,
 * which is in the header too: the same points in two buckets make files that differ in nothing else.
 */
function segmentFile({ entry, reader }: Segment, path: string, root: string): FrozenFile {
  const { byteLength } = entry
  const footer = new Uint8Array(segmentFooterBytes)
  reader.file.readSync(footer, byteLength - segmentFooterBytes)
  const mark = `${byteLength}-${Buffer.from(footer).toString('hex', 0, 24)}`
  return { ...openedFile(path.slice(root.length + 1), reader.file, byteLength), mark }
}

function openedFile(name: string, file: DiskFile, byteLength: number): FrozenFile {
  return {
    name,
    byteLength,
    async *read() {
      for (let at = 0; at < byteLength; at += pieceBytes) {
        const piece = new Uint8Array(Math.min(pieceBytes, byteLength - at))
        const count = file.readSync(piece, at)
        yield count === piece.length ? piece : piece.subarray(0, count)
      }
    },
  }
}

function bytesFile(name: string, bytes: Uint8Array): FrozenFile {
  return {
    name,
    byteLength: bytes.length,
    async *read() {
      yield bytes
    },
  }
}

function damageOf(
  { buckets, damagedBuckets }: Structure,
  isWanted: (id: BucketId) => boolean,
): string[] {
  const wanted = <T>(all: ReadonlyMap<BucketId, T>) =>
    [...all].flatMap(([id, one]) => (isWanted(id) ? [one] : []))
  const lost = wanted(buckets).flatMap(({ shards }) => shards.flatMap((shard) => shard.lost))
  return [...lost, ...wanted(damagedBuckets)].map(({ error }) => error.message)
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= action()
    return done
  }
}
