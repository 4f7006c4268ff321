// Inserts gathered: while one is under way, what others want to put into the same table of the same shard waits and
// goes with the next, as one body. So many small writes make few parts, and a lone one waits for nobody. A body that
// fails fails for all who are in it; each of them may be repeated, because the later of two equal rows wins.

import { OverloadError } from '../../errors.js'

export type Send = (shard: number, sql: string, body: readonly Uint8Array[]) => Promise<void>

interface Waiting {
  pieces: Uint8Array[]
  bytes: number
  done: PromiseWithResolvers<void>
}

/** Of one body. */
const bodyBytesMax = 32 * 1024 * 1024
/** Of all that wait, on this process. */
const waitingBytesMax = 512 * 1024 * 1024

export class Inserts {
  readonly #send: Send
  readonly #queues = new Map<string, Waiting[]>()
  #waitingBytes = 0
  #sentCount = 0

  constructor(send: Send) {
    this.#send = send
  }

  get sentCount(): number {
    return this.#sentCount
  }

  async insert(shard: number, sql: string, pieces: readonly Uint8Array[]): Promise<void> {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (this.#waitingBytes + bytes > waitingBytesMax) {
      throw new OverloadError('the store takes writes too slowly: too much waits for it')
    }
    this.#waitingBytes += bytes
    const name = `${shard} ${sql}`
    const queue = this.#queues.get(name)
    const last = queue?.at(-1)
    if (last !== undefined && last.bytes + bytes <= bodyBytesMax) {
      last.pieces.push(...pieces)
      last.bytes += bytes
      return last.done.promise
    }
    const waiting = { pieces: [...pieces], bytes, done: withResolvers<void>() }
    if (queue !== undefined) queue.push(waiting)
    else {
      this.#queues.set(name, [waiting])
      void this.#work(name, shard, sql)
    }
    return waiting.done.promise
  }

  async #work(name: string, shard: number, sql: string): Promise<void> {
    const queue = this.#queues.get(name)!
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      try {
        this.#sentCount++
        await this.#send(shard, sql, next.pieces)
        next.done.resolve()
      } catch (error) {
        next.done.reject(error)
      }
      this.#waitingBytes -= next.bytes
    }
    this.#queues.delete(name)
  }
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve!: (value: T | PromiseLike<T>) => void
  let reject!: (reason?: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
