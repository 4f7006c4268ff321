// Where the parameters of a v1 query stand: in the URL, and for POST also in the body, as a form, as
// multipart (where `q` may be a file) or, as `application/vnd.influxql`, as nothing but the query.
// The body's win over the URL's. An empty one counts as absent: some clients send every name.

import { unescape as decoded } from 'node:querystring'
import { UserError, WriteError } from '../../errors.js'
import { type ParameterRequest, parameter } from '../base/parameters.js'
import type { Exchange } from './exchange.js'

/** The first value of a name; undefined where there is none. */
export type Parameters = (name: string) => string | undefined

export function urlParameters(request: ParameterRequest): Parameters {
  return (name) => parameter(request, name)
}

export async function bodyParameters(exchange: Exchange): Promise<Parameters> {
  const inUrl = urlParameters(exchange)
  const fields = await readFields(exchange)
  return (name) => fields.get(name) || inUrl(name)
}

type Fields = ReadonlyMap<string, string>

const noFields: Fields = new Map()

async function readFields(exchange: Exchange): Promise<Fields> {
  const contentType = exchange.headers['content-type'] ?? ''
  const [type] = contentType.split(';', 1)
  const body = await readQueryBody(exchange)
  if (body.length === 0) return noFields
  switch (type.trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return formFields(body)
    case 'multipart/form-data':
      return multipartFields(body, contentType)
    case 'application/vnd.influxql':
      return new Map([['q', body.toString()]])
  }
  // InfluxDB 1 and 2 do not look at such a body; the cluster refuses it.
  if (exchange.services.config.variant !== 'cluster' || type === '') return noFields
  throw new UserError('invalid', `invalid mime type (${type.trim()})`)
}

/** A copy: the buffer goes back to its pool. */
export async function readQueryBody({ services, request }: Exchange): Promise<Buffer> {
  try {
    const body = await services.queryBodies.read(request, () => undefined)
    const copy = Buffer.from(body.bytes)
    body.release()
    return copy
  } catch (error) {
    if (!(error instanceof WriteError) || error.maxLength === undefined) throw error
    const limit = `the maximum is ${error.maxLength} bytes`
    throw new UserError('request too large', `the query is too large, ${limit}`)
  }
}

/** The body is changed: a plus is a blank. Pieces are made one by one: a form of nothing but signs takes nothing. */
function formFields(body: Buffer): Fields {
  for (let at = body.indexOf(plus); at >= 0; at = body.indexOf(plus, at + 1)) body[at] = blank
  const text = body.toString()
  const fields: [string, string][] = []
  for (let from = 0; from < text.length; ) {
    const mark = text.indexOf('&', from)
    const end = mark < 0 ? text.length : mark
    if (end > from) {
      if (fields.length === fieldsMax) {
        throw new UserError('invalid', `a form has at most ${fieldsMax} parameters`)
      }
      fields.push(formField(text.slice(from, end)))
    }
    from = end + 1
  }
  return firstOfEach(fields)
}

function formField(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  return equals < 0
    ? [unescaped(pair), '']
    : [unescaped(pair.slice(0, equals)), unescaped(pair.slice(equals + 1))]
}

function unescaped(text: string): string {
  return text.includes('%') ? decoded(text) : text
}

const plus = 0x2b
const blank = 0x20

function firstOfEach(pairs: Iterable<[string, string]>): Fields {
  const fields = new Map<string, string>()
  for (const [name, value] of pairs) if (!fields.has(name)) fields.set(name, value)
  return fields
}

function multipartFields(body: Buffer, contentType: string): Fields {
  const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType)
  if (boundary === null)
    throw new UserError('invalid', 'no multipart boundary param in Content-Type')
  // Every boundary but the first follows a line break; the last is followed by two dashes.
  const text = Buffer.concat([Buffer.from('\r\n'), body])
  const mark = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]}`)
  const fields: [string, string][] = []
  let start = text.indexOf(mark)
  while (start >= 0 && fields.length < fieldsMax) {
    const from = start + mark.length
    const end = text.indexOf(mark, from)
    if (end < 0) break
    const field = partField(text.subarray(from, end))
    if (field !== undefined) fields.push(field)
    start = end
  }
  return firstOfEach(fields)
}

/** More parts than there are parameters are none of ours. */
const fieldsMax = 100

/** Name and content of a part, be it a field or a file. */
function partField(part: Buffer): [string, string] | undefined {
  const end = part.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = part.toString('utf8', 0, end)
  const name = /^content-disposition:[^\r\n]*;\s*name=(?:"([^"\r\n]*)"|([^\s;]+))/im.exec(head)
  if (name === null) return undefined
  return [name[1] ?? name[2], part.toString('utf8', end + 4)]
}
