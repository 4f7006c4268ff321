// The side of a scan that reads: takes parts, runs them as a read runs, and sends batches back.
// Several parts of several scans go on side by side; each lets the others run between two turns of
// decoding. Files stay open from the first part of a scan to its close.

import type { Batch } from '../../../column/batch.js'
import { assert } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import type { PullStream } from '../../../platform/pull-stream.js'
import { BufferPool } from '../buffer-pool.js'
import { readWalks } from '../read/read.js'
import type { SeriesBounds } from '../read/selection.js'
import { makeWalks, type Source } from '../read/sources.js'
import { SegmentReader } from '../segment/reader.js'
import { describeFailure } from '../thread-failure.js'
import { FrozenSeries } from './frozen-series.js'
import {
  batchesAhead,
  type ScanJob,
  type ScanReply,
  type ScanRequest,
  type ScanSource,
} from './messages.js'
import { type PackedBatch, packBatch, packedBuffer } from './packed-batch.js'

/** Rows of a batch: a millisecond of work, so that handing it over (some twenty microseconds) weighs little. */
const rowsTogether = 8192

/** Memory of batches that came back, kept for those to come: about five of ten columns. */
const spareBytesMax = 4 << 20

export type SendReply = (reply: ScanReply, transfer: ArrayBuffer[]) => void

export class ScanServer {
  readonly #disk: Disk
  readonly #send: SendReply
  readonly #scans = new Map<number, Scan>()
  readonly #spare = new BufferPool({ shared: false, keptBytesMax: spareBytesMax })

  constructor(disk: Disk, send: SendReply) {
    this.#disk = disk
    this.#send = send
  }

  handle(request: ScanRequest): void {
    const { id } = request
    if (request.kind === 'scan-open') {
      this.#scans.set(id, new Scan(id, request.job, this.#disk, this.#spare, this.#send))
      return
    }
    const scan = this.#scans.get(id)
    assert(scan !== undefined, `scan ${id} is not open`)
    if (request.kind === 'scan-part') scan.start(request.part, request.bounds)
    else if (request.kind === 'scan-more') {
      if (request.memory !== undefined) this.#spare.free(request.memory)
      scan.more(request.part)
    } else {
      this.#scans.delete(id)
      void scan.close()
    }
  }

  /** Everything under way is stopped and let go of when resolved. */
  async close(): Promise<void> {
    for (const scan of this.#scans.values()) await scan.close()
    this.#scans.clear()
  }
}

/** How many more batches a part may send, and who waits for room. */
interface Part {
  room: number
  wake: () => void
}

class Scan {
  readonly #id: number
  readonly #job: ScanJob
  readonly #disk: Disk
  readonly #spare: BufferPool
  readonly #send: SendReply
  readonly #stop = new AbortController()
  readonly #readers: SegmentReader[] = []
  readonly #parts = new Map<number, Part>()
  readonly #running = new Set<Promise<void>>()
  #sources: Promise<Source[]> | undefined

  constructor(id: number, job: ScanJob, disk: Disk, spare: BufferPool, send: SendReply) {
    this.#id = id
    this.#job = job
    this.#disk = disk
    this.#spare = spare
    this.#send = send
  }

  start(part: number, bounds: SeriesBounds): void {
    const running = this.#run(part, bounds)
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  more(part: number): void {
    const state = this.#parts.get(part)
    if (state === undefined) return
    state.room++
    state.wake()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const part of this.#parts.values()) part.wake()
    await Promise.allSettled([...this.#running, this.#sources])
    // A file that was only read loses nothing when it cannot be closed.
    for (const { file } of this.#readers) await file.close().catch(() => undefined)
    this.#send({ kind: 'scan-closed', id: this.#id }, [])
  }

  async #run(part: number, bounds: SeriesBounds): Promise<void> {
    try {
      await this.#read(part, bounds)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      const failure = describeFailure(error as Error)
      this.#send({ kind: 'scan-failed', id: this.#id, part, failure }, [])
    } finally {
      this.#parts.delete(part)
    }
  }

  /** A batch is sent when the next one is there, or with the word that it is the last: most parts are one message. */
  async #read(part: number, bounds: SeriesBounds): Promise<void> {
    const { signal } = this.#stop
    const state: Part = { room: batchesAhead, wake: () => undefined }
    this.#parts.set(part, state)
    this.#sources ??= this.#open()
    let packed: PackedBatch | undefined
    const batches = this.#batches(await this.#sources, bounds)
    for (let batch = await batches.take(); batch !== undefined; batch = await batches.take()) {
      if (packed !== undefined) this.#sendBatch(part, packed, false)
      packed = packBatch(batch, this.#spare)
      state.room--
      while (state.room <= 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          state.wake = resolve
        })
      }
      signal.throwIfAborted()
    }
    this.#sendBatch(part, packed, true)
  }

  #sendBatch(part: number, batch: PackedBatch | undefined, isLast: boolean): void {
    const transfer = batch === undefined ? [] : [packedBuffer(batch)]
    this.#send({ kind: 'scan-batch', id: this.#id, part, batch, isLast }, transfer)
  }

  #batches(sources: readonly Source[], bounds: SeriesBounds): PullStream<Batch> {
    const { plan, keys } = this.#job
    const walks = makeWalks(sources, plan, keys, bounds)
    return readWalks(plan, walks, keys, this.#stop.signal, rowsTogether)
  }

  #open(): Promise<Source[]> {
    return Promise.all(this.#job.sources.map((source) => this.#openSource(source)))
  }

  async #openSource(source: ScanSource): Promise<Source> {
    const { base, rank } = source
    if (source.kind === 'table') {
      const table = new FrozenSeries(source.table, source.minOffset, source.maxOffset)
      return { kind: 'table', base, rank, table, isFilling: false }
    }
    const { directory, deletes } = source
    const reader = await SegmentReader.openKnown(this.#disk, source.path, base, directory)
    this.#readers.push(reader)
    return { kind: 'segment', base, rank, reader, directory, deletes }
  }
}
