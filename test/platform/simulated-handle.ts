// An open file of the simulated disk: checks that it may do what it is asked to, asks the disk for faults and for
// room, and hands the rest to the file itself.

import type { DiskFile, OpenMode } from '../../src/platform/disk.js'
import { diskFailure, systemError } from '../../src/platform/disk-failure.js'
import type { DiskOperation, FaultRule } from './fault-rules.js'
import type { SimulatedFile } from './simulated-file.js'

/** What an open file asks of its disk. */
export interface HandleHost {
  /** Counts the operation; returns the rule by which it fails, if any. */
  begin(operation: DiskOperation, path: string): FaultRule | undefined
  /** Takes room for `bytes` more (or fewer) in a file; returns how many of them are granted. */
  takeRoom(file: SimulatedFile, bytes: number): number
}

const actions: Readonly<Record<DiskOperation, string>> = {
  open: 'open',
  read: 'read',
  write: 'write',
  sync: 'sync',
  truncate: 'truncate',
  close: 'close',
  exists: 'look up',
  list: 'list',
  makeDir: 'make folder',
  rename: 'rename',
  remove: 'remove',
  removeDir: 'remove folder',
  syncDir: 'sync folder',
}

export class SimulatedHandle implements DiskFile {
  readonly path: string
  readonly #host: HandleHost
  readonly #file: SimulatedFile
  readonly #mode: OpenMode
  #closed = false

  constructor(host: HandleHost, path: string, file: SimulatedFile, mode: OpenMode) {
    this.path = path
    this.#host = host
    this.#file = file
    this.#mode = mode
  }

  readSync(into: Uint8Array, position: number): number {
    return this.#perform('read', false, () => this.#file.read(into, position))
  }

  async write(parts: readonly Uint8Array[], position: number): Promise<void> {
    await undefined
    const write = (bytesMax: number) => {
      let at = position
      for (const part of parts) {
        const wanted = part.subarray(0, Math.max(0, position + bytesMax - at))
        const written = this.#writePart(wanted, at)
        at += written
        if (written < wanted.length) throw systemError('ENOSPC')
        if (wanted.length < part.length) return
      }
    }
    this.#perform(
      'write',
      true,
      () => write(Infinity),
      (fault) => write(fault.writtenBytes ?? 0),
    )
    // What the system does in one call, and a crash may come between.
    if (this.#mode === 'log') await this.sync()
  }

  async sync(): Promise<void> {
    await undefined
    this.#perform(
      'sync',
      false,
      () => this.#file.sync(),
      () => this.#file.failSync(),
    )
  }

  async truncate(size: number): Promise<void> {
    await undefined
    this.#perform('truncate', true, () => {
      const growth = size - this.#file.size
      const granted = this.#host.takeRoom(this.#file, growth)
      if (granted < growth) {
        this.#host.takeRoom(this.#file, -granted)
        throw systemError('ENOSPC')
      }
      this.#file.truncate(size)
    })
  }

  size(): number {
    if (this.#closed) throw diskFailure('read the size', this.path, systemError('EBADF'))
    return this.#file.size
  }

  async close(): Promise<void> {
    await undefined
    if (this.#closed) return
    this.#perform('close', false, () => {
      this.#closed = true
    })
  }

  /** Returns how many bytes there was room for. */
  #writePart(part: Uint8Array, position: number): number {
    if (part.length === 0) return 0
    const growth = Math.max(0, position + part.length - this.#file.size)
    const granted = this.#host.takeRoom(this.#file, growth)
    const fitting = part.length - (growth - granted)
    if (fitting > 0) {
      this.#file.write(part.subarray(0, fitting), position)
      return fitting
    }
    // Not even the hole before the part fits: the file stays as it is.
    this.#host.takeRoom(this.#file, -granted)
    return 0
  }

  #perform<T>(
    operation: DiskOperation,
    writes: boolean,
    run: () => T,
    failing?: (fault: FaultRule) => void,
  ): T {
    try {
      const fault = this.#host.begin(operation, this.path)
      if (this.#closed || (writes && this.#mode === 'read')) throw systemError('EBADF')
      if (fault !== undefined) {
        failing?.(fault)
        throw systemError(fault.error)
      }
      return run()
    } catch (error) {
      throw asFailure(operation, this.path, error)
    }
  }
}

/** A hook that throws does so to stop the test: only what the disk itself raised is a disk failure. */
export function asFailure(operation: DiskOperation, path: string, error: unknown): unknown {
  const isOurs = error instanceof Error && 'code' in error
  return isOurs ? diskFailure(actions[operation], path, error) : error
}
