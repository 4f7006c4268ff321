// Group commit: writes that wait together share one frame and one sync. The writer takes everything
// that is queued, writes it to a file whose writes are durable when they end, and only then tells
// the writers; what arrives meanwhile waits for the next round. After a failure the file is cut back
// to what is known to be durable before anything else is written, so that a half-written frame never
// stands in front of a good one.

import { DiskError } from '../../../errors.js'
import { type Disk, type DiskFile, writeFileAtomically } from '../../../platform/disk.js'
import { ByteWriter } from '../encoding/byte-writer.js'
import { walFolder, walPath } from '../files/filenames.js'
import { fileHeader, frame } from '../files/frames.js'
import { type WalStart, walMagic, walVersion, walVersionNoted } from './format.js'
import { printNote, type WalNote } from './note.js'

export class WalWriter {
  readonly number: number
  readonly #file: DiskFile
  /** Of a log that will be archived: what the time is. */
  readonly #now: (() => bigint) | undefined
  /** Everything before is durable. */
  #end: number
  #frameNumber: number
  /** A write failed and the file was not cut back yet. */
  #unsure = false

  private constructor(
    number: number,
    file: DiskFile,
    end: number,
    frameNumber: number,
    now: (() => bigint) | undefined,
  ) {
    this.number = number
    this.#file = file
    this.#end = end
    this.#frameNumber = frameNumber
    this.#now = now
  }

  get byteLength(): number {
    return this.#end
  }

  /**
   * The file gets its name when its beginning is synced: one without it was never begun. With `now` its frames tell
   * their moments, for an archive.
   */
  static async create(
    disk: Disk,
    root: string,
    number: number,
    start: WalStart,
    now?: () => bigint,
  ): Promise<WalWriter> {
    const path = walPath(root, number)
    const version = now === undefined ? walVersion : walVersionNoted
    const parts = [fileHeader(walMagic, version), ...frame(0, [startPayload(start)])]
    try {
      const name = path.slice(walFolder(root).length + 1)
      await writeFileAtomically(disk, walFolder(root), name, Buffer.concat(parts))
      return new WalWriter(number, await disk.open(path, 'log'), byteLengthOf(parts), 1, now)
    } catch (error) {
      // A full disk is tried again with every write: nothing of the attempts may stay.
      for (const each of [path, `${path}.tmp`]) await disk.remove(each).catch(() => undefined)
      throw error
    }
  }

  /** Durable when resolved. */
  append(records: readonly Uint8Array[]): Promise<void> {
    const payload: Uint8Array[] = this.#moment()
    for (const record of records) {
      const length = new Uint8Array(4)
      new DataView(length.buffer).setUint32(0, record.length, true)
      payload.push(length, record)
    }
    return this.#appendFrame(payload)
  }

  /** Durable when resolved; nothing where the log will not be archived. */
  async note(note: WalNote): Promise<void> {
    if (this.#now !== undefined) await this.#appendFrame([...this.#moment(), printNote(note)])
  }

  #moment(): Uint8Array[] {
    return this.#now === undefined ? [] : [printNote({ kind: 'time', at: this.#now() })]
  }

  async #appendFrame(payload: readonly Uint8Array[]): Promise<void> {
    if (this.#unsure) await this.#cutBack()
    const parts = frame(this.#frameNumber, payload)
    this.#unsure = true
    await this.#file.write(parts, this.#end)
    this.#unsure = false
    this.#frameNumber++
    this.#end += byteLengthOf(parts)
  }

  /**
   * The last frame, which names the log that follows: one that is lost before a manifest names it is found out. Where
   * the disk refuses, that manifest has to do.
   */
  async end(next: number): Promise<void> {
    const payload = new ByteWriter(16)
    payload.u32(0)
    payload.varint(next)
    await this.#appendFrame([payload.written()]).catch(() => undefined)
    // Everything in it is synced: a file that cannot be closed loses nothing.
    await this.close().catch(() => undefined)
  }

  async #cutBack(): Promise<void> {
    try {
      await this.#file.truncate(this.#end)
      await this.#file.sync()
    } catch (error) {
      throw new DiskError(this.#file.path, 'cannot write: the log is not usable yet', error)
    }
    this.#unsure = false
  }

  async close(): Promise<void> {
    if (this.#unsure) await this.#cutBack().catch(() => undefined)
    await this.#file.close()
  }
}

function startPayload({ before, beforeEnd, manifest }: WalStart): Uint8Array {
  const payload = new ByteWriter(32)
  payload.varint(before)
  payload.varint(beforeEnd)
  payload.varint(manifest)
  return payload.written()
}

function byteLengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
