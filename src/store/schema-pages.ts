// Pages of names, fields and series: how an engine hands out what it found, and how a reader that needs all of it
// collects them. A page bounds what is spelt out at a time, however many there are.

import { limits } from '../config.js'
import { UserError } from '../errors.js'
import { PullStream } from '../platform/pull-stream.js'

/** Entries of a page: some hundred kilobytes of texts. */
export const schemaPageEntries = 5000

/** Entries that are known but not spelt out yet. */
export interface EntryList<T> {
  readonly count: number
  at(i: number): T
}

export function listOf<T>(entries: readonly T[]): EntryList<T> {
  return { count: entries.length, at: (i) => entries[i] }
}

/** Cuts a list into pages. `open` is called when the first is asked for: what it throws, taking throws. */
export class SchemaPages<T> extends PullStream<readonly T[]> {
  readonly #open: () => EntryList<T>
  readonly #signal: AbortSignal | undefined
  #list: EntryList<T> | undefined
  #next = 0

  constructor(open: () => EntryList<T>, signal: AbortSignal | undefined) {
    super()
    this.#open = open
    this.#signal = signal
  }

  take(): readonly T[] | undefined {
    this.#signal?.throwIfAborted()
    this.#list ??= this.#open()
    const list = this.#list
    const start = this.#next
    const stop = Math.min(list.count, start + schemaPageEntries)
    if (start >= stop) return undefined
    this.#next = stop
    const page = new Array<T>(stop - start)
    for (let i = start; i < stop; i++) page[i - start] = list.at(i)
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
  for (let page = await pages.take(); page !== undefined; page = await pages.take()) {
    all ??= [...first]
    for (const entry of page) all.push(entry)
    if (all.length <= entriesMax) continue
    await pages.close()
    throw new UserError('invalid', `the answer has more than ${entriesMax} entries`)
  }
  return all ?? first
}
