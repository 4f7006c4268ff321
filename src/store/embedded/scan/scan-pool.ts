// The side of a scan that asks: cuts are made, parts are handed to the threads in key order as
// these become free, and their batches come out in key order. Whatever ends a read (its end, an
// error, a reader that has enough, an abort) ends the work everywhere before the read is over: what
// it holds on to, files and memtables, is then in use by nobody.

import type { Batch } from '../../../column/batch.js'
import { enterHeavy, resumed } from '../../../platform/run-turns.js'
import { reviveFailure } from '../../../platform/thread-failure.js'
import type { SeriesBounds } from '../read/selection.js'
import type { ScanJob, ScanListener, ScanPort, ScanReply } from './messages.js'
import { type PackedBatch, unpackBatch } from './packed-batch.js'

export interface ScanPoolOptions {
  readonly threadCount: number
  makePort(listener: ScanListener): ScanPort
}

export class ScanPool {
  readonly threadCount: number
  readonly #options: ScanPoolOptions
  /** Made when first needed; one that died is made anew. */
  readonly #ports: (ScanPort | undefined)[]
  readonly #scans = new Map<number, RunningScan>()
  #nextId = 1
  #closed: Error | undefined

  constructor(options: ScanPoolOptions) {
    this.threadCount = options.threadCount
    this.#options = options
    this.#ports = Array.from({ length: options.threadCount }, () => undefined)
  }

  /** The rows of all parts, in their order. */
  async *read(
    job: ScanJob,
    parts: readonly SeriesBounds[],
    signal: AbortSignal,
  ): AsyncGenerator<Batch, void, void> {
    await enterHeavy(signal)
    signal.throwIfAborted()
    if (this.#closed !== undefined) throw this.#closed
    const id = this.#nextId++
    const scan = new RunningScan(id, job, parts, (thread) => this.#port(thread))
    this.#scans.set(id, scan)
    const stop = () => scan.fail(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      for (let thread = 0; thread < this.threadCount; thread++) scan.feed(thread)
      for (let part = 0; part < parts.length; part++) yield* scan.batchesOf(part, signal)
    } finally {
      signal.removeEventListener('abort', stop)
      await scan.close()
      this.#scans.delete(id)
    }
  }

  /** Reads under way fail with this error; their work has stopped when this resolves. */
  async close(error: Error): Promise<void> {
    this.#closed = error
    for (const scan of this.#scans.values()) scan.fail(error)
    for (const port of this.#ports) await port?.close()
    for (let thread = 0; thread < this.threadCount; thread++) this.#lose(thread, error)
  }

  #port(thread: number): ScanPort {
    let port = this.#ports[thread]
    if (port === undefined) {
      port = this.#options.makePort({
        reply: (reply) => this.#scans.get(reply.id)?.take(thread, reply),
        failed: (error) => this.#lose(thread, error),
      })
      this.#ports[thread] = port
    }
    return port
  }

  #lose(thread: number, error: Error): void {
    this.#ports[thread] = undefined
    for (const scan of this.#scans.values()) scan.lose(thread, error)
  }
}

/** Batches of a part that nobody has taken yet. */
interface PartState {
  readonly waiting: PackedBatch[]
  /** Which thread does it; -1: none yet. */
  thread: number
  isDone: boolean
}

class RunningScan {
  readonly #id: number
  readonly #job: ScanJob
  readonly #bounds: readonly SeriesBounds[]
  readonly #port: (thread: number) => ScanPort
  readonly #parts: PartState[]
  #nextPart = 0
  /** Threads that know the scan and have not said that they are done with it. */
  readonly #open = new Set<number>()
  #error: Error | undefined
  #wake: () => void = () => undefined

  constructor(
    id: number,
    job: ScanJob,
    bounds: readonly SeriesBounds[],
    port: (thread: number) => ScanPort,
  ) {
    this.#id = id
    this.#job = job
    this.#bounds = bounds
    this.#port = port
    this.#parts = bounds.map(() => ({ waiting: [], thread: -1, isDone: false }))
  }

  /** Hands the next part to a thread that has nothing to do. */
  feed(thread: number): void {
    if (this.#nextPart === this.#parts.length || this.#error !== undefined) return
    const part = this.#nextPart++
    const id = this.#id
    const port = this.#port(thread)
    if (!this.#open.has(thread)) {
      this.#open.add(thread)
      port.post({ kind: 'scan-open', id, job: this.#job })
    }
    this.#parts[part].thread = thread
    port.post({ kind: 'scan-part', id, part, bounds: this.#bounds[part] })
  }

  async *batchesOf(part: number, signal: AbortSignal): AsyncGenerator<Batch, void, void> {
    const state = this.#parts[part]
    for (;;) {
      if (this.#error !== undefined) throw this.#error
      const packed = state.waiting.shift()
      if (packed !== undefined) {
        yield unpackBatch(packed, this.#job.keys, this.#job.plan.groupKey)
        this.#took(part, state, packed)
      } else if (state.isDone) return
      else {
        await this.#news()
        if (state.waiting.length > 0) await resumed(signal)
      }
    }
  }

  /**
   * The reader has asked for the next batch. The memory of rows that were searched for is wanted for the next part too;
   * aggregates are few, and theirs goes back at the end.
   */
  #took(part: number, { thread, isDone }: PartState, { slab }: PackedBatch): void {
    if (!this.#open.has(thread) || this.#error !== undefined) return
    if (isDone && (slab === undefined || this.#job.plan.window !== undefined)) return
    this.#port(thread).post({ kind: 'scan-more', id: this.#id, part, slab })
  }

  take(thread: number, reply: ScanReply): void {
    switch (reply.kind) {
      case 'scan-batch': {
        const state = this.#parts[reply.part]
        if (reply.batch !== undefined) state.waiting.push(reply.batch)
        state.isDone = reply.isLast
        if (reply.isLast) this.feed(thread)
        break
      }
      case 'scan-failed':
        this.#error ??= reviveFailure(reply.failure)
        break
      case 'scan-closed':
        this.#open.delete(thread)
        break
    }
    this.#wake()
  }

  fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }

  /** A thread is gone, with all it knew. */
  lose(thread: number, error: Error): void {
    if (this.#open.delete(thread)) this.fail(error)
  }

  /**
   * Resolves when no thread reads for the scan any more. Where all parts are done that is so already: what the threads
   * still have to release is their own.
   */
  async close(): Promise<void> {
    const isIdle = this.#parts.every(({ thread, isDone }) => thread < 0 || isDone)
    this.#nextPart = this.#parts.length
    for (const thread of this.#open) {
      this.#port(thread).post({ kind: 'scan-close', id: this.#id })
    }
    while (!isIdle && this.#open.size > 0) await this.#news()
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
