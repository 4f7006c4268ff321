// Room on the disk that is kept back, as a file of zeros, for when the disk is full: to delete something one first has
// to write (what is in memory, a manifest, a segment without the deleted rows). A delete or merge that finds no room
// lets the file go and goes on; points are refused from then on, so that they do not take what was kept for deletes,
// until there is room to have the file again. It is small while little is in memory, and has room for what a flush may
// take while there are points to flush, or when the disk fills: another program may take all that is free at once.

import { DiskError } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import { diskErrorCode, systemError } from '../../../platform/disk-failure.js'
import type { StoreLog } from '../../store-log.js'
import { reservedPath } from '../files/filenames.js'

export interface ReservedSpaceOptions {
  readonly disk: Disk
  readonly root: string
  /** 0: nothing is kept back. */
  readonly byteLength: number
  /** What it grows to, where the disk tells how much room it has. */
  readonly fullByteLength: number
  /** Of what would have to be flushed before a delete. */
  readonly memoryBytes: () => number
  /** How often it is tried to have it again, and looked how full the disk is. */
  readonly retryMs: number
  readonly log: StoreLog
}

const pieceBytes = 1 << 20

/** With less room than so many times what it grows to, it takes this share of what there is, and stays so large. */
const roomShare = 8
/** Small again when there is so much more room than that. */
const roomAgain = 2

export class ReservedSpace {
  readonly #options: ReservedSpaceOptions
  readonly #path: string
  #heldBytes = 0
  /** Let go, and not had again yet. */
  #isSpent = false
  /** How large it was last. */
  #lastBytes = 0
  #isClosed = false
  #isFollowing = false
  #retry: NodeJS.Timeout | undefined
  /** One thing at a time; does not reject. */
  #work: Promise<unknown> = Promise.resolve()

  constructor(options: ReservedSpaceOptions) {
    this.#options = options
    this.#path = reservedPath(options.root)
  }

  get byteLength(): number {
    return this.#heldBytes
  }

  /** Points came: there may be more to flush than fits into it. Looked at once between two looks by the clock. */
  follow(): void {
    const { byteLength, memoryBytes } = this.#options
    if (this.#isFollowing || this.#heldBytes !== byteLength) return
    if (memoryBytes() <= byteLength / 2) return
    this.#isFollowing = true
    void this.take()
  }

  /** What is not there yet is taken, where there is room, and what is not needed is given back. */
  take(): Promise<void> {
    return this.#inTurn(() => this.#take())
  }

  /** Throws while what is left is for deletes and merges. */
  checkWrite(): void {
    if (!this.#isSpent) return
    const message = 'cannot write: no space left on device, what was kept back is in use'
    throw new DiskError(this.#path, message, systemError('ENOSPC'))
  }

  /** Whether it is worth to try again what has failed with this error. */
  release(error: unknown): Promise<boolean> {
    const code = diskErrorCode(error)
    if (code !== 'ENOSPC' && code !== 'EDQUOT') return Promise.resolve(false)
    return this.#inTurn(() => this.#release())
  }

  /** What is half taken is given back. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#work
    clearTimeout(this.#retry)
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#work.then(action)
    this.#work = done.catch(() => undefined)
    return done
  }

  async #release(): Promise<boolean> {
    if (this.#heldBytes === 0) return false
    const { disk, log } = this.#options
    try {
      await disk.remove(this.#path)
    } catch {
      return false
    }
    this.#heldBytes = 0
    this.#isSpent = true
    log('warn', 'the disk is full: what was kept back is used for deletes and merges')
    this.#tryLater()
    return true
  }

  #tryLater(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      this.#isFollowing = false
      void this.take()
    }, this.#options.retryMs)
    this.#retry.unref()
  }

  async #take(): Promise<void> {
    const { disk, byteLength, log } = this.#options
    if (byteLength === 0 || this.#isClosed) return
    // Looked at again and again, unless nobody can say how full the disk is.
    if (disk.freeBytes !== undefined) this.#tryLater()
    try {
      const wanted = await this.#wantedBytes()
      if (wanted === undefined || this.#heldBytes === wanted) return
      await this.#resize(wanted)
      this.#heldBytes = wanted
      this.#lastBytes = wanted
      if (this.#isSpent) log('info', 'the disk has room again')
      this.#isSpent = false
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      await this.#keepWhatWasHeld()
      this.#tryLater()
    }
  }

  /** It could not grow: what it had before is worth the more. */
  async #keepWhatWasHeld(): Promise<void> {
    const { disk } = this.#options
    try {
      if (this.#heldBytes > 0) await this.#resize(this.#heldBytes)
      else await disk.remove(this.#path)
    } catch {
      await disk.remove(this.#path).catch(() => undefined)
      this.#heldBytes = 0
    }
  }

  /** Undefined: there is no room for it, and to try would take the last. */
  async #wantedBytes(): Promise<number | undefined> {
    const { disk, root, byteLength, fullByteLength, memoryBytes } = this.#options
    const free = await disk.freeBytes?.(root)
    if (free === undefined) return byteLength
    const isLarge = this.#lastBytes > byteLength
    const enough = roomShare * fullByteLength * (isLarge ? roomAgain : 1)
    // Once large it stays so until hardly anything is left to flush: growing writes all of it.
    const hasMuch = memoryBytes() > byteLength / (isLarge ? 8 : 2)
    if (free >= enough) return hasMuch ? Math.max(byteLength, fullByteLength) : byteLength
    if (isLarge) return free + this.#heldBytes < this.#lastBytes ? undefined : this.#lastBytes
    const share = Math.floor((free + this.#heldBytes) / roomShare / pieceBytes) * pieceBytes
    return Math.max(byteLength, Math.min(fullByteLength, share))
  }

  /** What was there stays while it grows. */
  async #resize(byteLength: number): Promise<void> {
    const { disk, root } = this.#options
    const isThere = await disk.exists(this.#path)
    const file = await disk.open(this.#path, isThere ? 'write' : 'create')
    try {
      const size = file.size()
      if (size === byteLength) return
      if (size > byteLength) await file.truncate(byteLength)
      const piece = new Uint8Array(Math.min(pieceBytes, byteLength))
      for (let at = size; at < byteLength; at += piece.length) {
        if (this.#isClosed) throw new DiskError(this.#path, 'the store is closed')
        await file.write([piece.subarray(0, Math.min(piece.length, byteLength - at))], at)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await disk.syncDir(root)
  }
}
