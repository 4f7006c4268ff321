// A queue of bytes on the disk: what was appended is there until it was taken, whatever happens to the process. Files
// that grow by frames, and a small one that says how far they were taken:
//
//   000000000001.queue   frame   u32  byte length of the payload
//                                u32  CRC-32 of the 8 bytes of time and the payload
//                                i64  when it was appended, nanoseconds since 1970
//                                payload
//   taken                JSON: number of the file and offset of the first frame that was not taken
//
// Who appends waits for a sync, which serves all who wait. A bad frame at the end of the last file is what a crash
// leaves of a write that nobody was told of: it is cut off. Frames may be taken twice after a crash, never not at all.

import { crc32 } from 'node:zlib'
import { type Disk, type DiskFile, readFile, writeFileAtomically } from '../../platform/disk.js'

export interface QueueOptions {
  readonly disk: Disk
  readonly folder: string
  /** Nanoseconds since 1970. */
  readonly now: () => bigint
  /** Told where bytes are not what was written: the rest of that file is given up. */
  readonly damaged: (file: string, offset: number) => void
}

/** What was read and not yet taken. */
export interface QueuePiece {
  readonly payloads: readonly Uint8Array[]
  /** For `take`. */
  readonly end: Place
  readonly appendedAt: bigint
}

interface Place {
  readonly file: number
  readonly offset: number
}

interface Pending {
  readonly payloads: readonly Uint8Array[]
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

const headerBytes = 16
/** A file is removed as a whole: small enough to give room back soon, and to be scanned at a start. */
const fileBytesMax = 8 * 1024 * 1024
const takenName = 'taken'

export class DurableQueue {
  readonly #options: QueueOptions
  /** Bytes by file, oldest first. The last one is open and grows. */
  readonly #files = new Map<number, number>()
  #tail: DiskFile | undefined
  #taken: Place = { file: 1, offset: 0 }
  #pending: Pending[] = []
  #writing: Promise<void> | undefined

  private constructor(options: QueueOptions) {
    this.#options = options
  }

  static async open(options: QueueOptions): Promise<DurableQueue> {
    const queue = new DurableQueue(options)
    await options.disk.makeDir(options.folder)
    await queue.#load()
    return queue
  }

  /** Bytes that were not taken, with their frames. */
  get waitingBytes(): number {
    let bytes = 0
    for (const [file, size] of this.#files) if (file >= this.#taken.file) bytes += size
    return bytes - (this.#files.has(this.#taken.file) ? this.#taken.offset : 0)
  }

  /** Bytes of all files. */
  get diskBytes(): number {
    let bytes = 0
    for (const size of this.#files.values()) bytes += size
    return bytes
  }

  /** Resolves when they are durable, all of them or none. Throws DiskError. */
  append(payloads: readonly Uint8Array[]): Promise<void> {
    const waiting = new Promise<void>((done, failed) => {
      this.#pending.push({ payloads, done, failed })
    })
    this.#writing ??= this.#write()
    return waiting
  }

  /** The oldest frames up to so many bytes, at least one; undefined: nothing waits. */
  async peek(bytesMax: number): Promise<QueuePiece | undefined> {
    for (;;) {
      const { file, offset } = this.#taken
      const size = this.#files.get(file) ?? 0
      if (offset < size) {
        const piece = await this.#read(file, offset, size, bytesMax)
        if (piece !== undefined) return piece
        // Nothing of the rest of it can be read.
        await this.take({ file, offset: size })
      }
      const next = [...this.#files.keys()].find((number) => number > file)
      if (next === undefined) return undefined
      await this.take({ file: next, offset: 0 })
    }
  }

  /** Everything up to there is done with. */
  async take(end: Place): Promise<void> {
    const { disk, folder } = this.#options
    this.#taken = end
    await writeFileAtomically(disk, folder, takenName, Buffer.from(JSON.stringify(end)))
    for (const file of [...this.#files.keys()]) {
      if (file >= end.file) break
      this.#files.delete(file)
      await disk.remove(this.#path(file))
    }
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#tail?.close()
    this.#tail = undefined
  }

  async #load(): Promise<void> {
    const { disk, folder } = this.#options
    const names = await disk.list(folder)
    if (names.includes(takenName)) this.#taken = await this.#readTaken()
    const numbers = names.flatMap((name) => /^(\d{12})\.queue$/.exec(name)?.[1] ?? []).map(Number)
    for (const number of numbers) {
      if (number < this.#taken.file) await disk.remove(this.#path(number))
      else this.#files.set(number, await this.#goodBytes(number, number === numbers.at(-1)))
    }
  }

  async #readTaken(): Promise<Place> {
    const { disk, folder, damaged } = this.#options
    const path = `${folder}/${takenName}`
    try {
      const { file, offset } = JSON.parse(Buffer.from(await readFile(disk, path)).toString())
      if (Number.isSafeInteger(file) && Number.isSafeInteger(offset)) return { file, offset }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    // From the beginning then: what comes twice is the same.
    damaged(path, 0)
    return { file: 1, offset: 0 }
  }

  /** Cuts off what a crash left of the last write. */
  async #goodBytes(number: number, isLast: boolean): Promise<number> {
    const { disk, damaged } = this.#options
    const file = await disk.open(this.#path(number), isLast ? 'write' : 'read')
    try {
      const size = file.size()
      if (!isLast) return size
      const bytes = new Uint8Array(size)
      file.readSync(bytes, 0)
      let end = 0
      for (let next = frameAt(bytes, 0); next !== undefined; next = frameAt(bytes, end)) {
        end = next.end
      }
      if (end === size) return size
      if (hasFrameAfter(bytes, end)) damaged(file.path, end)
      else await file.truncate(end)
      await file.sync()
      return end
    } finally {
      await file.close()
    }
  }

  async #read(
    number: number,
    offset: number,
    size: number,
    bytesMax: number,
  ): Promise<QueuePiece | undefined> {
    const { disk, damaged } = this.#options
    const file = await disk.open(this.#path(number), 'read')
    try {
      let bytes = new Uint8Array(Math.min(size - offset, Math.max(bytesMax, headerBytes)))
      file.readSync(bytes, offset)
      const first = byteLengthAt(bytes, 0)
      if (first > bytes.length && offset + first <= size) {
        bytes = new Uint8Array(first)
        file.readSync(bytes, offset)
      }
      const payloads: Uint8Array[] = []
      let end = 0
      let appendedAt = 0n
      for (let next = frameAt(bytes, 0); next !== undefined; next = frameAt(bytes, end)) {
        if (end === 0) appendedAt = next.appendedAt
        payloads.push(next.payload)
        end = next.end
      }
      if (end > 0) return { payloads, end: { file: number, offset: offset + end }, appendedAt }
      damaged(file.path, offset)
      return undefined
    } finally {
      await file.close()
    }
  }

  async #write(): Promise<void> {
    // Never before it is known that somebody writes.
    await undefined
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      try {
        await this.#writeFrames(batch.flatMap(({ payloads }) => payloads))
        for (const { done } of batch) done()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    // In the same turn as the last look: who appends after it must find that nobody writes.
    this.#writing = undefined
  }

  async #writeFrames(payloads: readonly Uint8Array[]): Promise<void> {
    const now = this.#options.now()
    const [number, file] = await this.#tailFile()
    const offset = this.#files.get(number) ?? 0
    const parts = payloads.flatMap((payload) => [frameHeader(payload, now), payload])
    try {
      await file.write(parts, offset)
      await file.sync()
    } catch (error) {
      // Nothing of it counts. What cannot be cut off either goes into a file that nobody appends to any more.
      this.#tail = undefined
      await file.truncate(offset).catch(() => undefined)
      await file.close().catch(() => undefined)
      throw error
    }
    this.#files.set(number, offset + parts.reduce((sum, { length }) => sum + length, 0))
  }

  async #tailFile(): Promise<[number, DiskFile]> {
    const { disk, folder } = this.#options
    const last = [...this.#files.keys()].at(-1) ?? 0
    if (this.#tail !== undefined && (this.#files.get(last) ?? 0) < fileBytesMax) {
      return [last, this.#tail]
    }
    await this.#tail?.close()
    this.#tail = undefined
    const number = Math.max(last, this.#taken.file) + 1
    const file = await disk.open(this.#path(number), 'create')
    await disk.syncDir(folder)
    this.#tail = file
    this.#files.set(number, 0)
    return [number, file]
  }

  #path(number: number): string {
    return `${this.#options.folder}/${String(number).padStart(12, '0')}.queue`
  }
}

function frameHeader(payload: Uint8Array, now: bigint): Uint8Array {
  const header = new DataView(new ArrayBuffer(headerBytes))
  header.setUint32(0, payload.length, true)
  header.setBigInt64(8, now, true)
  const time = new Uint8Array(header.buffer, 8, 8)
  header.setUint32(4, crc32(payload, crc32(time)), true)
  return new Uint8Array(header.buffer)
}

/** Of the frame, as its header says; more than there is where it has none. */
function byteLengthAt(bytes: Uint8Array, at: number): number {
  if (at + headerBytes > bytes.length) return Number.POSITIVE_INFINITY
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return headerBytes + view.getUint32(at, true)
}

interface Frame {
  readonly payload: Uint8Array
  readonly appendedAt: bigint
  readonly end: number
}

/** Undefined where there is none that is whole. */
function frameAt(bytes: Uint8Array, at: number): Frame | undefined {
  const end = at + byteLengthAt(bytes, at)
  if (end > bytes.length) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const payload = bytes.subarray(at + headerBytes, end)
  const time = bytes.subarray(at + 8, at + headerBytes)
  if (crc32(payload, crc32(time)) !== view.getUint32(at + 4, true)) return undefined
  return { payload, appendedAt: view.getBigInt64(at + 8, true), end }
}

/** Whether the bad frame is followed by a good one: then it is damage and no unfinished write. */
function hasFrameAfter(bytes: Uint8Array, at: number): boolean {
  const end = at + byteLengthAt(bytes, at)
  return end < bytes.length && frameAt(bytes, end) !== undefined
}
