// What commands are called with. Arguments that are wrong end a command with exit code 2, unlike
// whatever fails later.

import { UserError } from '../errors.js'

export class UsageError extends Error {}

/** Runs what judges arguments, so that what it refuses counts as called wrongly. */
export function judgeArguments<T>(judge: () => T): T {
  try {
    return judge()
  } catch (error) {
    if (error instanceof UserError) throw new UsageError(error.message)
    throw error
  }
}

export const exportFlags = [
  { flag: 'data-dir', placeholder: 'DIR', help: 'the data folder' },
  { flag: 'bucket', placeholder: 'NAME|ID', help: 'the bucket to print' },
  { flag: 'measurement', placeholder: 'NAME', help: 'only this measurement' },
  { flag: 'start', placeholder: 'TIME', help: 'from this moment on (RFC3339 or nanoseconds)' },
  { flag: 'stop', placeholder: 'TIME', help: 'up to this moment (RFC3339 or nanoseconds)' },
] as const
