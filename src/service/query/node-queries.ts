// The queries that run, and those that took longest, of all processes that share the catalog: each tells its own to
// whoever asks, and stops one that somebody names. What the others tell is bounded; how long a query has run is told
// and not when it began, so that clocks need not agree.

import type { NodeQuestions } from '../../catalog/node-questions.js'
import { UnavailableError, UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { ActiveQueries, ListedQuery, QueryDirectory } from '../../query/active-queries.js'
import {
  identified,
  type PastQuery,
  type SlowQueries,
  slowestFirst,
} from '../../query/slow-queries.js'

/** What one process tells of its queries, at most. */
const queriesMax = 1000
const textMax = 2000

/** As JSON: nanoseconds as text. */
interface ToldQuery extends Omit<ListedQuery, 'startedAt'> {
  readonly elapsedNs: string
}

export interface FoundQueries<Query> {
  readonly queries: readonly Query[]
  /** Processes that could not be asked. */
  readonly unreachable: readonly string[]
}

export class NodeQueries implements QueryDirectory {
  readonly #active: ActiveQueries
  readonly #slowest: SlowQueries
  readonly #clock: Clock
  /** Undefined: there are no others. */
  readonly #questions: NodeQuestions | undefined

  constructor(
    active: ActiveQueries,
    slowest: SlowQueries,
    clock: Clock,
    questions: NodeQuestions | undefined,
  ) {
    this.#active = active
    this.#slowest = slowest
    this.#clock = clock
    this.#questions = questions
    questions?.answerWith('queries', () => this.#toldActive())
    questions?.answerWith('slowest-queries', () => this.#toldSlowest())
    questions?.answerWith('kill-query', (id) => active.killOwn(Number(id)))
  }

  async list(): Promise<readonly ListedQuery[]> {
    return (await this.active()).queries
  }

  /** Those that run: its own first, then by id. */
  async active(): Promise<FoundQueries<ListedQuery>> {
    const own = this.#active.list()
    const { found, unreachable } = await this.#ask('queries')
    return { queries: [...own, ...found.sort((a, b) => a.id - b.id)], unreachable }
  }

  /** Those that ended in the last hour, the slowest first. */
  async slowest(): Promise<FoundQueries<PastQuery>> {
    const own = this.#slowest.list(this.#clock.now())
    const { found, unreachable } = await this.#ask('slowest-queries')
    return { queries: [...own, ...found.map(pastQuery)].sort(slowestFirst), unreachable }
  }

  async kill(id: number): Promise<void> {
    if (this.#active.killOwn(id)) return
    const asked = await this.#questions?.ask('kill-query', id, (isKilled) => isKilled === true)
    if (asked?.answers.includes(true)) return
    const { missing = [] } = asked ?? {}
    if (missing.length === 0) throw new UserError('not found', `no such query id: ${id}`)
    throw new UnavailableError(
      `no such query id: ${id}; it may run where nobody answers: ${missing.join(', ')}`,
    )
  }

  async #ask(kind: string) {
    const { answers = [], missing: unreachable = [] } = (await this.#questions?.ask(kind, {})) ?? {}
    const now = this.#clock.now()
    const found = (answers as ToldQuery[][]).flat().map((told) => heardQuery(told, now))
    return { found, unreachable }
  }

  #toldActive(): ToldQuery[] {
    const now = this.#clock.now()
    const shown = this.#active.list().slice(0, queriesMax)
    return shown.map((query) => toldQuery(query, now - query.startedAt))
  }

  #toldSlowest(): (ToldQuery & { readonly endedNsAgo: string })[] {
    const now = this.#clock.now()
    const shown = this.#slowest.list(now).slice(0, queriesMax)
    return shown.map((query) => {
      const { elapsedNs, startedAt, rowsRead, bytesMax } = query
      const figures = { rowsRead, bytesMax }
      const told = { ...query, requestId: undefined, figures, isKilled: false }
      return { ...toldQuery(told, elapsedNs), endedNsAgo: `${now - startedAt - elapsedNs}` }
    })
  }
}

function toldQuery(query: Omit<ListedQuery, 'startedAt'>, elapsedNs: bigint): ToldQuery {
  const { requestId, figures, isKilled } = query
  return {
    ...identified(query, textMax),
    requestId,
    figures: figures && { rowsRead: figures.rowsRead, bytesMax: figures.bytesMax },
    isKilled,
    elapsedNs: `${elapsedNs}`,
  }
}

interface HeardQuery extends ListedQuery {
  readonly elapsedNs: bigint
}

function heardQuery(told: ToldQuery & { readonly endedNsAgo?: string }, now: bigint): HeardQuery {
  const { elapsedNs: elapsed, endedNsAgo = '0', ...rest } = told
  const elapsedNs = BigInt(elapsed)
  return { ...rest, elapsedNs, startedAt: now - BigInt(endedNsAgo) - elapsedNs }
}

function pastQuery({ figures, ...query }: HeardQuery): PastQuery {
  return { ...query, rowsRead: figures?.rowsRead ?? 0, bytesMax: figures?.bytesMax ?? 0 }
}
