// The way of a query, in whichever language and over whichever interface it is asked: who asks → what it may see → the
// prepared query → the organization's limits → a place among the queries under way → its pieces. Transports encode the
// pieces and send them.

import { availableParallelism, totalmem } from 'node:os'
import type { Identity } from '../../access/authenticator.js'
import type { Organization } from '../../catalog/accounts/organizations.js'
import { nodeIdSpan } from '../../catalog/nodes.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { limits } from '../../config.js'
import { assert, BusyError, OverloadError, UserError } from '../../errors.js'
import type { InfluxqlScope } from '../../influxql/scope/scope.js'
import type { Clock } from '../../platform/clock.js'
import { type MaybePromise, whenReady } from '../../platform/pull-stream.js'
import { setTurns } from '../../platform/run-turns.js'
import {
  ActiveQueries,
  type ActiveQuery,
  type QueryAsker,
  type QueryStart,
} from '../../query/active-queries.js'
import { databaseTables } from '../../query/database-tables.js'
import type { QueryParameters, TablePiece } from '../../query/language.js'
import type { QueryFigures } from '../../query/limits.js'
import { PreparedQueries } from '../../query/prepared-queries.js'
import { RowMemoryPool } from '../../query/row-memory.js'
import { SlowQueries } from '../../query/slow-queries.js'
import { Statistics } from '../../query/statistics.js'
import type { AnswerForm } from '../../result/answer-form.js'
import type { SqlScope } from '../../sql/plan/scope.js'
import type { Failures } from '../base/failures.js'
import type { Caller } from '../base/fair-queue.js'
import type { ServiceParts } from '../base/parts.js'
import { CatalogDatabases } from '../databases/databases.js'
import type { DatabaseDirectories } from '../databases/directory.js'
import {
  type AdmittedRead,
  noLimits,
  type OrganizationLimits,
  unmeteredRead,
} from '../limits/organization-limits.js'
import type { Usage } from '../limits/usage.js'
import type { ThreadQuery } from '../query-thread/messages.js'
import {
  QueryThreads,
  type QueryThreadsOptions,
  type ScopeMethods,
} from '../query-thread/query-threads.js'
import { databaseBucket } from '../targets/database-bucket.js'
import type { Targets } from '../targets/targets.js'
import type { Writes } from '../write/writes.js'
import { FluxCatalogScope, type WouldWrite } from './flux-scope.js'
import { queryLimits, shorter } from './limits.js'
import { NodeQueries } from './node-queries.js'
import { type HeldFigures, QueryMemory } from './query-memory.js'
import { type Elsewhere, QueryRun, type StartedQuery } from './query-run.js'
import { QueryShares } from './query-shares.js'
import { type QueryTurn, QueryTurns } from './query-turns.js'
import { writtenCount } from './written-count.js'

export type QueryParts = ServiceParts & {
  readonly targets: Targets
  readonly directories: DatabaseDirectories
  readonly writes: Writes
  readonly limits: OrganizationLimits
  readonly usage: Usage
  readonly failures: Failures
}

/** As v1 asks: every statement may name its own database. */
export interface InfluxqlQuestion {
  readonly text: string
  readonly database: string | undefined
  readonly policy: string | undefined
  readonly parameters: QueryParameters | undefined
  /** Statements that change something are answered with a warning. */
  readonly isReadOnly: boolean
  readonly requestId?: string | undefined
}

/** As v3 asks: one statement that reads one database; of InfluxQL also one that reads none, such as SHOW DATABASES. */
export interface DatabaseQuestion {
  readonly language: 'sql' | 'influxql'
  readonly database: string | undefined
  readonly text: string
  readonly parameters: QueryParameters | undefined
  readonly requestId?: string | undefined
}

/** As a task asks. */
export interface TaskDatabaseQuestion {
  readonly language: 'sql' | 'influxql'
  readonly database: string
  readonly text: string
  readonly now: bigint
  readonly figures?: QueryFigures | undefined
  /** It is only tried: told what SELECT … INTO would write. */
  readonly wouldWrite?: WouldWrite | undefined
}

export interface FluxQuestion {
  readonly text: string
  readonly org: Organization
  readonly now: bigint
  readonly parameters: QueryParameters | undefined
  /** Where a task asks. */
  readonly task?: TaskQuestion | undefined
  /** The script is only tried: it reads, and neither writes nor sends anything. */
  readonly isTest?: boolean | undefined
  /** Where it is tried: what it would write. */
  readonly wouldWrite?: WouldWrite | undefined
  readonly requestId?: string | undefined
}

export interface TaskQuestion {
  /** The moment of its last run that ended well. */
  readonly lastSuccess: bigint | undefined
  /** Told how many points were written, with every write. */
  readonly wrote: (count: number) => void
  readonly figures?: QueryFigures | undefined
}

interface Held {
  readonly figures: HeldFigures
}

/** What the list of queries under way tells of one that begins. */
interface OpeningQuery extends Omit<QueryStart, 'timeoutSeconds' | 'concurrentMax'> {
  readonly asker: QueryAsker
  readonly figures: HeldFigures
  readonly isTask?: boolean
  readonly parameters?: QueryParameters | undefined
}

/** What a query needs that runs on another thread: what is known of its scope, and what it may look up in it. */
interface ThreadScope {
  readonly facts: ThreadQuery['facts']
  readonly methods: ScopeMethods
  /** It could not be answered there. Absent: whatever is handed over can be. */
  returned?(): void
}

/** What takes longer than a turn to be read. */
const longValues = 200_000

export class Queries {
  readonly active: ActiveQueries
  readonly slowest = new SlowQueries()
  readonly statistics = new Statistics()
  /** Of this process and of those that share its catalog. */
  readonly everywhere: NodeQueries
  readonly prepared = new PreparedQueries(limits.preparedBytesMax)
  readonly turns: QueryTurns
  readonly threads: QueryThreads | undefined
  readonly memory: QueryMemory
  readonly #shares: QueryShares
  readonly #rowMemory = new RowMemoryPool()
  readonly #parts: QueryParts

  constructor(parts: QueryParts, threads?: QueryThreadsOptions) {
    this.#parts = parts
    const { nodes } = parts.catalog
    this.active = new ActiveQueries(parts.clock, nodes && (() => nodes.number * nodeIdSpan))
    this.everywhere = new NodeQueries(this.active, this.slowest, parts.clock, nodes?.questions)
    this.statistics.add(async () => [this.active.statistics()])
    this.memory = new QueryMemory(
      parts.config.queryMemoryBytes || availableMemoryBytes() / 2,
      limits.heavyQueryWaitSecondsMax,
    )
    this.#shares = new QueryShares(parts.config.queryConcurrentMax)
    this.threads = threads && new QueryThreads(parts.store, threads)
    this.turns = new QueryTurns({
      placeCount: Math.max(2, availableParallelism()) + 1,
      waitSecondsMax: limits.heavyQueryWaitSecondsMax,
      isNeededElsewhere: () => parts.writes.count > 0,
    })
  }

  /** A promise where the organization's limits must be waited for. */
  influxql(identity: Identity, question: InfluxqlQuestion): MaybePromise<QueryRun> {
    const { text, database = '', parameters, requestId } = question
    const { influxql } = this.#parts.languages
    const begin = () => {
      const query = this.prepared.prepare('influxql', influxql, text, parameters)
      return whenReady(this.#admit(identity.orgId), (admitted) => {
        const scope = this.#influxqlScope(identity, question, 'statements')
        const { figures } = scope
        return this.#open(
          { query, scope, admitted, onThread: () => influxqlOnThread(scope) },
          { text, database, asker: identity, requestId, figures, language: 'influxql', parameters },
        )
      })
    }
    const waiting = this.turns.begin(callerOf(identity))
    return waiting === undefined ? begin() : waiting.then(begin)
  }

  /** Throws where the database is missing, or may not be read. */
  async database(identity: Identity, question: DatabaseQuestion): Promise<QueryRun> {
    const { languages, clock } = this.#parts
    const askedAt = clock.now()
    const { language, text, database = '', parameters, requestId } = question
    await this.turns.begin(callerOf(identity))
    const isNamed = language === 'sql' || question.database !== undefined
    const bucket = isNamed ? await this.requireDatabase(identity, database) : undefined
    if (language === 'sql' && bucket !== undefined) {
      const query = this.prepared.prepare('sql', languages.sql, text, parameters)
      const admitted = await this.#admit(identity.orgId)
      const scope = this.#sqlScope(bucket, database, clock)
      const { figures } = scope
      return this.#open(
        { query, scope, admitted, askedAt, onThread: () => sqlOnThread(scope) },
        { text, database, asker: identity, requestId, figures, language, parameters },
      )
    }
    const query = this.prepared.prepare('influxql', languages.influxql, text, parameters)
    const admitted = await this.#admit(identity.orgId)
    const place = bucket === undefined ? nowhere : placeOf(bucket, database)
    const scope = this.#influxqlScope(identity, place, 'one table')
    const { figures } = scope
    return this.#open(
      { query, scope, admitted, askedAt, onThread: () => influxqlOnThread(scope) },
      { text, database, asker: identity, requestId, figures, language, parameters },
    )
  }

  async flux(identity: Identity, question: FluxQuestion): Promise<QueryRun<TablePiece>> {
    const { text, org, now, parameters, task, isTest, wouldWrite, requestId } = question
    const isTask = task !== undefined
    await this.turns.begin(callerOf(identity, isTask))
    const flux = await this.#parts.languages.flux()
    const query = this.prepared.prepare('flux', flux, text, parameters)
    const admitted = await this.#parts.limits.forRead(org.id)
    const timeoutSeconds = this.#timeout(admitted)
    const figures = this.memory.open(task?.figures)
    const caller = { identity, org, now, timeoutSeconds, task, figures, isTest, wouldWrite }
    const scope = new FluxCatalogScope(this.#parts, caller)
    const asker = { ...identity, orgId: org.id }
    // Tasks are not waited for: they run in turns between what people ask.
    const onThread = isTask || isTest ? undefined : () => fluxOnThread(scope)
    return this.#open(
      { query, scope, admitted, onThread },
      { text, database: '', asker, requestId, figures, language: 'flux', isTask, parameters },
    )
  }

  /** What a task asks in InfluxQL or SQL: `now()` is the moment that its run is for. */
  async task(identity: Identity, question: TaskDatabaseQuestion): Promise<QueryRun> {
    const { languages } = this.#parts
    const { language, text, database, now, wouldWrite } = question
    const figures = this.memory.open(question.figures)
    const clock = { now: () => now }
    await this.turns.begin(callerOf(identity, true))
    if (language === 'sql') {
      const bucket = await this.requireDatabase(identity, database)
      const query = this.prepared.prepare('sql', languages.sql, text, undefined)
      const admitted = await this.#admit(identity.orgId)
      const scope = { ...this.#sqlScope(bucket, database, clock), figures }
      return this.#open(
        { query, scope, admitted },
        { text, database, asker: identity, figures, language, isTask: true },
      )
    }
    const query = this.prepared.prepare('influxql', languages.influxql, text, undefined)
    const place = { database, policy: undefined, isReadOnly: false }
    const own = this.#influxqlScope(identity, place, 'statements')
    const tried = wouldWrite && this.#tried(identity, wouldWrite)
    const scope = { ...own, ...tried, clock, figures }
    const admitted = await this.#admit(identity.orgId)
    return this.#open(
      { query, scope, admitted },
      { text, database, asker: identity, figures, language },
    )
  }

  /** Throws UserError with what is wrong with the text of a task, wherever it is to run. */
  async requireReadable(language: 'flux' | 'influxql' | 'sql', text: string): Promise<void> {
    const { config, languages } = this.#parts
    if (language === 'flux') return void (await languages.flux()).prepare(text)
    languages[language].prepare(text)
    // An engine may have to be started, or waited for: as long as statements wait for one.
    const signal = AbortSignal.timeout(limits.sqlEngineWaitSecondsMax * 1000)
    await languages[language].check?.(text, queryLimits(config).memoryBytesMax, signal)
  }

  /** What runs on other threads fails; nothing of the store is in use there when resolved. */
  async close(): Promise<void> {
    await this.threads?.close(new OverloadError('the server is closing'))
  }

  #tried(
    identity: Identity,
    wouldWrite: WouldWrite,
  ): Pick<InfluxqlScope, 'isTest' | 'writePoints'> {
    const databases = new CatalogDatabases(this.#parts, identity)
    return {
      isTest: true,
      writePoints: async (database, policy, lines) => {
        wouldWrite(await databases.bucketOf(database, policy, 'write'), lines)
      },
    }
  }

  /**
   * What a continuous query does when it is due. It may use every bucket of its organization: its maker was asked for
   * permissions when it was made. Answers with how many points it wrote.
   */
  async runContinuous(
    orgId: string,
    database: string,
    text: string,
    signal: AbortSignal,
  ): Promise<number> {
    const { config, homeOrgId, languages } = this.#parts
    assert(config.variant !== 'cluster' || orgId === homeOrgId, 'a cluster has one organization')
    const place = { database, policy: undefined, isReadOnly: false }
    const unlimited = { ...queryLimits(config), timeoutSeconds: 0, concurrentMax: 0 }
    const scope = {
      ...this.#influxqlScope(organizationIdentity(orgId), place, 'statements', noLimits),
      limits: unlimited,
    }
    const prepared = languages.influxql.prepare(text)
    const active = this.active.start({
      text,
      language: 'influxql',
      database,
      asker: organizationIdentity(orgId),
      figures: scope.figures,
      signal,
      timeoutSeconds: 0,
      concurrentMax: 0,
    })
    const turn = this.turns.run({ org: orgId, token: taskToken }, active.signal)
    setTurns(active.signal, turn)
    try {
      let written = 0
      for await (const piece of prepared.run(scope, active.signal)) {
        if (piece.kind === 'failure') throw piece.error
        if (piece.kind === 'batch') written += writtenCount(piece)
      }
      return written
    } finally {
      turn.end()
      scope.figures.close()
      active.end()
    }
  }

  /** Throws where it is missing, or may not be read. */
  async requireDatabase(identity: Identity, database: string): Promise<Bucket> {
    return databaseBucket(this.#parts, identity, database, 'read')
  }

  async tables(identity: Identity, database: string, hasColumns: boolean) {
    const { id } = await this.requireDatabase(identity, database)
    return databaseTables(this.#parts.store, id, hasColumns)
  }

  #sqlScope({ id }: Bucket, database: string, clock: Clock): SqlScope & Held {
    const { store, config, catalog } = this.#parts
    return {
      store,
      clock,
      limits: queryLimits(config),
      figures: this.memory.open(),
      database,
      bucket: async () => id,
      caches: {
        last: (table, name) => catalog.lastCaches.find(id, table, name),
        distinct: (table, name) => catalog.distinctCaches.find(id, table, name),
      },
    }
  }

  #influxqlScope(
    identity: Identity,
    place: Pick<InfluxqlScope, 'database' | 'policy' | 'isReadOnly'>,
    answers: InfluxqlScope['answers'],
    limits = this.#parts.limits,
  ): InfluxqlScope & Held {
    const { store, clock, random, config } = this.#parts
    const parts = limits === this.#parts.limits ? this.#parts : { ...this.#parts, limits }
    const databases = new CatalogDatabases(parts, identity)
    const { database, policy, isReadOnly } = place
    return {
      store,
      clock,
      random,
      queries: this.everywhere,
      statistics: this.statistics,
      rowMemory: this.#rowMemory,
      databases,
      writePoints: (...points) => databases.writePoints(...points),
      limits: queryLimits(config),
      figures: this.memory.open(),
      database,
      policy,
      isReadOnly,
      answers,
    }
  }

  /** Whoever is bound to no organization asks in the first. */
  #admit(orgId: string | undefined): MaybePromise<AdmittedRead> {
    const { limits, directories } = this.#parts
    return whenReady(orgId ?? directories.firstOrganization(), (asking) =>
      asking === undefined ? unmeteredRead : limits.forRead(asking),
    )
  }

  #timeout({ timeoutSeconds }: AdmittedRead): number {
    return shorter(this.#parts.config.queryTimeoutSeconds, timeoutSeconds)
  }

  /** Throws BusyError where too many are under way: the contract's answer of queriers that have enough to do is 429. */
  #open<Scope, Piece>(begun: BegunQuery<Scope, Piece>, told: OpeningQuery): QueryRun<Piece> {
    const { clock, config } = this.#parts
    const { query, scope, admitted, askedAt } = begun
    const { text, language, database, asker, requestId, figures, signal, isTask } = told
    const timeoutSeconds = this.#timeout(admitted)
    const concurrentMax = config.queryConcurrentMax
    const caller = callerOf(asker, isTask)
    try {
      const active = this.active.start({
        text,
        language,
        database,
        asker,
        requestId,
        figures,
        signal,
        timeoutSeconds,
        concurrentMax,
      })
      const turn = this.#enter(caller, active)
      const ended = (now: bigint) => {
        this.#shares.leave(caller)
        this.slowest.note(active, now)
        figures.close()
      }
      const elsewhere = query.onlyReads ? this.#elsewhere(begun, told, active) : undefined
      const started = { query, scope, active, admitted, turn, elsewhere, ended, clock, askedAt }
      return new QueryRun<Piece>(started as StartedQuery<never, Piece>)
    } catch (error) {
      admitted.end()
      throw error instanceof UserError ? new BusyError(error.message) : error
    }
  }

  /**
   * A query that is long moves while others are served: alone it has this thread, and those that share its scans. Where
   * all threads are busy and only long queries are there, this thread takes some of them.
   */
  #elsewhere<Scope, Piece>(
    { onThread }: BegunQuery<Scope, Piece>,
    { text, parameters, requestId = '', figures }: OpeningQuery,
    active: ActiveQuery,
  ): Elsewhere | undefined {
    const { threads } = this
    const { writes, failures } = this.#parts
    if (threads === undefined || onThread === undefined) return undefined
    const isAlone = () => this.active.count === 1 && writes.count === 0
    let handed: ThreadScope | undefined
    return {
      isBetter: () => threads.takesAll || !isAlone(),
      isOpen: () => threads.isOpen && (threads.isFree || this.turns.hasOthers),
      valuesMin: threads.takesAll ? 0 : longValues,
      run: (form: AnswerForm) => {
        handed = onThread()
        const { facts, methods } = handed
        return threads.run({
          query: { text, parameters, facts, form, requestId },
          methods,
          figures,
          signal: active.signal,
          stop: (reason) => active.stop(reason),
          mistake: (error) => failures.report('query failed', { requestId, error }),
        })
      },
      returned: () => handed?.returned?.(),
    }
  }

  #enter(caller: Caller, active: ActiveQuery): QueryTurn {
    try {
      this.#shares.enter(caller)
    } catch (error) {
      active.end()
      throw error
    }
    const turn = this.turns.run(caller, active.signal)
    setTurns(active.signal, turn)
    return turn
  }
}

interface BegunQuery<Scope, Piece>
  extends Pick<StartedQuery<Scope, Piece>, 'query' | 'scope' | 'admitted' | 'askedAt'> {
  /** Absent: it can only run here. */
  readonly onThread?: (() => ThreadScope) | undefined
}

function influxqlOnThread(scope: InfluxqlScope): ThreadScope {
  const { database, policy, isReadOnly, answers, limits, clock, databases } = scope
  const now = clock.now()
  return {
    facts: { language: 'influxql', database, policy, isReadOnly, answers, limits, now },
    methods: { bucket: databases.bucket.bind(databases) },
  }
}

function fluxOnThread(scope: FluxCatalogScope): ThreadScope {
  const { limits, now } = scope
  return {
    facts: { language: 'flux', limits, now },
    methods: {
      bucket: scope.bucket.bind(scope),
      buckets: scope.buckets.bind(scope),
      databases: scope.databases.bind(scope),
      secret: scope.secret.bind(scope),
      usage: scope.usage.bind(scope),
      organizationLimits: scope.organizationLimits.bind(scope),
    },
  }
}

/** What the thread finds to be an engine's is not tried a second time without one. */
function sqlOnThread(scope: SqlScope): ThreadScope {
  const { database, limits, clock, bucket } = scope
  return {
    facts: { language: 'sql', database, limits, now: clock.now() },
    methods: { bucket },
    returned: () => {
      scope.answersDirectly = false
    },
  }
}

/** What tasks and continuous queries of an organization ask as. */
const taskToken = 'tasks'

/** Whoever has no token is told apart by the user. */
function callerOf({ orgId = '', tokenId, userId = '' }: QueryAsker, isTask = false): Caller {
  return { org: orgId, token: isTask ? taskToken : (tokenId ?? userId) }
}

/** Of the machine, or of the container where that has less. */
function availableMemoryBytes(): number {
  const constrained = process.constrainedMemory() ?? 0
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

const nowhere = { database: undefined, policy: undefined, isReadOnly: true }

/** InfluxQL knows databases by name, and what follows a slash as their policy. */
function placeOf(bucket: Bucket, database: string) {
  const name = database === bucket.id ? bucket.name : database
  const slash = name === bucket.name ? name.indexOf('/') : -1
  return {
    database: slash > 0 ? name.slice(0, slash) : name,
    policy: slash > 0 ? name.slice(slash + 1) : undefined,
    isReadOnly: true,
  }
}

/** Everything in the buckets of an organization. */
function organizationIdentity(orgId: string): Identity {
  const resource = { type: 'buckets', orgID: orgId } as const
  return {
    tokenId: undefined,
    orgId,
    userId: undefined,
    permissions: [
      { action: 'read', resource },
      { action: 'write', resource },
    ],
  }
}
