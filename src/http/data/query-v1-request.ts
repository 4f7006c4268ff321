// A v1 query as its parameters and headers ask for it. Values that InfluxDB does not know are read as
// it reads them: another unit means nanoseconds, a bad chunk size the default.

import { UserError } from '../../errors.js'
import type { QueryParameters } from '../../query/language.js'
import { parseParameters } from '../../query/parameters.js'
import type { ResultFormat } from '../../result/format.js'
import type { EpochUnit } from '../../result/moment-text.js'
import { booleanOf } from '../base/parameters.js'
import type { Parameters } from './query-parameters.js'

export interface QueryRequest {
  readonly text: string
  readonly database: string | undefined
  readonly policy: string | undefined
  readonly parameters: QueryParameters | undefined
  readonly format: ResultFormat
  /** Answered at once; the query runs on. */
  readonly isAsync: boolean
}

/** Rows of a chunk unless the request says otherwise. */
const chunkRowsDefault = 10_000

export function readQueryRequest(get: Parameters, accept: string | undefined): QueryRequest {
  const text = get('q')?.trim() ?? ''
  if (text === '') throw new UserError('invalid', 'missing required parameter "q"')
  const params = get('params')
  return {
    text,
    database: get('db'),
    policy: get('rp'),
    parameters: params === undefined ? undefined : { values: parseParameters(params) },
    format: {
      encoding: encodingFor(accept),
      isPretty: booleanOf(get('pretty')) ?? false,
      chunkRows: chunkRowsOf(get),
      time: timeFormat(get('epoch')?.trim() ?? '', get('time_format')?.trim() ?? ''),
    },
    isAsync: booleanOf(get('async')) ?? false,
  }
}

/** Undefined: the answer comes as one. */
export function chunkRowsOf(get: (name: string) => string | undefined): number | undefined {
  return booleanOf(get('chunked')) ? chunkRows(get('chunk_size')) : undefined
}

function chunkRows(text: string | undefined): number {
  const rows = text !== undefined && /^\+?\d{1,19}$/.test(text) ? Number(text) : 0
  return rows > 0 ? rows : chunkRowsDefault
}

const epochUnits = new Map<string, EpochUnit>([
  ['u', 'us'],
  ['us', 'us'],
  // The micro sign, and the Greek letter that looks like it.
  ['\u00b5', 'us'],
  ['\u03bc', 'us'],
  ['ms', 'ms'],
  ['s', 's'],
  ['m', 'm'],
  ['h', 'h'],
])

function timeFormat(epoch: string, format: string): ResultFormat['time'] {
  if (format === 'rfc3339') return 'rfc3339'
  if (format !== '' && format !== 'epoch') {
    const known = 'Time format must be one of the following: rfc3339,epoch'
    throw new UserError('invalid', known)
  }
  return epoch === '' ? undefined : (epochUnits.get(epoch) ?? 'ns')
}

const encodings = new Map<string, ResultFormat['encoding']>([
  ['application/json', 'json'],
  ['application/csv', 'csv'],
  ['text/csv', 'csv'],
  ['application/x-msgpack', 'msgpack'],
  ['*/*', 'json'],
])

export const contentTypes: Readonly<Record<ResultFormat['encoding'], string>> = {
  json: 'application/json',
  csv: 'text/csv',
  msgpack: 'application/x-msgpack',
}

/** The first of those that the client likes best; JSON where it knows none of ours. */
export function encodingFor(accept: string | undefined): ResultFormat['encoding'] {
  if (accept === undefined) return 'json'
  const exact = encodings.get(accept)
  if (exact !== undefined) return exact
  let best: ResultFormat['encoding'] = 'json'
  let bestQuality = 0
  for (const range of accept.toLowerCase().split(',')) {
    const [type, ...details] = range.split(';').map((part) => part.trim())
    const encoding = encodings.get(type)
    const given = details.find((detail) => detail.startsWith('q='))
    const quality = given === undefined ? 1 : Number(given.slice(2)) || 0
    if (encoding === undefined || quality <= bestQuality) continue
    best = encoding
    bestQuality = quality
  }
  return best
}
