// `GET|POST /api/v3/query_sql` and `/api/v3/query_influxql`: queries of v3 clients over HTTP, in both
// variants. Parameters stand in the URL, and for POST in a JSON body. Runs under the same limits as queries
// over Flight.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UserError } from '../../errors.js'
import { streamOf } from '../../platform/pull-stream.js'
import { encodeV3, type V3Format } from '../../result/v3-results.js'
import { answerHead } from '../answer-head.js'
import { identifyV1 } from '../credentials.js'
import { parameter } from '../parameters.js'
import { type AskedQuery, QueryAsker } from '../query-asker.js'
import { FrameworkReply } from '../raw-reply.js'
import type { Services } from '../services.js'
import type { QueryVariant } from '../v1/query.js'
import { readQueryBody } from '../v1/query-parameters.js'
import { takesGzip } from '../v1/query-request.js'
import { sendChunks } from '../v1/query-response.js'

type QueryLanguage = AskedQuery['language']

export function v3QueryRoutes(
  app: FastifyInstance,
  services: Services,
  variant: QueryVariant,
): void {
  for (const language of ['sql', 'influxql'] as const) {
    const path = `/api/v3/query_${language}`
    const answer = (request: FastifyRequest, reply: FastifyReply) =>
      answerQuery(services, variant, language, request, reply)
    app.get(path, answer)
    app.post(path, answer)
  }
}

async function answerQuery(
  services: Services,
  variant: QueryVariant,
  language: QueryLanguage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const identity = await identifyV1(services, request, 'unauthorized')
  const { format, ...asked } = await readRequest(services, language, request)
  const open = await new QueryAsker(services, variant, identity).open(asked)
  const raw = new FrameworkReply(reply)
  raw.onGone(() => open.stop(new UserError('invalid', 'query interrupted')))
  try {
    await sendChunks(raw, streamOf(encodeV3(open.pieces, format, language === 'influxql')), {
      head: answerHead(services.config.variant, request),
      contentType: contentTypes[format],
      isChunked: false,
      isGzip: takesGzip(request.headers['accept-encoding']),
      onSent: (bytes) => open.sent(bytes),
    })
  } catch (error) {
    // Nobody is left to be told of a client that went, and nothing to be told in a stream cut off.
    if (!raw.isSent && !raw.isGone) throw error
    if (!(error instanceof UserError) && !raw.isGone) {
      services.log('error', 'query failed', { requestId: request.id, error })
    }
  } finally {
    open.end()
  }
  return reply
}

const contentTypes: Readonly<Record<V3Format, string>> = {
  json: 'application/json',
  jsonl: 'application/jsonl',
  csv: 'text/csv',
  pretty: 'text/plain; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

async function readRequest(
  services: Services,
  language: QueryLanguage,
  request: FastifyRequest,
): Promise<AskedQuery & { readonly format: V3Format }> {
  const body = request.method === 'POST' ? await readJson(services, request) : {}
  const text = (name: string) => textField(body, name) ?? parameter(request, name)
  const [database, query] = [text('db'), text('q')]
  if (database === undefined) throw new UserError('invalid', "missing query parameter 'db'")
  if (query === undefined) throw new UserError('invalid', "missing query parameter 'q'")
  const format = readFormat(text('format'), request.headers.accept)
  const given = body.params ?? parseParams(parameter(request, 'params'))
  return { language, database, text: query, params: paramsOf(given), format }
}

type JsonObject = Readonly<Record<string, unknown>>

async function readJson(services: Services, request: FastifyRequest): Promise<JsonObject> {
  const body = await readQueryBody(services, request)
  if (body.length === 0) return {}
  const value = parseJson(body.toString(), 'the body')
  if (isObject(value)) return value
  throw new UserError('invalid', 'the body must be a JSON object with db and q')
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UserError('invalid', `${what} is not JSON: ${(error as Error).message}`)
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textField(body: JsonObject, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw new UserError('invalid', `${name} must be a string`)
}

function parseParams(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(text, 'params')
}

function paramsOf(value: unknown): ReadonlyMap<string, unknown> {
  if (value === undefined || value === null) return new Map()
  if (!isObject(value)) throw new UserError('invalid', 'params must be a JSON object')
  return new Map(Object.entries(value))
}

const accepted: readonly (readonly [string, V3Format])[] = [
  ['application/jsonl', 'jsonl'],
  ['text/csv', 'csv'],
  ['text/plain', 'pretty'],
  ['application/vnd.apache.parquet', 'parquet'],
]

function readFormat(format: string | undefined, accept = ''): V3Format {
  if (format === undefined) return accepted.find(([type]) => accept.includes(type))?.[1] ?? 'json'
  if (Object.hasOwn(contentTypes, format)) return format as V3Format
  const known = 'json, jsonl, csv, parquet or pretty'
  throw new UserError('invalid', `unknown format "${format}": use ${known}`)
}
