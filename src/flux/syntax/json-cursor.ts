// Reads values out of JSON that a client sent, which may be anything: every step checks what it finds, and a
// wrong shape is a UserError that names the place (`extern.body[0].init: …`).

import { UserError } from '../../errors.js'
import { treeDepthMax } from './syntax-errors.js'

export class JsonCursor {
  readonly #value: unknown
  readonly #path: string
  readonly #depth: number

  constructor(value: unknown, path: string, depth = 0) {
    this.#value = value
    this.#path = path
    this.#depth = depth
    if (depth > treeDepthMax) this.fail('nested too deep')
  }

  fail(reason: string): never {
    throw new UserError('invalid', `invalid syntax tree: ${this.#path}: ${reason}`)
  }

  /** The field, null where it is absent. Only own fields: nothing comes from a prototype. */
  field(name: string): JsonCursor | null {
    const object = this.#object()
    if (!Object.hasOwn(object, name)) return null
    const value = (object as Record<string, unknown>)[name]
    if (value === null || value === undefined) return null
    return new JsonCursor(value, `${this.#path}.${name}`, this.#depth + 1)
  }

  need(name: string): JsonCursor {
    return this.field(name) ?? this.fail(`${name} is missing`)
  }

  /** The items of a list; none where it is absent. */
  list<T>(name: string, read: (item: JsonCursor) => T): T[] {
    const field = this.field(name)
    if (field === null) return []
    if (!Array.isArray(field.#value)) return field.fail('expected a list')
    return field.#value.map((item, index) =>
      read(new JsonCursor(item, `${field.#path}[${index}]`, field.#depth)),
    )
  }

  text(): string {
    if (typeof this.#value !== 'string') return this.fail('expected a string')
    return this.#value
  }

  number(): number {
    if (typeof this.#value !== 'number') return this.fail('expected a number')
    return this.#value
  }

  integer(): number {
    const value = this.number()
    return Number.isSafeInteger(value) ? value : this.fail('expected an integer')
  }

  boolean(): boolean {
    if (typeof this.#value !== 'boolean') return this.fail('expected a boolean')
    return this.#value
  }

  oneOf<T extends string>(values: readonly T[]): T {
    const value = this.text()
    return values.find((candidate) => candidate === value) ?? this.fail(`unknown value "${value}"`)
  }

  #object(): object {
    const value = this.#value
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    return this.fail('expected an object')
  }
}
