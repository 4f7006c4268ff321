// The serving thread's answers to what a query thread asks: schemas, pages of names, and where reads find their rows.
// What it holds for a thread, snapshots above all, is released when the thread says so, and when the thread is gone.

import type { MaybePromise, PullStream } from '../../platform/pull-stream.js'
import { reviveFailure, type ThreadFailure } from '../../platform/thread-failure.js'
import type { HandedRead, ReadRequest, Store } from '../../store/store.js'
import type { OpenedRead, PagesOf, ThreadQuestion } from './messages.js'

type StoreQuestion = Exclude<ThreadQuestion, { about: 'scope' }>

export class ThreadDesk {
  readonly #store: Store
  readonly #reads = new Map<number, HandedRead>()
  readonly #pages = new Map<number, PullStream<unknown>>()
  #next = 1

  constructor(store: Store) {
    this.#store = store
  }

  answer(question: StoreQuestion): MaybePromise<unknown> {
    switch (question.about) {
      case 'store': {
        const { method, parameters } = question
        return Reflect.apply(this.#store[method], this.#store, parameters)
      }
      case 'pages':
        return this.#openPages(question.of)
      case 'next page':
        return this.#pages.get(question.pages)?.take()
      case 'end of pages':
        return this.#closePages(question.pages)
      case 'read':
        return this.#openRead(question.request)
      case 'end of read':
        return this.#closeRead(question.read, question.failure)
    }
  }

  /** The thread is gone: nobody reads any more. */
  async close(): Promise<void> {
    for (const read of [...this.#reads.keys()]) await this.#closeRead(read, undefined)
    for (const pages of [...this.#pages.keys()]) await this.#closePages(pages)
  }

  #openPages({ kind, request }: PagesOf): number {
    const pages = kind === 'names' ? this.#store.names(request) : this.#store[kind](request)
    this.#pages.set(this.#next, pages)
    return this.#next++
  }

  async #closePages(number: number): Promise<void> {
    const pages = this.#pages.get(number)
    this.#pages.delete(number)
    await pages?.close()
  }

  async #openRead(request: ReadRequest): Promise<OpenedRead> {
    const handed = await this.#store.handOver?.(request)
    if (handed === undefined) return undefined
    const read = this.#next++
    this.#reads.set(read, handed)
    return { read, job: handed.job }
  }

  async #closeRead(number: number, failure: ThreadFailure | undefined): Promise<void> {
    const read = this.#reads.get(number)
    this.#reads.delete(number)
    await read?.release(failure && reviveFailure(failure))
  }
}
