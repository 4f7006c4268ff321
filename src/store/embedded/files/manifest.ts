// The manifest: which segments are valid, which deletes apply to them, how much of each index log
// counts, and from which WAL file on writes are not in segments yet. Replacing it is the engine's
// commit point: a flush, a compaction or a delete has happened when the new manifest has its name,
// and has not when it has not.
//
// Manifests are numbered, each is a file of its own, and the last three stay. So a newest one that was lost is found
// out by the gap that it leaves (the one three before it is gone), and an older one that was put back by the numbers
// in segments and logs, which say under which manifest they were made. Nothing that a manifest does not name is ever
// deleted, unless it stands in the list of what was replaced.
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
import { manifestName, manifestNumber } from './filenames.js'

/** What is written. */
export const manifestVersion = 4
/**
 * The oldest that is read: without number, newest log and what was replaced. 2 named no index file; before 4 no field
 * in a log could say that its measurement began anew.
 */
export const manifestVersionMin = 1
/** So many of the last ones stay on the disk. */
export const manifestsKept = 3

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
  /** Number of the file that the index log is in. */
  readonly indexFile: number
  /** Bytes of the index log that count. */
  readonly indexBytes: number
  readonly shards: readonly ShardEntry[]
}

export interface Manifest {
  /** One higher than that of the manifest before it. */
  readonly number: number
  /** WAL and segment files get numbers from here on. */
  readonly nextNumber: number
  /** WAL files with lower numbers are in segments. */
  readonly walFloor: number
  /** The newest WAL file that was begun before this manifest; from the floor on it must be there. */
  readonly newestWal: number
  /** Segments that are no longer named on purpose, and whose files may still be there. */
  readonly replaced: readonly number[]
  readonly buckets: readonly BucketEntry[]
}

export const emptyManifest: Manifest = {
  number: 1,
  nextNumber: 1,
  walFloor: 0,
  newestWal: 0,
  replaced: [],
  buckets: [],
}

/** What manifests of version 1 do not say. */
const unsaid = { number: 0, newestWal: 0, replaced: [] }
/** What those before version 3 do not say of a bucket. */
const noIndexFile = { indexFile: 0 }

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
  const version = Number(head[1])
  if (version < manifestVersionMin || version > manifestVersion) {
    throw new CorruptionError(file, 0, `manifest version ${version} is not known here`)
  }
  const body = text.subarray(lineEnd + 1)
  if (crc32(body) !== Number.parseInt(head[2], 16)) {
    throw new CorruptionError(file, lineEnd + 1, 'wrong checksum')
  }
  const manifest = JSON.parse(body.toString('utf8'), (key, value) =>
    bigintKeys.has(key) ? BigInt(value) : value,
  )
  const buckets = manifest.buckets.map((bucket: object) => ({ ...noIndexFile, ...bucket }))
  return { ...(version === 1 ? unsaid : {}), ...manifest, buckets }
}

/** The numbers of the manifests that are there, in order. */
export async function manifestNumbers(disk: Disk, root: string): Promise<number[]> {
  const numbers = (await disk.list(root)).map(manifestNumber)
  return numbers.filter((number) => number !== undefined).sort((a, b) => a - b)
}

/** The newest manifest; undefined where there is none. Throws where one that must be there is missing or damaged. */
export async function loadManifest(disk: Disk, root: string): Promise<Manifest | undefined> {
  const numbers = await manifestNumbers(disk, root)
  const newest = numbers.at(-1)
  if (newest === undefined) return undefined
  // Only whoever writes number n removes number n - 3: where that one is gone, there was a number n.
  const oldest = newest - manifestsKept + 1
  if (oldest > 0 && !numbers.includes(oldest)) {
    const path = `${root}/${manifestName(newest + 1)}`
    throw new CorruptionError(path, 0, 'the newest manifest is missing: older ones are there')
  }
  return readManifest(disk, root, newest)
}

export async function readManifest(disk: Disk, root: string, number: number): Promise<Manifest> {
  const path = `${root}/${manifestName(number)}`
  return parseManifest(await readFile(disk, path), path)
}

/** Durable when resolved; the one that is too old to be kept is gone then, or goes with a later one. */
export async function storeManifest(disk: Disk, root: string, manifest: Manifest): Promise<void> {
  const { number } = manifest
  await writeFileAtomically(disk, root, manifestName(number), printManifest(manifest))
  // A program that knows only the plain name must not find one that is no longer true.
  const gone = number === 1 ? 0 : number - manifestsKept
  if (gone >= 0) await disk.remove(`${root}/${manifestName(gone)}`).catch(() => undefined)
}
