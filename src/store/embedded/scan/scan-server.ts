// The side of a scan that reads: takes parts, runs them as a read runs, and sends batches back.
// Several parts of several scans go on side by side; each lets the others run between two turns of
// decoding. Files stay open from the first part of a scan to its close.

import type { Batch } from '../../../column/batch.js'
import { assert } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import type { PullStream } from '../../../platform/pull-stream.js'
import { describeFailure } from '../../../platform/thread-failure.js'
import type { Plan } from '../read/plan.js'
import { readRows } from '../read/read.js'
import { type SeriesBounds, selectSeries } from '../read/selection.js'
import { cursorInputs, type Source } from '../read/sources.js'
import { BatchSlabs, slabBytes } from './batch-slabs.js'
import { batchesAhead, type ScanJob, type ScanReply, type ScanRequest } from './messages.js'
import { OpenSources } from './open-sources.js'
import { type PackedBatch, packBatch } from './packed-batch.js'

/** Rows of a batch: a millisecond of work, so that handing it over (some twenty microseconds) weighs little. */
const rowsTogether = 8192

/** Fewer where they have many columns: a batch is to fit into a piece of memory. */
function rowsTogetherOf({ names }: Plan): number {
  const rowBytes = 9 * (1 + names.length)
  return Math.min(rowsTogether, Math.ceil(slabBytes / 2 / rowBytes))
}

export type SendReply = (reply: ScanReply) => void

export class ScanServer {
  readonly #disk: Disk
  readonly #send: SendReply
  readonly #scans = new Map<number, Scan>()
  readonly #slabs = new BatchSlabs()

  constructor(disk: Disk, send: SendReply) {
    this.#disk = disk
    this.#send = send
  }

  handle(request: ScanRequest): void {
    const { id } = request
    if (request.kind === 'scan-open') {
      this.#scans.set(id, new Scan(id, request.job, this.#disk, this.#slabs, this.#send))
      return
    }
    const scan = this.#scans.get(id)
    assert(scan !== undefined, `scan ${id} is not open`)
    if (request.kind === 'scan-part') scan.start(request.part, request.bounds)
    else if (request.kind === 'scan-more') scan.more(request.part, request.slab)
    else {
      this.#scans.delete(id)
      void scan.close()
    }
  }

  /** Everything under way is stopped and released when resolved. */
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
  readonly #sources: OpenSources
  readonly #slabs: BatchSlabs
  /** Those that its batches lie in. */
  readonly #slabsOut = new Set<number>()
  readonly #send: SendReply
  readonly #stop = new AbortController()
  readonly #parts = new Map<number, Part>()
  readonly #running = new Set<Promise<void>>()

  constructor(id: number, job: ScanJob, disk: Disk, slabs: BatchSlabs, send: SendReply) {
    this.#id = id
    this.#job = job
    this.#sources = new OpenSources(disk, job.sources, job.minute)
    this.#slabs = slabs
    this.#send = send
  }

  start(part: number, bounds: SeriesBounds): void {
    const running = this.#run(part, bounds)
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  more(part: number, slab: number | undefined): void {
    if (slab !== undefined && this.#slabsOut.delete(slab)) this.#slabs.give(slab)
    const state = this.#parts.get(part)
    if (state === undefined) return
    state.room++
    state.wake()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const part of this.#parts.values()) part.wake()
    await Promise.allSettled(this.#running)
    // Synchronously: another scan may take them next.
    for (const slab of this.#slabsOut) this.#slabs.give(slab)
    this.#slabsOut.clear()
    await this.#sources.close()
    this.#send({ kind: 'scan-closed', id: this.#id })
  }

  async #run(part: number, bounds: SeriesBounds): Promise<void> {
    try {
      await this.#read(part, bounds)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      const failure = describeFailure(error as Error)
      this.#send({ kind: 'scan-failed', id: this.#id, part, failure })
    } finally {
      this.#parts.delete(part)
    }
  }

  /** A batch is sent when the next one is there, or with the word that it is the last: most parts are one message. */
  async #read(part: number, bounds: SeriesBounds): Promise<void> {
    const { signal } = this.#stop
    const state: Part = { room: batchesAhead, wake: () => undefined }
    this.#parts.set(part, state)
    let packed: PackedBatch | undefined
    const batches = this.#batches(await this.#sources.open(), bounds)
    for (let batch = await batches.take(); batch !== undefined; batch = await batches.take()) {
      if (packed !== undefined) this.#sendBatch(part, packed, false)
      packed = packBatch(batch, this.#slabs)
      if (packed.slab !== undefined) this.#slabsOut.add(packed.slab)
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
    this.#send({ kind: 'scan-batch', id: this.#id, part, batch, isLast })
  }

  #batches(sources: readonly Source[], bounds: SeriesBounds): PullStream<Batch> {
    const { plan, keys } = this.#job
    const selection = selectSeries(plan.series, bounds, keys)
    const inputs = cursorInputs(sources, plan, selection, keys)
    return readRows(plan, inputs, keys, this.#stop.signal, rowsTogetherOf(plan))
  }
}
