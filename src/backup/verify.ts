// Looks whether a backup is what it says: every file is there, with the length and the checksum of its record. It tells
// all that is wrong, not the first only.

import type { BackupFolder, StoredBackup } from './backup-folder.js'
import { hashOf } from './copy-file.js'

export interface Verification {
  readonly fileCount: number
  readonly byteLength: number
  /** What is wrong, in words for a person. */
  readonly problems: readonly string[]
}

export interface VerifyOptions {
  /** Remembers what was read already: backups of a folder share most of their files. */
  readonly checked?: Map<string, string>
  /** How many more bytes were read. */
  readonly onBytes?: (count: number) => void
}

/** What `verifyBackup` will read of these, which it reads once. */
export function bytesToVerify(folder: BackupFolder, backups: readonly StoredBackup[]): number {
  const lengths = new Map<string, number>()
  for (const backup of backups) {
    for (const file of backup.record.files) {
      lengths.set(folder.pathOf(backup, file), file.byteLength)
    }
  }
  return [...lengths.values()].reduce((sum, length) => sum + length, 0)
}

export async function verifyBackup(
  folder: BackupFolder,
  backup: StoredBackup,
  { checked = new Map(), onBytes }: VerifyOptions = {},
): Promise<Verification> {
  const { record } = backup
  const problems: string[] = record.damage.map((damage) => `damaged when it was taken: ${damage}`)
  let total = 0
  for (const file of record.files) {
    const path = folder.pathOf(backup, file)
    let found = checked.get(path)
    if (found === undefined) {
      found = await lookAt(folder, path, onBytes)
      checked.set(path, found)
    }
    total += file.byteLength
    if (found === missing) problems.push(`${folder.titleOf(path)} is missing`)
    else if (found !== `${file.byteLength} ${file.sha256}`) {
      problems.push(`${folder.titleOf(path)} is not what was written`)
    }
  }
  return { fileCount: record.files.length, byteLength: total, problems }
}

const missing = 'missing'

async function lookAt(
  { place }: BackupFolder,
  path: string,
  onBytes: VerifyOptions['onBytes'],
): Promise<string> {
  if (!(await place.exists(path))) return missing
  const { byteLength, sha256 } = await hashOf(place.read(path), onBytes)
  return `${byteLength} ${sha256}`
}
