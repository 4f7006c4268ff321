// A disk in memory for tests. It can fail on order (`inject`), fill up
// (`capacityBytes`), decay (`corrupt`) and, when built with `trackCrashes`, show what a power cut at this moment may
// leave (`crashClone`). Without tracking it keeps no books and costs one copy per byte written.
//
// As on the real disk, an operation takes effect after its call has returned, in the order of the calls: whoever reuses
// a buffer before the write has resolved is found out here too.

import { assert } from '../../src/errors.js'
import type { Disk, DiskFile, OpenMode } from '../../src/platform/disk.js'
import { systemError } from '../../src/platform/disk-failure.js'
import { type Random, seededRandom } from '../../src/platform/random.js'
import { type DiskOperation, type FaultRule, FaultRules } from './fault-rules.js'
import { type Keep, SimulatedFile } from './simulated-file.js'
import { SimulatedFolder, type SimulatedNode, treeAfterCrash } from './simulated-folder.js'
import { asFailure, type HandleHost, SimulatedHandle } from './simulated-handle.js'

export interface SimulatedDiskOptions {
  /** Needed for `crashClone`; costs two more copies of what is written. */
  readonly trackCrashes?: boolean
  /** Writes beyond it fail with ENOSPC. */
  readonly capacityBytes?: number
}

export interface CrashOptions {
  readonly random: Random
  /** `random` unless told. */
  readonly keep?: Keep
}

export class SimulatedDisk implements Disk {
  /** May be raised or lowered at any time. */
  capacityBytes: number
  /** Called before each operation takes effect, for instance to take a crash clone there. */
  onOperation: ((operation: DiskOperation, path: string) => void) | undefined
  readonly #tracked: boolean
  readonly #faults = new FaultRules()
  readonly #host: HandleHost = {
    begin: (operation, path) => this.#begin(operation, path),
    takeRoom: (file, bytes) => this.#takeRoom(file, bytes),
  }
  #root: SimulatedFolder
  #usedBytes = 0
  #operationCount = 0

  constructor(options: SimulatedDiskOptions = {}) {
    this.#tracked = options.trackCrashes ?? false
    this.capacityBytes = options.capacityBytes ?? Infinity
    this.#root = new SimulatedFolder(this.#tracked)
  }

  /** The size of all files together. */
  get usedBytes(): number {
    return this.#usedBytes
  }

  /** How many operations were begun, failed ones included. */
  get operationCount(): number {
    return this.#operationCount
  }

  /** Makes operations fail from now on; the function returned takes the rule back. */
  inject(rule: FaultRule): () => void {
    return this.#faults.add(rule)
  }

  /** The next such operation fails, those after it do not. */
  failNext(operation: DiskOperation, error: FaultRule['error'], path?: RegExp): () => void {
    return this.inject({ operation, error, times: 1, ...(path && { path }) })
  }

  /** Flips the bits of `mask` in one byte of a file, on the medium itself. */
  corrupt(path: string, offset: number, mask = 1): void {
    const file = this.#find(path)
    assert(file instanceof SimulatedFile && offset < file.size, `no byte ${offset} in ${path}`)
    file.corrupt(offset, mask)
  }

  /**
   * A new disk with what a power cut now may leave of this one (`simulated-folder.ts` and `simulated-file.ts` say
   * what that is). It has no fault rules and no hook, and everything on it is synced.
   */
  crashClone(options: CrashOptions | Random): SimulatedDisk {
    const { random, keep = 'random' } = 'random' in options ? options : { random: options }
    assert(this.#tracked || keep === 'all', 'a crash clone needs trackCrashes')
    const capacityBytes = this.capacityBytes
    const clone = new SimulatedDisk({ trackCrashes: this.#tracked, capacityBytes })
    clone.#root = treeAfterCrash(this.#root, keep, random)
    clone.#usedBytes = sizeOf(clone.#root)
    return clone
  }

  /** Everything as it is now, as if it had all been synced. */
  clone(): SimulatedDisk {
    return this.crashClone({ random: seededRandom(0), keep: 'all' })
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    return this.#perform('open', path, () => {
      const { folder, name } = this.#locate(path)
      let file = folder.entries.get(name)
      if (file instanceof SimulatedFolder) throw systemError('EISDIR')
      if (file === undefined) {
        if (mode !== 'create') throw systemError('ENOENT')
        file = new SimulatedFile(this.#tracked)
        folder.set(name, file)
      } else if (mode === 'create' && file.size > 0) {
        this.#usedBytes -= file.size
        file.truncate(0)
      }
      return new SimulatedHandle(this.#host, path, file, mode)
    })
  }

  async exists(path: string): Promise<boolean> {
    return this.#perform('exists', path, () => this.#find(path) !== undefined)
  }

  async list(folder: string): Promise<string[]> {
    return this.#perform('list', folder, () => {
      const found = this.#find(folder)
      if (found instanceof SimulatedFile) throw systemError('ENOTDIR')
      return found === undefined ? [] : [...found.entries.keys()].sort()
    })
  }

  async makeDir(folder: string): Promise<void> {
    return this.#perform('makeDir', folder, () => {
      let at = this.#root
      for (const name of namesOf(folder)) {
        let next = at.entries.get(name)
        if (next instanceof SimulatedFile) throw systemError('EEXIST')
        if (next === undefined) {
          next = new SimulatedFolder(this.#tracked)
          at.set(name, next)
        }
        at = next
      }
    })
  }

  async rename(from: string, to: string): Promise<void> {
    const move = () => {
      const source = this.#locate(from)
      const target = this.#locate(to)
      const moved = source.folder.entries.get(source.name)
      const replaced = target.folder.entries.get(target.name)
      if (moved === undefined) throw systemError('ENOENT')
      if (moved === replaced) return
      if (replaced instanceof SimulatedFolder) throw systemError('ENOTEMPTY')
      if (replaced !== undefined) this.#unlink(replaced)
      source.folder.rename(source.name, target.folder, target.name)
    }
    return this.#perform('rename', from, move, [from, to])
  }

  async remove(path: string): Promise<void> {
    return this.#perform('remove', path, () => {
      const { folder, name } = this.#locate(path)
      const file = folder.entries.get(name)
      if (file === undefined) throw systemError('ENOENT')
      if (file instanceof SimulatedFolder) throw systemError('EISDIR')
      this.#unlink(file)
      folder.delete(name)
    })
  }

  async removeDir(folder: string): Promise<void> {
    return this.#perform('removeDir', folder, () => {
      const found = this.#find(folder)
      if (found === undefined) return
      const { folder: parent, name } = this.#locate(folder)
      if (found instanceof SimulatedFolder) this.#empty(found)
      else this.#unlink(found)
      parent.delete(name)
    })
  }

  async syncDir(folder: string): Promise<void> {
    return this.#perform('syncDir', folder, () => {
      const found = this.#find(folder)
      if (found === undefined) throw systemError('ENOENT')
      if (found instanceof SimulatedFile) throw systemError('ENOTDIR')
      found.sync()
    })
  }

  #begin(operation: DiskOperation, path: string, paths = [path]): FaultRule | undefined {
    this.#operationCount++
    this.onOperation?.(operation, path)
    return this.#faults.match(operation, paths)
  }

  #takeRoom(file: SimulatedFile, bytes: number): number {
    if (!file.linked) return bytes
    const granted = Math.min(bytes, Math.max(0, this.capacityBytes - this.#usedBytes))
    this.#usedBytes += granted
    return granted
  }

  async #perform<T>(
    operation: DiskOperation,
    path: string,
    run: () => T,
    paths = [path],
  ): Promise<T> {
    await undefined
    try {
      const fault = this.#begin(operation, path, paths)
      if (fault !== undefined) throw systemError(fault.error)
      return run()
    } catch (error) {
      throw asFailure(operation, path, error)
    }
  }

  #find(path: string): SimulatedNode | undefined {
    let at: SimulatedNode | undefined = this.#root
    for (const name of namesOf(path)) {
      if (!(at instanceof SimulatedFolder)) return undefined
      at = at.entries.get(name)
    }
    return at
  }

  #locate(path: string): { folder: SimulatedFolder; name: string } {
    const names = namesOf(path)
    const name = names.pop()
    if (name === undefined) throw systemError('EISDIR')
    const folder = this.#find(names.join('/'))
    if (folder === undefined) throw systemError('ENOENT')
    if (folder instanceof SimulatedFile) throw systemError('ENOTDIR')
    return { folder, name }
  }

  /** Name by name, so that a crash may leave a folder half emptied. */
  #empty(folder: SimulatedFolder): void {
    for (const [name, node] of [...folder.entries]) {
      if (node instanceof SimulatedFolder) this.#empty(node)
      else this.#unlink(node)
      folder.delete(name)
    }
  }

  #unlink(file: SimulatedFile): void {
    this.#usedBytes -= file.size
    file.linked = false
  }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

function sizeOf(folder: SimulatedFolder): number {
  let bytes = 0
  for (const node of folder.entries.values()) {
    bytes += node instanceof SimulatedFolder ? sizeOf(node) : node.size
  }
  return bytes
}
