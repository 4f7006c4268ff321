// The SQL engines of the service. One is started when the first statement comes, and one more whenever none is left
// that waits: to start one takes some 200 ms. Those that have served wait for the next statement, unless they hold
// much memory still; who has waited for minutes is ended.

import { limits } from '../../config.js'
import { BusyError, UserError } from '../../errors.js'
import { Engine } from './engine.js'

export interface EnginesOptions {
  /** The program of an engine. Default: the one beside this file. */
  readonly program?: URL
  /** Statements that run at once; others wait. */
  readonly enginesMax?: number
  readonly waitSecondsMax?: number
  readonly idleSecondsMax?: number
}

/** Engines that wait. */
const idleMax = 2
/** One that holds more than that beyond what it began with is not kept: allocators give little back. */
const keptBytesMax = 128 * 1024 * 1024

interface Idle {
  readonly engine: Engine
  readonly timer: NodeJS.Timeout
}

export class Engines {
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

  constructor(options: EnginesOptions = {}) {
    this.#program = options.program ?? new URL('./sql-engine.js', import.meta.url)
    this.#enginesMax = options.enginesMax ?? limits.sqlEnginesMax
    this.#waitSecondsMax = options.waitSecondsMax ?? limits.sqlEngineWaitSecondsMax
    this.#idleSecondsMax = options.idleSecondsMax ?? limits.sqlEngineIdleSecondsMax
  }

  /** The processes that there are. */
  get pids(): readonly number[] {
    return [...this.#all].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  /** For one statement, which gives it back. */
  async take(memoryBytesMax: number, signal: AbortSignal): Promise<Engine> {
    await this.#turn(signal)
    try {
      const engine =
        this.#takeIdle(memoryBytesMax) ?? (await this.#startFor(memoryBytesMax, signal))
      engine.hold(true)
      void this.#startSpare(memoryBytesMax)
      return engine
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  /** `fedCount`: sources that rows were sent for. Resolves when it waits for the next statement, or is gone. */
  async giveBack(engine: Engine, fedCount: number): Promise<void> {
    try {
      const residentBytes = await engine.reset(fedCount)
      const isLarge = engine.grownBytes(residentBytes) > keptBytesMax
      if (isLarge) {
        engine.kill()
        void this.#startSpare(engine.memoryBytesMax)
      } else this.#keep(engine)
    } catch {
      // It did not obey, or is gone already.
      engine.kill()
    } finally {
      this.#leave()
    }
  }

  /** Ends all of them; what runs fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { timer } of this.#idle) clearTimeout(timer)
    for (const engine of this.#all) engine.kill()
    await Promise.all([...this.#all].map(({ ended }) => ended))
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#runningCount < this.#enginesMax) {
      this.#runningCount++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (error: unknown) => {
        this.#queue.splice(this.#queue.indexOf(enter), 1)
        finish()
        reject(error)
      }
      const onAbort = () => leave(signal.reason)
      const busy = new BusyError(`${this.#enginesMax} SQL statements are under way`)
      const timer = setTimeout(() => leave(busy), this.#waitSecondsMax * 1000)
      const finish = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      // The place of who left is the place of who enters.
      const enter = () => {
        finish()
        resolve()
      }
      signal.addEventListener('abort', onAbort)
      this.#queue.push(enter)
    })
  }

  #leave(): void {
    const enter = this.#queue.shift()
    if (enter === undefined) this.#runningCount--
    else enter()
  }

  #takeIdle(memoryBytesMax: number): Engine | undefined {
    const at = this.#idle.findLastIndex(
      ({ engine }) => engine.memoryBytesMax === memoryBytesMax && !engine.isGone,
    )
    if (at < 0) return undefined
    const [{ engine, timer }] = this.#idle.splice(at, 1)
    clearTimeout(timer)
    return engine
  }

  /** Who does not want it any more leaves it to the next. */
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
          (engine) => this.#keep(engine),
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

  /** Where none waits. Whoever needs one starts one where this fails, and hears why. */
  async #startSpare(memoryBytesMax: number): Promise<void> {
    if (this.#idle.length + this.#spareCount > 0) return
    this.#spareCount++
    try {
      this.#keep(await this.#start(memoryBytesMax, false))
    } catch {
    } finally {
      this.#spareCount--
    }
  }

  #keep(engine: Engine): void {
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
