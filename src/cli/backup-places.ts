// Where the commands keep backups and take them from: a folder, or `s3://bucket/prefix` with the variables that
// Amazon's own tools know.

import { BackupFolder } from '../backup/backup-folder.js'
import { FolderPlace } from '../backup/folder-place.js'
import { openS3Place } from '../backup/s3-place.js'
import type { Flags } from '../config.js'
import { systemClock } from '../platform/clock.js'
import { NodeDisk } from '../platform/node-disk.js'

export function isS3(place: string): boolean {
  return place.startsWith('s3://')
}

/** Throws UserError where the address, or a variable that it needs, is wrong. */
export function openBackups(place: string, flags: Flags): BackupFolder {
  if (!isS3(place)) return new BackupFolder(new FolderPlace(new NodeDisk(), place))
  const endpoint = flags.get('s3-endpoint')
  return new BackupFolder(openS3Place(place, endpoint, process.env, systemClock))
}
