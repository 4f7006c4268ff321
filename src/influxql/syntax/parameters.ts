// Bind parameters: the JSON object that comes with a query, and what each of its values is when
// `$name` stands in the text. InfluxDB notices a value that it cannot bind only where it is used, and
// calls it missing then.

import { UserError } from '../../errors.js'
import { JsonNumber, JsonSyntaxError, parseJson } from '../../query/json-text.js'
import { printDuration } from './durations.js'
import { parseWhole, printPlain } from './numbers.js'
import type { Token } from './token.js'

const int64Min = -9223372036854775808n
const int64Max = 9223372036854775807n

type BoundToken = Pick<Token, 'kind' | 'text'>

/** Numbers come back as bigint, or as number where they have a point or an exponent. */
export function parseParameters(text: string): Map<string, unknown> {
  const params = new Map<string, unknown>()
  for (const [name, value] of entriesOf(text)) {
    params.set(name, value instanceof JsonNumber ? numberOf(value) : value)
  }
  return params
}

function entriesOf(text: string): readonly (readonly [string, unknown])[] {
  const value = read(text)
  if (value === null) return []
  if (value instanceof Map) return [...value]
  throw new UserError(
    'invalid',
    'error parsing query parameters: json: cannot unmarshal ' +
      `${jsonTypeOf(value)} into Go value of type map[string]interface {}`,
  )
}

function read(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new UserError('invalid', `error parsing query parameters: ${error.message}`)
  }
}

function numberOf(number: JsonNumber): number | bigint {
  const value = convertNumber(number)
  if (typeof value !== 'string') return value
  throw new UserError('invalid', `error parsing json value: ${value}`)
}

/** The number, or what is wrong with it. */
function convertNumber({ text }: JsonNumber): number | bigint | string {
  if (/[.eE]/.test(text)) {
    const value = Number(text)
    if (Number.isFinite(value)) return value
    return `strconv.ParseFloat: parsing "${text}": value out of range`
  }
  const value = parseWhole(text)
  if (value >= int64Min && value <= int64Max) return value
  return `strconv.ParseInt: parsing "${text}": value out of range`
}

/** What the parser reads in the place of `$name`. */
export function bindParameter(value: unknown): BoundToken {
  switch (typeof value) {
    case 'bigint':
      return { kind: 'INTEGER', text: String(value) }
    case 'number':
      return { kind: 'NUMBER', text: printPlain(value) }
    case 'string':
      return { kind: 'STRING', text: value }
    case 'boolean':
      return { kind: value ? 'TRUE' : 'FALSE', text: '' }
  }
  if (value instanceof JsonNumber) {
    const converted = convertNumber(value)
    return typeof converted === 'string' ? unbound(converted) : bindParameter(converted)
  }
  if (Array.isArray(value)) return unbound('unable to bind parameter with type []interface {}')
  if (typeof value !== 'object' || value === null) {
    return unbound('unable to bind parameter with type <nil>')
  }
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  if (entries.length === 1) return bindObject(String(entries[0][0]), entries[0][1])
  return unbound('bound object parameter value must have exactly one entry')
}

/** `{"regex": "a.*"}`: the kind of literal is said. */
function bindObject(kind: string, given: unknown): BoundToken {
  const value = given instanceof JsonNumber ? convertNumber(given) : given
  if (given instanceof JsonNumber && typeof value === 'string') return unbound(value)
  switch (kind) {
    case 'ident':
    case 'identifier':
      if (typeof value !== 'string') return unbound('identifier must be a string value')
      return { kind: 'IDENT', text: value }
    case 'regex':
      if (typeof value !== 'string') return unbound('regex literal must be a string value')
      return { kind: 'REGEX', text: value }
    case 'string':
      if (typeof value !== 'string') return unbound('string literal must be a string value')
      return { kind: 'STRING', text: value }
    case 'float':
    case 'number':
      if (typeof value !== 'number' && typeof value !== 'bigint') {
        return unbound('number literal must be a float value')
      }
      return { kind: 'NUMBER', text: printPlain(Number(value)) }
    case 'int':
    case 'integer':
      if (typeof value !== 'bigint') return unbound('integer literal must be an integer value')
      return { kind: 'INTEGER', text: String(value) }
    case 'duration':
      if (typeof value === 'string') return { kind: 'DURATIONVAL', text: value }
      if (typeof value === 'bigint') return { kind: 'DURATIONVAL', text: printDuration(value) }
      return unbound('duration literal must be a string or integer value')
    default:
      return unbound(`unknown bind object type: ${kind}`)
  }
}

function unbound(reason: string): BoundToken {
  return { kind: 'BOUNDPARAM', text: reason }
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return value instanceof JsonNumber ? 'number' : 'string'
}
