// Pages of names, fields and series: how an engine hands out what it found, and how a reader that needs all of it
// collects them. A page bounds what is spelt out at a time, however many there are.

import { limits } from '../config.js'
import { UserError } from '../errors.js'
import { type MaybePromise, PullStream, whenReady } from '../platform/pull-stream.js'
import { Turn } from '../platform/turns.js'

/** Entries of a page: some hundred kilobytes of texts. */
export const schemaPageEntries = 5000

const firstPageEntries = 500
/** Between two looks at the clock. */
const entriesPerLook = 100

/** Entries that are known but not spelt out yet. */
export interface EntryList<T> {
  readonly count: number
  at(i: number): T
  /** Where the first entries are put in order only when they are asked for. */
  ensure?(count: number): MaybePromise<void>
}

export function listOf<T>(entries: readonly T[]): EntryList<T> {
  return { count: entries.length, at: (i) => entries[i] }
}

/**
 * Cuts a list into pages. `open` is called when the first is asked for: what it throws, taking throws. Whoever takes
 * one page after the other leaves others their turn.
 */
export class SchemaPages<T> extends PullStream<readonly T[]> {
  readonly #open: () => MaybePromise<EntryList<T>>
  readonly #signal: AbortSignal | undefined
  readonly #turn = new Turn()
  #list: EntryList<T> | undefined
  #next = 0

  constructor(open: () => MaybePromise<EntryList<T>>, signal: AbortSignal | undefined) {
    super()
    this.#open = open
    this.#signal = signal
  }

  /** How many there are on all pages, once the first was taken. */
  get count(): number | undefined {
    return this.#list?.count
  }

  take(): MaybePromise<readonly T[] | undefined> {
    this.#signal?.throwIfAborted()
    if (this.#list !== undefined) {
      if (this.#turn.isOver) return this.#turn.others().then(() => this.#page())
      return this.#page()
    }
    return whenReady(this.#open(), (list) => {
      this.#list = list
      return this.#page()
    })
  }

  #page(): MaybePromise<readonly T[] | undefined> {
    const list = this.#list!
    const start = this.#next
    // The first page is short: who wants to see the beginning of a long list does not wait for the rest.
    const most = start === 0 ? firstPageEntries : schemaPageEntries
    const stop = Math.min(list.count, start + most)
    if (start >= stop) return undefined
    return whenReady(list.ensure?.(stop), () => this.#spelt(list, start, stop))
  }

  /** A page ends with the turn: series cost more to spell out than names. */
  #spelt(list: EntryList<T>, start: number, stop: number): T[] {
    const page: T[] = []
    for (let i = start; i < stop; i++) {
      page.push(list.at(i))
      if (page.length % entriesPerLook === 0 && this.#turn.isOver) break
    }
    this.#next = Math.max(this.#next, start + page.length)
    return page
  }

  close(): void {
    this.#next = Number.POSITIVE_INFINITY
  }
}

/** All entries of all pages. Refuses more than `entriesMax`: whoever can go page by page should. */
export async function collectPages<T>(
  pages: PullStream<readonly T[]>,
  entriesMax: number = limits.schemaEntriesMax,
): Promise<readonly T[]> {
  const first = await pages.take()
  if (first === undefined) return []
  let all: T[] | undefined
  const turn = new Turn()
  for (let page = await pages.take(); page !== undefined; page = await pages.take()) {
    all ??= [...first]
    for (const entry of page) all.push(entry)
    if (turn.isOver) await turn.others()
    if (all.length <= entriesMax) continue
    await pages.close()
    throw new UserError('invalid', `the answer has more than ${entriesMax} entries`)
  }
  return all ?? first
}
