// Bind parameters: the JSON object that comes with a
// query. Refusals have InfluxDB's words.

import { UserError } from '../errors.js'
import { JsonNumber, JsonSyntaxError, parseJson } from './json-text.js'
import { parseWhole } from './whole-number.js'

const int64Min = -9223372036854775808n
const int64Max = 9223372036854775807n

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
export function convertNumber({ text }: JsonNumber): number | bigint | string {
  if (/[.eE]/.test(text)) {
    const value = Number(text)
    if (Number.isFinite(value)) return value
    return `strconv.ParseFloat: parsing "${text}": value out of range`
  }
  const value = parseWhole(text)
  if (value >= int64Min && value <= int64Max) return value
  return `strconv.ParseInt: parsing "${text}": value out of range`
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return value instanceof JsonNumber ? 'number' : 'string'
}
