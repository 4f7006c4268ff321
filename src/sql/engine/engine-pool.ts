// The pool of SQL engines. An engine is started for the first statement, and a spare one whenever none is idle: to
// start one takes some 200 ms. An engine is reused unless it holds much memory still; after minutes without a
// statement it is ended.

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
}

/** Idle engines, at most. */
const idleMax = 2
/** One that has grown by more than that is not reused: allocators give little back. */
const grownBytesMax = 128 * 1024 * 1024

interface Idle {
  readonly engine: Engine
  readonly timer: NodeJS.Timeout
}

export class EnginePool {
  readonly #program: URL
  readonly #enginesMax: number
  readonly #waitSecondsMax: number
  readonly #idleSecondsMax: number
  readonly #all = new Set<Engine>()
  #idle: Idle[] = []
  #runningCount = 0
  #spareCount = 0
  readonly #queue: (() => void)[] = []
  #isClosed = false

  constructor(options: EnginePoolOptions = {}) {
    this.#program = options.program ?? new URL('./sql-engine.js', import.meta.url)
    this.#enginesMax = options.enginesMax ?? limits.sqlEnginesMax
    this.#waitSecondsMax = options.waitSecondsMax ?? limits.sqlEngineWaitSecondsMax
    this.#idleSecondsMax = options.idleSecondsMax ?? limits.sqlEngineIdleSecondsMax
  }

  /** The processes that there are. */
  get pids(): readonly number[] {
    return [...this.#all].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  /** For one statement, which releases it. */
  async acquire(memoryBytesMax: number, signal: AbortSignal): Promise<Engine> {
    await this.#acquireSlot(signal)
    try {
      const engine =
        this.#takeIdle(memoryBytesMax) ?? (await this.#startFor(memoryBytesMax, signal))
      engine.hold(true)
      void this.#startSpare(memoryBytesMax)
      return engine
    } catch (error) {
      this.#releaseSlot()
      throw error
    }
  }

  /** `fedCount`: sources that rows were sent for. Resolves when the engine is idle, or has ended. */
  async release(engine: Engine, fedCount: number): Promise<void> {
    try {
      const residentBytes = await engine.reset(fedCount)
      const isLarge = engine.grownBytes(residentBytes) > grownBytesMax
      if (isLarge) {
        engine.kill()
        void this.#startSpare(engine.memoryBytesMax)
      } else this.#addIdle(engine)
    } catch {
      // It did not respond, or has ended already.
      engine.kill()
    } finally {
      this.#releaseSlot()
    }
  }

  /** Ends all of them; what runs fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { timer } of this.#idle) clearTimeout(timer)
    for (const engine of this.#all) engine.kill()
    await Promise.all([...this.#all].map(({ ended }) => ended))
  }

  async #acquireSlot(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#runningCount < this.#enginesMax) {
      this.#runningCount++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const cancel = (error: unknown) => {
        this.#queue.splice(this.#queue.indexOf(enter), 1)
        finish()
        reject(error)
      }
      const onAbort = () => cancel(signal.reason)
      const busy = new BusyError(`${this.#enginesMax} SQL statements are under way`)
      const timer = setTimeout(() => cancel(busy), this.#waitSecondsMax * 1000)
      const finish = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      // The slot passes from the statement that ended to this one.
      const enter = () => {
        finish()
        resolve()
      }
      signal.addEventListener('abort', onAbort)
      this.#queue.push(enter)
    })
  }

  #releaseSlot(): void {
    const enter = this.#queue.shift()
    if (enter === undefined) this.#runningCount--
    else enter()
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

  /** An engine that is ready after its statement was aborted becomes idle. */
  async #startFor(memoryBytesMax: number, signal: AbortSignal): Promise<Engine> {
    const starting = this.#start(memoryBytesMax, true)
    let onAbort = () => {}
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort)
    })
    try {
      return await Promise.race([starting, aborted])
    } catch (error) {
      if (signal.aborted) {
        starting.then(
          (engine) => this.#addIdle(engine),
          () => undefined,
        )
      }
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #start(memoryBytesMax: number, isWanted: boolean): Promise<Engine> {
    if (this.#isClosed) throw new UserError('unavailable', 'the service is stopping')
    const engine = new Engine(this.#program, memoryBytesMax)
    this.#all.add(engine)
    void engine.ended.then(() => {
      this.#all.delete(engine)
      this.#idle = this.#idle.filter((each) => each.engine !== engine)
    })
    engine.hold(isWanted)
    await engine.start()
    return engine
  }

  /** Where none is idle. A failure is ignored: the next statement starts an engine itself and reports why it fails. */
  async #startSpare(memoryBytesMax: number): Promise<void> {
    if (this.#idle.length + this.#spareCount > 0) return
    this.#spareCount++
    try {
      this.#addIdle(await this.#start(memoryBytesMax, false))
    } catch {
    } finally {
      this.#spareCount--
    }
  }

  #addIdle(engine: Engine): void {
    engine.hold(false)
    if (this.#isClosed || this.#idle.length >= idleMax) {
      engine.kill()
      return
    }
    const end = () => {
      this.#idle = this.#idle.filter((each) => each.engine !== engine)
      engine.kill()
    }
    const timer = setTimeout(end, this.#idleSecondsMax * 1000).unref()
    this.#idle.push({ engine, timer })
  }
}
