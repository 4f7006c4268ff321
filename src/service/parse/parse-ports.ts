// The two places where large bodies are parsed: a worker thread, and this thread behind the same words and the same
// copies, so that tests of one are tests of the other.

import { setImmediate } from 'node:timers'
import { IdleThread } from '../../platform/idle-thread.js'
import { threadStarter } from '../../platform/start-thread.js'
import type { ParseListener, ParsePort, ParseReply, ParseRequest } from './messages.js'
import { ParseServer } from './parse-server.js'

/** Parsing works on typed arrays and keeps what it makes: a small heap is collected often and stays small. */
const resourceLimits = { maxYoungGenerationSizeMb: 2 }

/** It starts within some 50 ms, and has to learn its series anew: loads that come every few seconds keep theirs. */
const idleMs = 15_000

/** A thread that runs parse-worker.ts. */
const startWorker = threadStarter('parse-worker')

/** Run from its TypeScript sources, as tests do, there is no compiled worker to start. */
export const hasWorker = !import.meta.url.endsWith('.ts')

export class WorkerPort implements ParsePort {
  readonly #thread: IdleThread<ParseRequest, ParseReply>

  constructor(listener: ParseListener, start = startWorker) {
    this.#thread = new IdleThread<ParseRequest, ParseReply>({
      startWorker: start,
      limits: resourceLimits,
      idleMs,
      message: (reply) => {
        if (reply.kind === 'parse-begun') this.#thread.release()
        listener.reply(reply)
      },
      failed: (error) => listener.failed(error),
      ended: () => listener.ended(),
    })
  }

  /** In use from a beginning to what follows it, and from a body to its end. */
  post(request: ParseRequest): void {
    const { kind } = request
    if (kind === 'parse-begin' || kind === 'parse-body') this.#thread.acquire()
    this.#thread.post(request)
    if (kind === 'parse-end') this.#thread.release()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

export class InlinePort implements ParsePort {
  readonly #server: ParseServer
  #isClosed = false

  constructor(listener: ParseListener) {
    this.#server = new ParseServer((reply) => {
      const copy = structuredClone(reply)
      setImmediate(() => listener.reply(copy))
    })
  }

  post(request: ParseRequest): void {
    const copy = structuredClone(request)
    // What was on its way when the port closed goes nowhere, as with a thread that has ended.
    setImmediate(() => {
      if (!this.#isClosed) this.#server.handle(copy)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }
}
