// Where flushes and compactions run: on a worker thread over a real disk, so that the main thread
// goes on serving, or inline over a disk that only this thread can see. A flush goes before a
// compaction: writers wait for it.

import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { assert } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import type { SegmentSummary } from '../segment/writer.js'
import { reviveFailure, type ThreadFailure } from '../threads/thread-failure.js'
import type { StartWorker } from '../threads/worker-start.js'
import { type CompactionJob, runCompaction } from './compaction-job.js'
import { type FlushJob, FlushScratch, runFlush } from './flush-job.js'

export interface Jobs {
  flush(job: FlushJob): Promise<SegmentSummary>
  compact(job: CompactionJob): Promise<SegmentSummary | undefined>
  /** Stops; jobs under way may fail. */
  close(): Promise<void>
}

export class InlineJobs implements Jobs {
  readonly #disk: Disk
  // An engine flushes one shard at a time.
  readonly #scratch = new FlushScratch()

  constructor(disk: Disk) {
    this.#disk = disk
  }

  flush(job: FlushJob): Promise<SegmentSummary> {
    return runFlush(this.#disk, job, this.#scratch)
  }

  compact(job: CompactionJob): Promise<SegmentSummary | undefined> {
    return runCompaction(this.#disk, job, () => setImmediate())
  }

  async close(): Promise<void> {}
}

export type JobRequest = { readonly id: number } & (
  | { readonly kind: 'flush'; readonly job: FlushJob }
  | { readonly kind: 'compact'; readonly job: CompactionJob }
)

export interface JobReply {
  readonly id: number
  readonly summary: SegmentSummary | undefined
  readonly failure: ThreadFailure | undefined
}

interface Waiting {
  resolve(summary: SegmentSummary | undefined): void
  reject(error: Error): void
}

/** Jobs work on typed arrays and keep little else: a small heap is collected often and stays small. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 }

export class WorkerJobs implements Jobs {
  readonly #startWorker: StartWorker
  #worker: Worker | undefined
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1

  constructor(startWorker: StartWorker) {
    this.#startWorker = startWorker
  }

  async flush(job: FlushJob): Promise<SegmentSummary> {
    const summary = await this.#run({ id: this.#nextId++, kind: 'flush', job })
    assert(summary !== undefined, 'a flush has a summary')
    return summary
  }

  compact(job: CompactionJob): Promise<SegmentSummary | undefined> {
    return this.#run({ id: this.#nextId++, kind: 'compact', job })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    worker?.ref()
    await worker?.terminate()
  }

  #run(request: JobRequest): Promise<SegmentSummary | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject })
      const worker = this.#started()
      // An idle worker must not keep a program alive; one that somebody waits for must.
      worker.ref()
      worker.postMessage(request)
    })
  }

  /** A worker that died takes its jobs with it; the next job gets a new one. */
  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = this.#startWorker(resourceLimits)
    worker.on('message', (reply: JobReply) => this.#settle(reply))
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', () => this.#fail(new Error('the worker stopped')))
    this.#worker = worker
    return worker
  }

  #settle(reply: JobReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (this.#waiting.size === 0) this.#worker?.unref()
    if (reply.failure === undefined) waiting?.resolve(reply.summary)
    else waiting?.reject(reviveFailure(reply.failure))
  }

  #fail(error: Error): void {
    this.#worker = undefined
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}
