// Backups in a folder of a disk. A backup is written under another name and renamed when everything in it is synced:
// what has a name of a backup is one.

import { dirname } from 'node:path'
import { type Disk, writeFileAtomically } from '../platform/disk.js'
import { recordName } from '../service/backup/backup-record.js'
import type { BackupPlace } from './backup-place.js'
import { makeFolder, readStream, syncTree, type Written, writeStream } from './copy-file.js'

export class FolderPlace implements BackupPlace {
  readonly title: string
  readonly #disk: Disk
  readonly #path: string

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.#path = path
    this.title = path
  }

  list(folder: string): Promise<string[]> {
    return this.#disk.list(this.#full(folder))
  }

  exists(path: string): Promise<boolean> {
    return this.#disk.exists(this.#full(path))
  }

  read(path: string): AsyncIterable<Uint8Array> {
    return readStream(this.#disk, this.#full(path))
  }

  async write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<Written> {
    const full = this.#full(path)
    await this.#disk.makeDir(dirname(full))
    return writeStream(this.#disk, full, bytes)
  }

  remove(path: string): Promise<void> {
    return this.#disk.remove(this.#full(path))
  }

  removeFolder(folder: string): Promise<void> {
    return this.#disk.removeDir(this.#full(folder))
  }

  async begin(id: string): Promise<string> {
    const name = `incomplete-${id}`
    await makeFolder(this.#disk, this.#path)
    await this.#disk.makeDir(this.#full('segments'))
    await this.#disk.makeDir(this.#full(name))
    return name
  }

  async publish(
    unfinished: string,
    name: string,
    files: readonly string[],
    record: (folder: string | undefined) => Uint8Array,
  ): Promise<void> {
    const disk = this.#disk
    // The record comes last, on the disk too: without these a power cut may leave it alone.
    await syncTree(disk, this.#full(unfinished), files)
    await writeFileAtomically(disk, this.#full(unfinished), recordName, record(undefined))
    await disk.syncDir(this.#full('segments'))
    await disk.rename(this.#full(unfinished), this.#full(name))
    await disk.syncDir(this.#path)
  }

  #full(path: string): string {
    return path === '' ? this.#path : `${this.#path}/${path}`
  }
}
