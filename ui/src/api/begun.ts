// Questions that were asked before the page's code had come, and their answers: `begin.ts`, a script of its own, asks;
// the page takes them, those that are asked while it already runs as well.

import type { QueryClient } from '@tanstack/react-query'

export interface Begun {
  readonly queryKey: readonly unknown[]
  readonly answer: Promise<unknown>
}

interface Handover {
  readonly asked: Begun[]
  take?: (begun: Begun) => void
}

/** The two scripts have no module in common. */
function handover(): Handover {
  const place = globalThis as { millraceBegun?: Handover }
  place.millraceBegun ??= { asked: [] }
  return place.millraceBegun
}

export function handOver(begun: Begun): void {
  const { asked, take } = handover()
  if (take === undefined) asked.push(begun)
  else take(begun)
}

/** What failed is asked again by whoever wants it, and told there if it fails again. */
export function takeBegun(client: QueryClient): void {
  const take = ({ queryKey, answer }: Begun) => {
    const taken = client.fetchQuery({ queryKey, queryFn: () => answer, retry: false })
    taken.catch(() => client.resetQueries({ queryKey, exact: true }))
  }
  const place = handover()
  place.take = take
  for (const begun of place.asked.splice(0)) take(begun)
}
