// How a failed disk operation is told: every Disk turns what it met into a DiskError whose message names the operation
// and the reason in words, and whose cause keeps the system's error code for callers that must tell failures apart.

import { DiskError } from '../errors.js'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBADF: 'file is closed or was opened for reading',
  EBUSY: 'in use',
  EDQUOT: 'disk quota exceeded',
  EEXIST: 'already exists',
  EFBIG: 'file too large',
  EIO: 'input/output error',
  EISDIR: 'is a folder',
  EMFILE: 'too many open files in this process',
  ENAMETOOLONG: 'name too long',
  ENFILE: 'too many open files on this machine',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a folder',
  ENOTEMPTY: 'folder is not empty',
  EPERM: 'operation not permitted',
  EROFS: 'file system is read-only',
}

/** `action` completes the sentence "cannot ...". */
export function diskFailure(action: string, path: string, cause: unknown): DiskError {
  const code = codeOf(cause)
  const known = code === undefined ? undefined : reasons[code]
  const reason = known ?? (cause instanceof Error ? cause.message : String(cause))
  return new DiskError(path, `cannot ${action}: ${reason}`, cause)
}

/** An error as the operating system would raise it, for failures that a disk decides on by itself. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: ${reasons[code] ?? 'unknown error'}`), { code })
}

/** The system's code (`ENOSPC`, `EIO`, ...) behind a DiskError; undefined for any other error. */
export function diskErrorCode(error: unknown): string | undefined {
  return error instanceof DiskError ? codeOf(error.cause) : undefined
}

function codeOf(cause: unknown): string | undefined {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return undefined
  return typeof cause.code === 'string' ? cause.code : undefined
}
