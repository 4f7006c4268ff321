// The fields of a JSON object as Go's decoder reads them into a structure: null counts as absent, what
// is not asked for is ignored, and a value of another type is refused in Go's words.

import { UserError } from '../../errors.js'
import { JsonNumber } from '../../query/json-text.js'

export class JsonFields {
  readonly #fields: ReadonlyMap<string, unknown>
  /** As refusals name it: `QueryRequest`. */
  readonly #name: string
  readonly #path: string

  constructor(value: unknown, name: string, path = '') {
    if (!(value instanceof Map)) {
      throw new UserError(
        'invalid',
        `json: cannot unmarshal ${typeOf(value)} into Go value of type ${name}`,
      )
    }
    this.#fields = value
    this.#name = name
    this.#path = path
  }

  /** As it was parsed; undefined: absent or null. */
  raw(field: string): unknown {
    return this.#fields.get(field) ?? undefined
  }

  /** An empty one counts as absent. */
  string(field: string): string | undefined {
    const value = this.raw(field)
    if (value === undefined || value === '') return undefined
    if (typeof value === 'string') return value
    throw this.#mismatch(value, field, 'string')
  }

  boolean(field: string): boolean | undefined {
    const value = this.raw(field)
    if (value === undefined || typeof value === 'boolean') return value
    throw this.#mismatch(value, field, 'bool')
  }

  strings(field: string): string[] | undefined {
    const value = this.raw(field)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) throw this.#mismatch(value, field, '[]string')
    return value.map((item) => {
      if (typeof item === 'string') return item
      throw this.#mismatch(item, field, 'string')
    })
  }

  object(field: string): JsonFields | undefined {
    const value = this.raw(field)
    if (value === undefined) return undefined
    if (!(value instanceof Map)) throw this.#mismatch(value, field, 'object')
    return new JsonFields(value, this.#name, `${this.#path}${field}.`)
  }

  #mismatch(value: unknown, field: string, type: string): UserError {
    const place = `${this.#name}.${this.#path}${field}`
    return new UserError(
      'invalid',
      `json: cannot unmarshal ${typeOf(value)} into Go struct field ${place} of type ${type}`,
    )
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Map) return 'object'
  if (value instanceof JsonNumber) return 'number'
  return typeof value === 'boolean' ? 'bool' : 'string'
}
