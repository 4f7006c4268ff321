// What a backup says of itself: the last thing that is written of one, so that what has none is no whole backup.
// It names every file with its checksum, also those that an earlier backup brought.

import { UserError } from '../../errors.js'

/** Of the catalog, where it is in the backup. */
export const catalogName = 'catalog.sqlite'
export const recordName = 'backup.json'
export const recordVersion = 1
/** Of backups of some buckets, which programs that know whole ones alone must not take for such. */
export const partialRecordVersion = 2

/** In the stream, files with a mark are called by it: whoever receives them knows at once what they are. */
export const segmentPrefix = 'segments/'

export interface BackedUpFile {
  /** Below the folder that is restored: `catalog.sqlite`, `store/…`. */
  readonly name: string
  readonly byteLength: number
  /** Equal marks, equal bytes: such a file is kept once for all backups of a folder. */
  readonly mark?: string
  /** Hexadecimal. Absent only in what a server sends, for files that the receiver has. */
  readonly sha256?: string
}

export interface BackedUpBucket {
  readonly id: string
  readonly name: string
  readonly org: string
  readonly retentionSeconds: number
}

export interface BackupRecord {
  readonly millraceBackup: number
  /** RFC3339: everything that was acknowledged before is in it, nothing that came later. */
  readonly at: string
  readonly programVersion: string
  /** False: the catalog is in PostgreSQL, whose own tools back it up. */
  readonly hasCatalog: boolean
  /** What could not be read, and is therefore missing. */
  readonly damage: readonly string[]
  /** Those with their points in it. */
  readonly buckets: readonly BackedUpBucket[]
  /** Only some of the buckets were wanted. */
  readonly isPartial?: boolean
  readonly files: readonly BackedUpFile[]
  /** In S3: where the files are that are only this backup's own. */
  readonly folder?: string
}

/** Throws UserError where it is none that is known here. */
export function parseRecord(bytes: Uint8Array): BackupRecord {
  let record: BackupRecord | undefined
  try {
    record = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw new UserError('invalid', `${recordName} is damaged: it is not JSON`)
  }
  if (typeof record !== 'object' || record === null || !Array.isArray(record.files)) {
    throw new UserError('invalid', `${recordName} is no record of a backup`)
  }
  const version = record.isPartial === true ? partialRecordVersion : recordVersion
  if (record.millraceBackup !== version) {
    throw new UserError('invalid', `backups of version ${record.millraceBackup} are not known here`)
  }
  for (const { name } of record.files) checkName(name)
  if (record.folder !== undefined) checkName(record.folder)
  return record
}

/** A name that leads out of the folder is no name of ours. */
export function checkName(name: string): void {
  const isOurs = /^[\w.-]+(\/[\w.-]+)*$/.test(name) && !name.split('/').includes('..')
  if (!isOurs) throw new UserError('invalid', `a backup has no file "${name}"`)
}
