// What lies in a data folder and is not named by the manifest. A segment that never got its name was never counted,
// one that the manifest calls replaced is in another, and logs below the floor are in segments: these are removed. All
// other segments are set aside. If one of them was made under a later manifest than the one that was found, that is not
// the newest, and the folder is not opened.

import { CorruptionError, DiskError } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import type { StoreLog } from '../../store-log.js'
import type { LogArchive } from '../archive/log-archive.js'
import {
  indexNumber,
  isBucketName,
  isShardName,
  manifestName,
  segmentNumber,
  unfinishedIndexNumber,
  unfinishedNumber,
  walFolder,
  walNumber,
} from '../files/filenames.js'
import { type Manifest, manifestNumbers, manifestsKept } from '../files/manifest.js'
import { readManifestNumber } from '../segment/reader.js'
import { readWal } from '../wal/reader.js'
import type { SetAside } from './set-aside.js'
import type { Structure } from './structure.js'

/** Paths below the root. */
export interface Strays {
  /** Files that nothing needs, by a record of our own. */
  readonly removable: readonly string[]
  readonly emptyFolders: readonly string[]
  /** Of buckets and shards, all that there are. */
  readonly folders: readonly string[]
  /** Segments, or whole folders of buckets, that nobody can place. */
  readonly unknown: readonly string[]
  /** The highest number that a file has. */
  readonly highestNumber: number
}

/** Looks only. Throws CorruptionError where the manifest is older than what lies beside it. */
export async function findStrays(disk: Disk, root: string, manifest: Manifest): Promise<Strays> {
  const old = (await manifestNumbers(disk, root)).filter(
    (number) => number <= manifest.number - manifestsKept,
  )
  const found: FoundStrays = {
    removable: old.map(manifestName),
    emptyFolders: [],
    folders: [],
    unknown: [],
  }
  const search = new StraySearch(disk, root, manifest, found)
  for (const name of await disk.list(root)) if (isBucketName(name)) await search.bucket(name)
  return { ...found, highestNumber: search.highestNumber }
}

interface FoundStrays {
  readonly removable: string[]
  readonly emptyFolders: string[]
  readonly folders: string[]
  readonly unknown: string[]
}

class StraySearch {
  readonly #disk: Disk
  readonly #root: string
  readonly #manifest: Manifest
  readonly #replaced: ReadonlySet<number>
  readonly #found: FoundStrays
  highestNumber = 0

  constructor(disk: Disk, root: string, manifest: Manifest, found: FoundStrays) {
    this.#disk = disk
    this.#root = root
    this.#manifest = manifest
    this.#replaced = new Set(manifest.replaced)
    this.#found = found
  }

  async bucket(id: string): Promise<void> {
    const entry = this.#manifest.buckets.find((bucket) => bucket.id === id)
    const unknown: string[] = []
    this.#found.folders.push(id)
    for (const name of await this.#disk.list(`${this.#root}/${id}`)) {
      if (entry !== undefined) this.#indexLog(id, name, entry.indexFile)
      if (!isShardName(name)) continue
      const shard = entry?.shards.find(({ start }) => String(start) === name)
      const numbers = new Set(shard?.segments.map(({ number }) => number))
      unknown.push(...(await this.#shard(`${id}/${name}`, numbers)))
    }
    // Its index says what the numbers in its segments mean: they stay together.
    if (entry !== undefined) this.#found.unknown.push(...unknown)
    else if (unknown.length > 0) this.#found.unknown.push(id)
    else this.#found.emptyFolders.push(id)
  }

  /** One with a lower number than the manifest names was replaced; an unfinished one was never counted. */
  #indexLog(id: string, name: string, named: number): void {
    const number = indexNumber(name)
    const unfinished = unfinishedIndexNumber(name)
    this.highestNumber = Math.max(this.highestNumber, number ?? 0, unfinished ?? 0)
    if (number === undefined ? unfinished === undefined || unfinished === named : number === named)
      return
    const isNeedless = number === undefined || number < named
    this.#found[isNeedless ? 'removable' : 'unknown'].push(`${id}/${name}`)
  }

  async #shard(folder: string, named: ReadonlySet<number>): Promise<string[]> {
    const unknown: string[] = []
    this.#found.folders.push(folder)
    for (const name of await this.#disk.list(`${this.#root}/${folder}`)) {
      const number = segmentNumber(name)
      const highest = number ?? unfinishedNumber(name) ?? 0
      this.highestNumber = Math.max(this.highestNumber, highest)
      if (named.has(number ?? unfinishedNumber(name) ?? -1)) continue
      if (unfinishedNumber(name) !== undefined || this.#replaced.has(number ?? -1)) {
        this.#found.removable.push(`${folder}/${name}`)
      } else {
        if (number !== undefined) await this.#mustBeOlder(`${folder}/${name}`)
        unknown.push(`${folder}/${name}`)
      }
    }
    if (named.size === 0 && unknown.length === 0) this.#found.emptyFolders.push(folder)
    return unknown
  }

  async #mustBeOlder(name: string): Promise<void> {
    const path = `${this.#root}/${name}`
    const number = await readManifestNumber(this.#disk, path).catch(() => 0)
    if (number > this.#manifest.number)
      throw olderManifest(this.#root, this.#manifest, path, number)
  }
}

export function olderManifest(
  root: string,
  manifest: Manifest,
  path: string,
  number: number,
): CorruptionError {
  const file = `${root}/${manifestName(manifest.number)}`
  const reason = `the manifest is older than the data: ${path} was made under manifest ${number}`
  return new CorruptionError(file, 0, `${reason}, and this is ${manifest.number}`)
}

/** Clears what was found away. What the disk refuses is left for the next start. */
export async function sweep(
  disk: Disk,
  root: string,
  structure: Structure,
  strays: Strays,
  aside: SetAside,
  log: StoreLog,
): Promise<void> {
  structure.noteNumber(strays.highestNumber)
  try {
    for (const name of strays.removable) await disk.remove(`${root}/${name}`)
    for (const name of strays.unknown) {
      await aside.take(name, 'no manifest names it, and none says that it was replaced')
    }
    for (const name of strays.emptyFolders) await disk.removeDir(`${root}/${name}`)
    if (structure.replaced.size > 0) await syncFolders(disk, root, strays.folders)
    structure.replaced.clear()
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
    log('warn', `cannot clear away what is not needed: ${error.message}`)
  }
}

/**
 * All of them, as far as they are still there: what was replaced may have been removed by the process before this one,
 * and a power cut would bring it back as long as nobody has synced its folder.
 */
async function syncFolders(disk: Disk, root: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (await disk.exists(`${root}/${name}`)) await disk.syncDir(`${root}/${name}`)
  }
  await disk.syncDir(root)
}

/**
 * Logs whose rows are in segments, and unfinished ones. A crash may have come before a damaged one was set aside, or
 * one was archived.
 */
export async function sweepWals(
  disk: Disk,
  root: string,
  manifest: Manifest,
  aside: SetAside,
  log: StoreLog,
  archive?: LogArchive,
): Promise<void> {
  for (const name of await disk.list(walFolder(root))) {
    const number = walNumber(name)
    const isUnfinished = name.endsWith('.wal.tmp')
    if (!isUnfinished && (number === undefined || number >= manifest.walFloor)) continue
    const path = `${walFolder(root)}/${name}`
    try {
      if (isUnfinished) {
        await disk.remove(path)
        continue
      }
      const isDamaged = await readWal(disk, path).then(
        ({ damage }) => damage.length > 0,
        () => true,
      )
      if (isDamaged) await aside.take(`wal/${name}`, 'the log is damaged')
      else if (archive === undefined || (await archive.keep(name))) await disk.remove(path)
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      log('warn', `cannot clear away a log that is not needed: ${error.message}`)
    }
  }
}
