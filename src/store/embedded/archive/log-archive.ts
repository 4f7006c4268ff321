// Logs that are kept instead of being removed, for a restore to a moment (`--wal-archive`): each is copied into another
// folder, under its own name, before the store lets go of it. One that cannot be copied stays where it is and is tried
// again with the next; the folder is one store's alone.

import { DiskError } from '../../../errors.js'
import { type Disk, readFile, writeFileAtomically } from '../../../platform/disk.js'
import type { StoreLog } from '../../store-log.js'
import { walFolder } from '../files/filenames.js'

export class LogArchive {
  readonly #disk: Disk
  readonly #root: string
  readonly #folder: string
  readonly #log: StoreLog

  constructor(disk: Disk, root: string, folder: string, log: StoreLog) {
    this.#disk = disk
    this.#root = root
    this.#folder = folder
    this.#log = log
  }

  /** The log is in the archive, durably, where it answers true; else it was told why not. */
  async keep(name: string): Promise<boolean> {
    const disk = this.#disk
    try {
      const bytes = await readFile(disk, `${walFolder(this.#root)}/${name}`)
      await disk.makeDir(this.#folder)
      const path = `${this.#folder}/${name}`
      if (await disk.exists(path)) {
        if (Buffer.compare(await readFile(disk, path), bytes) === 0) return true
        throw new DiskError(path, 'is the log of another store: each needs an archive of its own')
      }
      await writeFileAtomically(disk, this.#folder, name, bytes)
      return true
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#log('error', `a log could not be archived and stays: ${error.message}`)
      return false
    }
  }
}
