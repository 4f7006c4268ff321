// How a Flux query runs and is answered: counted among those under way, held to its organization's
// limits, streamed as annotated CSV as fast as the client reads. What fails before anything was
// written is thrown, and so answered with its status; later failures are a table of the answer. The
// work stops when the client goes, when its time is up, and when somebody kills the query.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { UserError } from '../../../errors.js'
import type { FluxScope } from '../../../flux/context/scope.js'
import { streamOf } from '../../../platform/pull-stream.js'
import type { ActiveQuery } from '../../../query/active-queries.js'
import type { Prepared, QueryParameters, TablePiece } from '../../../query/language.js'
import { type CsvDialect, encodeFailure, encodeTables } from '../../../result/annotated-csv.js'
import { tracedHead } from '../../answer-head.js'
import { errorAnswer } from '../../errors.js'
import { shorter, startQuery } from '../../query-start.js'
import type { RateLimits, Reading } from '../../rate-limits.js'
import { FrameworkReply } from '../../raw-reply.js'
import type { Services } from '../../services.js'
import { takesGzip } from '../../v1/query-request.js'
import { sendChunks } from '../../v1/query-response.js'
import { type Asker, CatalogScope } from './query-scope.js'

export interface FluxRun {
  readonly asker: Asker
  readonly text: string
  readonly parameters: QueryParameters | undefined
  readonly dialect: CsvDialect
}

/** What of the answer a client wants: all, nothing, or nothing but a failure. */
type Preference = 'everything' | 'nothing' | 'failure'

export class FluxRuns {
  readonly #services: Services
  readonly #rates: RateLimits

  constructor(services: Services, rates: RateLimits) {
    this.#services = services
    this.#rates = rates
  }

  async answer(run: FluxRun, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { asker, text, parameters, dialect } = run
    reply.header('trace-id', request.id)
    const reading = await this.#rates.forRead(asker.org.id)
    try {
      const { queryTimeoutSeconds } = this.#services.config
      const timeoutSeconds = shorter(queryTimeoutSeconds, reading.timeoutSeconds)
      const scope = new CatalogScope(this.#services, this.#rates, asker, timeoutSeconds)
      const flux = await this.#services.flux()
      const query = flux.prepare(text, parameters)
      const active = startQuery(this.#services, { text, database: '', timeoutSeconds })
      try {
        await this.#send({ query, scope, active, reading, dialect }, request, reply)
      } finally {
        active.end()
      }
    } finally {
      reading.end()
    }
    return reply
  }

  async #send(run: Running, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { query, scope, active, reading, dialect } = run
    const raw = new FrameworkReply(reply)
    raw.onGone(() => active.stop(new UserError('invalid', 'query interrupted')))
    const pieces = query.run(scope, active.signal)
    const preference = preferenceOf(request)
    try {
      if (preference === 'nothing') {
        await drain(pieces)
        reply.code(204).send()
        return
      }
      const textOf = (error: Error) => this.#failureText(error, request)
      const chunks =
        preference === 'failure'
          ? failureOnly(pieces, dialect, textOf)
          : encodeTables(pieces, dialect, textOf)
      await sendChunks(raw, streamOf(chunks), {
        head: tracedHead(this.#services.config.variant, request),
        contentType: contentType(request.headers.accept),
        isChunked: false,
        isGzip: takesGzip(request.headers['accept-encoding']),
        onSent: (bytes) => reading.sent(bytes),
      })
    } catch (error) {
      // Nobody is left to be told of a client that went, and nothing to be told in a stream cut off.
      if (!reply.sent && !raw.isGone) throw error
      const isExpected = active.signal.aborted || raw.isGone
      if (!isExpected) this.#failureText(error as Error, request)
    }
  }

  /** Errors of our own are logged, and told without their insides. */
  #failureText(error: Error, request: FastifyRequest): string {
    const answer = errorAnswer(error, request.url, request.id)
    if (answer.isUnexpected) {
      this.#services.metrics.internalError()
      this.#services.log('error', 'query failed', { requestId: request.id, error })
    }
    return answer.message
  }
}

interface Running {
  readonly query: Prepared<FluxScope, TablePiece>
  readonly scope: FluxScope
  readonly active: ActiveQuery
  readonly reading: Reading
  readonly dialect: CsvDialect
}

function preferenceOf({ headers }: FastifyRequest): Preference {
  if (headers.prefer === 'return-no-content') return 'nothing'
  return headers.prefer === 'return-no-content-with-error' ? 'failure' : 'everything'
}

async function drain(pieces: AsyncIterable<TablePiece>): Promise<void> {
  for await (const _ of pieces);
}

async function* failureOnly(
  pieces: AsyncIterable<TablePiece>,
  dialect: CsvDialect,
  textOf: (error: Error) => string,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    await drain(pieces)
  } catch (error) {
    yield encodeFailure(textOf(error as Error), dialect)
  }
}

/** `application/csv` for whoever names it and does not name the usual type before. */
export function contentType(accept = ''): string {
  const [first] = /\b(?:text|application)\/csv\b/.exec(accept.toLowerCase()) ?? []
  return `${first ?? 'text/csv'}; charset=utf-8`
}
