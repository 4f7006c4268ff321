// Whoever asks a query of a v3 client, over Flight or over HTTP, in both variants: finds the database,
// prepares the text in its language, and runs it under the limits that hold for everybody.

import type { Identity } from '../access/authenticator.js'
import type { Bucket } from '../catalog/storage/buckets.js'
import { UserError } from '../errors.js'
import type { InfluxqlScope } from '../influxql/scope/scope.js'
import type { Statement } from '../influxql/syntax/ast.js'
import { parseQuery } from '../influxql/syntax/parser.js'
import { printStatement } from '../influxql/syntax/printer.js'
import type { Clock } from '../platform/clock.js'
import type { ActiveQuery } from '../query/active-queries.js'
import { databaseTables } from '../query/database-tables.js'
import type { Prepared, ResultBatch, ResultPiece } from '../query/language.js'
import { databaseBucket } from './database-bucket.js'
import { queryLimits, shorter, startQuery } from './query-start.js'
import type { Reading } from './rate-limits.js'
import type { Services } from './services.js'
import type { QueryVariant } from './v1/query.js'

export interface AskedQuery {
  readonly language: 'sql' | 'influxql'
  readonly database: string
  readonly text: string
  readonly params: ReadonlyMap<string, unknown>
}

export class QueryAsker {
  readonly #services: Services
  readonly #variant: QueryVariant
  readonly #identity: Identity

  constructor(services: Services, variant: QueryVariant, identity: Identity) {
    this.#services = services
    this.#variant = variant
    this.#identity = identity
  }

  async open(asked: AskedQuery): Promise<OpenQuery> {
    const times = new QueryTimes(this.#services.clock)
    const bucket = await this.#bucket(asked.database)
    const query = this.#prepare(asked, bucket)
    times.planned()
    const reading = await this.#variant.admit(this.#identity)
    try {
      const active = this.#start(asked, reading)
      times.started()
      return new OpenQuery(query, active, reading, times)
    } catch (error) {
      reading.end()
      throw error
    }
  }

  /** Throws where it is missing, or may not be read. */
  async requireDatabase(database: string): Promise<void> {
    await this.#bucket(database)
  }

  async tables(database: string, hasColumns: boolean) {
    const { id } = await this.#bucket(database)
    return databaseTables(this.#services.store, id, hasColumns)
  }

  async #bucket(database: string): Promise<Bucket> {
    try {
      return await databaseBucket(this.#services, this.#identity, database, 'read')
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'not found') throw error
      throw new UserError('not found', `Database '${database}' not found`)
    }
  }

  #prepare(asked: AskedQuery, bucket: Bucket): ScopedQuery {
    const parameters = { values: asked.params }
    if (asked.language === 'sql') {
      const { store, clock, sql, config } = this.#services
      const { database } = asked
      const limits = queryLimits(config)
      const scope = { store, clock, limits, database, bucket: async () => bucket.id }
      return within(sql.prepare(asked.text, parameters), scope)
    }
    const { kind } = requireReading(parseQuery(asked.text, asked.params))
    const scope = this.#influxqlScope(asked, bucket)
    const query = within(this.#services.influxql.prepare(asked.text, parameters), scope)
    return kind === 'show-retention-policies' ? named(query, 'retention_policies') : query
  }

  #influxqlScope(asked: AskedQuery, bucket: Bucket): InfluxqlScope {
    const { store, clock, random, queries, config } = this.#services
    // InfluxQL knows databases by name, and what follows a slash as their policy.
    const name = asked.database === bucket.id ? bucket.name : asked.database
    const slash = name === bucket.name ? name.indexOf('/') : -1
    return {
      store,
      clock,
      random,
      queries,
      databases: this.#variant.databases(this.#identity),
      writePoints: this.#variant.writePoints(this.#identity),
      limits: queryLimits(config),
      database: slash > 0 ? name.slice(0, slash) : name,
      policy: slash > 0 ? name.slice(slash + 1) : undefined,
      isReadOnly: true,
    }
  }

  #start({ text, database }: AskedQuery, reading: Reading): ActiveQuery {
    const { queryTimeoutSeconds } = this.#services.config
    const timeoutSeconds = shorter(queryTimeoutSeconds, reading.timeoutSeconds)
    return startQuery(this.#services, { text, database, timeoutSeconds })
  }
}

/** A prepared query and the scope that it runs in, whatever its language. */
interface ScopedQuery {
  run(signal: AbortSignal): AsyncIterable<ResultPiece>
  describe?(signal: AbortSignal): Promise<ResultBatch | undefined>
}

function within<Scope>(query: Prepared<Scope>, scope: Scope): ScopedQuery {
  return {
    run: (signal) => query.run(scope, signal),
    describe: async (signal) => query.describe?.(scope, signal),
  }
}

/** InfluxDB 1 has no name for these tables; the v3 products have. */
function named(query: ScopedQuery, name: string): ScopedQuery {
  return {
    async *run(signal) {
      for await (const piece of query.run(signal)) {
        yield piece.kind === 'batch' ? { ...piece, name } : piece
      }
    },
  }
}

/** There is one table as an answer, and nothing is changed. */
function requireReading(statements: readonly Statement[]): Statement {
  if (statements.length !== 1) {
    const text = `a query must be one statement, not ${statements.length}`
    throw new UserError('not implemented', text)
  }
  const [statement] = statements
  const { kind } = statement
  const isSelect = kind === 'select' && statement.target === undefined
  if (isSelect || kind === 'explain' || kind.startsWith('show-')) return statement
  const text = `only SELECT, SHOW and EXPLAIN are answered here: ${printStatement(statement)}`
  throw new UserError('not implemented', text)
}

/** Whoever asks gets columns also where there is no row: they are told apart then. */
async function* withColumns(query: ScopedQuery, signal: AbortSignal): AsyncGenerator<ResultPiece> {
  let isTold = false
  for await (const piece of query.run(signal)) {
    isTold ||= piece.kind !== 'start'
    yield piece
  }
  const columns = isTold ? undefined : await query.describe?.(signal)
  if (columns !== undefined) yield columns
}

/** Where the time of a query goes. The clock may be set back: no duration is below zero then. */
class QueryTimes {
  readonly #clock: Clock
  readonly #askedAt: bigint
  #plannedAt: bigint
  #startedAt: bigint

  constructor(clock: Clock) {
    this.#clock = clock
    this.#askedAt = clock.now()
    this.#plannedAt = this.#askedAt
    this.#startedAt = this.#askedAt
  }

  planned(): void {
    this.#plannedAt = this.#clock.now()
  }

  started(): void {
    this.#startedAt = this.#clock.now()
  }

  durations() {
    return {
      planningNs: between(this.#askedAt, this.#plannedAt),
      queueNs: between(this.#plannedAt, this.#startedAt),
      executionNs: between(this.#startedAt, this.#clock.now()),
    }
  }
}

function between(from: bigint, to: bigint): bigint {
  return to > from ? to - from : 0n
}

class OpenQuery {
  readonly pieces: AsyncIterable<ResultPiece>
  readonly #query: ScopedQuery
  readonly #active: ActiveQuery
  readonly #reading: Reading
  readonly #times: QueryTimes

  constructor(query: ScopedQuery, active: ActiveQuery, reading: Reading, times: QueryTimes) {
    this.#times = times
    this.#query = query
    this.#active = active
    this.#reading = reading
    this.pieces = withColumns(query, active.signal)
  }

  async describe(): Promise<ResultBatch | undefined> {
    return this.#query.describe?.(this.#active.signal)
  }

  durations() {
    return this.#times.durations()
  }

  stop(reason: Error): void {
    this.#active.stop(reason)
  }

  sent(bytes: number): void {
    this.#reading.sent(bytes)
  }

  end(): void {
    this.#active.end()
    this.#reading.end()
  }
}
