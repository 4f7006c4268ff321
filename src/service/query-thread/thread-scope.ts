// What a query on a thread may see and use: the facts that came with it, and its own scope on the serving thread for
// what has to be looked up, where the caller's permissions are checked. What only statements that change something
// need is not here: those are not handed over.

import { assert } from '../../errors.js'
import type { FluxScope } from '../../flux/context/scope.js'
import type { Databases, InfluxqlScope } from '../../influxql/scope/scope.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { QueryDirectory } from '../../query/active-queries.js'
import type { QueryFigures } from '../../query/limits.js'
import type { RowMemoryPool } from '../../query/row-memory.js'
import { Statistics } from '../../query/statistics.js'
import type { SqlScope } from '../../sql/plan/scope.js'
import type { Store } from '../../store/store.js'
import type { FluxFacts, InfluxqlFacts, SqlFacts } from './messages.js'

/** Asks the query's scope on the serving thread. */
export type AskScope = <T>(method: string, ...parameters: readonly unknown[]) => Promise<T>

export interface ThreadParts {
  readonly store: Store
  readonly random: Random
  readonly clock: Clock
  readonly rowMemory: RowMemoryPool
}

export function influxqlScope(
  { store, random, rowMemory }: ThreadParts,
  facts: InfluxqlFacts,
  figures: QueryFigures,
  ask: AskScope,
): InfluxqlScope {
  const { database, policy, isReadOnly, answers, limits, now } = facts
  return {
    store,
    random,
    rowMemory,
    figures,
    clock: { now: () => now },
    databases: only<Databases>({ bucket: (...place) => ask('bucket', ...place) }),
    queries: only<QueryDirectory>({}),
    statistics: new Statistics(),
    writePoints: notHere,
    limits,
    database,
    policy,
    isReadOnly,
    answers,
  }
}

export function fluxScope(
  { store, random, clock }: ThreadParts,
  { limits, now }: FluxFacts,
  figures: QueryFigures,
  ask: AskScope,
): FluxScope {
  return {
    store,
    random,
    clock,
    figures,
    limits,
    now,
    lastSuccess: undefined,
    outgoing: { fetch: notHere },
    databasesOutside: { connect: notHere },
    bucket: (...place) => ask('bucket', ...place),
    buckets: (organization) => ask('buckets', organization),
    databases: (organization) => ask('databases', organization),
    secret: (key) => ask('secret', key),
    write: notHere,
    sql: () => assert(false, mustRead) as never,
    usage: (...asked) => ask('usage', ...asked),
    organizationLimits: (account) => ask('organizationLimits', account),
  }
}

export function sqlScope(
  { store }: ThreadParts,
  { database, limits, now }: SqlFacts,
  figures: QueryFigures,
  ask: AskScope,
): SqlScope {
  return {
    store,
    clock: { now: () => now },
    limits,
    figures,
    database,
    bucket: (name) => ask('bucket', name),
  }
}

/** Of an interface what reading needs. */
function only<T extends object>(methods: Partial<T>): T {
  return new Proxy(methods as T, {
    get: (target, name) => Reflect.get(target, name) ?? notHere,
  })
}

const mustRead = 'a query on a thread only reads'

async function notHere(): Promise<never> {
  assert(false, mustRead)
}
