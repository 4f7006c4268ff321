// Query parameters as the interface reads them: the first of several values counts, and an empty
// one means that the parameter was not given (some clients send every name they know).

import { UserError } from '../../errors.js'
import type { Precision } from '../../line-protocol/parser.js'

/** Fastify's requests, and those of the data plane. */
export interface ParameterRequest {
  readonly query: unknown
}

export function parameter(request: ParameterRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name]
  const first = Array.isArray(value) ? value[0] : value
  return first === '' ? undefined : first
}

/** As Go reads booleans, and so every InfluxDB; undefined: it is none. */
export function booleanOf(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : booleans.get(text)
}

const booleans = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

/** A boolean, or undefined where none is given. `refusal`: what is said of anything else. */
export function flag(
  request: ParameterRequest,
  name: string,
  refusal = `${name} is invalid`,
): boolean | undefined {
  const text = parameter(request, name)
  const value = booleanOf(text)
  if (value === undefined && text !== undefined) throw new UserError('invalid', refusal)
  return value
}

const v2Precisions = new Map<string, Precision>([
  ['ns', 'ns'],
  ['us', 'us'],
  ['ms', 'ms'],
  ['s', 's'],
])

const v1Precisions = new Map<string, Precision>([
  ...v2Precisions,
  ['n', 'ns'],
  ['u', 'us'],
  ['µ', 'us'],
  ['m', 'm'],
  ['h', 'h'],
  // The cluster's own names.
  ['nanosecond', 'ns'],
  ['microsecond', 'us'],
  ['millisecond', 'ms'],
  ['second', 's'],
])

export function v2Precision(request: ParameterRequest): Precision {
  const name = parameter(request, 'precision') ?? 'ns'
  const precision = v2Precisions.get(name)
  if (precision !== undefined) return precision
  const known = 'valid precision units are ns, us, ms, and s'
  throw new UserError('invalid', `invalid precision; ${known}`)
}

export function v1Precision(request: ParameterRequest): Precision {
  const name = parameter(request, 'precision') ?? 'ns'
  const precision = v1Precisions.get(name)
  if (precision !== undefined) return precision
  throw new UserError('invalid', `invalid precision "${name}" (use n, u, ms, s, m or h)`)
}

/** A moment given as RFC3339 or as nanoseconds since 1970. */
export function parseTime(name: string, text: string): bigint {
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text)
  const pattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d))?$/
  const match = pattern.exec(text)
  const ms =
    match === null
      ? Number.NaN
      : Date.parse(`${match[1]}T${match[2] ?? '00:00:00'}${match[4] ?? 'Z'}`)
  if (match === null || Number.isNaN(ms)) {
    throw new UserError('invalid', `${name} "${text}" is neither RFC3339 nor nanoseconds`)
  }
  return BigInt(ms) * 1_000_000n + BigInt((match[3] ?? '').padEnd(9, '0'))
}
