// `GET` and `POST /query`: InfluxQL over HTTP as InfluxDB 1.x has it. What fails within a statement stands in its
// result, with status 200; what is wrong with the request, or with the right to ask it, is answered with a status.

import type { Identity } from '../../access/authenticator.js'
import { type MaybePromise, whenReady } from '../../platform/pull-stream.js'
import { encodeResultsAs } from '../../result/answer-form.js'
import { encodeError } from '../../result/v1-error.js'
import type { QueryRun } from '../../service/query/query-run.js'
import { identifyV1 } from '../base/credentials.js'
import { v1Errors, v1Members } from '../base/errors.js'
import { booleanOf, parameter } from '../base/parameters.js'
import { answerQuery, failureTextOf, type QueryAnswer } from './answer.js'
import type { Exchange, FailureBody } from './exchange.js'
import { bodyParameters, urlParameters } from './query-parameters.js'
import {
  contentTypes,
  encodingFor,
  type QueryRequest,
  readQueryRequest,
} from './query-v1-request.js'
import type { DataRoute } from './router.js'

export function v1QueryRoute(): DataRoute {
  return {
    methods: ['GET', 'HEAD', 'POST'],
    path: '/query',
    errors: v1Errors,
    role: 'read',
    failureBody,
    handle(exchange) {
      const { services, headers } = exchange
      const isPost = exchange.method === 'POST'
      return whenReady(identifyV1(services, exchange, 'unauthorized'), (identity) =>
        whenReady(isPost ? bodyParameters(exchange) : urlParameters(exchange), (get) =>
          answerInfluxql(exchange, identity, readQueryRequest(get, headers.accept), !isPost),
        ),
      )
    },
  }
}

/** Errors of the request in the form that was asked for. */
const failureBody: FailureBody = (exchange, _error, answer) => {
  const encoding = encodingFor(exchange.headers.accept)
  const isPretty = booleanOf(parameter(exchange, 'pretty')) ?? false
  const bytes = encodeError(v1Members(answer), { encoding, isPretty })
  return { contentType: contentTypes[encoding], bytes }
}

/** Also for whoever asks in another way than over v1's path. */
export function answerInfluxql(
  exchange: Exchange,
  identity: Identity,
  asked: QueryRequest,
  isReadOnly: boolean,
): MaybePromise<void> {
  const { text, database, policy, parameters } = asked
  const question = { text, database, policy, parameters, isReadOnly, requestId: exchange.id }
  return whenReady(exchange.services.queries.influxql(identity, question), (run) => {
    if (!asked.isAsync) return answerQuery(exchange, run, () => answerOf(exchange, run, asked))
    void runAside(exchange, run, text)
    exchange.sendNothing(['trace-id', exchange.id])
  })
}

function answerOf(exchange: Exchange, run: QueryRun, { format }: QueryRequest): QueryAnswer {
  const refusesMissingDatabase = exchange.services.config.variant === 'cluster'
  const form = { kind: 'v1', format, refusesMissingDatabase } as const
  return {
    chunks: encodeResultsAs(form, run, failureTextOf(exchange, run)),
    form,
    contentType: contentTypes[format.encoding],
    isChunked: format.chunkRows !== undefined,
    headers: ['trace-id', exchange.id],
  }
}

async function runAside(exchange: Exchange, run: QueryRun, query: string): Promise<void> {
  const { log } = exchange.services
  try {
    for await (const piece of run.pieces) {
      if (piece.kind !== 'failure') continue
      const error = exchange.failureText(piece.error)
      log('info', 'an asynchronous query failed', { query, error })
    }
  } catch (error) {
    log('error', 'an asynchronous query failed', { query, error })
  } finally {
    run.end()
  }
}
