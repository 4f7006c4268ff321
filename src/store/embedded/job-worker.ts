// A worker thread: takes flushes and compactions, runs them on the real disk, and says how they
// went. While a flush is under way a compaction waits between two series. Others that run the same
// file take parts of big reads.

import { parentPort } from 'node:worker_threads'
import { assert } from '../../errors.js'
import { collectGarbage } from '../../platform/garbage.js'
import { NodeDisk } from '../../platform/node-disk.js'
import { lowerThreadPriority } from '../../platform/thread-priority.js'
import { runCompaction } from './jobs/compaction-job.js'
import { FlushScratch, runFlush } from './jobs/flush-job.js'
import type { JobReply, JobRequest } from './jobs/jobs.js'
import type { ScanRequest } from './scan/messages.js'
import { ScanServer } from './scan/scan-server.js'
import type { SegmentSummary } from './segment/writer.js'
import { describeFailure } from './threads/thread-failure.js'

assert(parentPort !== null, 'runs as a worker')
const port = parentPort
lowerThreadPriority()
const disk = new NodeDisk()
const scratch = new FlushScratch()
let flushing: Promise<unknown> = Promise.resolve()

const scans = new ScanServer(disk, (reply) => port.postMessage(reply))

port.on('message', (request: JobRequest | ScanRequest) => {
  if (request.kind !== 'flush' && request.kind !== 'compact') return scans.handle(request)
  const running = run(request)
  if (request.kind === 'flush') flushing = Promise.allSettled([flushing, running])
})

async function run(request: JobRequest): Promise<void> {
  let reply: JobReply
  try {
    reply = { id: request.id, summary: await perform(request), failure: undefined }
  } catch (error) {
    reply = { id: request.id, summary: undefined, failure: describeFailure(error as Error) }
  }
  port.postMessage(reply)
  // Jobs of thousands of columns leave that many objects and small arrays behind.
  collectGarbage()
}

function perform(request: JobRequest): Promise<SegmentSummary | undefined> {
  if (request.kind === 'flush') return runFlush(disk, request.job, scratch)
  return runCompaction(disk, request.job, breathe)
}

/** Lets messages in, and flushes finish. */
async function breathe(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await flushing
}
