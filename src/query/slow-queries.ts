// The slowest queries of the last hour, each with what it cost: what an operator looks at first when
// the service is slow. A query that is not among the slowest costs one comparison.

import type { ActiveQuery, QueryAsker } from './active-queries.js'

export interface PastQuery {
  readonly id: number
  /** Its beginning where it is long. */
  readonly text: string
  readonly language: string
  readonly database: string
  readonly asker: QueryAsker | undefined
  readonly startedAt: bigint
  readonly elapsedNs: bigint
  readonly rowsRead: number
  readonly bytesMax: number
}

interface Span {
  readonly number: bigint
  /** The slowest first. */
  readonly queries: PastQuery[]
}

/** Ten minutes: what is told of the last hour reaches back up to seven of them. */
const spanNs = 600_000_000_000n
const spansMax = 7
const hourNs = 3_600_000_000_000n

/** Of a span. More than are shown: everybody sees their own only. */
const keptMax = 50
const keptTextMax = 1000

export class SlowQueries {
  /** The newest last. */
  readonly #spans: Span[] = []

  /** Called as it ends, at `now`. */
  note(query: ActiveQuery, now: bigint): void {
    // The clock may be set back.
    const elapsedNs = now > query.startedAt ? now - query.startedAt : 0n
    const { queries } = this.#spanOf(now)
    if (queries.length >= keptMax && queries[queries.length - 1].elapsedNs >= elapsedNs) return
    let at = queries.length
    while (at > 0 && queries[at - 1].elapsedNs < elapsedNs) at--
    queries.splice(at, 0, pastQuery(query, elapsedNs))
    if (queries.length > keptMax) queries.pop()
  }

  /** Those that ended in the last hour, the slowest first. */
  list(now: bigint): readonly PastQuery[] {
    const since = now - hourNs
    return this.#spans
      .flatMap(({ queries }) => queries)
      .filter(({ startedAt, elapsedNs }) => startedAt + elapsedNs > since)
      .sort(slowestFirst)
  }

  #spanOf(now: bigint): Span {
    const newest = this.#spans.at(-1)
    if (newest !== undefined && now < (newest.number + 1n) * spanNs) return newest
    const made: Span = { number: now / spanNs, queries: [] }
    this.#spans.push(made)
    if (this.#spans.length > spansMax) this.#spans.shift()
    return made
  }
}

export function slowestFirst(a: PastQuery, b: PastQuery): number {
  return a.elapsedNs < b.elapsedNs ? 1 : a.elapsedNs > b.elapsedNs ? -1 : 0
}

type Identified = Pick<PastQuery, 'id' | 'text' | 'language' | 'database' | 'asker'>

/** What is told of a query and of who asked, without what else hangs on it, and with a text of bounded length. */
export function identified(query: Identified, textMax: number): Identified {
  const { id, text, language, database, asker } = query
  return {
    id,
    text: text.length > textMax ? `${copyOf(text.slice(0, textMax))}…` : text,
    language,
    database,
    asker: asker && { orgId: asker.orgId, userId: asker.userId, tokenId: asker.tokenId },
  }
}

/** V8 keeps the whole of a text alive for the sake of a part of it; megabytes of them are asked. */
function copyOf(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le')
}

function pastQuery(query: ActiveQuery, elapsedNs: bigint): PastQuery {
  const { startedAt, figures } = query
  return {
    ...identified(query, keptTextMax),
    startedAt,
    elapsedNs,
    rowsRead: figures?.rowsRead ?? 0,
    bytesMax: figures?.bytesMax ?? 0,
  }
}
