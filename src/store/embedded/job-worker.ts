// A worker thread: takes flushes and compactions, runs them on the real disk, and says how they
// went. While a flush is under way a compaction waits between two series. Others that run the same
// file take parts of big reads.

import { parentPort } from 'node:worker_threads'
import { assert } from '../../errors.js'
import { Garbage } from '../../platform/garbage.js'
import { NodeDisk } from '../../platform/node-disk.js'
import { describeFailure } from '../../platform/thread-failure.js'
import { lowerThreadPriority, nameThread } from '../../platform/thread-priority.js'
import { type JobThread, runCompaction } from './jobs/compaction-job.js'
import { FlushScratch, runFlush } from './jobs/flush-job.js'
import type { JobReply, JobRequest } from './jobs/jobs.js'
import type { ScanRequest } from './scan/messages.js'
import { ScanServer } from './scan/scan-server.js'
import type { SegmentSummary } from './segment/writer.js'

assert(parentPort !== null, 'runs as a worker')
const port = parentPort
lowerThreadPriority()

class JobWorker implements JobThread {
  readonly garbage = new Garbage()
  readonly #disk = new NodeDisk()
  readonly #scratch = new FlushScratch()
  readonly #scans = new ScanServer(this.#disk, (reply) => port.postMessage(reply))
  #flushing: Promise<unknown> = Promise.resolve()

  handle(request: JobRequest | ScanRequest): void {
    if (request.kind !== 'flush' && request.kind !== 'compact') return this.#scans.handle(request)
    const running = this.#run(request)
    if (request.kind === 'flush') this.#flushing = Promise.allSettled([this.#flushing, running])
  }

  async #run(request: JobRequest): Promise<void> {
    let reply: JobReply
    try {
      reply = { id: request.id, summary: await this.#perform(request), failure: undefined }
    } catch (error) {
      reply = { id: request.id, summary: undefined, failure: describeFailure(error as Error) }
    }
    port.postMessage(reply)
    // Jobs of thousands of columns leave that many objects and small arrays behind.
    this.garbage.collect()
  }

  #perform(request: JobRequest): Promise<SegmentSummary | undefined> {
    if (request.kind === 'flush') return runFlush(this.#disk, request.job, this.#scratch)
    return runCompaction(this.#disk, request.job, this)
  }

  /** Lets messages in, and flushes finish. */
  async breathe(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    await this.#flushing
  }
}

const worker = new JobWorker()
port.once('message', ({ kind }: JobRequest | ScanRequest) =>
  nameThread(kind === 'flush' || kind === 'compact' ? 'flush and merge' : 'scan'),
)
port.on('message', (request: JobRequest | ScanRequest) => worker.handle(request))
