// Pages of the store together with entries that it does not have: sorted and unique like the store's own, whose entry
// stands where both have one.

import type { MaybePromise, PullStream } from '../../platform/pull-stream.js'
import { schemaPageEntries } from '../../store/schema-pages.js'

export type Compare<T> = (a: T, b: T) => number

export async function* mergedPages<T>(
  open: () => PullStream<readonly T[]>,
  others: MaybePromise<readonly T[]>,
  compare: Compare<T>,
): AsyncGenerator<readonly T[], void, undefined> {
  const more = [...(await others)].sort(compare)
  let next = 0
  let page: T[] = []
  for await (const own of open()) {
    for (const entry of own) {
      while (next < more.length && compare(more[next], entry) < 0) page.push(more[next++])
      if (next < more.length && compare(more[next], entry) === 0) next++
      page.push(entry)
    }
    while (page.length >= schemaPageEntries) {
      yield page.slice(0, schemaPageEntries)
      page = page.slice(schemaPageEntries)
    }
  }
  page.push(...more.slice(next))
  for (let i = 0; i < page.length; i += schemaPageEntries) {
    yield page.slice(i, i + schemaPageEntries)
  }
}
