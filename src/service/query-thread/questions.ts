// The thread's side of what it asks the serving thread for: each question has a number, and whoever asked waits for
// the answer with that number.

import { reviveFailure } from '../../platform/thread-failure.js'
import type { ThreadQuestion, ThreadReply, ThreadRequest } from './messages.js'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
  /** Takes it from those who wait. */
  done(): void
}

export class Questions {
  readonly #send: (reply: ThreadReply) => void
  readonly #waiting = new Map<number, Waiting>()
  #next = 1

  constructor(send: (reply: ThreadReply) => void) {
    this.#send = send
  }

  /** Whoever stops waiting by `signal` leaves the question to be answered to nobody. */
  ask<T>(question: ThreadQuestion, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const number = this.#next++
    return new Promise<T>((resolve, reject) => {
      const stop = () => done()?.reject(signal?.reason)
      const done = () => {
        const waiting = this.#waiting.get(number)
        this.#waiting.delete(number)
        signal?.removeEventListener('abort', stop)
        return waiting
      }
      this.#waiting.set(number, { resolve: (value) => resolve(value as T), reject, done })
      signal?.addEventListener('abort', stop)
      this.#send({ kind: 'question', number, question })
    })
  }

  take(reply: Extract<ThreadRequest, { kind: 'answer' | 'refusal' }>): void {
    const waiting = this.#waiting.get(reply.question)
    waiting?.done()
    if (reply.kind === 'answer') waiting?.resolve(reply.value)
    else waiting?.reject(reviveFailure(reply.failure))
  }
}
