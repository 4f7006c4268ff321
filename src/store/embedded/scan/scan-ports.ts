// The two places where scans are carried out: a worker thread over the real disk, and this thread,
// over a disk that only it can see. The second says the same words through the same copies, so that
// tests of one are tests of the other.

import { setImmediate } from 'node:timers'
import type { Worker } from 'node:worker_threads'
import type { Disk } from '../../../platform/disk.js'
import type { StartWorker } from '../threads/worker-start.js'
import type { ScanListener, ScanPort, ScanReply, ScanRequest } from './messages.js'
import { ScanServer } from './scan-server.js'

/** Scans work on typed arrays and send most of what else they make away: a small heap stays small. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

export class WorkerPort implements ScanPort {
  readonly #worker: Worker
  #openCount = 0

  constructor(listener: ScanListener, startWorker: StartWorker) {
    const worker = startWorker(resourceLimits)
    worker.unref()
    worker.on('message', (reply: ScanReply) => {
      if (reply.kind === 'scan-closed' && --this.#openCount === 0) worker.unref()
      listener.reply(reply)
    })
    worker.on('error', (error) => listener.failed(error))
    worker.on('exit', () => listener.failed(new Error('the worker stopped')))
    this.#worker = worker
  }

  post(request: ScanRequest): void {
    // An idle worker must not keep a program alive; one that somebody waits for must.
    if (request.kind === 'scan-open' && ++this.#openCount === 1) this.#worker.ref()
    this.#worker.postMessage(request)
  }

  async close(): Promise<void> {
    this.#worker.ref()
    await this.#worker.terminate()
  }
}

export class InlinePort implements ScanPort {
  readonly #server: ScanServer
  #isClosed = false

  constructor(disk: Disk, listener: ScanListener) {
    this.#server = new ScanServer(disk, (reply) => {
      const copy = structuredClone(reply)
      setImmediate(() => listener.reply(copy))
    })
  }

  post(request: ScanRequest): void {
    const copy = structuredClone(request)
    // What was on its way when the port closed goes nowhere, as with a thread that has ended.
    setImmediate(() => {
      if (!this.#isClosed) this.#server.handle(copy)
    })
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#server.close()
  }
}
