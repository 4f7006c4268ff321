// A worker thread that is there while it is needed: started by the first request, and ended when nobody has waited for
// it for a while, so that its memory (20 MB and what its work left) goes back. One that somebody waits for keeps the
// program alive, an idle one does not.

import type { ResourceLimits, Worker } from 'node:worker_threads'
import { noteWorkDone } from './spare-memory.js'

/** Starts a thread whose heap may become so large. Which file it runs is known to whoever brings this. */
export type StartWorker = (limits: ResourceLimits) => Worker

export interface IdleThreadOptions<Reply> {
  readonly startWorker: StartWorker
  readonly limits: ResourceLimits
  /** So long without a user, and it ends. */
  readonly idleMs: number
  message(reply: Reply): void
  /** It died, with all it knew; the next request gets a new one. */
  failed(error: Error): void
  /** It was idle, and is gone until the next request. */
  ended?(): void
}

export class IdleThread<Request, Reply> {
  readonly #options: IdleThreadOptions<Reply>
  #worker: Worker | undefined
  #userCount = 0
  #idleTimer: NodeJS.Timeout | undefined
  /** Of one that was idle: it may still be going when the thread is closed. */
  #ending: Promise<void> | undefined

  constructor(options: IdleThreadOptions<Reply>) {
    this.#options = options
  }

  /** One more waits for it, until `release`. */
  acquire(): void {
    clearTimeout(this.#idleTimer)
    if (this.#userCount++ === 0) this.#worker?.ref()
  }

  release(): void {
    if (--this.#userCount > 0) return
    this.#worker?.unref()
    const end = () => {
      this.#options.ended?.()
      this.#ending = this.#end()
    }
    this.#idleTimer = setTimeout(end, this.#options.idleMs).unref()
  }

  post(request: Request): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(request)
  }

  /** Work under way is given up. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    await this.#end()
  }

  #start(): Worker {
    const { startWorker, limits, message } = this.#options
    const worker = startWorker(limits)
    if (this.#userCount === 0) worker.unref()
    worker.on('message', message)
    worker.on('error', (error) => this.#fail(worker, error))
    worker.on('exit', () => this.#fail(worker, new Error('the worker stopped')))
    return worker
  }

  #fail(worker: Worker, error: Error): void {
    // One that was ended here says so as well, when another may be at work already.
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#userCount = 0
    this.#options.failed(error)
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    const before = this.#ending
    worker?.ref()
    await worker?.terminate()
    if (worker !== undefined) noteWorkDone()
    await before
  }
}
