// The two places where handed-over queries run: a worker thread over the real disk, and this thread, over a disk that
// only it can see. The second says the same words through the same copies, so that tests of one are tests of the other.

import { setImmediate } from 'node:timers'
import { IdleThread, type StartWorker } from '../../platform/idle-thread.js'
import type { ThreadListener, ThreadPort, ThreadReply, ThreadRequest } from './messages.js'
import { QueryServer, type QueryServerOptions } from './query-server.js'

/** What V8 has compiled is gone with a thread, and takes it seconds to be made again. */
const idleMs = 120_000

/** What queries hold is counted elsewhere; this is for what nobody has counted. A thread that needs more ends alone. */
const resourceLimits = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 32 }

export class WorkerPort implements ThreadPort {
  readonly #thread: IdleThread<ThreadRequest, ThreadReply>

  constructor(listener: ThreadListener, startWorker: StartWorker) {
    this.#thread = new IdleThread<ThreadRequest, ThreadReply>({
      startWorker,
      limits: resourceLimits,
      idleMs,
      message: (reply) => listener.reply(reply),
      failed: (error) => listener.failed(error),
      ended: () => listener.ended(),
    })
  }

  post(request: ThreadRequest): void {
    this.#thread.post(request)
  }

  acquire(): void {
    this.#thread.acquire()
  }

  release(): void {
    this.#thread.release()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

export class InlinePort implements ThreadPort {
  readonly #server: QueryServer
  #isClosed = false

  constructor(listener: ThreadListener, options: Omit<QueryServerOptions, 'send'>) {
    const send = (reply: ThreadReply) => {
      const copy = structuredClone(reply)
      setImmediate(() => {
        if (!this.#isClosed) listener.reply(copy)
      })
    }
    this.#server = new QueryServer({ ...options, send })
  }

  post(request: ThreadRequest): void {
    const copy = structuredClone(request)
    setImmediate(() => this.#server.handle(copy))
  }

  acquire(): void {}

  release(): void {}

  async close(): Promise<void> {
    this.#isClosed = true
  }
}
