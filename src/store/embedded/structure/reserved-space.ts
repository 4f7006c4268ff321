// Room on the disk that is kept back, as a file of zeros, for when the disk is full: to delete something one first has
// to write (what is in memory, a manifest, a segment without the deleted rows). A delete or merge that finds no room
// lets the file go and goes on; points are refused from then on, so that they do not take what was kept for deletes,
// until there is room to have the file again. It is small while the disk has room, and grows to what a flush may take
// when the disk fills.

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

  /** At the start: what is not there yet is taken, where there is room. */
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
  letGo(error: unknown): Promise<boolean> {
    const code = diskErrorCode(error)
    if (code !== 'ENOSPC' && code !== 'EDQUOT') return Promise.resolve(false)
    return this.#inTurn(() => this.#letGo())
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

  async #letGo(): Promise<boolean> {
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
    this.#retry = setTimeout(() => void this.take(), this.#options.retryMs)
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
      if (!(await this.#isThere(wanted))) await this.#write(wanted)
      this.#heldBytes = wanted
      this.#lastBytes = wanted
      if (this.#isSpent) log('info', 'the disk has room again')
      this.#isSpent = false
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      await disk.remove(this.#path).catch(() => undefined)
      this.#heldBytes = 0
      this.#tryLater()
    }
  }

  /** Undefined: there is no room for it, and to try would take the last. */
  async #wantedBytes(): Promise<number | undefined> {
    const { disk, root, byteLength, fullByteLength } = this.#options
    const free = await disk.freeBytes?.(root)
    if (free === undefined) return byteLength
    const isLarge = this.#lastBytes > byteLength
    const enough = roomShare * fullByteLength * (isLarge ? roomAgain : 1)
    if (free >= enough) return byteLength
    if (isLarge) return free + this.#heldBytes < this.#lastBytes ? undefined : this.#lastBytes
    const share = Math.floor((free + this.#heldBytes) / roomShare / pieceBytes) * pieceBytes
    return Math.max(byteLength, Math.min(fullByteLength, share))
  }

  async #isThere(byteLength: number): Promise<boolean> {
    const { disk } = this.#options
    if (!(await disk.exists(this.#path))) return false
    const file = await disk.open(this.#path, 'read')
    try {
      return file.size() === byteLength
    } finally {
      await file.close()
    }
  }

  async #write(byteLength: number): Promise<void> {
    const { disk, root } = this.#options
    const piece = new Uint8Array(Math.min(pieceBytes, byteLength))
    const file = await disk.open(this.#path, 'create')
    try {
      for (let at = 0; at < byteLength; at += piece.length) {
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
