// Puts a backup into an empty folder, so that a server can be started on it. Everything is copied into a folder inside
// and checked on the way; only then it gets its names, the catalog last: a restore that was broken off leaves nothing
// that looks like an installation, and can be started again. The power may go at any moment: each step is on the disk
// before the next.

import { dirname } from 'node:path'
import { UserError } from '../errors.js'
import type { Disk } from '../platform/disk.js'
import { type BackupRecord, catalogName } from '../service/backup/backup-record.js'
import type { BackupFolder, StoredBackup } from './backup-folder.js'
import { makeFolder, syncTree, writeStream } from './copy-file.js'

const workName = 'restore-work'

export interface RestoreOptions {
  readonly onBytes?: (count: number) => void
}

export async function restoreBackup(
  folder: BackupFolder,
  backup: StoredBackup,
  disk: Disk,
  target: string,
  { onBytes = () => undefined }: RestoreOptions = {},
): Promise<void> {
  const { record } = backup
  const names = await disk.list(target)
  const there = names.filter((one) => one !== workName)
  const isBrokenOff = names.includes(workName) && isHalfNamed(record, there)
  if (there.length > 0 && !isBrokenOff) {
    throw new UserError(
      'conflict',
      `${target} is not empty: a backup is restored into a new folder`,
    )
  }
  for (const name of there) await disk.removeDir(`${target}/${name}`)
  const work = `${target}/${workName}`
  await disk.removeDir(work)
  await makeFolder(disk, target)
  await disk.makeDir(work)
  for (const file of record.files) {
    const from = folder.pathOf(backup, file)
    if (!(await folder.place.exists(from))) {
      throw new UserError('invalid', `${folder.titleOf(from)} is missing`)
    }
    const to = `${work}/${file.name}`
    await disk.makeDir(dirname(to))
    const { byteLength, sha256 } = await writeStream(disk, to, folder.place.read(from))
    if (byteLength !== file.byteLength || sha256 !== file.sha256) {
      throw new UserError(
        'invalid',
        `${folder.titleOf(from)} is damaged: it is not what was backed up`,
      )
    }
    onBytes(byteLength)
  }
  await syncTree(
    disk,
    work,
    record.files.map((file) => file.name),
  )
  const tops = (await disk.list(work)).filter((top) => top !== catalogName)
  for (const top of tops) await disk.rename(`${work}/${top}`, `${target}/${top}`)
  await disk.syncDir(target)
  if (record.hasCatalog) {
    await disk.rename(`${work}/${catalogName}`, `${target}/${catalogName}`)
    await disk.syncDir(target)
  }
  await disk.removeDir(work)
  await disk.syncDir(target)
}

/** Before a service makes an installation of a folder: one that a restore has not come to its end in is none yet. */
export async function mustBeRestored(disk: Disk, target: string): Promise<void> {
  if (!(await disk.exists(`${target}/${workName}`))) return
  if (await disk.exists(`${target}/${catalogName}`)) return
  throw new UserError(
    'conflict',
    `${target}: a restore into this folder was broken off; run it again, or remove ${workName} and what lies beside it`,
  )
}

/** An earlier restore was broken off while names were given: no server starts on it, as the catalog comes last. */
function isHalfNamed({ hasCatalog, files }: BackupRecord, there: readonly string[]): boolean {
  const tops = new Set(files.map(({ name }) => name.split('/', 1)[0]))
  return hasCatalog && !there.includes(catalogName) && there.every((name) => tops.has(name))
}
