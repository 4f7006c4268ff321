// A disk in memory, for running without a data folder: folders are maps, files are bytes that grow. Nothing of it
// outlives the process, so that syncing has nothing to do.

import type { Disk, DiskFile, OpenMode } from './disk.js'
import { diskFailure, systemError } from './disk-failure.js'

const bufferBytesMin = 4096

/** Bytes that double their room as they grow. The room past `size` is always zero, as a file's holes are. */
export class GrowingBytes {
  size = 0
  #buffer = new Uint8Array(0)

  view(): Uint8Array {
    return this.#buffer.subarray(0, this.size)
  }

  write(part: Uint8Array, position: number): void {
    const end = position + part.length
    this.#reserve(end)
    this.#buffer.set(part, position)
    if (end > this.size) this.size = end
  }

  truncate(size: number): void {
    if (size === 0) this.#buffer = new Uint8Array(0)
    else if (size < this.size) this.#buffer.fill(0, size, this.size)
    else this.#reserve(size)
    this.size = size
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return
    const grown = new Uint8Array(Math.max(bufferBytesMin, this.#buffer.length * 2, bytes))
    grown.set(this.view())
    this.#buffer = grown
  }
}

type Folder = Map<string, Folder | GrowingBytes>

/** As on the real disk, an operation takes effect after its call has returned, in the order of the calls. */
export class MemoryDisk implements Disk {
  readonly #root: Folder = new Map()

  open(path: string, mode: OpenMode): Promise<DiskFile> {
    return performed('open', path, () => {
      const { folder, name } = this.#locate(path)
      let file = folder.get(name)
      if (file instanceof Map) throw systemError('EISDIR')
      if (file === undefined) {
        if (mode !== 'create') throw systemError('ENOENT')
        file = new GrowingBytes()
        folder.set(name, file)
      } else if (mode === 'create') file.truncate(0)
      return new MemoryFile(path, file, mode !== 'read')
    })
  }

  exists(path: string): Promise<boolean> {
    return performed('look up', path, () => this.#find(path) !== undefined)
  }

  list(folder: string): Promise<string[]> {
    return performed('list', folder, () => {
      const found = this.#find(folder)
      if (found instanceof GrowingBytes) throw systemError('ENOTDIR')
      return found === undefined ? [] : [...found.keys()].sort()
    })
  }

  makeDir(folder: string): Promise<void> {
    return performed('make folder', folder, () => {
      let at = this.#root
      for (const name of namesOf(folder)) {
        const next = at.get(name) ?? new Map()
        if (next instanceof GrowingBytes) throw systemError('EEXIST')
        at.set(name, next)
        at = next
      }
    })
  }

  rename(from: string, to: string): Promise<void> {
    return performed('rename', from, () => {
      const source = this.#locate(from)
      const target = this.#locate(to)
      const moved = source.folder.get(source.name)
      const replaced = target.folder.get(target.name)
      if (moved === undefined) throw systemError('ENOENT')
      if (moved === replaced) return
      if (replaced instanceof Map) throw systemError('ENOTEMPTY')
      source.folder.delete(source.name)
      target.folder.set(target.name, moved)
    })
  }

  remove(path: string): Promise<void> {
    return performed('remove', path, () => {
      const { folder, name } = this.#locate(path)
      const file = folder.get(name)
      if (file === undefined) throw systemError('ENOENT')
      if (file instanceof Map) throw systemError('EISDIR')
      folder.delete(name)
    })
  }

  removeDir(path: string): Promise<void> {
    return performed('remove folder', path, () => {
      if (this.#find(path) === undefined) return
      const { folder, name } = this.#locate(path)
      folder.delete(name)
    })
  }

  syncDir(folder: string): Promise<void> {
    return performed('sync folder', folder, () => {
      const found = this.#find(folder)
      if (found === undefined) throw systemError('ENOENT')
      if (found instanceof GrowingBytes) throw systemError('ENOTDIR')
    })
  }

  #find(path: string): Folder | GrowingBytes | undefined {
    let at: Folder | GrowingBytes | undefined = this.#root
    for (const name of namesOf(path)) {
      if (!(at instanceof Map)) return undefined
      at = at.get(name)
    }
    return at
  }

  #locate(path: string): { folder: Folder; name: string } {
    const names = namesOf(path)
    const name = names.pop()
    if (name === undefined) throw systemError('EISDIR')
    const folder = this.#find(names.join('/'))
    if (folder === undefined) throw systemError('ENOENT')
    if (folder instanceof GrowingBytes) throw systemError('ENOTDIR')
    return { folder, name }
  }
}

class MemoryFile implements DiskFile {
  readonly path: string
  readonly #content: GrowingBytes
  readonly #isWritable: boolean
  #isClosed = false

  constructor(path: string, content: GrowingBytes, isWritable: boolean) {
    this.path = path
    this.#content = content
    this.#isWritable = isWritable
  }

  readSync(into: Uint8Array, position: number): number {
    this.#check('read', false)
    const content = this.#content.view().subarray(position, position + into.length)
    into.set(content)
    return content.length
  }

  async write(parts: readonly Uint8Array[], position: number): Promise<void> {
    await undefined
    this.#check('write', true)
    let at = position
    for (const part of parts) {
      if (part.length > 0) this.#content.write(part, at)
      at += part.length
    }
  }

  async sync(): Promise<void> {
    this.#check('sync', false)
  }

  async truncate(size: number): Promise<void> {
    await undefined
    this.#check('truncate', true)
    this.#content.truncate(size)
  }

  size(): number {
    this.#check('read the size', false)
    return this.#content.size
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #check(action: string, writes: boolean): void {
    if (this.#isClosed || (writes && !this.#isWritable)) {
      throw diskFailure(action, this.path, systemError('EBADF'))
    }
  }
}

async function performed<T>(action: string, path: string, run: () => T): Promise<T> {
  await undefined
  try {
    return run()
  } catch (error) {
    throw diskFailure(action, path, error)
  }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}
