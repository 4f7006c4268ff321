// What each bind parameter is when `$name` stands in the text. InfluxDB notices a value that it cannot bind only where
// it is used, and calls it missing then.

import { JsonNumber } from '../../query/json-text.js'
import { convertNumber } from '../../query/parameters.js'
import { printDuration } from './durations.js'
import { printPlain } from './numbers.js'
import type { Token } from './token.js'

type BoundToken = Pick<Token, 'kind' | 'text'>

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
