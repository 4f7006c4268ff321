// `restore --wal-archive`: a backup, and everything that archived logs hold beyond it, up to a moment. It is made
// beside the new folder and gets its name when it is done: one that was broken off is no installation.

import { existsSync, readdirSync, rmdirSync } from 'node:fs'
import type { BackupFolder, StoredBackup } from '../backup/backup-folder.js'
import { restoreBackup } from '../backup/restore.js'
import type { Flags } from '../config.js'
import { UserError } from '../errors.js'
import { NodeDisk } from '../platform/node-disk.js'
import {
  type ArchivePosition,
  type ArchiveReplay,
  type ArchiveTarget,
  replayArchive,
} from '../store/embedded/archive/replay-archive.js'
import type { Store } from '../store/store.js'
import { ByteLine } from './progress-line.js'
import { printJson } from './rows.js'

const notWhole = 3

export interface UntilRequest {
  readonly isJson: boolean
  readonly folders: readonly string[]
  /** Nanoseconds since 1970; undefined: everything that is there. */
  readonly until: bigint | undefined
}

/** Undefined: the flags ask for a backup alone. Throws UserError. */
export function readUntil(flags: Flags): UntilRequest | undefined {
  const archive = flags.get('wal-archive')
  const text = flags.get('until')
  if (archive === undefined) {
    if (text === undefined) return undefined
    throw new UserError('invalid', 'flag --until: needs --wal-archive, where the logs are')
  }
  if (flags.get('bucket') !== undefined) {
    throw new UserError('invalid', 'flag --wal-archive: goes with --data-dir, not with --bucket')
  }
  const folders = archive.split(',').filter((folder) => folder !== '')
  for (const folder of folders) {
    if (!existsSync(folder)) {
      throw new UserError('invalid', `flag --wal-archive: there is no folder "${folder}"`)
    }
  }
  const milliseconds = text === undefined ? 0 : Date.parse(text)
  const isMoment = text === undefined || /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text)
  if (!isMoment || Number.isNaN(milliseconds)) {
    throw new UserError(
      'invalid',
      `flag --until: "${text}" is no moment such as 2026-11-17T08:00:00Z`,
    )
  }
  // A moment of a whole millisecond has all of it.
  const until = text === undefined ? undefined : BigInt(milliseconds) * 1_000_000n + 999_999n
  return { folders, until, isJson: flags.has('json') }
}

/** The newest backup that is not later than the moment, unless one is named. */
export async function backupBefore(
  folder: BackupFolder,
  name: string | undefined,
  { until }: UntilRequest,
): Promise<StoredBackup> {
  const isEarly = ({ record }: StoredBackup) =>
    record.isPartial !== true &&
    (until === undefined || BigInt(Date.parse(record.at)) * 1_000_000n <= until)
  if (name === undefined) {
    const found = (await folder.list()).filter(isEarly).at(-1)
    if (found !== undefined) return found
    throw new UserError(
      'not found',
      `no backup in ${folder.place.title} is from before that moment`,
    )
  }
  const named = await folder.find(name)
  if (isEarly(named)) return named
  throw new UserError('invalid', `the backup ${name} is from after that moment`)
}

export async function restoreUntil(
  folder: BackupFolder,
  backup: StoredBackup,
  target: string,
  request: UntilRequest,
): Promise<number> {
  const disk = new NodeDisk()
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new UserError(
      'conflict',
      `${target} is not empty: a backup is restored into a new folder`,
    )
  }
  if (!backup.record.hasCatalog) {
    throw new UserError('invalid', 'the catalog is not in the backup: it cannot be carried on')
  }
  const work = `${target.replace(/\/+$/, '')}.unfinished`
  await disk.removeDir(work)
  const total = backup.record.files.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const line = new ByteLine(backup.name, total)
  const options = { onBytes: line.add }
  await restoreBackup(folder, backup, disk, work, options).finally(() => line.end())
  const replay = await carryOn(work, { ...request, from: positionOf(backup) })
  if (existsSync(target)) rmdirSync(target)
  await disk.rename(work, target)
  return tell(target, backup, request, replay)
}

/** Where the newest log of the backup ends. */
function positionOf({ name, record }: StoredBackup): ArchivePosition {
  const logs = record.files.filter((file) => /^store\/wal\/\d+\.wal$/.test(file.name))
  const last = logs.sort((a, b) => (a.name < b.name ? -1 : 1)).at(-1)
  if (last?.sha256 === undefined) {
    throw new UserError('invalid', `the backup ${name} has no log: it cannot be carried on`)
  }
  const number = Number(/(\d+)\.wal$/.exec(last.name)?.[1])
  return { number, end: last.byteLength, sha256: last.sha256 }
}

async function carryOn(
  dataDir: string,
  { folders, until, from }: UntilRequest & { readonly from: ArchivePosition },
): Promise<ArchiveReplay> {
  const { openStore } = await import('../index.js')
  const opened = await openStore({ dataDir })
  try {
    const known = new Set((await opened.catalog.buckets.all()).map(({ id }) => id))
    const knows = (bucket: string) => known.has(bucket)
    const line = new ByteLine('archived logs')
    const parts = { disk: new NodeDisk(), folders, from, until, knows, onBytes: line.add }
    const replayed = replayArchive(opened.store as Store & ArchiveTarget, parts)
    return await replayed.finally(() => line.end())
  } finally {
    await opened.close()
  }
}

function tell(
  target: string,
  { name }: StoredBackup,
  { until, isJson }: UntilRequest,
  { points, refused, deletes, at, unknown, gap }: ArchiveReplay,
): number {
  if (isJson) {
    const last = at === undefined ? null : momentText(at)
    printJson({ dataDir: target, backup: name, points, deletes, refused, last, gap: gap ?? null })
  } else {
    const last = at === undefined ? 'nothing' : `up to ${momentText(at)}`
    const more = `${points.toLocaleString('en')} points, ${deletes} deletes (${last})`
    process.stdout.write(`${target}: the backup ${name} and, from logs, ${more}\n`)
    process.stdout.write(`Next: millrace serve --data-dir ${target}\n`)
  }
  if (refused > 0) process.stderr.write(`${refused} points were refused, such as expired ones.\n`)
  if (unknown.size > 0) {
    const what = `${unknown.size} buckets were made after the backup, whose catalog does not know`
    process.stderr.write(`${what} them: their points are left out.\n`)
  }
  if (gap !== undefined) {
    const wanted = until === undefined ? 'what came later' : momentText(until)
    process.stderr.write(`${gap}: it ends there, before ${wanted}.\n`)
  }
  return gap === undefined && unknown.size === 0 ? 0 : notWhole
}

function momentText(at: bigint): string {
  return new Date(Number(at / 1_000_000n)).toISOString()
}
