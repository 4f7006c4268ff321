// The real disk, on node:fs. It adds to the system calls what they leave to the caller: short reads and writes are
// carried on until done, and every failure becomes a DiskError that names the file. It caches nothing.

import { constants, fstatSync, readSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import type { Disk, DiskFile, OpenMode } from './disk.js'
import { diskFailure, systemError } from './disk-failure.js'

// What one call takes at most on Linux (IOV_MAX).
const writePartsMax = 1024

/** Writes that end when they are durable. Elsewhere the flag is not there, or promises less than a sync does. */
const hasSyncedWrites = process.platform === 'linux'

const openFlags = {
  read: 'r',
  write: 'r+',
  create: 'w+',
  log: hasSyncedWrites ? constants.O_RDWR | constants.O_DSYNC : 'r+',
} as const

class NodeFile implements DiskFile {
  readonly path: string
  readonly #handle: fs.FileHandle
  readonly #syncsWrites: boolean
  #closed = false

  constructor(path: string, handle: fs.FileHandle, mode: OpenMode) {
    this.path = path
    this.#handle = handle
    this.#syncsWrites = mode === 'log' && !hasSyncedWrites
  }

  readSync(into: Uint8Array, position: number): number {
    try {
      const descriptor = this.#descriptor()
      let read = 0
      while (read < into.length) {
        const count = readSync(descriptor, into, read, into.length - read, position + read)
        if (count === 0) break
        read += count
      }
      return read
    } catch (error) {
      throw diskFailure('read', this.path, error)
    }
  }

  async write(parts: readonly Uint8Array[], position: number): Promise<void> {
    try {
      this.#descriptor()
      let at = position
      let left = parts.filter((part) => part.length > 0)
      while (left.length > 0) {
        const { bytesWritten } = await this.#handle.writev(left.slice(0, writePartsMax), at)
        // A call that reports no progress and no error would keep us here for ever.
        if (bytesWritten === 0) throw systemError('EIO')
        at += bytesWritten
        left = partsAfter(left, bytesWritten)
      }
    } catch (error) {
      throw diskFailure('write', this.path, error)
    }
    if (this.#syncsWrites) await this.sync()
  }

  async sync(): Promise<void> {
    try {
      this.#descriptor()
      // fdatasync also makes the size durable; what it leaves out is only the file's times.
      await this.#handle.datasync()
    } catch (error) {
      throw diskFailure('sync', this.path, error)
    }
  }

  async truncate(size: number): Promise<void> {
    try {
      this.#descriptor()
      await this.#handle.truncate(size)
    } catch (error) {
      throw diskFailure('truncate', this.path, error)
    }
  }

  size(): number {
    try {
      return fstatSync(this.#descriptor()).size
    } catch (error) {
      throw diskFailure('read the size', this.path, error)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.#handle.close()
    } catch (error) {
      throw diskFailure('close', this.path, error)
    }
  }

  #descriptor(): number {
    if (this.#closed) throw systemError('EBADF')
    return this.#handle.fd
  }
}

export class NodeDisk implements Disk {
  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const action = mode === 'create' ? 'create' : 'open'
    return attempt(
      action,
      path,
      async () => new NodeFile(path, await fs.open(path, openFlags[mode]), mode),
    )
  }

  async exists(path: string): Promise<boolean> {
    return attempt('look up', path, async () => {
      try {
        await fs.stat(path)
        return true
      } catch (error) {
        if (isMissing(error)) return false
        throw error
      }
    })
  }

  async freeBytes(folder: string): Promise<number | undefined> {
    try {
      const { bavail, bsize } = await fs.statfs(folder)
      return bavail * bsize
    } catch {
      return undefined
    }
  }

  async list(folder: string): Promise<string[]> {
    return attempt('list', folder, async () => {
      try {
        return (await fs.readdir(folder)).sort()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    })
  }

  async makeDir(folder: string): Promise<void> {
    await attempt('make folder', folder, () => fs.mkdir(folder, { recursive: true }))
  }

  async rename(from: string, to: string): Promise<void> {
    await attempt(`rename to ${to}`, from, () => fs.rename(from, to))
  }

  async remove(path: string): Promise<void> {
    await attempt('remove', path, () => fs.unlink(path))
  }

  async removeDir(folder: string): Promise<void> {
    await attempt('remove folder', folder, () => fs.rm(folder, { recursive: true, force: true }))
  }

  async syncDir(folder: string): Promise<void> {
    await attempt('sync folder', folder, async () => {
      const handle = await fs.open(folder, 'r')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    })
  }
}

async function attempt<T>(action: string, path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw diskFailure(action, path, error)
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** What is left of the parts once their first `count` bytes are written. */
function partsAfter(parts: readonly Uint8Array[], count: number): Uint8Array[] {
  let index = 0
  let left = count
  while (index < parts.length && parts[index].length <= left) left -= parts[index++].length
  const rest = parts.slice(index)
  if (left > 0) rest[0] = rest[0].subarray(left)
  return rest
}
