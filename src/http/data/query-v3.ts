// `GET|POST /api/v3/query_sql` and `/api/v3/query_influxql`: queries of v3 clients over HTTP, in both variants.
// Parameters stand in the URL, and for POST in a JSON body.

import { checkJsonBounds } from '../../column/json-bounds.js'
import { UserError } from '../../errors.js'
import type { QueryParameters } from '../../query/language.js'
import { encodeResultsAs } from '../../result/answer-form.js'
import { arrowStreamType } from '../../result/arrow-stream.js'
import type { V3Format } from '../../result/v3-results.js'
import type { DatabaseQuestion } from '../../service/query/queries.js'
import { identifyV3 } from '../base/credentials.js'
import { v3Errors } from '../base/errors.js'
import { parameter } from '../base/parameters.js'
import { answerQuery, failureTextOf } from './answer.js'
import type { Exchange } from './exchange.js'
import { readQueryBody } from './query-parameters.js'
import type { DataRoute } from './router.js'

type QueryLanguage = DatabaseQuestion['language']

export function v3QueryRoute(language: QueryLanguage): DataRoute {
  return {
    methods: ['GET', 'HEAD', 'POST'],
    path: `/api/v3/query_${language}`,
    errors: v3Errors,
    role: 'read',
    async handle(exchange) {
      const { services } = exchange
      const identity = await identifyV3(services, exchange)
      const { format, ...question } = await readRequest(language, exchange)
      const run = await services.queries.database(identity, {
        ...question,
        requestId: exchange.id,
      })
      const form = { kind: 'v3', format, isGrouped: language === 'influxql' } as const
      await answerQuery(exchange, run, () => ({
        chunks: encodeResultsAs(form, run, failureTextOf(exchange, run)),
        form,
        contentType: contentTypes[format],
      }))
    },
  }
}
const contentTypes: Readonly<Record<V3Format, string>> = {
  json: 'application/json',
  jsonl: 'application/jsonl',
  csv: 'text/csv',
  pretty: 'text/plain; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  arrow: arrowStreamType,
}

async function readRequest(
  language: QueryLanguage,
  exchange: Exchange,
): Promise<DatabaseQuestion & { readonly format: V3Format }> {
  const body = exchange.method === 'POST' ? await readJson(exchange) : {}
  const text = (name: string) => textField(body, name) ?? parameter(exchange, name)
  const [database, query] = [text('db'), text('q')]
  if (database === undefined && language === 'sql') {
    throw new UserError('invalid', "missing query parameter 'db'")
  }
  if (query === undefined) throw new UserError('invalid', "missing query parameter 'q'")
  const format = readFormat(text('format'), exchange.headers.accept)
  const given = body.params ?? parseParams(parameter(exchange, 'params'))
  return { language, database, text: query, parameters: parametersOf(given), format }
}

type JsonObject = Readonly<Record<string, unknown>>

async function readJson(exchange: Exchange): Promise<JsonObject> {
  const body = await readQueryBody(exchange)
  if (body.length === 0) return {}
  const value = parseJson(body.toString(), 'the body')
  if (isObject(value)) return value
  throw new UserError('invalid', 'the body must be a JSON object with db and q')
}

function parseJson(text: string, what: string): unknown {
  checkJsonBounds(text)
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

function parametersOf(value: unknown): QueryParameters | undefined {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw new UserError('invalid', 'params must be a JSON object')
  return { values: new Map(Object.entries(value)) }
}

const accepted: readonly (readonly [string, V3Format])[] = [
  ['application/jsonl', 'jsonl'],
  ['text/csv', 'csv'],
  ['text/plain', 'pretty'],
  ['application/vnd.apache.parquet', 'parquet'],
  [arrowStreamType, 'arrow'],
]

function readFormat(format: string | undefined, accept = ''): V3Format {
  if (format === undefined) return accepted.find(([type]) => accept.includes(type))?.[1] ?? 'json'
  if (Object.hasOwn(contentTypes, format)) return format as V3Format
  const known = 'json, jsonl, csv, parquet, arrow or pretty'
  throw new UserError('invalid', `unknown format "${format}": use ${known}`)
}
