// The name of a value's type as Flux's messages say it. Types before the script runs, with all their
// variables, are the business of the checker.

import { TableObject } from './table-object.js'
import {
  Bytes,
  Dictionary,
  Duration,
  Dynamic,
  FluxFunction,
  FluxRecord,
  type FluxValue,
  Regexp,
  StreamValue,
  Time,
  Uint,
} from './value.js'

/** `int`, `object`, `array`, …; `invalid` for null, whose type nobody knows. */
export function typeName(value: FluxValue): string {
  switch (typeof value) {
    case 'number':
      return 'float'
    case 'bigint':
      return 'int'
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    default:
      return value === null ? 'invalid' : objectTypeName(value)
  }
}

function objectTypeName(value: object): string {
  if (value instanceof FluxRecord) return 'object'
  if (value instanceof Time) return 'time'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Duration) return 'duration'
  if (Array.isArray(value)) return 'array'
  if (value instanceof FluxFunction) return 'function'
  if (value instanceof StreamValue || value instanceof TableObject) return 'stream'
  if (value instanceof Dictionary) return 'dictionary'
  if (value instanceof Regexp) return 'regexp'
  if (value instanceof Bytes) return 'bytes'
  if (value instanceof Dynamic) return 'dynamic'
  return 'invalid'
}

/** The type in full, as messages about arguments have it: `[int]`, `{a: int}`. */
export function typeText(value: FluxValue): string {
  if (Array.isArray(value)) return `[${value.length === 0 ? 'A' : typeText(value[0])}]`
  if (value instanceof FluxRecord) {
    const parts: string[] = []
    for (const name of value.names()) parts.push(`${name}: ${typeText(value.get(name) ?? null)}`)
    return `{${parts.join(', ')}}`
  }
  if (value instanceof Dictionary) {
    const [first] = value.entries
    return first === undefined ? '[A:B]' : `[${typeText(first.key)}:${typeText(first.value)}]`
  }
  if (value instanceof FluxFunction) return value.typeText
  return value === null ? 'null' : typeName(value)
}
