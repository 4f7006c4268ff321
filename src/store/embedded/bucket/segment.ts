// An open segment and who uses it. Its file goes away when the manifest no longer names it and the
// last read that began before has ended.

import type { SegmentEntry } from '../files/manifest.js'
import type { SegmentReader } from '../segment/reader.js'
import { SegmentDeletes } from './tombstones.js'

export class Segment {
  readonly entry: SegmentEntry
  readonly reader: SegmentReader
  readonly deletes: SegmentDeletes
  readonly #shared: { users: number; retired: (() => Promise<void>) | undefined }

  constructor(entry: SegmentEntry, reader: SegmentReader, shared?: Segment) {
    this.entry = entry
    this.reader = reader
    this.deletes = new SegmentDeletes(entry.tombstones)
    this.#shared = shared === undefined ? { users: 0, retired: undefined } : shared.#shared
  }

  /** The same file under a new entry (more tombstones). */
  withEntry(entry: SegmentEntry): Segment {
    return new Segment(entry, this.reader, this)
  }

  acquire(): void {
    this.#shared.users++
  }

  /** A promise only where there is something to wait for. */
  release(): Promise<void> | undefined {
    this.#shared.users--
    return this.#shared.retired === undefined ? undefined : this.#removeIfUnused()
  }

  /** The manifest no longer names the segment: close it, and remove its file by `remove`, once nobody reads. */
  async retire(remove: () => Promise<void>): Promise<void> {
    this.#shared.retired = async () => {
      await this.reader.close()
      await remove()
    }
    await this.#removeIfUnused()
  }

  async #removeIfUnused(): Promise<void> {
    const { users, retired } = this.#shared
    if (users > 0 || retired === undefined) return
    this.#shared.retired = undefined
    await retired()
  }
}
