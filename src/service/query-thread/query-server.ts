// The side of a query thread that runs queries: text in, printed answer out. Several queries go on side by side, each
// letting the others run between its turns. Prepared queries are kept here as on the serving thread.

import { limits } from '../../config.js'
import type { FluxScope } from '../../flux/context/scope.js'
import type { InfluxqlScope } from '../../influxql/scope/scope.js'
import type { Clock } from '../../platform/clock.js'
import type { Disk } from '../../platform/disk.js'
import type { Random } from '../../platform/random.js'
import { setTurns } from '../../platform/run-turns.js'
import { describeFailure, reviveFailure } from '../../platform/thread-failure.js'
import type { Language, TablePiece } from '../../query/language.js'
import { PreparedQueries, type PreparedQuery } from '../../query/prepared-queries.js'
import { RowMemoryPool } from '../../query/row-memory.js'
import {
  type Chunks,
  encodeResultsAs,
  encodeTablesAs,
  type ResultsForm,
  type TablesForm,
} from '../../result/answer-form.js'
import { LeftToEngine } from '../../sql/direct/computed-column.js'
import type { SqlScope } from '../../sql/plan/scope.js'
import { failureOf, internalFailure } from '../base/failures.js'
import { readHandedTable } from '../tables/handed-table-read.js'
import { AnswerMemory, AnswerPieces } from './answer-memory.js'
import type {
  FluxFacts,
  InfluxqlFacts,
  SqlFacts,
  ThreadQuery,
  ThreadReply,
  ThreadRequest,
} from './messages.js'
import { Questions } from './questions.js'
import { ThreadFigures } from './thread-figures.js'
import {
  type AskScope,
  fluxScope,
  influxqlScope,
  sqlScope,
  type ThreadParts,
} from './thread-scope.js'
import { ThreadStore } from './thread-store.js'
import { ThreadTurns } from './thread-turns.js'

export interface QueryServerOptions {
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
  readonly languages: {
    readonly influxql: Language<InfluxqlScope>
    readonly flux: () => Promise<Language<FluxScope, TablePiece>>
    /** What the store answers alone: engines are the serving thread's. */
    readonly sql: () => Promise<Language<SqlScope>>
  }
  send(reply: ThreadReply): void
}

/** What all queries of a thread share. */
interface Shared {
  readonly options: QueryServerOptions
  readonly parts: ThreadParts
  readonly prepared: PreparedQueries
  readonly questions: Questions
  readonly memory: AnswerMemory
}

export class QueryServer {
  readonly #shared: Shared
  readonly #runs = new Map<number, ServedQuery>()

  constructor(options: QueryServerOptions) {
    const { disk, clock, random } = options
    const questions = new Questions(options.send)
    const store = new ThreadStore(questions, (job, signal) => readHandedTable(job, disk, signal))
    this.#shared = {
      options,
      parts: { store, clock, random, rowMemory: new RowMemoryPool() },
      prepared: new PreparedQueries(limits.preparedBytesMax),
      questions,
      memory: new AnswerMemory(),
    }
  }

  handle(request: ThreadRequest): void {
    switch (request.kind) {
      case 'start':
        return this.#shared.options.send({ kind: 'ready' })
      case 'begin':
        return void this.#serve(request.run, request.query)
      case 'answer':
      case 'refusal':
        return this.#shared.questions.take(request)
      case 'taken':
        return this.#shared.memory.taken(request.memory)
      // Of one that has ended meanwhile there is nothing left to be told.
      case 'stop':
        return this.#runs.get(request.run)?.stop(reviveFailure(request.failure))
      case 'pause':
        return this.#runs.get(request.run)?.turns.pause()
      case 'resume':
        return this.#runs.get(request.run)?.turns.resume()
    }
  }

  async #serve(number: number, query: ThreadQuery): Promise<void> {
    const served = new ServedQuery(number, query, this.#shared)
    this.#runs.set(number, served)
    const failure = await served.run()
    this.#runs.delete(number)
    const { send } = this.#shared.options
    if (failure instanceof LeftToEngine) return send({ kind: 'returned', run: number })
    send({ kind: 'end', run: number, failure: failure && describeFailure(failure) })
  }
}

class ServedQuery {
  readonly turns = new ThreadTurns()
  readonly #number: number
  readonly #query: ThreadQuery
  readonly #shared: Shared
  readonly #stop = new AbortController()
  readonly #figures: ThreadFigures

  constructor(number: number, query: ThreadQuery, shared: Shared) {
    this.#number = number
    this.#query = query
    this.#shared = shared
    const { send } = shared.options
    this.#figures = new ThreadFigures((rowsRead, bytesMax) =>
      send({ kind: 'figures', run: number, rowsRead, bytesMax }),
    )
    setTurns(this.#stop.signal, this.turns)
  }

  stop(reason: Error): void {
    this.#stop.abort(reason)
    this.turns.resume()
  }

  /** Resolves to what it failed with, when nothing of it is in use any more. */
  async run(): Promise<Error | undefined> {
    const { memory, options } = this.#shared
    const run = this.#number
    const pieces = new AnswerPieces(memory, (number, bytes, length) =>
      options.send({ kind: 'bytes', run, memory: number, bytes, length }),
    )
    let chunks: Chunks | undefined
    try {
      chunks = await this.#encoded()
      for await (const chunk of chunks) await pieces.write(chunk, this.#stop.signal)
      return undefined
    } catch (error) {
      return error as Error
    } finally {
      await chunks?.close()
      this.#figures.tell()
    }
  }

  #encoded(): Chunks | Promise<Chunks> {
    const { facts } = this.#query
    switch (facts.language) {
      case 'influxql':
        return this.#influxql(facts)
      case 'flux':
        return this.#flux(facts)
      case 'sql':
        return this.#sql(facts)
    }
  }

  #influxql(facts: InfluxqlFacts): Chunks {
    const { options, prepared, parts } = this.#shared
    const { text, parameters, form } = this.#query
    const query = prepared.prepare('influxql', options.languages.influxql, text, parameters)
    const scope = influxqlScope(parts, facts, this.#figures, this.#ask)
    return this.#results(query, scope, form as ResultsForm)
  }

  async #sql(facts: SqlFacts): Promise<Chunks> {
    const { options, prepared, parts } = this.#shared
    const { text, parameters, form } = this.#query
    const query = prepared.prepare('sql', await options.languages.sql(), text, parameters)
    const scope = sqlScope(parts, facts, this.#figures, this.#ask)
    return this.#results(query, scope, form as ResultsForm)
  }

  async #flux(facts: FluxFacts): Promise<Chunks> {
    const { options, prepared, parts } = this.#shared
    const { text, parameters, form } = this.#query
    const query = prepared.prepare('flux', await options.languages.flux(), text, parameters)
    const scope = fluxScope(parts, facts, this.#figures, this.#ask)
    const pieces = query.run(scope, this.#stop.signal)
    return encodeTablesAs(form as TablesForm, pieces, this.#failureText)
  }

  #results<Scope>(query: PreparedQuery<Scope>, scope: Scope, form: ResultsForm): Chunks {
    const { signal } = this.#stop
    const pieces = query.run(scope, signal)
    const source = { pieces, describe: () => query.describe(scope, signal) }
    return encodeResultsAs(form, source, this.#failureText)
  }

  readonly #ask: AskScope = (method, ...parameters) => {
    const run = this.#number
    return this.#shared.questions.ask({ about: 'scope', run, method, parameters })
  }

  /** Errors of our own are logged where the log is, and told without their insides. */
  readonly #failureText = (error: Error): string => {
    const { message, isUnexpected } = failureOf(error) ?? internalFailure(this.#query.requestId)
    const { send } = this.#shared.options
    if (isUnexpected) {
      send({ kind: 'mistake', run: this.#number, failure: describeFailure(error) })
    }
    return message
  }
}
