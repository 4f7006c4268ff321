// `GET` and `POST /query`: InfluxQL over HTTP as InfluxDB 1.x has it. What fails within a statement
// stands in its result, with status 200; what is wrong with the request, or with the right to ask it,
// is answered with a status. The work stops when the client goes, when its time is up, and when
// somebody kills the query.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../access/authenticator.js'
import { UserError } from '../../errors.js'
import type { Databases, InfluxqlScope, WritePoints } from '../../influxql/scope/scope.js'
import type { ActiveQuery } from '../../query/active-queries.js'
import type { Prepared } from '../../query/language.js'
import type { QueryLimits } from '../../query/limits.js'
import { encodeResults } from '../../result/results.js'
import { encodeError } from '../../result/v1-error.js'
import { tracedHead } from '../answer-head.js'
import { identifyV1 } from '../credentials.js'
import { errorAnswer, sendError } from '../errors.js'
import { parameter } from '../parameters.js'
import { queryLimits, shorter, startQuery } from '../query-start.js'
import type { Reading } from '../rate-limits.js'
import { FrameworkReply, type RawReply } from '../raw-reply.js'
import type { Services } from '../services.js'
import { bodyParameters, urlParameters } from './query-parameters.js'
import {
  contentTypes,
  encodingFor,
  type QueryRequest,
  readQueryRequest,
  takesGzip,
} from './query-request.js'
import { sendChunks } from './query-response.js'

/** What the endpoint must know of a request, whichever way it came. */
export type AskingRequest = Pick<FastifyRequest, 'id' | 'method' | 'url' | 'headers'>

/** What the two variants have different of queries. */
export interface QueryVariant {
  databases(identity: Identity): Databases
  writePoints(identity: Identity): WritePoints
  /** Lets a query of the identity's organization in. */
  admit(identity: Identity): Promise<Reading>
  /** Whether a database that is missing, or is not named, is told by the status of the whole answer. */
  readonly refusesMissingDatabase: boolean
}

export function queryRoutes(app: FastifyInstance, services: Services, variant: QueryVariant): void {
  const endpoint = new QueryEndpoint(services, variant)
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    refuse(services, error, request, reply)
  app.get('/query', { errorHandler }, (request, reply) => endpoint.answer(request, reply))
  app.post('/query', { errorHandler }, (request, reply) => endpoint.answer(request, reply))
}

/** Errors of the request in the form that was asked for; a cluster's JSON, and our own, in the usual one. */
function refuse(
  services: Services,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { variant } = services.config
  const encoding = encodingFor(request.headers.accept)
  const answer = errorAnswer(error, request.url, request.id, variant)
  if (answer.isUnexpected || (variant === 'cluster' && encoding === 'json')) throw error
  const isPretty = parameter(request, 'pretty') === 'true'
  const bytes = encodeError(answer.message, { encoding, isPretty })
  sendError(request, reply, answer, variant, { contentType: contentTypes[encoding], bytes })
}

/** Runs and answers; whoever asks in another way than over v1's path brings the request already read. */
export class QueryEndpoint {
  readonly #services: Services
  readonly #variant: QueryVariant
  readonly #limits: QueryLimits

  constructor(services: Services, variant: QueryVariant) {
    this.#services = services
    this.#variant = variant
    this.#limits = queryLimits(services.config)
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const services = this.#services
    // What is known needs no turn of the event queue, here and below.
    const identified = identifyV1(services, request, 'unauthorized')
    const identity = identified instanceof Promise ? await identified : identified
    reply.header('trace-id', request.id)
    const isGet = request.method === 'GET'
    const get = isGet ? urlParameters(request) : await bodyParameters(services, request)
    const asked = readQueryRequest(get, request.headers.accept)
    return this.answerTo(identity, asked, request, reply)
  }

  async answerTo(
    identity: Identity,
    asked: QueryRequest,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const query = this.#prepare(asked)
    const reading = await this.#variant.admit(identity)
    const scope = this.#scope(identity, asked, request.method === 'GET')
    const run = { request, asked, query, scope, active: this.#start(asked, reading), reading }
    if (asked.isAsync) {
      void this.#runAside(run)
      return reply.code(204).send()
    }
    await this.run(run, new FrameworkReply(reply))
    return reply
  }

  #prepare({ text, params }: QueryRequest): Prepared<InfluxqlScope> {
    return this.#services.influxql.prepare(text, { values: params })
  }

  #scope(identity: Identity, asked: QueryRequest, isReadOnly: boolean): InfluxqlScope {
    const { store, clock, random, queries } = this.#services
    return {
      store,
      clock,
      random,
      queries,
      databases: this.#variant.databases(identity),
      writePoints: this.#variant.writePoints(identity),
      limits: this.#limits,
      database: asked.database,
      policy: asked.policy,
      isReadOnly,
    }
  }

  #start(asked: QueryRequest, reading: Reading): ActiveQuery {
    const { text, database = '' } = asked
    const timeoutSeconds = shorter(this.#limits.timeoutSeconds, reading.timeoutSeconds)
    try {
      return startQuery(this.#services, { text, database, timeoutSeconds })
    } catch (error) {
      reading.end()
      throw error
    }
  }

  /** Rejects where nothing was sent. */
  async run(run: Run, reply: RawReply): Promise<void> {
    const { request, asked, query, scope, active, reading } = run
    reply.onGone(() => active.stop(new UserError('invalid', 'query interrupted')))
    try {
      const chunks = encodeResults(query.run(scope, active.signal), asked.format, {
        failureText: (error) => this.#failureText(error, request),
        refusal: (error) => this.#refusal(error),
      })
      const isGzip = takesGzip(request.headers['accept-encoding'])
      const onSent = (bytes: number) => reading.sent(bytes)
      const contentType = contentTypes[asked.format.encoding]
      const isChunked = asked.format.chunkRows !== undefined
      const head = tracedHead(this.#services.config.variant, request)
      await sendChunks(reply, chunks, { head, contentType, isChunked, isGzip, onSent })
    } catch (error) {
      // Nobody is left to be told of a client that went, and nothing to be told in a stream cut off.
      if (!reply.isSent && !reply.isGone) throw error
      const expected = active.signal.aborted || reply.isGone
      if (!expected) this.#failureText(error as Error, request)
    } finally {
      active.end()
      reading.end()
    }
  }

  /** What refuses the request as a whole; what else fails stands in its result. */
  #refusal(error: Error): Error | undefined {
    if (!this.#refusesRequest(error)) return undefined
    return isUnnamed(error) ? databaseNotNamed() : error
  }

  #refusesRequest(error: Error): boolean {
    if (!(error instanceof UserError)) return false
    if (error.code === 'unauthorized' || error.code === 'forbidden') return true
    const isMissing = error.code === 'not found' && error.message.startsWith('database not found')
    return (isMissing || isUnnamed(error)) && this.#variant.refusesMissingDatabase
  }

  /** Errors of our own are logged, and told without their insides. */
  #failureText(error: Error, request: AskingRequest): string {
    const answer = errorAnswer(error, request.url, request.id)
    if (answer.isUnexpected) {
      this.#services.metrics.internalError()
      this.#services.log('error', 'query failed', { requestId: request.id, error })
    }
    return answer.message
  }

  async #runAside({ request, asked, query, scope, active, reading }: Run): Promise<void> {
    const { log } = this.#services
    try {
      for await (const piece of query.run(scope, active.signal)) {
        if (piece.kind !== 'failure') continue
        const error = this.#failureText(piece.error, request)
        log('info', 'an asynchronous query failed', { query: asked.text, error })
      }
    } catch (error) {
      log('error', 'an asynchronous query failed', { query: asked.text, error })
    } finally {
      active.end()
      reading.end()
    }
  }
}

/** A query that was let in. */
export interface Run {
  readonly request: AskingRequest
  readonly asked: QueryRequest
  readonly query: Prepared<InfluxqlScope>
  readonly scope: InfluxqlScope
  readonly active: ActiveQuery
  readonly reading: Reading
}

function isUnnamed(error: Error): boolean {
  return error.message === 'database name required'
}

/** In the words of the cluster, which alone refuses the request for it. */
function databaseNotNamed(): UserError {
  const rule = "must specify a 'db' parameter, or provide the database in the InfluxQL query"
  return new UserError('invalid', rule)
}
