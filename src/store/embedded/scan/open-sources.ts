// What a read takes its rows from, opened on a thread that was told of it: files by their paths, memtables by their
// shared arrays. Whoever opens them closes them.

import type { Disk } from '../../../platform/disk.js'
import { SegmentSource, type Source } from '../read/sources.js'
import { SegmentReader } from '../segment/reader.js'
import { FrozenSeries } from './frozen-series.js'
import type { ScanSource } from './messages.js'

export class OpenSources {
  readonly #disk: Disk
  readonly #told: readonly ScanSource[]
  readonly #minute: number
  readonly #readers: SegmentReader[] = []
  #opened: Promise<Source[]> | undefined

  /** `minute`: see `checkMinute`. */
  constructor(disk: Disk, told: readonly ScanSource[], minute: number) {
    this.#disk = disk
    this.#told = told
    this.#minute = minute
  }

  /** The same for whoever asks. */
  open(): Promise<Source[]> {
    this.#opened ??= Promise.all(this.#told.map((source) => this.#open(source)))
    return this.#opened
  }

  /** Nobody reads from them any more. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#opened])
    // A file that was only read loses nothing when it cannot be closed.
    for (const { file } of this.#readers.splice(0)) await file.close().catch(() => undefined)
  }

  async #open(source: ScanSource): Promise<Source> {
    const { base, rank } = source
    if (source.kind === 'table') {
      const table = new FrozenSeries(source.table, source.minOffset, source.maxOffset)
      return { kind: 'table', base, rank, table, isFilling: false }
    }
    const { directory, deletes } = source
    const { path } = source
    const minute = this.#minute
    const reader = await SegmentReader.openKnown(this.#disk, path, base, directory, minute)
    this.#readers.push(reader)
    return new SegmentSource(base, rank, reader, directory.name, deletes)
  }
}
