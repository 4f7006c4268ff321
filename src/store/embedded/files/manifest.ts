// The manifest: which segments are valid, which deletes apply to them, how much of each index log
// counts, and from which WAL file on writes are not in segments yet. Replacing it is the engine's
// commit point: a flush, a compaction or a delete has happened when the new manifest has its name,
// and has not when it has not.
//
//   line 1  millrace-manifest <version> <CRC-32 of the rest, 8 hex digits>
//   line 2  one JSON object; moments are decimal strings of nanoseconds, since JSON's numbers are too small for them
//
// It is a small file (some hundred bytes a segment), so it is written anew as a whole; no log to
// replay, no states between. The version changes when a reader of the old one could misread the new
// one.

import { crc32 } from 'node:zlib'
import type { TagPredicate } from '../../../column/predicate.js'
import { CorruptionError } from '../../../errors.js'
import { type Disk, readFile, writeFileAtomically } from '../../../platform/disk.js'
import { manifestName } from './filenames.js'

export const manifestVersion = 1

/** Rows in this span of series that match are gone from the segment. */
export interface Tombstone {
  readonly start: bigint
  readonly stop: bigint
  readonly measurement?: string
  readonly predicate?: TagPredicate
}

export interface SegmentEntry {
  readonly number: number
  readonly byteLength: number
  readonly rowCount: number
  /** First and last moment in the segment. */
  readonly minTime: bigint
  readonly maxTime: bigint
  readonly tombstones: readonly Tombstone[]
}

export interface ShardEntry {
  readonly start: bigint
  readonly stop: bigint
  /** Oldest first: where two hold the same point, the later one wins. */
  readonly segments: readonly SegmentEntry[]
}

export interface BucketEntry {
  readonly id: string
  /** Bytes of the index log that count. */
  readonly indexBytes: number
  readonly shards: readonly ShardEntry[]
}

export interface Manifest {
  /** WAL and segment files get numbers from here on. */
  readonly nextNumber: number
  /** WAL files with lower numbers are in segments. */
  readonly walFloor: number
  readonly buckets: readonly BucketEntry[]
}

export const emptyManifest: Manifest = { nextNumber: 1, walFloor: 0, buckets: [] }

const bigintKeys = new Set(['start', 'stop', 'minTime', 'maxTime'])

export function printManifest(manifest: Manifest): Uint8Array {
  const json = JSON.stringify(manifest, (_key, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  const body = Buffer.from(`${json}\n`)
  const crc = crc32(body).toString(16).padStart(8, '0')
  return Buffer.concat([Buffer.from(`millrace-manifest ${manifestVersion} ${crc}\n`), body])
}

export function parseManifest(bytes: Uint8Array, file: string): Manifest {
  const text = Buffer.from(bytes)
  const lineEnd = text.indexOf('\n')
  const head = /^millrace-manifest (\d+) ([0-9a-f]{8})$/.exec(text.toString('utf8', 0, lineEnd))
  if (head === null) throw new CorruptionError(file, 0, 'not a manifest')
  if (Number(head[1]) !== manifestVersion) {
    throw new CorruptionError(file, 0, `manifest version ${head[1]} is not known here`)
  }
  const body = text.subarray(lineEnd + 1)
  if (crc32(body) !== Number.parseInt(head[2], 16)) {
    throw new CorruptionError(file, lineEnd + 1, 'wrong checksum')
  }
  return JSON.parse(body.toString('utf8'), (key, value) =>
    bigintKeys.has(key) ? BigInt(value) : value,
  )
}

export async function loadManifest(disk: Disk, root: string): Promise<Manifest | undefined> {
  const path = `${root}/${manifestName}`
  if (!(await disk.exists(path))) return undefined
  return parseManifest(await readFile(disk, path), path)
}

export function storeManifest(disk: Disk, root: string, manifest: Manifest): Promise<void> {
  return writeFileAtomically(disk, root, manifestName, printManifest(manifest))
}
