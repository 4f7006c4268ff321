// Puts a backup into an empty folder, so that a server can be started on it. Everything is copied into a folder inside
// and checked on the way; only then it gets its names, the catalog last: a restore that was broken off leaves nothing
// that looks like an installation, and can be started again.

import { UserError } from '../errors.js'
import type { BackupFolder, StoredBackup } from './backup-folder.js'
import { folderOf, readStream, writeStream } from './copy-file.js'

const workName = 'restore-work'

export interface RestoreOptions {
  readonly onBytes?: (count: number) => void
}

export async function restoreBackup(
  folder: BackupFolder,
  { name, record }: StoredBackup,
  target: string,
  { onBytes = () => undefined }: RestoreOptions = {},
): Promise<void> {
  const { disk } = folder
  const there = (await disk.list(target)).filter((one) => one !== workName)
  if (there.length > 0) {
    throw new UserError(
      'conflict',
      `${target} is not empty: a backup is restored into a new folder`,
    )
  }
  const work = `${target}/${workName}`
  await disk.removeDir(work)
  await disk.makeDir(work)
  for (const file of record.files) {
    const from = folder.pathOf(name, file)
    if (!(await disk.exists(from))) throw new UserError('invalid', `${from} is missing`)
    const to = `${work}/${file.name}`
    await disk.makeDir(folderOf(to))
    const { byteLength, sha256 } = await writeStream(disk, to, readStream(disk, from))
    if (byteLength !== file.byteLength || sha256 !== file.sha256) {
      throw new UserError('invalid', `${from} is damaged: it is not what was backed up`)
    }
    onBytes(byteLength)
  }
  const tops = (await disk.list(work)).sort((a, b) => rank(a) - rank(b))
  for (const top of tops) await disk.rename(`${work}/${top}`, `${target}/${top}`)
  await disk.removeDir(work)
  await disk.syncDir(target)
}

/** The store before the catalog. */
function rank(name: string): number {
  return name === 'store' ? 0 : 1
}
