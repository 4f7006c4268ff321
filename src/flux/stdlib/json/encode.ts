// Values as JSON the way Go writes it: properties sorted by name, `<`, `>` and `&` escaped, floats
// with an exponent only where they are very large or small, bytes in base 64.

import { compareUtf8 } from '../../../column/series.js'
import { durationText } from '../../value/duration.js'
import { FluxError } from '../../value/error.js'
import { checkParts, checkTextLength, comparedPartsMax } from '../../value/size.js'
import { displayText } from '../../value/text.js'
import { rfc3339Text } from '../../value/time.js'
import { typeName } from '../../value/type-name.js'
import {
  Bytes,
  Dictionary,
  Duration,
  Dynamic,
  FluxRecord,
  type FluxValue,
  Regexp,
  Time,
  Uint,
} from '../../value/value.js'

/** Throws FluxError for functions and streams, and for floats that JSON has no words for. */
export function jsonText(value: FluxValue): string {
  checkParts(value, comparedPartsMax)
  const text = valueText(value)
  checkTextLength(text.length)
  return text
}

function valueText(value: FluxValue): string {
  switch (typeof value) {
    case 'string':
      return stringText(value)
    case 'number':
      return floatText(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return value === null ? 'null' : objectText(value)
  }
}

function objectText(value: Exclude<FluxValue, string | number | bigint | boolean | null>): string {
  if (value instanceof FluxRecord) {
    const names = [...value.names()]
    return propertiesText(names.map((name) => [name, value.get(name) ?? null]))
  }
  if (value instanceof Dictionary) {
    return propertiesText(value.entries.map((entry) => [displayText(entry.key), entry.value]))
  }
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`
  if (value instanceof Uint) return value.value.toString()
  if (value instanceof Time) return stringText(rfc3339Text(value.ns))
  if (value instanceof Duration) return stringText(durationText(value))
  if (value instanceof Regexp) return stringText(value.pattern)
  if (value instanceof Bytes) return stringText(Buffer.from(value.bytes).toString('base64'))
  if (value instanceof Dynamic) return valueText(value.inner)
  throw new FluxError(refusal(typeName(value)))
}

function refusal(type: string): string {
  if (type === 'function') return 'cannot encode a function value'
  const advice = 'Try using tableFind() or findRecord() to extract data from stream'
  return `got table stream instead of array. ${advice}`
}

function propertiesText(properties: readonly (readonly [string, FluxValue])[]): string {
  const sorted = [...properties].sort(([a], [b]) => compareUtf8(a, b))
  return `{${sorted.map(([name, value]) => `${stringText(name)}:${valueText(value)}`).join(',')}}`
}

const escaped = /[<>&\u2028\u2029]/g
/** Pairs of a backslash and what follows it: the second half of `\\\\` begins no escape. */
const shortEscapes = /\\[^u]/g

function stringText(text: string): string {
  return JSON.stringify(text.toWellFormed())
    .replace(shortEscapes, (pair) =>
      pair === '\\b' ? '\\u0008' : pair === '\\f' ? '\\u000c' : pair,
    )
    .replace(escaped, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function floatText(value: number): string {
  if (!Number.isFinite(value)) {
    const text = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    throw new FluxError(`json: unsupported value: ${text}`)
  }
  if (Object.is(value, -0)) return '-0'
  const size = Math.abs(value)
  if (value !== 0 && (size < 1e-6 || size >= 1e21)) return value.toExponential()
  return String(value)
}
