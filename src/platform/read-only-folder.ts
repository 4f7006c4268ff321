// A folder on a file system that is mounted read-only: how it is found out, and copies of some of its files for those
// who can read them only where they may also write (SQLite makes files beside a database even to look into it).

import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename } from 'node:path'
import { diskFailure } from './disk-failure.js'

/** Only where nobody can write through this mount: a folder that is not ours is another matter. */
export function isReadOnlyFolder(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS'
  }
}

export interface CopiedFiles {
  /** Where the copy of a file lies. */
  path(original: string): string
  remove(): void
}

/** In the folder for temporary files. Those that are not there are left out. */
export function copyFiles(paths: readonly string[]): CopiedFiles {
  let folder: string | undefined
  const remove = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const made = mkdtempSync(`${tmpdir()}/millrace-`)
    folder = made
    const path = (original: string) => `${made}/${basename(original)}`
    for (const original of paths) if (existsSync(original)) copyFileSync(original, path(original))
    return { path, remove }
  } catch (error) {
    remove()
    throw diskFailure('copy for reading', paths[0], error)
  }
}
