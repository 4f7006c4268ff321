// The pool of SQL engines. To start one takes some 300 ms of processor time, as much as a dozen small statements, and
// dashboards send their statements in bursts: so a statement takes an engine that is free, or waits for the first one
// that gets free, and others are started only where it helps:
//
//   - the first one, at once;
//   - up to the number of cores, when there was a queue for longer than a start takes;
//   - beyond that, when no engine got free for longer still: all have long statements or slow readers.
//
// One starts at a time. Free engines are taken last in first out, so that those that are not needed are found by their
// long wait, and ended. An engine is reused unless it holds much memory still.

import { availableParallelism } from 'node:os'
import { limits } from '../../config.js'
import { BusyError, UserError } from '../../errors.js'
import { Engine } from './engine.js'

export interface EnginePoolOptions {
  /** The program of an engine. Default: the one beside this file. */
  readonly program?: URL
  /** Statements that run concurrently; others wait in a queue. */
  readonly enginesMax?: number
  readonly waitSecondsMax?: number
  readonly idleSecondsMax?: number
  /** Engines that can work at the same time. */
  readonly coreCount?: number
  /** Makes an engine that has not started. */
  readonly make?: (memoryBytesMax: number) => Engine
}

/** Twice what a start takes: a queue that lasts longer would have been shorter with one. */
export const patienceMilliseconds = 750
/** More engines than cores make none faster; they help only those that wait behind a long statement. */
export const longPatienceMilliseconds = 2000
/** Free engines that stay for long; others end sooner. */
const keptMax = 2
const briefSeconds = 30
/** One that has grown by more than that is not reused: allocators give little back. */
const grownBytesMax = 128 * 1024 * 1024

interface Idle {
  readonly engine: Engine
  readonly timer: NodeJS.Timeout
}

interface Waiting {
  readonly memoryBytesMax: number
  resolve(engine: Engine): void
  reject(error: unknown): void
}

export class EnginePool {
  readonly #enginesMax: number
  readonly #waitSecondsMax: number
  readonly #idleSecondsMax: number
  readonly #coreCount: number
  readonly #make: (memoryBytesMax: number) => Engine
  /** Those that start, work or wait. */
  readonly #all = new Set<Engine>()
  readonly #starting = new Set<Engine>()
  /** Killed, and not gone yet. */
  readonly #ending = new Set<Engine>()
  #idle: Idle[] = []
  #queue: Waiting[] = []
  /** Runs while somebody waits and no engine starts. */
  #queueTimer: NodeJS.Timeout | undefined
  /** Runs while somebody waits, anew whenever an engine gets free. */
  #stuckTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: EnginePoolOptions = {}) {
    const program = options.program ?? new URL('./sql-engine.js', import.meta.url)
    this.#make = options.make ?? ((memoryBytesMax) => new Engine(program, memoryBytesMax))
    this.#enginesMax = options.enginesMax ?? limits.sqlEnginesMax
    this.#waitSecondsMax = options.waitSecondsMax ?? limits.sqlEngineWaitSecondsMax
    this.#idleSecondsMax = options.idleSecondsMax ?? limits.sqlEngineIdleSecondsMax
    this.#coreCount = options.coreCount ?? availableParallelism()
  }

  /** The processes that there are. */
  get pids(): readonly number[] {
    const engines = [...this.#all, ...this.#ending]
    return engines.flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  /** For one statement, which releases it. */
  async acquire(memoryBytesMax: number, signal: AbortSignal): Promise<Engine> {
    signal.throwIfAborted()
    if (this.#isClosed) throw stopping()
    const engine = this.#takeIdle(memoryBytesMax) ?? (await this.#wait(memoryBytesMax, signal))
    engine.hold(true)
    return engine
  }

  /** `fedCount`: sources that rows were sent for. Resolves when the engine is free, or has to end. */
  async release(engine: Engine, fedCount: number): Promise<void> {
    try {
      const residentBytes = await engine.reset(fedCount)
      if (engine.grownBytes(residentBytes) > grownBytesMax) this.#replace(engine)
      else this.#offer(engine)
    } catch {
      // It did not respond, or has ended already.
      this.#end(engine)
    }
    this.#startFirst()
  }

  /** Ends all of them; what runs or waits fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const waiting of [...this.#queue]) waiting.reject(stopping())
    for (const engine of [...this.#all]) this.#end(engine)
    await Promise.all([...this.#ending].map(({ ended }) => ended))
  }

  #takeIdle(memoryBytesMax: number): Engine | undefined {
    const at = this.#idle.findLastIndex(
      ({ engine }) => engine.memoryBytesMax === memoryBytesMax && !engine.hasEnded,
    )
    if (at < 0) return undefined
    const [{ engine, timer }] = this.#idle.splice(at, 1)
    clearTimeout(timer)
    return engine
  }

  #wait(memoryBytesMax: number, signal: AbortSignal): Promise<Engine> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#queue = this.#queue.filter((each) => each !== waiting)
      }
      const fail = (error: unknown) => {
        leave()
        this.#watchQueue()
        reject(error)
      }
      const enter = (engine: Engine) => {
        leave()
        resolve(engine)
      }
      const waiting: Waiting = { memoryBytesMax, resolve: enter, reject: fail }
      const onAbort = () => fail(signal.reason)
      const busy = () => new BusyError(`${this.#all.size} SQL statements are under way`)
      const timer = setTimeout(() => fail(busy()), this.#waitSecondsMax * 1000)
      signal.addEventListener('abort', onAbort)
      this.#queue.push(waiting)
      this.#startFirst()
      this.#watchQueue()
    })
  }

  /** To whoever waits for such a one the longest; otherwise it is idle. */
  #offer(engine: Engine): void {
    const { memoryBytesMax } = engine
    const waiting = this.#queue.find((each) => each.memoryBytesMax === memoryBytesMax)
    this.#stuckTimer = stopped(this.#stuckTimer)
    if (waiting !== undefined) waiting.resolve(engine)
    else if (this.#isClosed || this.#isInTheWay()) this.#end(engine)
    else this.#addIdle(engine)
    this.#watchQueue()
  }

  /** Whether somebody waits for the place of an engine, as there is none that fits. */
  #isInTheWay(): boolean {
    const isFull = this.#all.size >= this.#enginesMax
    return isFull && this.#queue.some(({ memoryBytesMax }) => !this.#hasEngine(memoryBytesMax))
  }

  #hasEngine(memoryBytesMax: number): boolean {
    for (const engine of this.#all) if (engine.memoryBytesMax === memoryBytesMax) return true
    return false
  }

  /** One for everybody who would wait in vain. */
  #startFirst(): void {
    for (const { memoryBytesMax } of this.#queue) {
      if (this.#hasEngine(memoryBytesMax)) continue
      const idle = this.#idle[0]
      if (this.#all.size >= this.#enginesMax && idle !== undefined) this.#end(idle.engine)
      if (this.#all.size < this.#enginesMax) void this.#start(memoryBytesMax)
    }
  }

  /** Each of the timers runs on where it runs already and may. */
  #watchQueue(): void {
    const isWaiting = this.#queue.length > 0
    if (!isWaiting) this.#stuckTimer = stopped(this.#stuckTimer)
    if (!isWaiting || this.#starting.size > 0) this.#queueTimer = stopped(this.#queueTimer)
    else this.#queueTimer ??= setTimeout(() => this.#startMore(true), patienceMilliseconds)
    if (isWaiting) {
      this.#stuckTimer ??= setTimeout(() => this.#startMore(false), longPatienceMilliseconds)
    }
  }

  #startMore(isBoundByCores: boolean): void {
    this.#queueTimer = stopped(this.#queueTimer)
    if (!isBoundByCores) this.#stuckTimer = stopped(this.#stuckTimer)
    const engines = isBoundByCores ? Math.min(this.#coreCount, this.#enginesMax) : this.#enginesMax
    const [first] = this.#queue
    if (first !== undefined && this.#starting.size === 0 && this.#all.size < engines) {
      void this.#start(first.memoryBytesMax)
    }
    this.#watchQueue()
  }

  /** Where it fails, and there is no other one, everybody who waits for such an engine fails with it. */
  async #start(memoryBytesMax: number): Promise<void> {
    const engine = this.#make(memoryBytesMax)
    this.#all.add(engine)
    this.#starting.add(engine)
    void engine.ended.then(() => this.#onEnded(engine))
    engine.hold(this.#queue.length > 0)
    try {
      await engine.start()
    } catch (error) {
      this.#end(engine)
      this.#watchQueue()
      if (this.#hasEngine(memoryBytesMax)) return
      const waiting = this.#queue.filter((each) => each.memoryBytesMax === memoryBytesMax)
      for (const each of waiting) each.reject(error)
      return
    }
    this.#starting.delete(engine)
    if (this.#all.has(engine)) this.#offer(engine)
  }

  #onEnded(engine: Engine): void {
    // Of one that did not come to its start, `#start` tells.
    if (this.#starting.has(engine)) return
    this.#forget(engine)
    this.#startFirst()
    this.#watchQueue()
  }

  /** One that has grown; the next statement need not wait for another. */
  #replace(engine: Engine): void {
    this.#end(engine)
    const { memoryBytesMax } = engine
    const isNeeded = !this.#hasEngine(memoryBytesMax) && !this.#isClosed
    if (isNeeded && this.#all.size < this.#enginesMax) void this.#start(memoryBytesMax)
  }

  #addIdle(engine: Engine): void {
    engine.hold(false)
    const isKept = this.#idle.length < keptMax
    const seconds = isKept ? this.#idleSecondsMax : Math.min(briefSeconds, this.#idleSecondsMax)
    const timer = setTimeout(() => this.#end(engine), seconds * 1000).unref()
    this.#idle.push({ engine, timer })
  }

  #end(engine: Engine): void {
    this.#forget(engine)
    if (engine.hasEnded) return
    this.#ending.add(engine)
    engine.kill()
  }

  #forget(engine: Engine): void {
    for (const engines of [this.#all, this.#starting, this.#ending]) engines.delete(engine)
    const idle = this.#idle.find((each) => each.engine === engine)
    if (idle === undefined) return
    clearTimeout(idle.timer)
    this.#idle = this.#idle.filter((each) => each !== idle)
  }
}

function stopped(timer: NodeJS.Timeout | undefined): undefined {
  clearTimeout(timer)
  return undefined
}

function stopping(): UserError {
  return new UserError('unavailable', 'the service is stopping')
}
