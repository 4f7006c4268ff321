// A disk that only looks: reading goes through to another one, and whatever would change something is refused as a
// file system that is mounted read-only refuses it.

import type { Disk, DiskFile, OpenMode } from './disk.js'
import { diskFailure, systemError } from './disk-failure.js'

export class ReadOnlyDisk implements Disk {
  readonly #disk: Disk

  constructor(disk: Disk) {
    this.#disk = disk
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    if (mode !== 'read') return refuse('open', path)
    return this.#disk.open(path, mode)
  }

  exists(path: string): Promise<boolean> {
    return this.#disk.exists(path)
  }

  list(folder: string): Promise<string[]> {
    return this.#disk.list(folder)
  }

  async makeDir(folder: string): Promise<void> {
    refuse('make folder', folder)
  }

  async rename(from: string): Promise<void> {
    refuse('rename', from)
  }

  async remove(path: string): Promise<void> {
    refuse('remove', path)
  }

  async removeDir(folder: string): Promise<void> {
    refuse('remove folder', folder)
  }

  async syncDir(folder: string): Promise<void> {
    refuse('sync folder', folder)
  }
}

function refuse(action: string, path: string): never {
  throw diskFailure(action, path, systemError('EROFS'))
}
