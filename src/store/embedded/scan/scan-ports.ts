// The two places where scans are carried out: a worker thread over the real disk, and this thread,
// over a disk that only it can see. The second says the same words through the same copies, so that
// tests of one are tests of the other.

import { setImmediate } from 'node:timers'
import type { Disk } from '../../../platform/disk.js'
import type { StartWorker } from '../../../platform/idle-thread.js'
import { IdleThread } from '../../../platform/idle-thread.js'
import type { ScanListener, ScanPort, ScanReply, ScanRequest } from './messages.js'
import { ScanServer } from './scan-server.js'

/** Scans work on typed arrays and send most of what else they make away: a small heap stays small. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

/** Dashboards ask again after some seconds. */
const idleMs = 30_000

export class WorkerPort implements ScanPort {
  readonly #thread: IdleThread<ScanRequest, ScanReply>

  constructor(listener: ScanListener, startWorker: StartWorker) {
    this.#thread = new IdleThread<ScanRequest, ScanReply>({
      startWorker,
      limits: resourceLimits,
      idleMs,
      message: (reply) => {
        if (reply.kind === 'scan-closed') this.#thread.release()
        listener.reply(reply)
      },
      failed: (error) => listener.failed(error),
    })
  }

  post(request: ScanRequest): void {
    if (request.kind === 'scan-open') this.#thread.acquire()
    this.#thread.post(request)
  }

  close(): Promise<void> {
    return this.#thread.close()
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
