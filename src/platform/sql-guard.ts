// Watches over one session with a database outside: it breaks when the query is aborted or takes too long. Whatever is
// being waited for then fails with that reason.

import { UserError } from '../errors.js'

export class SqlGuard {
  readonly #signal: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #end: () => void
  readonly #onAbort: () => void
  readonly #broken: Promise<never>
  #fail!: (reason: unknown) => void
  #failure: { readonly reason: unknown } | undefined

  /** `end` is called when the session breaks. */
  constructor(signal: AbortSignal, secondsMax: number, end: () => void) {
    this.#signal = signal
    this.#end = end
    this.#broken = new Promise<never>((_, reject) => {
      this.#fail = reject
    })
    // Nobody may be waiting when it breaks.
    this.#broken.catch(() => undefined)
    const tooLong = `sql: the session took longer than ${secondsMax} seconds`
    const onTime = () => this.break(new UserError('invalid', tooLong))
    this.#timer = setTimeout(onTime, secondsMax * 1000)
    this.#onAbort = () => this.break(signal.reason)
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** What `work` gives, as long as the session stands. */
  async run<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined)
    if (this.#failure !== undefined) throw this.#failure.reason
    return Promise.race([this.#broken, work])
  }

  break(reason: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = { reason }
    this.close()
    this.#fail(reason)
    this.#end()
  }

  /** Stops watching. */
  close(): void {
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#onAbort)
  }
}
