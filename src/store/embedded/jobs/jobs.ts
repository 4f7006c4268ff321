// Where flushes and compactions run: on a worker thread over a real disk, so that the main thread
// goes on serving, or inline over a disk that only this thread can see. A flush goes before a
// compaction: writers wait for it.

import { setImmediate } from 'node:timers/promises'
import { assert } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import { Garbage } from '../../../platform/garbage.js'
import type { StartWorker } from '../../../platform/idle-thread.js'
import { IdleThread } from '../../../platform/idle-thread.js'
import { reviveFailure, type ThreadFailure } from '../../../platform/thread-failure.js'
import type { SegmentSummary } from '../segment/writer.js'
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
  readonly #garbage = new Garbage()

  constructor(disk: Disk) {
    this.#disk = disk
  }

  flush(job: FlushJob): Promise<SegmentSummary> {
    return runFlush(this.#disk, job, this.#scratch)
  }

  compact(job: CompactionJob): Promise<SegmentSummary | undefined> {
    const garbage = this.#garbage
    return runCompaction(this.#disk, job, { garbage, breathe: () => setImmediate() })
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

/**
 * A worker starts within some 30 ms and takes 45 MB with what it leaves behind: what follows a load when it is quiet
 * comes in steps that are further apart.
 */
const idleMs = 2000

export class WorkerJobs implements Jobs {
  readonly #thread: IdleThread<JobRequest, JobReply>
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1

  constructor(startWorker: StartWorker) {
    this.#thread = new IdleThread({
      startWorker,
      limits: resourceLimits,
      idleMs,
      message: (reply) => this.#settle(reply),
      failed: (error) => this.#fail(error),
    })
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
    await this.#thread.close()
    this.#fail(new Error('the worker stopped'))
  }

  #run(request: JobRequest): Promise<SegmentSummary | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject })
      this.#thread.acquire()
      this.#thread.post(request)
    })
  }

  #settle(reply: JobReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    this.#thread.release()
    if (reply.failure === undefined) waiting?.resolve(reply.summary)
    else waiting?.reject(reviveFailure(reply.failure))
  }

  /** A worker that died takes its jobs with it. */
  #fail(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}
