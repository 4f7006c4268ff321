// One import: a file that comes in pieces, read in its format and written into a bucket as it comes. Rows that are no
// points, and points that the bucket refuses, are counted and the first of them kept; too many end the import. Whoever
// sends is held up while the store is busy.

import { setTimeout as pause } from 'node:timers/promises'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { limits } from '../../config.js'
import { BusyError, OverloadError, UserError } from '../../errors.js'
import { type FileFormat, pointBatches } from '../../formats/point-batches.js'
import type { FormatOptions, PointColumn } from '../../formats/points/point-column.js'
import type { PointBatch, RefusedRow } from '../../formats/points/point-rows.js'
import { typedRows } from '../../formats/typed-rows.js'
import { unpacked } from '../../formats/unpacked.js'
import { ScratchFile } from '../../platform/scratch-file.js'
import { parquetRows } from '../../sql/parquet/parquet-file.js'
import type { WriteOutcome, Writes } from '../write/writes.js'
import { ByteQueue } from './byte-queue.js'

export interface ImportDescription {
  readonly bucket: Bucket
  readonly format: FileFormat
  readonly options: FormatOptions
  /** Ends where more rows are refused. */
  readonly refusedMax: number
  /** Reads and counts, and writes nothing. */
  readonly isDryRun: boolean
}

export type ImportStatus = 'waiting' | 'running' | 'done' | 'failed' | 'canceled'

export interface ImportParts {
  readonly writes: Pick<Writes, 'write'>
  /** For files that have to be whole; absent: where the system has such files. */
  readonly scratchFolder: string | undefined
  readonly now: () => bigint
}

/** Lines that are shown of what a file became. */
const sampleLines = 20

export class ImportRun {
  readonly id: string
  readonly description: ImportDescription
  readonly createdAt: bigint
  readonly #parts: ImportParts
  readonly #queue = new ByteQueue()
  readonly #abort = new AbortController()
  readonly #ended: Promise<void>
  #status: ImportStatus = 'waiting'
  #failure: Error | undefined
  #isSending = false
  #idleTimer: NodeJS.Timeout | undefined
  endedAt: bigint | undefined
  receivedBytes = 0
  pointCount = 0
  refusedCount = 0
  lastRow = 0
  columns: readonly PointColumn[] = []
  readonly refused: RefusedRow[] = []
  readonly sample: string[] = []

  constructor(id: string, description: ImportDescription, parts: ImportParts) {
    this.id = id
    this.description = description
    this.#parts = parts
    this.createdAt = parts.now()
    this.#ended = this.#run()
    this.#waitForMore()
  }

  get status(): ImportStatus {
    return this.#status
  }

  get isUnderWay(): boolean {
    return this.#status === 'waiting' || this.#status === 'running'
  }

  /** Why it failed. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /**
   * Takes the file from `offset` on. What was taken of a sender that broke off counts: the next one goes on behind it.
   * With `isLast` it resolves when everything is written. Throws where the import fails.
   */
  async send(offset: number, pieces: AsyncIterable<Uint8Array>, isLast: boolean): Promise<void> {
    this.#requireOpen()
    if (this.#isSending) throw new UserError('conflict', 'another request is sending this file')
    if (offset !== this.receivedBytes) {
      const text = `the import has ${this.receivedBytes} bytes of the file: go on there`
      throw new UserError('conflict', text)
    }
    this.#isSending = true
    this.#status = 'running'
    clearTimeout(this.#idleTimer)
    try {
      for await (const piece of pieces) {
        await this.#queue.push(piece)
        this.receivedBytes += piece.length
        if (this.receivedBytes > limits.importBytesMax) {
          throw new UserError('request too large', `more than ${limits.importBytesMax} bytes`)
        }
      }
    } finally {
      this.#isSending = false
      this.#waitForMore()
    }
    if (!isLast) return
    clearTimeout(this.#idleTimer)
    this.#queue.end()
    await this.#ended
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Resolves when nothing of it is under way any more. */
  async cancel(): Promise<void> {
    if (this.isUnderWay) this.#status = 'canceled'
    this.#queue.fail(new UserError('conflict', 'the import was canceled'))
    this.#abort.abort()
    await this.#ended
  }

  #requireOpen(): void {
    if (this.isUnderWay) return
    throw new UserError('conflict', `the import is ${this.#status}: it takes nothing any more`)
  }

  #waitForMore(): void {
    const seconds = limits.importIdleSecondsMax
    const failure = new UserError('invalid', `nothing came for ${seconds} seconds`)
    this.#idleTimer = setTimeout(() => this.#queue.fail(failure), seconds * 1000).unref()
  }

  async #run(): Promise<void> {
    try {
      for await (const batch of this.#batches()) await this.#take(batch)
      if (this.isUnderWay) this.#status = 'done'
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
      if (this.isUnderWay) this.#status = 'failed'
      this.#queue.fail(this.#failure)
    } finally {
      clearTimeout(this.#idleTimer)
      this.endedAt = this.#parts.now()
    }
  }

  async *#batches(): AsyncGenerator<PointBatch> {
    const { format, options } = this.description
    const onColumns = (columns: readonly PointColumn[]) => {
      this.columns = columns.slice(0, limits.importColumnsShown)
    }
    const told = { ...options, onColumns }
    if (format !== 'parquet') {
      yield* pointBatches(unpacked(this.#queue), format, told)
      return
    }
    const file = await ScratchFile.create(this.#parts.scratchFolder)
    try {
      let bytes = 0
      for await (const piece of unpacked(this.#queue)) {
        bytes += piece.length
        if (bytes > limits.importFileBytesMax) {
          const text = `a Parquet file has at most ${limits.importFileBytesMax} bytes here`
          throw new UserError('request too large', text)
        }
        await file.append(piece)
      }
      yield* typedRows(parquetRows(file.path), told, 1 << 20)
    } finally {
      await file.remove()
    }
  }

  async #take(batch: PointBatch): Promise<void> {
    this.#abort.signal.throwIfAborted()
    for (const row of batch.refused) this.#refuse(row)
    this.#show(batch)
    if (batch.bytes.length > 0) {
      if (this.description.isDryRun) this.pointCount += batch.pointCount
      else this.#count(await this.#write(batch.bytes), batch)
    }
    this.lastRow = batch.lastRow
    const { refusedMax } = this.description
    if (this.refusedCount <= refusedMax) return
    throw new UserError('invalid', `more than ${refusedMax} rows were refused`)
  }

  #show({ bytes }: PointBatch): void {
    const missing = sampleLines - this.sample.length
    if (missing <= 0) return
    const text = Buffer.from(bytes.subarray(0, 100_000)).toString()
    this.sample.push(...text.split('\n', missing + 1).filter((line) => line !== ''))
    this.sample.splice(sampleLines)
  }

  #count(outcome: WriteOutcome, batch: PointBatch): void {
    const { writtenCount, malformed, malformedCount, rejected, rejectedCount } = outcome
    this.pointCount += writtenCount
    for (const { line, reason } of [...malformed, ...rejected]) {
      this.#refuse({ row: batch.rowOf(line), reason })
    }
    this.refusedCount += malformedCount + rejectedCount - malformed.length - rejected.length
  }

  #refuse(row: RefusedRow): void {
    this.refusedCount++
    if (this.refused.length < limits.reportedErrorsMax) this.refused.push(row)
  }

  /** As soon as there is room: nobody else is held up by a file. */
  async #write(bytes: Uint8Array): Promise<WriteOutcome> {
    for (;;) {
      this.#abort.signal.throwIfAborted()
      try {
        return await this.#parts.writes.write(this.description.bucket, bytes)
      } catch (error) {
        const isBusy = error instanceof BusyError || error instanceof OverloadError
        if (!isBusy) throw error
        await pause(error.retryAfterSeconds * 1000, undefined, { signal: this.#abort.signal })
      }
    }
  }
}
