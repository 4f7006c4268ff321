// Which bodies are parsed on a thread of their own, and on which: large ones, while they keep coming. A thread costs
// ten megabytes, and to hand a body over some tens of microseconds, so it has to be worth it; others, and where there
// is no second core all of them, are parsed where they arrive. Those that wait for a thread are served organization
// by organization.

import { type Caller, FairQueue } from '../base/fair-queue.js'
import type { ParseListener, ParsePort } from './messages.js'
import { ParseThread, type ThreadBody } from './parse-thread.js'
import type { ParserLimits } from './parsers.js'

export interface ParsePoolOptions {
  /** 0: everything is parsed where it arrives. */
  readonly threadCount: number
  readonly limits: ParserLimits
  /** See `parseStartBytes` and `largeBodyBytes` in config.ts. */
  readonly startBytesMin: number
  readonly bodyBytesMin: number
  makePort(listener: ParseListener): ParsePort
}

const startMs = 1000

export class ParsePool {
  readonly #options: ParsePoolOptions
  readonly #threads: readonly ParseThread[]
  readonly #waiting = new FairQueue<(body: ThreadBody | undefined) => void>()
  #stretchEndsAt = 0
  #stretchBytes = 0
  #isClosed = false

  constructor(options: ParsePoolOptions) {
    const { threadCount, limits, makePort } = options
    this.#options = options
    const changed = () => this.#serve()
    this.#threads = Array.from(
      { length: threadCount },
      () => new ParseThread({ limits, makePort, changed }),
    )
  }

  /** Where it is parsed; undefined: where it is. */
  place(caller: Caller, bytes: Uint8Array): Promise<ThreadBody | undefined> | undefined {
    if (!this.#isWanted(bytes)) return undefined
    if (!this.#isAnyThere()) this.#beginAnother()
    if (!this.#isAnyThere()) return undefined
    return new Promise((resolve) => {
      this.#waiting.add(caller, resolve)
      this.#serve()
    })
  }

  /** Bodies that are being parsed fail with this error. */
  async close(error: Error): Promise<void> {
    this.#isClosed = true
    for (const thread of this.#threads) await thread.close(error)
  }

  /** A body that no thread can see stays where it is. */
  #isWanted({ length, buffer }: Uint8Array): boolean {
    if (this.#threads.length === 0 || length < this.#options.bodyBytesMin) return false
    if (this.#isClosed || !(buffer instanceof SharedArrayBuffer)) return false
    const now = performance.now()
    if (now > this.#stretchEndsAt) {
      this.#stretchEndsAt = now + startMs
      this.#stretchBytes = 0
    }
    this.#stretchBytes += length
    return true
  }

  /** One that is just beginning is worth waiting for: what is parsed here meanwhile has to be learnt here too. */
  #isAnyThere(): boolean {
    return this.#threads.some(({ state }) => state === 'ready' || state === 'beginning')
  }

  #beginAnother(): void {
    if (this.#stretchBytes < this.#options.startBytesMin) return
    if (this.#threads.some(({ state }) => state === 'beginning')) return
    this.#threads.find(({ state }) => state === 'none')?.begin()
  }

  #serve(): void {
    while (this.#waiting.size > 0) {
      const thread = this.#threads.find(({ hasRoom }) => hasRoom)
      if (thread === undefined) break
      this.#waiting.take()?.(thread.open())
    }
    if (this.#waiting.size === 0) return
    if (this.#isAnyThere()) this.#beginAnother()
    // The only one has died.
    else while (this.#waiting.size > 0) this.#waiting.take()?.(undefined)
  }
}
