// The files of one shard of InfluxDB, opened together so that they fit together, also while the server that owns them
// runs: it writes its log into new TSM files and drops the log, and merges TSM files into others and drops them. The
// log is read first, and if anything that was opened has gone by the time everything is open, it is opened anew.

import { DiskError } from '../../errors.js'
import { type Disk, type DiskFile, readFile } from '../../platform/disk.js'
import { diskErrorCode } from '../../platform/disk-failure.js'
import { readTombstones } from '../../tsm/files/tombstones.js'
import { type RandomBytes, TsmFile } from '../../tsm/files/tsm-file.js'
import { readWal } from '../../tsm/files/wal-file.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import { FileLayer, type Layer, LogLayer } from '../../tsm/shard/layers.js'
import { handleDamage } from './damage.js'

/** How often a shard is opened anew because the server was just then at work on it. */
const attemptsMax = 50
const retryMs = 100

/** Of a TSM file, read at once: a shard has some dozens of them open. */
const windowBytes = 1 << 18

export interface OpenShard {
  /** Older ones first. */
  readonly layers: readonly Layer[]
  readonly files: readonly TsmFile[]
  close(): Promise<void>
}

interface Watch {
  readonly onDamage: DamageHandler
  /** How many bytes of TSM files were read just now. */
  onBytes(bytes: number): void
}

/** `walFolder` undefined: there is no log, as in a backup. */
export async function openShard(
  disk: Disk,
  dataFolder: string,
  walFolder: string | undefined,
  onDamage: DamageHandler,
  onBytes: (bytes: number) => void = () => {},
): Promise<OpenShard> {
  for (let attempt = 1; ; attempt++) {
    const opened = await tryOpen(disk, dataFolder, walFolder, { onDamage, onBytes })
    if (opened !== undefined) return opened
    if (attempt === attemptsMax) {
      throw new DiskError(dataFolder, 'files of the shard keep disappearing while they are opened')
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

/** Names and sizes: as long as they are the same, so is what is in them. */
export async function shardFingerprint(
  disk: Disk,
  dataFolder: string,
  walFolder: string | undefined,
): Promise<{ readonly text: string; readonly bytes: number }> {
  let text = ''
  let bytes = 0
  for (const folder of walFolder === undefined ? [dataFolder] : [dataFolder, walFolder]) {
    for (const name of await disk.list(folder)) {
      if (!/\.(tsm|tombstone|wal)$/.test(name)) continue
      const size = await sizeOf(disk, `${folder}/${name}`)
      if (size === undefined || size === 0) continue
      text += `${name}=${size} `
      bytes += size
    }
  }
  return { text, bytes }
}

async function sizeOf(disk: Disk, path: string): Promise<number | undefined> {
  const file = await disk.open(path, 'read').catch(() => undefined)
  if (file === undefined) return undefined
  const size = file.size()
  await file.close()
  return size
}

/** Undefined where something went while it was opened. */
async function tryOpen(
  disk: Disk,
  dataFolder: string,
  walFolder: string | undefined,
  watch: Watch,
): Promise<OpenShard | undefined> {
  const open: DiskFile[] = []
  const close = async () => {
    for (const file of open) await file.close()
  }
  try {
    const log = new LogLayer()
    const logNames = walFolder === undefined ? [] : await namesOf(disk, walFolder, '.wal')
    for (const name of logNames) {
      const path = `${walFolder}/${name}`
      const bytes = await readFile(disk, path)
      handleDamage(watch.onDamage, () => readWal(path, bytes, log))
    }
    const names = await namesOf(disk, dataFolder, '.tsm')
    const layers: FileLayer[] = []
    for (const name of names) {
      const file = await disk.open(`${dataFolder}/${name}`, 'read')
      open.push(file)
      const layer = await fileLayer(disk, file, watch)
      if (layer !== undefined) layers.push(layer)
    }
    const logsNow = walFolder === undefined ? [] : await disk.list(walFolder)
    const namesNow = await disk.list(dataFolder)
    const isWhole =
      names.every((name) => namesNow.includes(name)) &&
      logNames.every((name) => logsNow.includes(name))
    if (isWhole) return { layers: [...layers, log], files: layers.map(({ file }) => file), close }
  } catch (error) {
    if (diskErrorCode(error) !== 'ENOENT') {
      await close()
      throw error
    }
  }
  await close()
  return undefined
}

/** Sorted: generation and sequence have nine digits each, segments of a log five. */
async function namesOf(disk: Disk, folder: string, ending: string): Promise<string[]> {
  return (await disk.list(folder)).filter((name) => name.endsWith(ending))
}

async function fileLayer(
  disk: Disk,
  file: DiskFile,
  { onDamage, onBytes }: Watch,
): Promise<FileLayer | undefined> {
  const tsm = handleDamage(onDamage, () => new TsmFile(randomBytes(file, onBytes)))
  if (tsm === undefined) return undefined
  const path = file.path.replace(/tsm$/, 'tombstone')
  if (!(await disk.exists(path))) return new FileLayer(tsm, new Map())
  const bytes = await readFile(disk, path)
  // Points that were deleted must not come back because it cannot be told which.
  return new FileLayer(tsm, readTombstones(path, bytes))
}

/**
 * Blocks are asked for one behind the other and are some hundred bytes each: they come from a window over the file. A
 * window is never written into again, so that what was handed out stays as it is.
 */
function randomBytes(file: DiskFile, onBytes: (bytes: number) => void): RandomBytes {
  const size = file.size()
  let window = new Uint8Array(0)
  let start = 0
  const load = (position: number, length: number) => {
    const bytes = new Uint8Array(length)
    const count = file.readSync(bytes, position)
    onBytes(count)
    return bytes
  }
  return {
    name: file.path,
    size,
    read(position, length) {
      if (length >= windowBytes) return load(position, length)
      if (position < start || position + length > start + window.length) {
        window = load(position, Math.max(length, Math.min(windowBytes, size - position)))
        start = position
      }
      return window.subarray(position - start, position - start + length)
    },
  }
}
