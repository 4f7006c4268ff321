// Runs questions in the worker: one at a time for each place that shows an answer, six at once in all (a browser opens
// no more connections to one service), stopped when nobody waits for them any more.

import { session } from '../api/http.js'
import type { Question } from './language.js'
import { requestOf } from './request.js'
import type { Failure, Result } from './result.js'
import type { WorkerAnswer, WorkerMessage } from './worker-messages.js'

declare const QUERY_WORKER_FILE: string

export class QueryFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

export interface Progress {
  readonly bytes: number
  readonly rows: number
}

/** What whoever asks gets to know while the answer is not there. */
export interface Watching {
  readonly onProgress?: (progress: Progress) => void
  /** What the request is called, in the service's list of running queries too. */
  readonly requestId?: string
}

/** Not `randomUUID`: browsers have that on secure pages only. */
export function newRequestId(): string {
  const words = crypto.getRandomValues(new Uint32Array(4))
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('')
}

export const rowsMax = 1_000_000
export const bytesMax = 64 * 1024 * 1024
const atOnceMax = 6

interface Waiting {
  start(): void
}

class Runner {
  #worker: Worker | undefined
  #lastId = 0
  #active = 0
  readonly #queue: Waiting[] = []
  readonly #listeners = new Map<number, (answer: WorkerAnswer) => void>()

  run(question: Question, signal: AbortSignal, watching: Watching = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const start = () => {
        if (signal.aborted) {
          reject(signal.reason)
          return
        }
        this.#active++
        this.#ask(question, signal, watching)
          .then(resolve, reject)
          .finally(() => {
            this.#active--
            this.#queue.shift()?.start()
          })
      }
      if (this.#active < atOnceMax) start()
      else this.#queue.push({ start })
    })
  }

  async #ask(question: Question, signal: AbortSignal, watching: Watching): Promise<Result> {
    for (;;) {
      const startedAt = performance.now()
      const answer = await this.#post(question, signal, watching)
      if ('tables' in answer) {
        const { tables, rowCount, byteCount, stoppedAt, lines } = answer
        const elapsedMs = performance.now() - startedAt
        return {
          ...{ tables, rowCount, byteCount, elapsedMs },
          ...(stoppedAt ? { stoppedAt } : {}),
          ...(lines ? { lines } : {}),
        }
      }
      if (!('failure' in answer)) continue
      if (answer.failure.status !== 401 || (await isSomebody()))
        throw new QueryFailure(answer.failure)
      await session.renewed()
    }
  }

  #post(question: Question, signal: AbortSignal, watching: Watching): Promise<WorkerAnswer> {
    const { onProgress, requestId } = watching
    const id = ++this.#lastId
    const worker = this.#open()
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#listeners.delete(id)
        worker.postMessage({ stop: id } satisfies WorkerMessage)
        reject(signal.reason)
      }
      signal.addEventListener('abort', stop, { once: true })
      this.#listeners.set(id, (answer) => {
        if ('progress' in answer) {
          onProgress?.(answer.progress)
          return
        }
        this.#listeners.delete(id)
        signal.removeEventListener('abort', stop)
        resolve(answer)
      })
      const { moments } = question
      const asked = { id, requestId, ...requestOf(question), moments, rowsMax, bytesMax }
      worker.postMessage(asked satisfies WorkerMessage)
    })
  }

  #open(): Worker {
    if (this.#worker === undefined) {
      this.#worker = new Worker(new URL(QUERY_WORKER_FILE, document.baseURI), { type: 'module' })
      this.#worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
        this.#listeners.get(data.id)?.(data)
      }
    }
    return this.#worker
  }
}

async function isSomebody(): Promise<boolean> {
  const { status } = await fetch(new URL('api/v2/me', document.baseURI))
  return status !== 401
}

const runner = new Runner()

export function runQuestion(
  question: Question,
  signal: AbortSignal,
  watching?: Watching,
): Promise<Result> {
  return runner.run(question, signal, watching)
}
