// A request for a query as its body has it: a bare script (`application/vnd.flux`), or JSON with the
// text, its language, how the answer is to be written and what comes along with it. Refusals have the
// words of InfluxDB 2, spelling mistakes included: programs look for them.

import { timeMax, timeMin } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { JsonNumber, JsonSyntaxError, parseJson } from '../../query/json-text.js'
import type { QueryParameters } from '../../query/language.js'
import type { Annotation, CsvDialect } from '../../result/annotated-csv.js'
import { parseTime } from '../base/parameters.js'
import type { Exchange } from './exchange.js'
import { JsonFields } from './json-fields.js'
import { readQueryBody } from './query-parameters.js'

export type QueryBody = FluxBody | InfluxqlBody

export interface FluxBody {
  readonly type: 'flux'
  readonly text: string
  readonly dialect: CsvDialect
  /** undefined: the moment at which it begins. */
  readonly now: bigint | undefined
  readonly parameters: QueryParameters | undefined
}

export interface InfluxqlBody {
  readonly type: 'influxql'
  readonly text: string
  /** Name or id of the bucket that is read instead of a database. */
  readonly bucket: string | undefined
  readonly database: string | undefined
  readonly policy: string | undefined
  /** Bind parameters by name. */
  readonly params: Params
}

/**
 * Values by name as JSON has them: null, boolean, string, bigint (a number without point and exponent), number, arrays
 * and, for objects, maps of these.
 */
export type Params = ReadonlyMap<string, unknown>

export const defaultDialect: CsvDialect = {
  annotations: [],
  hasHeader: true,
  delimiter: ',',
  commentPrefix: '#',
  dateTimeFormat: 'RFC3339',
}

const fluxType = 'application/vnd.flux'

export async function readBody(exchange: Exchange): Promise<QueryBody> {
  const text = (await readQueryBody(exchange)).toString()
  const [type] = (exchange.headers['content-type'] ?? '').split(';', 1)
  try {
    if (type.trim().toLowerCase() === fluxType) return bareScript(text)
    return queryOf(parseObject(text))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw new UserError(error.code, `failed to decode request body: ${error.message}`)
  }
}

function bareScript(text: string): FluxBody {
  requireText(text)
  const nothing = { now: undefined, parameters: undefined }
  return { type: 'flux', text, dialect: defaultDialect, ...nothing }
}

function parseObject(text: string): JsonFields {
  const hint =
    'failed parsing request body as JSON; if sending a raw Flux script, ' +
    `set 'Content-Type: ${fluxType}' in your request headers`
  try {
    return new JsonFields(parseJson(text), 'QueryRequest')
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) && !(error instanceof UserError)) throw error
    throw new UserError('invalid', `${hint}: ${error.message}`)
  }
}

function queryOf(fields: JsonFields): QueryBody {
  const type = fields.string('type') ?? 'flux'
  const text = fields.string('query') ?? ''
  if (text === '' && fields.raw('ast') !== undefined) {
    throw new UserError('invalid', 'a query cannot be given as ast: send its text as query')
  }
  requireText(text)
  const dialect = dialectOf(fields.object('dialect'))
  if (type === 'influxql') return influxqlOf(text, fields)
  if (type !== 'flux') throw new UserError('invalid', `unknown query type: ${type}`)
  const params = fields.raw('params')
  const extern = fields.raw('extern')
  if (params !== undefined && extern !== undefined) {
    throw new UserError('invalid', 'request body cannot have both params and extern')
  }
  return {
    type,
    text,
    dialect,
    now: momentOf(fields.string('now')),
    parameters: parametersOf(params, extern),
  }
}

function parametersOf(params: unknown, extern: unknown): QueryParameters | undefined {
  if (params !== undefined) return { values: readParams(params) }
  return extern === undefined ? undefined : { extern }
}

function requireText(text: string): void {
  if (text === '') throw new UserError('invalid', 'request body requires either query or AST')
}

function influxqlOf(text: string, fields: JsonFields): InfluxqlBody {
  const [bucket, database] = [fields.string('bucket'), fields.string('db')]
  if (bucket === undefined && database === undefined) {
    throw new UserError('invalid', 'bucket parameter is required for influxql queries')
  }
  const params = fields.raw('params')
  return {
    type: 'influxql',
    text,
    bucket,
    database,
    policy: fields.string('rp'),
    params: params === undefined ? new Map() : readParams(params),
  }
}

const annotations: readonly string[] = ['group', 'datatype', 'default'] satisfies Annotation[]

/** What could not be told from the rest of an answer, and the mark of what is no text. */
const badDelimiters = new Set(['"', '\r', '\n', '\0'])

function dialectOf(fields: JsonFields | undefined): CsvDialect {
  if (fields === undefined) return defaultDialect
  const commentPrefix = fields.string('commentPrefix') ?? defaultDialect.commentPrefix
  if (Buffer.byteLength(commentPrefix) > 1) {
    throw new UserError('invalid', 'invalid dialect comment prefix: must be length 0 or 1')
  }
  const delimiter = fields.string('delimiter') ?? defaultDialect.delimiter
  if (Buffer.byteLength(delimiter) !== 1) {
    throw new UserError('invalid', 'invalid dialect delimeter: must be length 1')
  }
  if (badDelimiters.has(delimiter)) {
    throw new UserError('invalid', 'invalid dialect delimeter character')
  }
  const dateTimeFormat = fields.string('dateTimeFormat') ?? defaultDialect.dateTimeFormat
  if (dateTimeFormat !== 'RFC3339' && dateTimeFormat !== 'RFC3339Nano') {
    throw new UserError('invalid', `unknown dialect date time format: ${dateTimeFormat}`)
  }
  const hasHeader = fields.boolean('header') ?? defaultDialect.hasHeader
  const asked = annotationsOf(fields.strings('annotations') ?? [])
  return { annotations: asked, hasHeader, delimiter, commentPrefix, dateTimeFormat }
}

function annotationsOf(names: readonly string[]): Annotation[] {
  const asked = new Set<string>()
  for (const name of names) {
    if (!annotations.includes(name)) {
      throw new UserError('invalid', `unknown dialect annotation type: ${name}`)
    }
    if (asked.has(name)) throw new UserError('invalid', `dialect annotation given twice: ${name}`)
    asked.add(name)
  }
  return [...asked] as Annotation[]
}

function momentOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  const moment = parseTime('now', text)
  if (moment >= timeMin && moment <= timeMax) return moment
  // What Go has where no moment was given.
  if (/^0001-01-01T00:00:00Z$/.test(text)) return undefined
  throw new UserError('invalid', `now "${text}" is beyond the years 1677 to 2262`)
}

/** The record `params` as JSON gives it. */
export function readParams(value: unknown): Params {
  if (value instanceof Map) return paramOf(value) as Params
  throw new UserError('invalid', 'invalid parameters provided')
}

const [int64Min, int64Max] = [-(2n ** 63n), 2n ** 63n - 1n]

function paramOf(value: unknown): unknown {
  if (value instanceof JsonNumber) return numberOf(value.text)
  if (Array.isArray(value)) return value.map(paramOf)
  if (!(value instanceof Map)) return value
  return new Map(Array.from(value, ([name, inner]) => [name as string, paramOf(inner)]))
}

function numberOf(text: string): number | bigint {
  if (!/[.eE]/.test(text)) {
    const whole = BigInt(text)
    if (whole >= int64Min && whole <= int64Max) return whole
  }
  const number = Number(text)
  if (Number.isFinite(number)) return number
  throw new UserError('invalid', 'invalid parameters provided')
}
