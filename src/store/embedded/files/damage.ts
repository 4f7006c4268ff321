// What counts as the damage of a file: bytes that are not what was written, and bytes that the disk does not give. All
// other failures are of the disk, and pass.

import { CorruptionError, DiskError } from '../../../errors.js'
import { diskErrorCode } from '../../../platform/disk-failure.js'

/** What is wrong with one file: other bytes than were written, or none that the disk gives. Throws the rest. */
export function damageOf(error: unknown, path: string): CorruptionError {
  if (error instanceof CorruptionError) return error
  if (diskErrorCode(error) !== 'EIO') throw error
  return new CorruptionError(path, 0, 'the disk cannot read it: input/output error')
}

/** The same of a read that failed; undefined: it is no damage. */
export function asDamage(error: unknown): CorruptionError | undefined {
  if (error instanceof CorruptionError) return error
  const isUnreadable = error instanceof DiskError && diskErrorCode(error) === 'EIO'
  return isUnreadable ? damageOf(error, error.file) : undefined
}
