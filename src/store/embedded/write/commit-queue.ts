// The way of a write through the log: records queue up, one frame and one sync make all that wait
// durable, then their rows go into the memtables in the same order, then the writers are told. What
// arrives meanwhile is the next round.
//
// A failure refuses everything that is queued: later records count on earlier ones having named
// their series. The buckets fall back to what is durable, and the next record names again what was
// lost.

import { BusyError } from '../../../errors.js'
import { keepsSpareMemory, type SpareMemory } from '../../../platform/spare-memory.js'
import type { Bucket } from '../bucket/bucket.js'
import { ByteWriter } from '../encoding/byte-writer.js'
import type { SeriesMarks } from '../index/series-marks.js'
import { type RecordToWrite, writeRecord } from '../wal/record.js'
import type { AdmittedTable } from './admission.js'

interface Entry {
  readonly bucket: Bucket
  readonly tables: readonly AdmittedTable[]
  /** Undefined until its round: of a write in many pieces, all records together would take more than the write. */
  record: ByteWriter | undefined
  readonly seriesEnd: number
  readonly fieldsEnd: number
  resolve(): void
  reject(error: unknown): void
}

/** What runs between two rounds. */
interface Action {
  run(): Promise<void>
}

export interface CommitTarget {
  /** Called before each round: waits until the memtables have room for its first write, or throws. */
  makeRoom(tables: readonly AdmittedTable[]): Promise<void>
  /** How many of these the memtables take before they want to be looked at again; at least one. */
  roundLength(writes: readonly (readonly AdmittedTable[])[]): number
  /** Durable when resolved. */
  append(records: readonly Uint8Array[]): Promise<void>
  apply(bucket: Bucket, tables: readonly AdmittedTable[]): void
}

/** Record buffers are used again: one of a megabyte per write would keep the collector busy. */
const spareWritersMax = 8
const spareWriterBytesMax = 4 << 20
const spareBytesMax = 8 << 20

export class CommitQueue implements SpareMemory {
  readonly #target: CommitTarget
  readonly #queuedBytesMax: number
  /** In the order of the calls. */
  #queue: (Entry | Action)[] = []
  /** Entries of the round that is being made durable. */
  #underWay: readonly Entry[] = []
  #queuedBytes = 0
  #running: Promise<void> | undefined
  readonly #spareWriters: ByteWriter[] = []
  #spareBytes = 0

  constructor(target: CommitTarget, queuedBytesMax: number) {
    this.#target = target
    this.#queuedBytesMax = queuedBytesMax
    keepsSpareMemory(this)
  }

  dropSpare(): void {
    this.#spareWriters.length = 0
    this.#spareBytes = 0
  }

  get queuedBytes(): number {
    return this.#queuedBytes
  }

  /** Rows of the measurement are on their way. */
  holds(bucket: Bucket, measurementId: number): boolean {
    return [...this.#underWay, ...this.#queue].some(
      (entry) =>
        'record' in entry &&
        entry.bucket === bucket &&
        entry.tables.some(({ table }) => table.measurementId === measurementId),
    )
  }

  /** Series of rows that are on their way. */
  markSeries(bucket: Bucket, marks: SeriesMarks): void {
    for (const entry of [...this.#underWay, ...this.#queue]) {
      if (!('record' in entry) || entry.bucket !== bucket) continue
      for (const { table } of entry.tables) marks.add(table.series, table.rowCount)
    }
  }

  checkRoom(): void {
    if (this.#queuedBytes > this.#queuedBytesMax) {
      throw new BusyError('too many writes are waiting for the disk')
    }
  }

  /** Durable and in the memtables when resolved. What the first piece names is named for all of them. */
  async commit(bucket: Bucket, pieces: readonly (readonly AdmittedTable[])[]): Promise<void> {
    const commits: Promise<void>[] = []
    for (const tables of pieces) {
      for (const { table } of tables) bucket.marks?.add(table.series, table.rowCount)
      const record = commits.length === 0 ? this.#namingRecord(bucket, tables) : undefined
      commits.push(this.#enqueue(bucket, tables, record))
    }
    await Promise.all(commits)
  }

  /** With the names of all series and fields that no record has named yet. */
  #namingRecord(bucket: Bucket, tables: readonly AdmittedTable[]): ByteWriter {
    const { index, loggedSeries, loggedFields } = bucket
    const seriesKeys = index.keysFrom(loggedSeries)
    const fields = index.fieldsFrom(loggedFields)
    const names = { firstSeries: loggedSeries, seriesKeys, firstField: loggedFields, fields }
    bucket.loggedSeries = index.next
    bucket.loggedFields = index.fieldCount
    return this.#record({ bucket: bucket.id, ...names, tables })
  }

  #record(content: RecordToWrite): ByteWriter {
    const record = this.#takeSpare() ?? new ByteWriter(1 << 16)
    writeRecord(record, content)
    this.#queuedBytes += record.length
    return record
  }

  #takeSpare(): ByteWriter | undefined {
    const spare = this.#spareWriters.pop()
    this.#spareBytes -= spare?.bytes.length ?? 0
    return spare
  }

  #enqueue(
    bucket: Bucket,
    tables: readonly AdmittedTable[],
    record: ByteWriter | undefined,
  ): Promise<void> {
    const { loggedSeries: seriesEnd, loggedFields: fieldsEnd } = bucket
    return new Promise((resolve, reject) => {
      this.#queue.push({ bucket, tables, record, seriesEnd, fieldsEnd, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /** Everything queued so far is settled when resolved. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /**
   * Runs `action` between two rounds: nothing is half way through the log then. Writes that were queued before it come
   * first, those that come later wait for it: under load there is always another round.
   */
  between<T>(action: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ run: () => action().then(resolve, reject) })
      this.#running ??= this.#run()
    })
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const [first] = this.#queue
      if ('run' in first) {
        this.#queue.shift()
        await first.run()
        continue
      }
      try {
        await this.#target.makeRoom(first.tables)
        await this.#round()
      } catch (error) {
        this.#refuse(this.#takeWaiting(), error)
      }
    }
    this.#running = undefined
  }

  /** All writes that wait; what runs between rounds stays. */
  #takeWaiting(): Entry[] {
    const entries = this.#queue.filter((each): each is Entry => 'record' in each)
    this.#queue = this.#queue.filter((each) => 'run' in each)
    return entries
  }

  async #round(): Promise<void> {
    const nextAction = this.#queue.findIndex((each) => 'run' in each)
    const waiting = nextAction < 0 ? this.#queue : this.#queue.slice(0, nextAction)
    const count = this.#target.roundLength((waiting as Entry[]).map(({ tables }) => tables))
    const entries = this.#queue.splice(0, count) as Entry[]
    this.#underWay = entries
    try {
      const kept = entries.filter(({ bucket }) => !bucket.isDropped)
      if (kept.length > 0) await this.#target.append(kept.map((entry) => this.#bytesOf(entry)))
    } catch (error) {
      // Entries that came during the attempt build on those that failed.
      this.#underWay = []
      this.#refuse([...entries, ...this.#takeWaiting()], error)
      return
    }
    for (const entry of entries) {
      entry.bucket.noteDurable(entry.seriesEnd, entry.fieldsEnd)
      try {
        this.#target.apply(entry.bucket, entry.tables)
        entry.resolve()
      } catch (error) {
        // A mistake of ours: the write is durable but cannot be seen before the log is replayed. It must be told.
        entry.reject(error)
      }
      this.#settle(entry)
    }
    this.#underWay = []
  }

  /** A later piece of a write names nothing: the first has done so. */
  #bytesOf(entry: Entry): Uint8Array {
    const { bucket, seriesEnd, fieldsEnd, tables } = entry
    const names = { firstSeries: seriesEnd, seriesKeys: [], firstField: fieldsEnd, fields: [] }
    entry.record ??= this.#record({ bucket: bucket.id, ...names, tables })
    return entry.record.written()
  }

  #refuse(entries: readonly Entry[], error: unknown): void {
    for (const entry of entries) {
      entry.bucket.loggedSeries = entry.bucket.durableSeries
      entry.bucket.loggedFields = entry.bucket.durableFields
      this.#settle(entry)
      entry.reject(error)
    }
  }

  #settle({ record }: Entry): void {
    if (record === undefined) return
    this.#queuedBytes -= record.length
    const { length } = record.bytes
    if (length > spareWriterBytesMax || this.#spareBytes + length > spareBytesMax) return
    if (this.#spareWriters.length >= spareWritersMax) return
    record.clear()
    this.#spareWriters.push(record)
    this.#spareBytes += length
  }
}
